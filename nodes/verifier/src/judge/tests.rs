//! Verdicts over synthetic transactions.

use crate::testing::{Bench, arm_contacts, both, carrying, on_stand, over_target, robots, stand_contacts, team};
use proptest::prelude::*;
use troupe_coordination::phase::Stage;
use troupe_coordination::predicate;
use troupe_core::decision::{Kind, Objective, PolicyCode};
use troupe_core::evidence::{FailureType, Level, Outcome, VerdictKind};
use troupe_core::frames::Planar;
use troupe_core::skill::SkillCode;
use troupe_core::state::{Contact, TeamState};
use troupe_core::team::VerifyResponse;

fn forward(distance_m: f64) -> Vec<PolicyCode> {
    both(&format!("walk({distance_m}, 'forward', 0.25)\nstop()"))
}

fn step(bench: &mut Bench, end: &TeamState) -> VerifyResponse {
    bench.run(Kind::LinearTransport, Objective::AdvanceSegment, &forward(0.4), end)
}

/// Verdict of one step from the start that ends in a state changed by `change`.
fn ended(change: impl Fn(&mut TeamState)) -> VerifyResponse {
    let mut end = carrying(0.4);
    change(&mut end);
    step(&mut Bench::new(), &end)
}

fn failure(response: &VerifyResponse) -> Option<FailureType> {
    assert_eq!(response.verdict.outcome, Outcome::Rejected, "{:?}", response.verdict.reasons);
    assert_eq!(response.checkpoint_id, "ckpt-0");
    response.evidence.failure_type
}

fn wall(impulse_ns: f64) -> Contact {
    Contact { body_a: "g1_0/leg".into(), body_b: "wall".into(), force_n: 1.0, impulse_ns }
}

/// CE-051.
#[test]
fn a_good_step_is_accepted_and_becomes_the_checkpoint() {
    let mut bench = Bench::new();
    let response = step(&mut bench, &carrying(0.4));
    assert_eq!(response.verdict.outcome, Outcome::Accepted, "{:?}", response.verdict.reasons);
    assert_eq!((response.verdict.kind, response.checkpoint_id.as_str()), (VerdictKind::Progress, "ckpt-1"));
    assert!(response.evidence.predicates.iter().all(|p| p.passed) && response.evidence.failure_type.is_none());
    assert!((response.evidence.value("progress_along_ref_m").unwrap() - 0.4).abs() < 1e-9);
    assert_eq!(bench.verifier.checkpoint_id(), "ckpt-1");
    assert_eq!(response.verdict.id.len(), 64);
}

/// CE-070.
#[test]
fn each_failure_has_its_type() {
    let cases: [(FailureType, Box<dyn Fn(&mut TeamState)>); 11] = [
        (FailureType::SupportLost, Box::new(|s| s.contacts.retain(|c| !c.body_b.starts_with("g1_1")))),
        (FailureType::SupportLost, Box::new(|s| s.payloads[0].z_min_m = 0.44)),
        (FailureType::PayloadDrop, Box::new(|s| s.payloads[0].z_min_m = 0.29)),
        (FailureType::Tilt, Box::new(|s| s.payloads[0].tilt_rad = 20.1_f64.to_radians())),
        (FailureType::RobotFall, Box::new(|s| s.robots[1].torso_tilt_rad = 30.1_f64.to_radians())),
        (FailureType::RobotFall, Box::new(|s| s.robots[0].base.position[2] = 0.549)),
        (FailureType::WallContact, Box::new(|s| s.contacts.push(wall(0.0401)))),
        (FailureType::WallContact, Box::new(|s| {
            s.contacts.push(Contact { body_a: "payload".into(), body_b: "wall".into(), force_n: 0.1, impulse_ns: 0.001 });
        })),
        (FailureType::UnequalDisplacement, Box::new(|s| s.robots[1].base.position[0] -= 0.6)),
        (FailureType::InsufficientProgress, Box::new(|s| *s = carrying(0.159))),
        (FailureType::WrongDirection, Box::new(|s| *s = carrying(-0.1))),
    ];
    for (wanted, change) in cases {
        let response = ended(change);
        assert_eq!(failure(&response), Some(wanted), "{:?}", response.verdict.reasons);
        assert_eq!(response.drop, wanted == FailureType::PayloadDrop);
        assert!(response.evidence.failure_level.is_some());
    }
}

