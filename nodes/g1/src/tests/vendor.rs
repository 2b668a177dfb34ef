//! The vendor's high-level requests (COMPLAINTS row 1: dead in simulation).

use super::rig::{Rig, walk};
use crate::sport::{CODE_NOT_AVAILABLE, CODE_NOT_IMPLEMENTED, CODE_PARAMETER};
use troupe_core::device::LowCommand;
use troupe_core::skill::SkillCode;

#[test]
fn a_velocity_command_walks_for_its_time_and_stops() {
    let mut rig = Rig::new();
    rig.tick();
    let reply = rig.g1.sport(7105, r#"{"velocity":[0.3,0.1,0.2],"duration":0.5}"#);
    assert_eq!((reply.code, reply.data.as_str()), (0, ""));
    for _ in 0..25 {
        let output = rig.tick();
        assert_eq!(rig.velocity, [0.3, 0.1, 0.2]);
        assert_ne!(output.command.flags & LowCommand::BUSY, 0);
    }
    let output = rig.tick();
    assert_eq!(rig.velocity, [0.0; 3]);
    assert_eq!(output.command.flags & LowCommand::BUSY, 0);
}

#[test]
fn a_zero_velocity_ends_the_command_at_once() {
    let mut rig = Rig::new();
    rig.g1.sport(7105, r#"{"velocity":[0.3,0,0],"duration":2}"#);
    rig.tick();
    assert_eq!(rig.g1.sport(7105, r#"{"velocity":[0,0,0],"duration":1}"#).code, 0);
    rig.tick();
    assert_eq!(rig.velocity, [0.0; 3]);
    assert!(!rig.g1.is_busy());
}

#[test]
fn what_cannot_be_done_now_is_refused() {
    let mut rig = Rig::new();
    let go = r#"{"velocity":[0.3,0,0],"duration":2}"#;
    assert_eq!(rig.g1.sport(1008, "{}").code, CODE_NOT_IMPLEMENTED);
    assert_eq!(rig.g1.sport(7105, r#"{"velocity":[3,0,0],"duration":2}"#).code, CODE_PARAMETER);
    let goal = rig.goal(walk(0.2));
    rig.g1.accept("a".into(), goal).unwrap();
    assert_eq!(rig.g1.sport(7105, go).code, CODE_NOT_AVAILABLE);
    rig.g1.stop("team/stop");
    assert_eq!(rig.g1.sport(7105, go).code, CODE_NOT_AVAILABLE);
    assert_eq!(rig.g1.sport(7101, r#"{"data":4}"#).code, CODE_NOT_AVAILABLE);
    assert_eq!(rig.g1.sport(7101, r#"{"data":1}"#).code, 0, "damping is always granted");
}

#[test]
fn the_states_damp_stand_and_walk() {
    let mut rig = Rig::new();
    assert_eq!(rig.g1.sport(7001, "").data, r#"{"data":500}"#);
    let goal = rig.goal(walk(0.2));
    rig.g1.accept("a".into(), goal.clone()).unwrap();
    assert_eq!(rig.g1.sport(7101, r#"{"data":1}"#).code, 0);
    let damp = rig.tick().command;
    assert_eq!(rig.result("a").unwrap().code, SkillCode::Stopped);
    assert!(damp.motors.iter().all(|m| m.kp == 0.0 && m.kd > 0.0));
    rig.g1.sport(7101, r#"{"data":0}"#);
    assert!(rig.tick().command.motors.iter().all(|m| m.kp == 0.0 && m.kd == 0.0));
    rig.g1.sport(7101, r#"{"data":4}"#);
    assert!(rig.tick().command.motors.iter().all(|m| m.kp > 0.0));
    assert_eq!(rig.g1.accept("b".into(), goal.clone()).unwrap_err().code, SkillCode::Disabled);
    assert_eq!(rig.g1.sport(7105, r#"{"velocity":[0.3,0,0],"duration":2}"#).code, CODE_NOT_AVAILABLE);
    rig.g1.sport(7101, r#"{"data":500}"#);
    assert_eq!(rig.g1.accept("b".into(), goal), Ok(()));
}

#[test]
fn balance_mode_one_keeps_stepping_and_a_stop_ends_it() {
    let mut rig = Rig::new();
    assert_eq!(rig.g1.sport(7102, r#"{"data":1}"#).code, 0);
    let output = rig.tick();
    assert_eq!(rig.velocity, [0.012, 0.0, 0.0]);
    assert_eq!(output.command.flags & LowCommand::BUSY, 0);
    rig.g1.stop("team/stop");
    rig.tick();
    assert_eq!(rig.velocity, [0.0; 3]);
}
