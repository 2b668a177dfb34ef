//! A recovery is trusted by how the team stands, whatever it did to get there.

use crate::testing::{Bench, both, carrying, on_stand};
use troupe_coordination::phase::Stage;
use troupe_core::decision::{Kind, Objective};
use troupe_core::evidence::Outcome;
use troupe_core::recovery::{ConfirmRecovery, RecoveryKind};
use troupe_core::state::TeamState;

fn confirm(bench: &mut Bench, state: &TeamState, kind: RecoveryKind) -> troupe_core::recovery::RecoveryResponse {
    bench.show(state, 60);
    let request = ConfirmRecovery {
        checkpoint_id: bench.verifier.checkpoint_id().into(),
        recovery_id: "recovery-1".into(),
        kind,
        closed_tick: bench.tick,
    };
    bench.verifier.confirm_recovery(&request)
}

#[test]
fn a_team_that_carries_well_is_trusted_under_a_new_name_and_nothing_is_stored() {
    let mut bench = Bench::new();
    let response = confirm(&mut bench, &carrying(-0.2), RecoveryKind::Hold);
    assert_eq!(response.verdict.outcome, Outcome::Accepted, "{:?}", response.verdict.reasons);
    assert_eq!((response.checkpoint_id.as_str(), bench.verifier.checkpoint_id()), ("ckpt-1", "ckpt-1"));
    // The next accepted transaction takes the next name.
    let walk = both("walk(0.2, 'forward', 0.25)\nstop()");
    let next = bench.run(Kind::LinearTransport, Objective::AdvanceSegment, &walk, &carrying(0.1));
    assert_eq!(next.checkpoint_id, "ckpt-2", "{:?}", next.verdict.reasons);
}

#[test]
fn what_is_wrong_is_named_and_the_old_checkpoint_stays() {
    let mut bench = Bench::new();
    let mut apart = carrying(0.0);
    apart.robots[1].base.position[1] -= 0.3;
    let response = confirm(&mut bench, &apart, RecoveryKind::Hold);
    assert_eq!((response.verdict.outcome, response.checkpoint_id.as_str()), (Outcome::Rejected, "ckpt-0"));
    let failed: Vec<&str> = response.evidence.predicates.iter().filter(|p| !p.passed).map(|p| p.name.as_str()).collect();
    assert_eq!(failed, ["formation_distance"]);
    let mut lost = carrying(0.0);
    lost.contacts.clear();
    lost.payloads[0].z_min_m = 0.01;
    let response = confirm(&mut bench, &lost, RecoveryKind::Hold);
    assert!(response.verdict.reasons.iter().any(|r| r.starts_with("drop")), "{:?}", response.verdict.reasons);
    let mut held = carrying(0.0);
    held.payloads[0].held = true;
    let response = confirm(&mut bench, &held, RecoveryKind::Relay);
    assert!(response.verdict.reasons.iter().any(|r| r.contains("held")));
}

#[test]
fn a_regrip_takes_the_payload_up_from_the_target_again() {
    let mut bench = Bench::new();
    bench.travel();
    bench.run(Kind::Lifecycle, Objective::Place, &both("lower_to_target()\nstop()"), &crate::testing::over_target());
    assert_eq!(bench.verifier.stage(), Stage::Lowered);
    let response = confirm(&mut bench, &crate::testing::over_target(), RecoveryKind::Regrip);
    assert_eq!(response.verdict.outcome, Outcome::Accepted, "{:?}", response.verdict.reasons);
    assert!(response.carrying && bench.verifier.stage() == Stage::Carrying);
    assert_eq!(bench.verifier.milestones().len(), 5);
    // On the stand and on nobody's arms the payload is not carried again.
    let response = confirm(&mut bench, &on_stand(0.13), RecoveryKind::Regrip);
    assert_eq!(response.verdict.outcome, Outcome::Rejected);
}

#[test]
fn a_stale_checkpoint_or_a_gap_is_no_judgement() {
    let mut bench = Bench::new();
    let request = |id: &str, closed_tick| ConfirmRecovery {
        checkpoint_id: id.into(),
        recovery_id: "recovery-1".into(),
        kind: RecoveryKind::Hold,
        closed_tick,
    };
    let tick = bench.tick;
    assert_eq!(bench.verifier.confirm_recovery(&request("ckpt-7", tick)).verdict.outcome, Outcome::InvalidInfra);
    assert_eq!(bench.verifier.confirm_recovery(&request("ckpt-0", tick + 5)).verdict.outcome, Outcome::InvalidInfra);
    bench.verifier.abort_run();
    assert_eq!(bench.verifier.confirm_recovery(&request("", tick)).verdict.outcome, Outcome::InvalidInfra);
}