#[test]
fn bounds_hold_on_their_near_side() {
    let cases: [Box<dyn Fn(&mut TeamState)>; 7] = [
        Box::new(|s| s.payloads[0].tilt_rad = 19.9_f64.to_radians()),
        Box::new(|s| s.payloads[0].z_min_m = 0.45),
        Box::new(|s| s.robots[1].torso_tilt_rad = 29.9_f64.to_radians()),
        Box::new(|s| s.robots[0].base.position[2] = 0.55),
        // 50 ticks of 0.0399 N s stay below 2 N s.
        Box::new(|s| s.contacts.push(wall(0.0399))),
        Box::new(|s| *s = carrying(0.161)),
        Box::new(|s| s.robots[1].base.position[1] -= 0.149),
    ];
    for change in cases {
        let response = ended(change);
        assert_eq!(response.verdict.outcome, Outcome::Accepted, "{:?}", response.verdict.reasons);
    }
    let response = ended(|s| s.robots[1].base.position[1] -= 0.151);
    assert_eq!(failure(&response), Some(FailureType::FormationDrift));
    assert_eq!(response.evidence.failure_level, Some(Level::Coordination));
}

#[test]
fn support_is_measured_over_the_last_half_second() {
    for (lost_ticks, outcome) in [(5, Outcome::Accepted), (6, Outcome::Rejected)] {
        let mut bench = Bench::new();
        let decision = bench.decision(Kind::LinearTransport, Objective::AdvanceSegment);
        let valid = bench.validate(&decision, &forward(0.4));
        let start = bench.tick;
        let mut lost = carrying(0.4);
        lost.contacts.retain(|c| !c.body_b.starts_with("g1_0"));
        bench.show(&lost, 30);
        bench.show(&carrying(0.4), 26 - lost_ticks);
        bench.show(&lost, lost_ticks);
        let request = bench.request(&decision, &valid, start);
        assert_eq!(bench.verify(&request).verdict.outcome, outcome, "{lost_ticks}");
    }
}

#[test]
fn the_whole_mission_certifies_in_order() {
    let mut bench = Bench::new();
    bench.travel();
    let place = |bench: &mut Bench, source: &str, end: &TeamState| {
        let response = bench.run(Kind::Lifecycle, Objective::Place, &both(source), end);
        assert_eq!(response.verdict.outcome, Outcome::Accepted, "{source}: {:?}", response.verdict.reasons);
        assert_eq!(response.verdict.kind, VerdictKind::Lifecycle);
    };
    let mut lowered = on_stand(0.13);
    lowered.contacts.extend(arm_contacts());
    place(&mut bench, "lower_to_target()\nstop()", &lowered);
    assert_eq!(bench.verifier.stage(), Stage::Lowered);
    place(&mut bench, "release()\nstop()", &on_stand(0.13));
    place(&mut bench, "retreat(0.5)\nstop()", &on_stand(0.63));
    assert_eq!(bench.verifier.stage(), Stage::Retreated);
    let open = bench.verifier.endpoint(bench.tick);
    assert_eq!(open.verdict.outcome, Outcome::Unresolved);
    bench.show(&on_stand(0.63), troupe_core::ticks(open.observe_s));
    let done = bench.verifier.endpoint(bench.tick);
    assert_eq!(done.verdict.outcome, Outcome::Accepted, "{:?}", done.verdict.reasons);
    assert_eq!(done.verdict.milestones.len(), 6);
    assert_eq!(done.verdict.milestones.last().map(String::as_str), Some("terminal"));
}

