//! Every error code of the action, provoked.

use super::rig::{Rig, walk};
use troupe_core::skill::{SkillCall, SkillCode, SkillGoal, SkillStage};

fn refusal(rig: &mut Rig, goal: SkillGoal) -> (SkillCode, String) {
    let refusal = rig.g1.accept("refused".into(), goal).unwrap_err();
    assert!(!rig.results.contains_key("refused"));
    (refusal.code, refusal.message)
}

#[test]
fn out_of_bounds_and_bad_deadlines_are_refused() {
    let mut rig = Rig::new();
    rig.tick();
    let far = rig.goal(walk(0.6));
    let (code, text) = refusal(&mut rig, far);
    assert_eq!(code, SkillCode::OutOfBounds);
    assert!(text.contains("0.02 to 0.5"), "{text}");
    for deadline_s in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let goal = SkillGoal { deadline_s, ..rig.goal(walk(0.2)) };
        let (code, text) = refusal(&mut rig, goal);
        assert!(code == SkillCode::OutOfBounds && text.contains("deadline_s"), "{text}");
    }
    let late = SkillGoal { start_tick: 10_000, ..rig.goal(walk(0.2)) };
    assert_eq!(refusal(&mut rig, late).0, SkillCode::OutOfBounds);
    assert!(!rig.g1.is_busy());
}

#[test]
fn an_older_epoch_is_stale() {
    let mut rig = Rig::new();
    rig.g1.restore(3, None, false).unwrap();
    rig.epoch = 3;
    rig.tick();
    let goal = SkillGoal { context_epoch: 2, ..rig.goal(walk(0.2)) };
    assert_eq!(refusal(&mut rig, goal).0, SkillCode::Stale);
    let goal = rig.goal(walk(0.2));
    assert_eq!(rig.g1.accept("a".into(), goal), Ok(()));
    // The team moves on to another epoch while the goal executes.
    rig.tick();
    rig.epoch = 4;
    rig.tick();
    assert_eq!(rig.result("a").unwrap().code, SkillCode::Stale);
}

