//! Where a run goes on after refused answers (CE-056).

use super::*;
use crate::model::RoleId;

/// CE-056: a reviser that never finds a legal revision: the next decision is free, as without typed revision.
#[test]
fn a_reviser_without_a_legal_revision_costs_no_run() {
    let setup = setup();
    let twist = |request: &ModelRequest, _: &RoleContext| (request.role == RoleId::Reviser).then(|| "{}".to_owned());
    let ran = go_with(&setup, &mut Twisted { rules: Builtin::new(setup.config.builtin), twist }, |team| {
        team.fates = [Fate::Fair, Fate::Reject].into();
    });
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
    assert_eq!(ran.ending.budget.rejected, 1);
    let reviser = ran.records.iter().filter(|r| r.event == "refusal" && r.data["role"] == "reviser").count();
    assert_eq!(reviser, 3);
    assert_eq!(count(&ran.records, "revision"), 0);
}

/// CE-056: an approved child that the verifier refuses all the same: only another child can differ.
#[test]
fn a_refused_child_is_revised_again() {
    let setup = setup();
    let ran = go_with(&setup, &mut Builtin::new(setup.config.builtin), |team| {
        team.fates = [Fate::Fair, Fate::Reject].into();
        team.refused_children = 2;
    });
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
    assert_eq!(count(&ran.records, "revision"), 3, "two were refused, the third was carried out");
    assert_eq!(ran.ending.budget.rejected, 1);
}

/// CE-056: nobody may go on for ever: the third decision call in a row without a legal answer ends the run.
#[test]
fn nine_refused_decisions_end_the_run() {
    let setup = setup();
    let twist = |request: &ModelRequest, _: &RoleContext| (request.role == RoleId::Orchestrator).then(|| "{}".to_owned());
    let ran = go_with(&setup, &mut Twisted { rules: Builtin::new(setup.config.builtin), twist }, |_| {});
    assert_eq!(ran.ending.label, Label::G, "{}", ran.ending.reason);
    let refused = ran.records.iter().filter(|r| r.event == "refusal" && r.data["role"] == "orchestrator").count();
    assert_eq!((refused, ran.ending.budget.transactions), (9, 0));
}
