//! Skills that succeed: where they end, when they stop, what the arms do.

use super::rig::{Rig, walk};
use crate::arms::both_arms;
use crate::memory::Lifecycle;
use troupe_core::device::LowCommand;
use troupe_core::frames::Planar;
use troupe_core::skill::{Direction, SkillCall, SkillCode, SkillGoal, SkillStage};

#[test]
fn walking_skills_end_where_they_should_and_at_rest() {
    for call in [
        walk(0.25),
        SkillCall::Walk { distance_m: 0.3, direction: Direction::Left, speed_mps: 0.2 },
        SkillCall::Walk { distance_m: 0.3, direction: Direction::Back, speed_mps: 0.4 },
        SkillCall::Turn { yaw_rad: -0.3, speed_rps: 0.25 },
        SkillCall::Arc { distance_m: 0.2, yaw_rad: 0.25, speed_mps: 0.2 },
        SkillCall::Arc { distance_m: -0.2, yaw_rad: 0.25, speed_mps: 0.2 },
    ] {
        let mut rig = Rig::new();
        rig.pose = Planar { x: 1.0, y: 2.0, yaw: 0.7 };
        let result = rig.run(call);
        let wanted = call.intended();
        assert_eq!((result.code, result.settled), (SkillCode::None, true));
        assert!(result.displacement.distance(&wanted) < 0.02, "{call:?} {result:?}");
        assert!((result.displacement.yaw - wanted.yaw).abs() < 0.02);
        assert!(result.coast_m < 0.02 && result.consumed_tick < result.stop_tick);
        assert!(result.end_tick - result.stop_tick >= 39);
        assert!(result.message.is_empty());
    }
}

#[test]
fn the_next_motion_starts_where_the_last_should_have_ended_unless_the_robot_is_elsewhere() {
    let mut rig = Rig::new();
    rig.run(walk(0.25));
    let reference = rig.g1.memory.reference.unwrap();
    assert!((reference.x - 0.25).abs() < 1e-12);
    rig.pose.y += 0.05;
    rig.run(walk(0.25));
    assert!(rig.pose.y.abs() < 0.02, "the offset was made good: {:?}", rig.pose);
    rig.pose.y += 0.5;
    rig.run(walk(0.25));
    assert!((rig.pose.y - 0.5).abs() < 0.03, "the new place is taken: {:?}", rig.pose);
}

#[test]
fn two_robots_with_a_start_tick_begin_and_stop_on_the_same_ticks() {
    let (mut inner, mut outer) = (Rig::new(), Rig::new());
    outer.pose = Planar { x: 0.03, y: -0.8, yaw: 0.02 };
    inner.tick();
    outer.tick();
    let turn = SkillCall::Turn { yaw_rad: 0.26, speed_rps: 0.25 };
    let arc = SkillCall::Arc { distance_m: 0.208, yaw_rad: 0.26, speed_mps: 0.2 };
    for (rig, call) in [(&mut inner, turn), (&mut outer, arc)] {
        let goal = SkillGoal { start_tick: 6, ..rig.goal(call) };
        rig.g1.accept("a".into(), goal).unwrap();
        let waiting = rig.tick();
        assert_eq!(waiting.feedback.unwrap().1.stage, SkillStage::Waiting);
        assert_ne!(waiting.command.flags & LowCommand::BUSY, 0);
    }
    let (a, b) = (inner.finish("a"), outer.finish("a"));
    assert_eq!((a.consumed_tick, a.stop_tick), (b.consumed_tick, b.stop_tick));
    assert_eq!(a.consumed_tick, 6);
    assert_eq!(inner.g1.memory.gait, outer.g1.memory.gait);
}

#[test]
fn the_command_of_the_result_tick_says_idle() {
    let mut rig = Rig::new();
    let goal = rig.goal(walk(0.1));
    rig.g1.accept("a".into(), goal).unwrap();
    loop {
        let output = rig.tick();
        let busy = output.command.flags & LowCommand::BUSY != 0;
        assert_eq!(busy, output.finished.is_empty());
        assert_eq!(busy, output.feedback.is_some());
        if !busy {
            break;
        }
    }
}