/// CE-006.
#[test]
fn a_release_gate_is_refused_with_all_it_needs() {
    let mut bench = Bench::new();
    bench.travel();
    let high = |z_m: f64| {
        let mut state = over_target();
        state.payloads[0].pose.position[2] = z_m;
        state
    };
    // A payload 0.459 m over the target, as once recorded (CE-006).
    let response = bench.run(Kind::Lifecycle, Objective::Place, &both("lower_to_target()\nstop()"), &high(0.84 + 0.459));
    assert_eq!(response.verdict.outcome, Outcome::Rejected);
    assert_eq!(response.evidence.failure_type, Some(FailureType::ReleaseGate));
    let text = response.verdict.reasons.join("\n");
    for part in ["stage=carrying", predicate::RELEASE_GATE, "0.459", "0.450", "withdrawal_started=false"] {
        assert!(text.contains(part), "{text} lacks {part}");
    }
}

#[test]
fn a_release_that_is_not_free_or_falls_is_rejected() {
    for (failure_type, end) in [
        (FailureType::ReleaseGate, {
            let mut held = on_stand(0.13);
            held.contacts.push(arm_contacts().remove(0));
            held
        }),
        (FailureType::SupportLost, {
            let mut off = on_stand(0.13);
            off.contacts.clear();
            off
        }),
        (FailureType::PayloadDrop, {
            let mut fallen = on_stand(0.13);
            fallen.payloads[0].z_min_m = 0.0;
            fallen
        }),
    ] {
        let mut bench = Bench::new();
        bench.travel();
        bench.run(Kind::Lifecycle, Objective::Place, &both("lower_to_target()\nstop()"), &over_target());
        let response = bench.run(Kind::Lifecycle, Objective::Place, &both("release()\nstop()"), &end);
        assert_eq!(response.verdict.outcome, Outcome::Rejected);
        assert_eq!(response.evidence.failure_type, Some(failure_type), "{:?}", response.verdict.reasons);
        assert_eq!(bench.verifier.stage(), Stage::Lowered);
    }
}

#[test]
fn a_corner_is_progress_by_heading() {
    let mut bench = Bench::new();
    let walk = forward(0.4);
    for x in [0.97, 1.97] {
        let response = bench.run(Kind::LinearTransport, Objective::AdvanceSegment, &walk, &carrying(x));
        assert_eq!(response.verdict.outcome, Outcome::Accepted, "{:?}", response.verdict.reasons);
    }
    assert_eq!(bench.verifier.milestones(), ["straight_a_middle", "corner_entry"]);
    let policies: Vec<PolicyCode> = robots()
        .into_iter()
        .zip(["turn(0.33, 0.25)\nstop()", "arc(0.26, 0.33, 0.2)\nstop()"])
        .map(|(robot, source)| PolicyCode { robot, source: source.into() })
        .collect();
    // Turned about a point that keeps the payload where it is: only the heading tells.
    for (yaw, outcome) in [(0.09, Outcome::Rejected), (0.11, Outcome::Accepted)] {
        let end = team(Planar { x: 2.1, y: 0.0, yaw }, 0.915, 0.13, arm_contacts());
        let mut fresh = Bench { verifier: bench.verifier.clone(), tick: bench.tick, epoch: bench.epoch };
        let response = fresh.run(Kind::Pivot, Objective::RotateAtCorner, &policies, &end);
        assert_eq!(response.verdict.outcome, outcome, "{yaw}: {:?}", response.verdict.reasons);
    }
}

/// CE-051.
#[test]
fn a_setup_lowers_the_named_error_and_no_other() {
    let beside = |y: f64, yaw: f64| team(Planar { x: 0.13, y, yaw }, 0.915, 0.13, arm_contacts());
    let sideways = both("walk(0.15, 'right', 0.2)\nstop()");
    for (y, yaw, outcome, kind) in [
        (0.30, 0.0, Outcome::Accepted, VerdictKind::Setup),
        (0.33, 0.0, Outcome::Rejected, VerdictKind::Setup),
        (0.30, 0.2, Outcome::Rejected, VerdictKind::Setup),
    ] {
        let mut bench = Bench::new();
        bench.show(&beside(0.4, 0.0), 30);
        let response = bench.run(Kind::LinearTransport, Objective::CentreInCorridor, &sideways, &beside(y, yaw));
        assert_eq!((response.verdict.outcome, response.verdict.kind), (outcome, kind), "{y} {yaw}: {:?}", response.verdict.reasons);
        assert!(response.verdict.milestones.is_empty());
    }
}

