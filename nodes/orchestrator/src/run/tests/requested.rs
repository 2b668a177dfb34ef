//! Recoveries that somebody outside asks for.

use super::*;
use troupe_coordination::method::Recovery;
use troupe_core::recovery::{RecoveryCode, RecoveryKind, RecoveryReport, RecoveryRequest};

fn asked(recovery: Recovery, request: RecoveryRequest, change: impl FnOnce(&mut Double)) -> (Ran, RecoveryReport) {
    let mut setup = setup();
    setup.method.recovery = recovery;
    let mut ran = go_with(&setup, &mut Builtin::new(setup.config.builtin), |team| {
        team.asked = Some(request);
        change(team);
    });
    assert_eq!(ran.team.reports.len(), 1, "one request has one end");
    let report = ran.team.reports.remove(0);
    (ran, report)
}

const HOLD: RecoveryRequest = RecoveryRequest { kind: Some(RecoveryKind::Hold), context_epoch: u32::MAX };

/// CE-150: the run goes on from what the verifier trusts, and no transaction is charged.
#[test]
fn a_requested_recovery_makes_a_trusted_checkpoint_and_the_run_goes_on() {
    let (ran, report) = asked(Recovery::Executable, HOLD, |_| {});
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
    assert_eq!((report.code, report.kinds.as_slice()), (RecoveryCode::None, [RecoveryKind::Hold].as_slice()));
    let record = ran.records.iter().find(|r| r.event == "recovery").unwrap();
    assert_eq!((&record.data["requested"], &record.data["ok"]), (&json!(true), &json!(true)));
    assert_eq!(record.data["next_checkpoint_id"], json!(report.checkpoint_id));
    assert_eq!(ran.ending.budget.rejected, 0);
    assert_eq!(ran.ending.budget.transactions, go(|_| {}).ending.budget.transactions);
}

#[test]
fn without_a_kind_the_verifiers_predicates_choose() {
    let open = RecoveryRequest { kind: None, context_epoch: u32::MAX };
    let (ran, report) = asked(Recovery::Executable, open, |team| team.untrusted = ["formation_distance"].into());
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
    assert_eq!(report.code, RecoveryCode::None);
    assert!(report.kinds.len() > 1 && report.kinds[0] == RecoveryKind::Hold, "{:?}", report.kinds);
}

/// What no motion mends is told, and the run's own way back is tried before it ends.
#[test]
fn what_is_not_trusted_is_told() {
    let (ran, report) = asked(Recovery::Executable, HOLD, |team| team.untrusted = ["formation_distance"].into());
    assert_eq!(report.code, RecoveryCode::NotTrusted);
    assert!(report.message.contains("formation_distance"), "{}", report.message);
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
    assert_eq!(count(&ran.records, "recovery"), 2);
}

#[test]
fn stale_requests_and_runs_that_restore_refuse() {
    let old = RecoveryRequest { context_epoch: 0, ..HOLD };
    let (ran, report) = asked(Recovery::Executable, old, |_| {});
    assert_eq!((ran.ending.label, report.code), (Label::S, RecoveryCode::Stale), "{}", report.message);
    let (ran, report) = asked(Recovery::Restore, HOLD, |_| {});
    assert_eq!((ran.ending.label, report.code), (Label::S, RecoveryCode::Restores), "{}", report.message);
    assert!(report.message.contains("executable"));
    assert_eq!(count(&ran.records, "recovery"), 0);
}