#[test]
fn a_second_goal_is_busy() {
    let mut rig = Rig::new();
    let goal = rig.goal(walk(0.2));
    rig.g1.accept("a".into(), goal.clone()).unwrap();
    assert!(rig.g1.is_busy());
    assert_eq!(refusal(&mut rig, goal.clone()).0, SkillCode::Busy);
    rig.finish("a");
    let reply = rig.g1.sport(7105, r#"{"velocity":[0.2,0,0],"duration":0.5}"#);
    assert_eq!(reply.code, 0);
    assert_eq!(refusal(&mut rig, goal).0, SkillCode::Busy);
}

#[test]
fn disabled_refuses_ends_and_sends_no_torque() {
    let mut rig = Rig::new();
    let goal = rig.goal(walk(0.2));
    rig.g1.accept("a".into(), goal.clone()).unwrap();
    rig.tick();
    rig.g1.enable(false);
    let output = rig.tick();
    assert_eq!(rig.result("a").unwrap().code, SkillCode::Disabled);
    assert!(output.command.motors.iter().all(|m| m.kp == 0.0 && m.kd == 0.0 && m.mode == 0));
    assert_eq!(refusal(&mut rig, goal.clone()).0, SkillCode::Disabled);
    rig.g1.enable(true);
    assert_eq!(rig.g1.accept("b".into(), goal), Ok(()));
}

#[test]
fn a_stop_latches_until_it_is_cleared() {
    let mut rig = Rig::new();
    let goal = rig.goal(walk(0.2));
    rig.g1.accept("a".into(), goal.clone()).unwrap();
    rig.tick();
    rig.g1.stop("team/stop");
    rig.g1.stop("heartbeat lost");
    let finished = rig.g1.take_finished();
    rig.collect(finished);
    let result = rig.result("a").unwrap();
    assert_eq!((result.code, result.message.as_str()), (SkillCode::Stopped, "team/stop"));
    let (code, text) = refusal(&mut rig, goal.clone());
    assert!(code == SkillCode::Stopped && text.contains("team/stop"));
    let output = rig.tick();
    assert_ne!(output.command.flags & troupe_core::device::LowCommand::STOPPED, 0);
    rig.g1.restore(0, None, false).unwrap();
    assert_eq!(refusal(&mut rig, goal.clone()).0, SkillCode::Stopped, "a restore clears no stop");
    rig.g1.clear_stop().unwrap();
    assert_eq!(rig.g1.accept("b".into(), goal), Ok(()));
}

#[test]
fn a_passed_deadline_is_a_timeout_within_it() {
    let mut rig = Rig::new();
    let goal = SkillGoal { deadline_s: 1.0, ..rig.goal(walk(0.25)) };
    rig.g1.accept("a".into(), goal).unwrap();
    let result = rig.finish("a");
    assert_eq!(result.code, SkillCode::Timeout);
    assert!(result.end_tick - result.consumed_tick <= 50);
    assert!(!result.settled && rig.velocity == [0.0; 3]);
}

#[test]
fn a_fall_and_a_state_that_is_not_finite_are_faults_with_damping_only() {
    for broken in ["fall", "device", "team"] {
        let mut rig = Rig::new();
        let goal = rig.goal(walk(0.25));
        rig.g1.accept("a".into(), goal.clone()).unwrap();
        rig.tick();
        let (mut low, mut team) = rig.states();
        match broken {
            "fall" => team.robots[0].base.position[2] = 0.3,
            "device" => low.motors[3].q = f32::NAN,
            _ => team.robots[0].twist.linear[1] = f64::INFINITY,
        }
        let output = rig.tick_with(&low, &team);
        assert_eq!(rig.result("a").unwrap().code, SkillCode::Fault, "{broken}");
        let kd = rig.config.settings.safety.fault_damping_nms;
        assert!(output.command.motors.iter().all(|m| m.kp == 0.0 && m.kd == kd && m.tau == 0.0));
        assert_eq!(output.command.flags, troupe_core::device::LowCommand::FAULT);
        // Latched, although the state is good again.
        rig.tick();
        assert_eq!(refusal(&mut rig, goal.clone()).0, SkillCode::Fault);
        rig.g1.restore(1, None, false).unwrap();
        rig.epoch = 1;
        assert_ne!(rig.tick().command.motors[0].kp, 0.0);
    }
}

#[test]
fn a_policy_that_fails_is_a_fault() {
    struct Broken;
    impl troupe_policy::WalkingPolicy for Broken {
        fn infer(&mut self, _: &[f32; 100]) -> Result<[f32; 29], troupe_policy::PolicyError> {
            Ok([f32::NAN; 29])
        }
    }
    let mut rig = Rig::new();
    rig.g1 = crate::G1::new(rig.config.clone(), Box::new(Broken), "g1_0");
    let goal = rig.goal(walk(0.25));
    rig.g1.accept("a".into(), goal).unwrap();
    let output = rig.tick();
    assert!(output.report.fault.unwrap().contains("policy action 0"));
    assert_eq!(rig.result("a").unwrap().code, SkillCode::Fault);
}

#[test]
fn lifecycle_skills_are_refused_out_of_phase() {
    let mut rig = Rig::new();
    for call in [SkillCall::Release, SkillCall::LowerToTarget, SkillCall::Retreat { distance_m: 0.3 }] {
        let goal = rig.goal(call);
        let (code, text) = refusal(&mut rig, goal);
        assert!(code == SkillCode::WrongPhase && text.contains(call.name()), "{text}");
    }
    assert_eq!(rig.run(SkillCall::InitSupport).code, SkillCode::None);
    // The arms may be raised again, to regrip.
    assert_eq!(rig.run(SkillCall::InitSupport).code, SkillCode::None);
    assert_eq!(rig.run(SkillCall::LowerToTarget).code, SkillCode::None);
    let again = rig.goal(SkillCall::LowerToTarget);
    assert_eq!(refusal(&mut rig, again).0, SkillCode::WrongPhase);
    assert_eq!(rig.run(SkillCall::InitSupport).code, SkillCode::None);
}

#[test]
fn a_missed_start_does_not_move_the_robot() {
    let mut rig = Rig::new();
    for _ in 0..10 {
        rig.tick();
    }
    let goal = SkillGoal { start_tick: 5, ..rig.goal(walk(0.25)) };
    rig.g1.accept("a".into(), goal).unwrap();
    let output = rig.tick();
    assert_eq!(rig.result("a").unwrap().code, SkillCode::StartMissed);
    assert_eq!(output.command.flags & troupe_core::device::LowCommand::BUSY, 0);
    assert_eq!(rig.velocity, [0.0; 3]);
    let goal = SkillGoal { start_tick: rig.tick - 1, ..rig.goal(walk(0.25)) };
    rig.g1.accept("b".into(), goal).unwrap();
    assert_eq!(rig.tick().feedback.unwrap().1.stage, SkillStage::Moving, "within the slack");
}

#[test]
fn a_robot_that_is_not_in_the_team_state_stops() {
    let mut rig = Rig::new();
    let goal = rig.goal(walk(0.25));
    rig.g1.accept("a".into(), goal).unwrap();
    let (low, mut team) = rig.states();
    team.robots.clear();
    let output = rig.tick_with(&low, &team);
    assert_eq!(rig.result("a").unwrap().code, SkillCode::Stopped);
    assert!(output.report.stopped.unwrap().contains("g1_0"));
    assert!(output.command.motors.iter().any(|m| m.kp > 0.0), "it keeps standing");
}
