//! Who clears what: a breach is over after a restore, a stop only an operator clears, a fall needs its feet.

use super::rig::{Rig, walk};
use crate::controller::Output;
use troupe_core::device::LowCommand;
use troupe_core::frames::{Planar, Pose, Twist};
use troupe_core::skill::{SkillCall, SkillCode};
use troupe_core::state::{PayloadState, RobotMode, TeamState};

/// Both carry: the partner stands 0.8 m to the right and the payload lies on the arms.
fn carried(rig: &Rig) -> TeamState {
    let (_, mut team) = rig.states();
    let mut partner = team.robots[0].clone();
    partner.robot = "g1_1".into();
    partner.base = Pose::upright([rig.pose.x, rig.pose.y - 0.8, 0.78], rig.pose.yaw);
    partner.mode = RobotMode::Moving;
    team.robots.push(partner);
    team.payloads.push(PayloadState {
        name: "payload".into(),
        pose: Pose::default(),
        twist: Twist::default(),
        half_extents_m: [0.05, 0.65, 0.015],
        z_min_m: 0.9,
        tilt_rad: 0.0,
        mass_kg: 0.5,
        held: false,
    });
    team
}

fn tick(rig: &mut Rig, change: impl Fn(&mut TeamState)) -> Output {
    let (low, _) = rig.states();
    let mut team = carried(rig);
    change(&mut team);
    rig.tick_with(&low, &team)
}

/// A robot that carries and has walked for a while; every state is changed by `change` from then on, until
/// the goal has ended. Returns the ticks that took.
fn walking(rig: &mut Rig, change: impl Fn(&mut TeamState)) -> u32 {
    rig.run(SkillCall::InitSupport);
    let goal = rig.goal(walk(0.4));
    rig.g1.accept("a".into(), goal).unwrap();
    for _ in 0..40 {
        tick(rig, |_| {});
    }
    assert!(rig.g1.is_busy());
    for ticks in 1..=200 {
        tick(rig, &change);
        if rig.result("a").is_some() {
            return ticks;
        }
    }
    panic!("not stopped");
}

#[test]
fn a_breach_ends_the_skill_names_its_limit_and_is_over_after_a_restore() {
    let cases: [(fn(&mut TeamState), &str, u32); 4] = [
        (|t| t.robots[0].twist.linear[0] = 0.9, "mean speed 0.5", 200),
        (|t| t.robots[0].twist.angular[2] = -0.9, "mean turn rate 0.5", 200),
        (|t| t.robots[1].base.position[1] += 0.25, "separation 0.55 m is outside 0.6 to 2 m", 1),
        (|t| t.robots[1].base.position[1] -= 1.3, "separation 2.10 m is outside 0.6 to 2 m", 1),
    ];
    for (change, words, most_ticks) in cases {
        let mut rig = Rig::new();
        let saved = rig.g1.save();
        let ticks = walking(&mut rig, change);
        assert!(ticks <= most_ticks, "{words}: {ticks}");
        let result = rig.result("a").unwrap();
        assert_eq!(result.code, SkillCode::LimitBreached);
        assert!(result.message.contains(words), "{}", result.message);
        for _ in 0..3 {
            let output = tick(&mut rig, |_| {});
            assert_eq!(rig.velocity, [0.0; 3], "{words}");
            let flags = output.command.flags;
            assert_eq!(flags & (LowCommand::BUSY | LowCommand::STOPPED), LowCommand::STOPPED);
            assert_eq!(output.report.mode, RobotMode::Stopped);
        }
        let goal = rig.goal(walk(0.2));
        let refusal = rig.g1.accept("b".into(), goal).unwrap_err();
        assert_eq!(refusal.code, SkillCode::LimitBreached);
        assert!(refusal.message.contains(words) && refusal.message.contains("restore"), "{}", refusal.message);
        rig.epoch = 1;
        assert_eq!(rig.g1.restore(1, Some(&saved), false), Ok(1));
        assert_eq!(rig.run(walk(0.2)).code, SkillCode::None, "{words}");
    }
}