#[test]
fn alignment_lowers_stagger() {
    let staggered = |x: f64| {
        let mut state = carrying(0.0);
        state.robots[1].base.position[0] += x;
        state
    };
    let policies: Vec<PolicyCode> = robots()
        .into_iter()
        .zip(["hold(1.0)\nstop()", "walk(0.1, 'back', 0.2)\nstop()"])
        .map(|(robot, source)| PolicyCode { robot, source: source.into() })
        .collect();
    let mut bench = Bench::new();
    bench.show(&staggered(0.14), 30);
    let response = bench.run(Kind::Alignment, Objective::EqualiseFormation, &policies, &staggered(0.05));
    assert_eq!((response.verdict.outcome, response.verdict.kind), (Outcome::Accepted, VerdictKind::Setup), "{:?}", response.verdict.reasons);
}

#[test]
fn a_decision_may_insist_on_progress() {
    let mut bench = Bench::new();
    bench.show(&team(Planar { x: 0.13, y: 0.4, yaw: 0.0 }, 0.915, 0.13, arm_contacts()), 30);
    let mut decision = bench.decision(Kind::LinearTransport, Objective::CentreInCorridor);
    decision.evidence_required = vec![predicate::PROGRESS.into()];
    let decision = decision.identified().unwrap();
    let valid = bench.validate(&decision, &both("walk(0.15, 'right', 0.2)\nstop()"));
    let start = bench.tick;
    bench.show(&team(Planar { x: 0.13, y: 0.2, yaw: 0.0 }, 0.915, 0.13, arm_contacts()), 50);
    let request = bench.request(&decision, &valid, start);
    assert_eq!(bench.verify(&request).verdict.outcome, Outcome::Rejected);
}

#[test]
fn missing_or_broken_states_blame_the_infrastructure() {
    for broken in [None, Some(f64::NAN), Some(f64::INFINITY)] {
        let mut bench = Bench::new();
        let decision = bench.decision(Kind::LinearTransport, Objective::AdvanceSegment);
        let valid = bench.validate(&decision, &forward(0.4));
        let start = bench.tick;
        bench.show(&carrying(0.4), 10);
        match broken {
            None => bench.tick += 1,
            Some(value) => {
                let mut state = carrying(0.4);
                state.payloads[0].pose.position[0] = value;
                bench.show(&state, 1);
            }
        }
        bench.show(&carrying(0.4), 40);
        let request = bench.request(&decision, &valid, start);
        let response = bench.verify(&request);
        assert_eq!(response.verdict.outcome, Outcome::InvalidInfra);
        assert_eq!(response.evidence.failure_type, Some(FailureType::Sensor));
        assert!(!response.verdict.reasons.is_empty());
    }
}

#[test]
fn codes_of_skills_count() {
    for (code, outcome, failure_type) in [
        (SkillCode::Timeout, Outcome::Rejected, Some(FailureType::Timeout)),
        (SkillCode::Fault, Outcome::Rejected, Some(FailureType::RobotFall)),
        (SkillCode::Stopped, Outcome::Unresolved, Some(FailureType::Timeout)),
        (SkillCode::Stale, Outcome::InvalidInfra, Some(FailureType::Timeout)),
    ] {
        let mut bench = Bench::new();
        let decision = bench.decision(Kind::LinearTransport, Objective::AdvanceSegment);
        let valid = bench.validate(&decision, &forward(0.4));
        let start = bench.tick;
        bench.show(&carrying(0.4), 50);
        let mut request = bench.request(&decision, &valid, start);
        request.robot_codes[1] = code;
        let response = bench.verify(&request);
        assert_eq!((response.verdict.outcome, response.evidence.failure_type), (outcome, failure_type));
        assert_eq!(bench.verifier.checkpoint_id(), "ckpt-0");
    }
}

