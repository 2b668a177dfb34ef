//! Save and restore: bit-identical continuation, and nothing that keeps walking by itself (CE-038).

use super::rig::{Rig, walk};
use crate::restore::RestoreError;
use troupe_core::device::LowCommand;
use troupe_core::skill::{SkillCall, SkillCode};

fn bits(command: &LowCommand) -> Vec<u32> {
    command.motors.iter().flat_map(|m| [m.q, m.dq, m.tau, m.kp, m.kd].map(f32::to_bits)).collect()
}

/// A second robot with the first one's memory, epoch apart.
fn twin(rig: &Rig, epoch: u32, resume: bool) -> Rig {
    let mut twin = Rig::new();
    twin.pose = rig.pose;
    twin.velocity = rig.velocity;
    // The bridge's counter never goes back.
    twin.tick = rig.tick + 1000;
    twin.epoch = epoch;
    twin.g1.restore(epoch, Some(&rig.g1.save()), resume).unwrap();
    twin
}

#[test]
fn resume_goes_on_bit_for_bit_in_the_middle_of_any_skill() {
    for (call, ticks) in [(walk(0.25), 60), (walk(0.25), 150), (walk(0.25), 215), (SkillCall::InitSupport, 100), (SkillCall::InitSupport, 380)] {
        let mut rig = Rig::new();
        rig.run(walk(0.1));
        let goal = rig.goal(call);
        rig.g1.accept("a".into(), goal).unwrap();
        for _ in 0..ticks {
            rig.tick();
        }
        let mut twin = twin(&rig, 1, true);
        assert_eq!(twin.g1.save().len(), rig.g1.save().len());
        for _ in 0..400 {
            let (a, b) = (rig.tick(), twin.tick());
            assert_eq!(bits(&a.command), bits(&b.command));
            assert_eq!(a.command.flags, b.command.flags);
        }
        assert_eq!(twin.result("a").unwrap().code, SkillCode::None);
        assert_eq!(rig.g1.save(), twin.g1.save());
    }
}

#[test]
fn resume_goes_on_with_a_velocity_command() {
    let mut rig = Rig::new();
    rig.g1.sport(7105, r#"{"velocity":[0.3,0,0.1],"duration":2}"#);
    for _ in 0..30 {
        rig.tick();
    }
    let mut twin = twin(&rig, 1, true);
    for _ in 0..100 {
        let (a, b) = (rig.tick(), twin.tick());
        assert_eq!((bits(&a.command), a.command.flags), (bits(&b.command), b.command.flags));
    }
}

#[test]
fn without_resume_the_robot_stands_and_keeps_reference_arms_and_phase() {
    let mut rig = Rig::new();
    rig.run(SkillCall::InitSupport);
    rig.run(walk(0.25));
    let goal = rig.goal(walk(0.25));
    rig.g1.accept("a".into(), goal).unwrap();
    for _ in 0..60 {
        rig.tick();
    }
    let mut twin = twin(&rig, 5, false);
    assert_eq!(twin.g1.memory.last_action, rig.g1.memory.last_action);
    assert_eq!(twin.g1.memory.reference, rig.g1.memory.reference);
    assert_eq!(twin.g1.memory.arms, rig.g1.memory.arms);
    assert_eq!(twin.g1.memory.lifecycle, rig.g1.memory.lifecycle);
    let output = twin.tick();
    assert_eq!(twin.velocity, [0.0; 3]);
    assert_eq!(output.command.flags, LowCommand::HOLDING);
    assert_eq!(output.command.controller_epoch, 1);
}

#[test]
fn a_restore_ends_the_executing_goal_as_stale_and_counts_epochs() {
    let mut rig = Rig::new();
    let start = rig.g1.save();
    let goal = rig.goal(walk(0.25));
    rig.g1.accept("a".into(), goal.clone()).unwrap();
    rig.tick();
    assert_eq!(rig.g1.restore(1, Some(&start), false), Ok(1));
    assert_eq!(rig.g1.restore(2, None, false), Ok(2));
    let finished = rig.g1.take_finished();
    assert_eq!(finished.len(), 1);
    assert_eq!(finished[0].1.code, SkillCode::Stale);
    assert_eq!(rig.g1.context_epoch(), 2);
    assert_eq!(rig.g1.accept("b".into(), goal).unwrap_err().code, SkillCode::Stale);
    assert_eq!(rig.g1.save(), Rig::new().g1.save(), "a fresh controller is like a new one");
    // A command works on the first tick after it.
    rig.epoch = 2;
    let goal = rig.goal(walk(0.25));
    rig.g1.accept("c".into(), goal).unwrap();
    rig.tick();
    assert_ne!(rig.velocity, [0.0; 3]);
}

#[test]
fn bytes_that_are_not_ours_change_nothing() {
    let mut rig = Rig::new();
    rig.run(walk(0.1));
    let before = rig.g1.save();
    assert!(matches!(rig.g1.restore(9, Some(b"nonsense"), false), Err(RestoreError::Malformed(_))));
    let text = String::from_utf8(before.clone()).unwrap();
    let newer = text.replacen("\"version\":1", "\"version\":2", 1);
    assert_eq!(rig.g1.restore(9, Some(newer.as_bytes()), false), Err(RestoreError::Version { found: 2 }));
    let extra = text.replacen("\"version\":1", "\"version\":1,\"more\":0", 1);
    assert!(rig.g1.restore(9, Some(extra.as_bytes()), false).is_err());
    assert_eq!((rig.g1.save(), rig.g1.context_epoch(), rig.g1.controller_epoch()), (before, 0, 0));
}

/// Each robot has a controller, a history and references of its own: what the other one does changes nothing.
#[test]
fn ce_012_a_lost_twin_leaves_the_other_as_it_was() {
    let commands = |lost_at: Option<usize>| {
        let mut twin = Some(Rig::new());
        let mut rig = Rig::new();
        for one in twin.iter_mut().chain([&mut rig]) {
            let goal = one.goal(walk(0.25));
            one.g1.accept("a".into(), goal).unwrap();
        }
        (0..120)
            .map(|tick| {
                if Some(tick) == lost_at {
                    twin = None;
                }
                if let Some(twin) = &mut twin {
                    twin.tick();
                }
                rig.tick().command
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(commands(None), commands(Some(40)));
}
