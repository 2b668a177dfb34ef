//! Refusals before dispatch.

use crate::testing::{Bench, both, carrying, over_target};
use std::collections::BTreeSet;
use troupe_core::decision::{Decision, Kind, Mode, Objective, Role};
use troupe_core::evidence::{Level, Outcome};
use troupe_core::team::ValidateResponse;

const WALK: &str = "walk(0.4, 'forward', 0.25)\nstop()";

fn codes(response: &ValidateResponse) -> BTreeSet<&str> {
    assert_eq!(response.ok, response.findings.is_empty());
    response.findings.iter().map(|f| f.code.as_str()).collect()
}

/// Codes for a decision changed by `change`, its id made anew.
fn changed(change: impl Fn(&mut Decision)) -> Vec<String> {
    let mut bench = Bench::new();
    let mut decision = bench.decision(Kind::LinearTransport, Objective::AdvanceSegment);
    change(&mut decision);
    let decision = decision.identified().unwrap();
    codes(&bench.validate(&decision, &both(WALK))).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_good_pair_passes_with_a_fingerprint() {
    let mut bench = Bench::new();
    let decision = bench.decision(Kind::LinearTransport, Objective::AdvanceSegment);
    let response = bench.validate(&decision, &both(WALK));
    assert!(response.ok && response.calls.len() == 2 && response.fingerprint.len() == 64);
}

/// CE-054, CE-024.
#[test]
fn each_fault_of_a_decision_has_its_code() {
    assert_eq!(changed(|d| d.checkpoint_id = "ckpt-9".into()), ["E_CONTEXT"]);
    assert_eq!(changed(|d| d.context_epoch = 0), ["E_STALE"]);
    assert_eq!(changed(|d| d.phase_id = "place".into()), ["E_PHASE"]);
    assert_eq!(changed(|d| d.roles.push(Role::Peer)), ["E_PAIR", "E_SCHEMA"]);
    assert_eq!(changed(|d| d.objective = Objective::Place), ["E_SCHEMA"]);
    assert_eq!(changed(|d| d.roles = vec![Role::Reference, Role::Corrector]), ["E_PAIR"]);
    assert_eq!(changed(|d| d.mode = Mode::Asym), ["E_PAIR"]);
    assert_eq!(changed(|d| d.formation.distance_m = 0.951), ["E_BOUNDS"]);
    assert_eq!(changed(|d| d.formation.heading_offset_rad = f64::NAN), ["E_NUMERIC"]);
    assert_eq!(changed(|d| d.evidence_required = vec!["feels_right".into()]), ["E_SCHEMA"]);
    let mut bench = Bench::new();
    let mut decision = bench.decision(Kind::LinearTransport, Objective::AdvanceSegment);
    decision.parent_id = "changed after the id was made".into();
    assert_eq!(codes(&bench.validate(&decision, &both(WALK))), BTreeSet::from(["E_SCHEMA"]));
}

/// CE-060, CE-063.
#[test]
fn each_fault_of_policies_has_its_code() {
    let mut bench = Bench::new();
    let decision = bench.decision(Kind::LinearTransport, Objective::AdvanceSegment);
    let one = both(WALK)[..1].to_vec();
    assert_eq!(codes(&bench.validate(&decision, &one)), BTreeSet::from(["E_SCHEMA"]));
    let mut swapped = both(WALK);
    swapped.reverse();
    assert_eq!(codes(&bench.validate(&decision, &swapped)), BTreeSet::from(["E_SCHEMA"]));
    let mut broken = both(WALK);
    broken[1].source = "verifier.accept()".into();
    let response = bench.validate(&decision, &broken);
    assert_eq!(codes(&response), BTreeSet::from(["E_FORBIDDEN"]));
    assert_eq!(response.findings[0].robot, "g1_1");
    let mut unlike = both(WALK);
    unlike[0].source = "walk(0.3, 'forward', 0.25)\nstop()".into();
    assert_eq!(codes(&bench.validate(&decision, &unlike)), BTreeSet::from(["E_PAIR"]));
    assert_eq!(codes(&bench.validate(&decision, &both("release()\nstop()"))), BTreeSet::from(["E_PHASE"]));
}

/// CE-030, CE-064.
#[test]
fn a_rejected_pair_is_blocked_here_but_not_at_the_next_checkpoint() {
    let mut bench = Bench::new();
    let rejected = bench.run(Kind::LinearTransport, Objective::AdvanceSegment, &both(WALK), &carrying(0.0));
    assert_eq!(rejected.verdict.outcome, Outcome::Rejected);
    let decision = bench.decision(Kind::LinearTransport, Objective::AdvanceSegment);
    let dressed = "# again\nwalk( 0.401,\n  'forward', speed_mps = 0.25) # the same\nstop()";
    for source in [WALK, dressed] {
        assert_eq!(codes(&bench.validate(&decision, &both(source))), BTreeSet::from(["E_DUPLICATE"]));
    }
    let other = "walk(0.3, 'forward', 0.25)\nstop()";
    let accepted = bench.run(Kind::LinearTransport, Objective::AdvanceSegment, &both(other), &carrying(0.3));
    assert_eq!(accepted.verdict.outcome, Outcome::Accepted);
    let decision = bench.decision(Kind::LinearTransport, Objective::AdvanceSegment);
    assert!(bench.validate(&decision, &both(WALK)).ok);
}

/// CE-006.
#[test]
fn release_waits_for_its_gate() {
    let mut bench = Bench::new();
    bench.travel();
    bench.run(Kind::Lifecycle, Objective::Place, &both("lower_to_target()\nstop()"), &over_target());
    let decision = bench.decision(Kind::Lifecycle, Objective::Place);
    let release = both("release()\nstop()");
    for (height_m, ok) in [(0.449, true), (0.451, false)] {
        let mut state = over_target();
        state.payloads[0].pose.position[2] = 0.84 + height_m;
        bench.show(&state, 1);
        let response = bench.validate(&decision, &release);
        assert_eq!(response.ok, ok, "{:?}", response.findings);
        if !ok {
            let text = &response.findings[0].message;
            for part in ["stage=lowered", "release_gate", "0.451", "0.450", "withdrawal_started=false"] {
                assert!(text.contains(part), "{text} lacks {part}");
            }
        }
    }
}

#[test]
fn nothing_passes_without_a_run() {
    let mut bench = Bench::new();
    let decision = bench.decision(Kind::LinearTransport, Objective::AdvanceSegment);
    bench.verifier.abort_run();
    assert_eq!(codes(&bench.validate(&decision, &both(WALK))), BTreeSet::from(["E_CONTEXT"]));
}

/// A revision is held against what was executed here.
#[test]
fn ce_065_fields_outside_the_scope_and_empty_revisions_are_refused() {
    let mut bench = Bench::new();
    let rejected = bench.run(Kind::LinearTransport, Objective::AdvanceSegment, &both(WALK), &carrying(0.0));
    assert_eq!(rejected.verdict.outcome, Outcome::Rejected);
    let parent_id = bench.decision(Kind::LinearTransport, Objective::AdvanceSegment).id;
    let shorter = "walk(0.3, 'forward', 0.25)\nstop()";
    let mut with = |kind, objective, scope, parent_id: &str, source: &str| -> Vec<String> {
        let mut child = bench.decision(kind, objective);
        child.scope = Some(scope);
        child.parent_id = parent_id.into();
        let child = child.identified().unwrap();
        codes(&bench.validate(&child, &both(source))).into_iter().map(str::to_owned).collect()
    };
    let (linear, advance, centre) = (Kind::LinearTransport, Objective::AdvanceSegment, Objective::CentreInCorridor);
    assert_eq!(with(linear, advance, Level::Parameter, &parent_id, shorter), Vec::<String>::new());
    assert_eq!(with(linear, centre, Level::Parameter, &parent_id, shorter), ["E_SCOPE"]);
    assert_eq!(with(linear, centre, Level::Coordination, &parent_id, shorter), ["E_SCOPE"]);
    assert_eq!(with(linear, advance, Level::Coordination, &parent_id, shorter), ["E_NOOP"]);
    assert_eq!(with(linear, advance, Level::Strategy, &parent_id, shorter), ["E_NOOP"]);
    assert_eq!(with(linear, centre, Level::Strategy, &parent_id, shorter), Vec::<String>::new());
    assert_eq!(with(linear, advance, Level::Parameter, "another", shorter), ["E_SCOPE"]);
    let same = with(linear, advance, Level::Parameter, &parent_id, WALK);
    assert!(same.contains(&"E_NOOP".to_owned()) && same.contains(&"E_DUPLICATE".to_owned()), "{same:?}");
}