#[test]
fn a_breached_limit_is_rejected_and_typed_by_what_was_measured() {
    type Change = fn(&mut TeamState);
    let cases: [(Change, FailureType, Level); 4] = [
        (|s| s.robots[1].base.position[1] += 0.21, FailureType::FormationDrift, Level::Coordination),
        (|s| s.robots[1].base.position[0] -= 0.14, FailureType::UnequalDisplacement, Level::Parameter),
        // Still moving when the window closed: no timeout.
        (|s| s.robots[1].twist.linear[0] = 0.5, FailureType::InsufficientProgress, Level::Parameter),
        (|s| s.contacts.retain(|c| !c.body_b.starts_with("g1_1")), FailureType::SupportLost, Level::Coordination),
    ];
    for (change, failure_type, level) in cases {
        let mut bench = Bench::new();
        let decision = bench.decision(Kind::LinearTransport, Objective::AdvanceSegment);
        let valid = bench.validate(&decision, &forward(0.4));
        let start = bench.tick;
        let mut end = carrying(0.4);
        change(&mut end);
        bench.show(&end, 50);
        let mut request = bench.request(&decision, &valid, start);
        request.robot_codes[1] = SkillCode::LimitBreached;
        let response = bench.verify(&request);
        assert_eq!(failure(&response), Some(failure_type), "{:?}", response.verdict.reasons);
        assert_eq!(response.evidence.failure_level, Some(level));
        assert!(response.verdict.reasons[0].starts_with("g1_1: stopped at a safety limit"));
        request.robot_codes[0] = SkillCode::Stopped;
        assert_eq!(bench.verify(&request).verdict.outcome, Outcome::Unresolved);
    }
}

#[test]
fn nothing_is_judged_that_was_not_validated() {
    let mut bench = Bench::new();
    let decision = bench.decision(Kind::LinearTransport, Objective::AdvanceSegment);
    let valid = bench.validate(&decision, &forward(0.4));
    let start = bench.tick;
    bench.show(&carrying(0.4), 50);
    let good = bench.request(&decision, &valid, start);
    let mut other = good.clone();
    other.fingerprint = "f".into();
    assert_eq!(bench.verify(&other).verdict.outcome, Outcome::InvalidInfra);
    let mut other = good.clone();
    other.calls.reverse();
    other.calls[0] = troupe_core::skill::SkillCall::Stop;
    assert_eq!(bench.verify(&other).verdict.outcome, Outcome::InvalidInfra);
    let mut other = good.clone();
    other.closed_tick = u64::MAX;
    assert_eq!(bench.verify(&other).verdict.outcome, Outcome::InvalidInfra);
    assert_eq!(bench.verify(&good).verdict.outcome, Outcome::Accepted);
    assert_eq!(bench.verify(&good).verdict.outcome, Outcome::InvalidInfra);
}

/// CE-155: candidates that round to one fingerprint may each be dispatched.
#[test]
fn an_earlier_candidate_of_an_equal_fingerprint_may_be_judged() {
    let mut bench = Bench::new();
    let decision = bench.decision(Kind::LinearTransport, Objective::AdvanceSegment);
    let first = bench.validate(&decision, &forward(0.4));
    let second = bench.validate(&decision, &forward(0.4001));
    assert_eq!(first.fingerprint, second.fingerprint);
    assert_ne!(first.calls, second.calls);
    let start = bench.tick;
    bench.show(&carrying(0.4), 50);
    let request = bench.request(&decision, &first, start);
    assert_eq!(bench.verify(&request).verdict.outcome, Outcome::Accepted);
}

#[test]
fn a_checkpoint_that_cannot_be_stored_is_not_trusted() {
    let mut bench = Bench::new();
    let decision = bench.decision(Kind::LinearTransport, Objective::AdvanceSegment);
    let valid = bench.validate(&decision, &forward(0.4));
    let start = bench.tick;
    bench.show(&carrying(0.4), 50);
    let request = bench.request(&decision, &valid, start);
    let judged = bench.verifier.judge(&request);
    assert_eq!(judged.save.as_deref(), Some("ckpt-1"));
    let response = bench.verifier.commit(judged, Err("disk full".into()));
    assert_eq!((response.verdict.outcome, response.checkpoint_id.as_str()), (Outcome::InvalidInfra, "ckpt-0"));
    assert_eq!(bench.verifier.checkpoint_id(), "ckpt-0");
}

