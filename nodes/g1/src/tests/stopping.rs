//! Stop is reachable at every stage within 50 ms, and a cancel is harmless at any time.

use super::rig::{Rig, walk};
use troupe_core::device::LowCommand;
use troupe_core::skill::{SkillCode, SkillGoal, SkillStage};

/// Ticks at which the goal waits, moves, corrects and settles.
const STAGES: [(u64, SkillStage); 4] = [
    (1, SkillStage::Waiting),
    (40, SkillStage::Moving),
    (160, SkillStage::Correcting),
    (210, SkillStage::Settling),
];

fn at(ticks: u64, stage: SkillStage) -> Rig {
    let mut rig = Rig::new();
    let goal = SkillGoal { start_tick: 5, ..rig.goal(walk(0.25)) };
    rig.g1.accept("a".into(), goal).unwrap();
    for _ in 1..ticks {
        rig.tick();
    }
    assert_eq!(rig.tick().feedback.unwrap().1.stage, stage);
    rig
}

#[test]
fn cancel_stops_within_two_ticks_at_every_stage() {
    for (ticks, stage) in STAGES {
        let mut rig = at(ticks, stage);
        assert!(!rig.g1.cancel("another"));
        assert!(rig.g1.cancel("a"));
        rig.g1.cancel("a");
        for _ in 0..200 {
            rig.tick();
            assert_eq!(rig.velocity, [0.0; 3], "{stage:?}");
        }
        rig.g1.cancel("a");
        let result = rig.result("a").unwrap();
        assert_eq!(result.code, SkillCode::Canceled, "{stage:?}");
        assert_eq!(result.settled, stage != SkillStage::Waiting);
        let goal = rig.goal(walk(0.1));
        assert_eq!(rig.g1.accept("b".into(), goal), Ok(()));
    }
}

#[test]
fn a_cancel_before_the_first_tick_needs_no_tick() {
    let mut rig = Rig::new();
    let goal = rig.goal(walk(0.25));
    rig.g1.accept("a".into(), goal).unwrap();
    assert!(rig.g1.cancel("a"));
    assert!(!rig.g1.is_busy());
    let finished = rig.g1.take_finished();
    assert_eq!(finished.first().map(|(_, r)| r.code), Some(SkillCode::Canceled));
    rig.tick();
    assert_eq!(rig.velocity, [0.0; 3]);
    assert!(rig.results.is_empty());
}

#[test]
fn the_stop_latch_takes_effect_on_the_next_tick_at_every_stage() {
    for (ticks, stage) in STAGES {
        let mut rig = at(ticks, stage);
        rig.g1.stop("team/stop");
        for _ in 0..20 {
            let output = rig.tick();
            assert_eq!(rig.velocity, [0.0; 3]);
            assert_eq!(output.command.flags & (LowCommand::BUSY | LowCommand::STOPPED), LowCommand::STOPPED);
            assert!(output.command.motors.iter().any(|m| m.kp > 0.0), "it stands, it does not fall");
        }
        assert_eq!(rig.result("a").unwrap().code, SkillCode::Stopped);
    }
}

/// CE-039.
#[test]
fn a_coasting_robot_reports_coast_and_a_restless_one_is_not_settled() {
    let mut rig = at(40, SkillStage::Moving);
    rig.g1.cancel("a");
    for tick in 0..200 {
        // Coasts 0.2 m/s for a second, then stands.
        if tick < 50 {
            rig.pose.x += 0.004;
        }
        let (low, mut team) = rig.states();
        if tick < 50 {
            team.robots[0].twist.linear[0] = 0.2;
        }
        rig.tick_with(&low, &team);
    }
    let result = rig.result("a").unwrap();
    assert!((result.coast_m - 0.196).abs() < 0.01 && result.settled, "{result:?}");

    let mut rig = at(210, SkillStage::Settling);
    for _ in 0..200 {
        let (low, mut team) = rig.states();
        team.robots[0].twist.linear[0] = 0.2;
        rig.tick_with(&low, &team);
    }
    let result = rig.result("a").unwrap();
    assert_eq!((result.code, result.settled), (SkillCode::None, false));
    assert_eq!(result.end_tick - result.stop_tick, 149);
}

#[test]
fn the_hold_command_keeps_the_last_set_points() {
    let mut rig = at(40, SkillStage::Moving);
    let output = rig.tick();
    let (mut low, _) = rig.states();
    let held = rig.g1.hold_command(&low);
    assert_eq!(held.motors, output.command.motors);
    assert_ne!(held.flags & LowCommand::STOPPED, 0);
    low.motors[0].q = f32::NAN;
    let damped = rig.g1.hold_command(&low);
    assert!(damped.is_sound() && damped.motors.iter().all(|m| m.kp == 0.0 && m.kd > 0.0));
}