#[test]
fn hold_and_stop_stand_still() {
    let mut rig = Rig::new();
    let hold = rig.run(SkillCall::Hold { duration_s: 1.0 });
    assert!(hold.settled && hold.displacement.distance(&Planar::default()) < 1e-9);
    assert_eq!(hold.stop_tick - hold.consumed_tick, 50);
    let goal = rig.goal(walk(0.25));
    rig.g1.accept("a".into(), goal).unwrap();
    for _ in 0..30 {
        rig.tick();
    }
    let stop = rig.goal(SkillCall::Stop);
    rig.g1.accept("b".into(), stop).unwrap();
    rig.tick();
    assert_eq!(rig.velocity, [0.0; 3]);
    assert_eq!(rig.result("a").unwrap().code, SkillCode::Canceled);
    assert_eq!(rig.finish("b").code, SkillCode::None);
}

#[test]
fn the_arms_go_through_carry_lowered_and_released() {
    let mut rig = Rig::new();
    rig.tick();
    assert_eq!(rig.tick().command.flags & LowCommand::HOLDING, 0);
    let support = rig.config.settings.support.clone();
    for (call, posture, phase) in [
        (SkillCall::InitSupport, support.carry, Lifecycle::Supporting),
        (SkillCall::LowerToTarget, support.lowered, Lifecycle::Lowered),
        (SkillCall::Release, support.released, Lifecycle::Released),
        (SkillCall::Retreat { distance_m: 0.3 }, support.released, Lifecycle::Released),
    ] {
        let result = rig.run(call);
        assert_eq!((result.code, rig.g1.memory.lifecycle), (SkillCode::None, phase), "{call:?}");
        let output = rig.tick();
        let sent: Vec<f32> = output.command.motors.iter().skip(15).map(|m| m.q).collect();
        assert_eq!(sent, both_arms(&posture), "{call:?}");
        assert_eq!((output.command.motors[15].kp, output.command.motors[28].kd), (24.0, 1.5));
        assert_ne!(output.command.flags & LowCommand::HOLDING, 0);
    }
    assert!((rig.pose.x + 0.3).abs() < 0.03, "{:?}", rig.pose);
}

#[test]
fn the_policy_does_not_see_the_arms_while_they_support() {
    let mut rig = Rig::new();
    rig.tick();
    let goal = rig.goal(SkillCall::InitSupport);
    rig.g1.accept("a".into(), goal).unwrap();
    for _ in 0..20 {
        let (mut low, team) = rig.states();
        for motor in &mut low.motors {
            motor.q += 0.1;
            motor.dq = 1.0;
        }
        rig.tick_with(&low, &team);
    }
    let seen = *rig.seen.lock().unwrap();
    for (i, value) in seen.iter().enumerate() {
        let arm = [15..29, 52..66, 81..95].iter().any(|r| r.contains(&i));
        let joint = (37..95).contains(&i);
        assert!(!arm || *value == 0.0, "{i}");
        assert!(arm || !joint || *value != 0.0, "{i}");
    }
}

#[test]
fn the_arms_never_jump() {
    let mut rig = Rig::new();
    let mut last: Option<Vec<f32>> = None;
    for call in [SkillCall::InitSupport, SkillCall::LowerToTarget, SkillCall::Release] {
        let goal = rig.goal(call);
        rig.g1.accept(call.name().into(), goal).unwrap();
        while rig.result(call.name()).is_none() {
            let output = rig.tick();
            if !rig.g1.memory.arms.engaged {
                continue;
            }
            let arms: Vec<f32> = output.command.motors[15..].iter().map(|m| m.q).collect();
            if let Some(last) = last.replace(arms.clone()) {
                assert!(last.iter().zip(&arms).all(|(a, b)| (a - b).abs() < 0.02));
            }
        }
    }
}