fn any_end() -> impl Strategy<Value = TeamState> {
    let place = (-0.5..3.0f64, -1.3..2.5f64, -3.2..3.2f64);
    let body = (0.0..1.2f64, 0.0..0.8f64, 0.0..0.8f64, 0.4..0.9f64);
    (place, body, 0..6u8, -0.3..0.3f64, any::<bool>()).prop_map(|((x, y, yaw), (z, tilt, torso, pelvis), touch, gap, near)| {
        // Half of the cases lie near a plausible step, so that some are accepted.
        let mut state = if near { carrying(0.2 + 0.5 * x.abs() / 3.0) } else { team(Planar { x, y, yaw }, z, 0.13, arm_contacts()) };
        state.robots[1].base.position[1] += if near { 0.5 * gap } else { gap };
        if !near || tilt < 0.2 {
            state.payloads[0].tilt_rad = tilt;
            state.robots[0].torso_tilt_rad = torso;
            state.robots[1].base.position[2] = pelvis;
        }
        match touch {
            0 => state.contacts = stand_contacts(),
            1 => state.contacts.clear(),
            2 => state.contacts.push(wall(z)),
            _ => {}
        }
        state
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever valid decision is dispatched and whatever it leads to, nothing is saved while a predicate
    /// fails (CE-040).
    #[test]
    fn no_checkpoint_with_a_failed_predicate(
        kind in prop::sample::select(Kind::ALL.to_vec()),
        objective in prop::sample::select(Objective::ALL.to_vec()),
        pick in 0..6usize,
        amount in 0.02..0.5f64,
        required in prop::option::of(prop::sample::select(predicate::NAMES.to_vec())),
        ends in prop::collection::vec(any_end(), 1..4),
        at_target in any::<bool>(),
    ) {
        let sources = |i: usize| -> Vec<String> {
            let yaw = (amount * 0.6).max(0.02);
            [
                (format!("walk({amount}, 'forward', 0.25)"), format!("walk({amount}, 'forward', 0.25)")),
                (format!("walk({amount}, 'left', 0.25)"), format!("walk({amount}, 'left', 0.25)")),
                (format!("turn({yaw}, 0.25)"), format!("arc({amount}, {yaw}, 0.25)")),
                ("hold(1)".into(), format!("walk({amount}, 'back', 0.25)")),
                ("lower_to_target()".into(), "lower_to_target()".into()),
                (format!("retreat({amount})"), "release()".into()),
            ][i].clone().into_iter_pair()
        };
        let mut bench = Bench::new();
        if at_target { bench.travel(); }
        for end in ends {
            let mut decision = bench.decision(kind, objective);
            decision.evidence_required = required.iter().map(|r| (*r).to_owned()).collect();
            let decision = decision.identified().unwrap();
            let policies: Vec<PolicyCode> = robots().into_iter().zip(sources(pick))
                .map(|(robot, call)| PolicyCode { robot, source: format!("{call}\nstop()") }).collect();
            let valid = bench.validate(&decision, &policies);
            if !valid.ok {
                prop_assert!(!valid.findings.is_empty() && valid.calls.is_empty() && valid.fingerprint.is_empty());
                continue;
            }
            let (start, before) = (bench.tick, bench.verifier.checkpoint_id().to_owned());
            bench.show(&end, 50);
            let request = bench.request(&decision, &valid, start);
            let judged = bench.verifier.judge(&request);
            let holds = judged.response.evidence.predicates.iter().all(|p| p.passed);
            prop_assert_eq!(judged.save.is_some(), judged.response.verdict.outcome == Outcome::Accepted);
            prop_assert!(judged.save.is_none() || holds, "{:?}", judged.response.evidence.predicates);
            if judged.save.is_none() {
                prop_assert!(!judged.response.verdict.reasons.is_empty());
                bench.verifier.commit(judged, Err("not asked".into()));
                prop_assert_eq!(bench.verifier.checkpoint_id(), before);
            } else {
                bench.verify(&request);
            }
        }
    }
}

/// Both halves of a pair as a list.
trait IntoIterPair {
    fn into_iter_pair(self) -> Vec<String>;
}

impl IntoIterPair for (String, String) {
    fn into_iter_pair(self) -> Vec<String> {
        vec![self.0, self.1]
    }
}