#[test]
fn an_operator_clears_a_breach_too() {
    let mut rig = Rig::new();
    walking(&mut rig, |t| t.robots[1].base.position[1] += 0.25);
    assert_eq!(rig.g1.clear_stop(), Ok(()));
    assert_eq!(rig.g1.stopped(), None);
    assert_eq!(rig.run(walk(0.1)).code, SkillCode::None);
}

#[test]
fn a_stop_outlives_a_breach_and_its_restore() {
    let mut rig = Rig::new();
    walking(&mut rig, |t| t.robots[1].base.position[1] += 0.25);
    rig.g1.stop("team/stop");
    rig.g1.restore(1, None, false).unwrap();
    assert_eq!(rig.g1.stopped(), Some("team/stop"));
    rig.epoch = 1;
    let goal = rig.goal(walk(0.1));
    assert_eq!(rig.g1.accept("b".into(), goal).unwrap_err().code, SkillCode::Stopped);
}

#[test]
fn a_partner_that_stopped_or_fell_ends_the_skill_and_latches_nothing() {
    for mode in [RobotMode::Stopped, RobotMode::Fault] {
        let mut rig = Rig::new();
        assert_eq!(walking(&mut rig, |t| t.robots[1].mode = mode), 1);
        let result = rig.result("a").unwrap();
        assert_eq!(result.code, SkillCode::LimitBreached);
        assert!(result.message.contains("g1_1"), "{}", result.message);
        assert_eq!((rig.velocity, rig.g1.stopped()), ([0.0; 3], None));
        assert_eq!(rig.run(walk(0.1)).code, SkillCode::None);
    }
    // A payload that no longer lies on the arms couples nobody.
    let mut rig = Rig::new();
    rig.run(SkillCall::InitSupport);
    let goal = rig.goal(walk(0.2));
    rig.g1.accept("a".into(), goal).unwrap();
    for _ in 0..400 {
        tick(&mut rig, |t| {
            t.robots[1].mode = RobotMode::Stopped;
            t.payloads[0].held = true;
        });
    }
    assert_eq!(rig.result("a").unwrap().code, SkillCode::None);
}

#[test]
fn a_fallen_robot_is_cleared_once_it_stands_again() {
    let mut rig = Rig::new();
    let goal = rig.goal(walk(0.4));
    rig.g1.accept("a".into(), goal.clone()).unwrap();
    for _ in 0..60 {
        rig.tick();
    }
    for _ in 0..100 {
        let (low, mut team) = rig.states();
        team.robots[0].base.position[2] = 0.2;
        team.robots[0].twist.linear[0] = 0.9;
        rig.tick_with(&low, &team);
    }
    assert_eq!(rig.result("a").unwrap().code, SkillCode::Fault);
    let cause = rig.g1.clear_stop().unwrap_err();
    assert!(cause.contains("fallen: pelvis at 0.20 m"), "{cause}");
    assert_eq!(rig.tick().report.mode, RobotMode::Fault, "upright, and not cleared yet");
    assert_eq!(rig.g1.clear_stop(), Ok(()));
    rig.pose = Planar { x: 1.0, y: 2.0, yaw: 1.0 };
    let output = rig.tick();
    assert_eq!((output.report.mode, output.report.fault), (RobotMode::Idle, None));
    assert!(output.command.motors.iter().any(|m| m.kp > 0.0));
    assert_eq!(rig.run(walk(0.2)).code, SkillCode::None);
}

#[test]
fn a_robot_set_upright_while_disabled_can_be_cleared_before_it_is_enabled() {
    let mut rig = Rig::new();
    let (low, mut team) = rig.states();
    team.robots[0].torso_tilt_rad = 1.5;
    rig.tick_with(&low, &team);
    rig.g1.enable(false);
    assert!(rig.g1.clear_stop().is_err());
    rig.tick();
    assert_eq!(rig.g1.clear_stop(), Ok(()));
    rig.g1.enable(true);
    assert_eq!(rig.run(walk(0.1)).code, SkillCode::None);
}
