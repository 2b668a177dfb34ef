//! The ways to err, and how each changes an answer.

use super::answer::Answer;
use super::draw::Draw;
use super::numbers::{amounts, equal, nearly, reversed, room, scaled};
use super::seen::Seen;
use crate::role::answers::{CallProposal, DecisionProposal, RevisionProposal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use troupe_coordination::catalog;
use troupe_core::closed_set;
use troupe_core::decision::{Kind, Mode, Objective, Role};
use troupe_core::evidence::Level;
use troupe_core::skill::SkillCall;

closed_set! {
    /// A way to err, as the paper reports them of language models.
    ErrorKind {
        /// Another scope than the failure asks for, or a field outside it.
        WrongScope = "wrong_scope",
        /// Rejected numbers nearly unchanged (CE-082).
        NearDuplicate = "near_duplicate",
        /// Equal amounts where different ones are demanded (CE-082).
        EqualAmounts = "equal_amounts",
        /// Mode or roles that the kind does not allow (CE-024).
        IllegalRoles = "illegal_roles",
        /// A direction or a turn reversed.
        SignError = "sign_error",
        /// A step as long as it may be, or longer.
        OverLong = "over_long",
        /// The answer of an earlier checkpoint (CE-054).
        StaleContext = "stale_context",
        /// Not the role's schema.
        InvalidJson = "invalid_json",
    }
}

/// Steps this much longer are an error.
const LONGER: f64 = 1.1;

/// Makes the answer wrong in this way; false when it does not admit it.
pub(super) fn err(kind: ErrorKind, answer: &mut Answer, seen: &Seen, draw: &Draw) -> bool {
    let before = answer.clone();
    match (kind, &mut *answer) {
        (ErrorKind::WrongScope, Answer::Decision(p)) => wrong_decision(p, seen),
        (ErrorKind::WrongScope, Answer::Revision(r)) => wrong_scope(r, seen, draw),
        (ErrorKind::IllegalRoles, Answer::Decision(p)) => illegal(p, draw),
        (ErrorKind::IllegalRoles, Answer::Revision(r)) if r.scope == Level::Coordination => {
            r.roles = seen.kind().map(|kind| illegal_roles(kind, seen.context.observation.robots.len()));
        }
        (ErrorKind::NearDuplicate, Answer::Code(calls)) => {
            if let Some(last) = seen.rejected_calls().filter(|last| same_skills(last, calls)) {
                *calls = seen.on_grid(&nearly(last, &seen.context.bounds, draw));
            }
        }
        (ErrorKind::NearDuplicate, Answer::Revision(r)) => {
            if let Some(last) = seen.context.parent.as_ref().map(|p| &p.calls).filter(|c| moves(c)) {
                only_calls(r, &nearly(last, &seen.context.bounds, draw), "almost there, a little less");
            }
        }
        (ErrorKind::EqualAmounts, Answer::Code(calls)) => {
            let relations = seen.context.child.as_ref().map(|c| c.relations.clone()).unwrap_or_default();
            if let Some(same) = equal(calls, &relations) {
                *calls = same;
            }
        }
        (ErrorKind::EqualAmounts, Answer::Revision(r)) => equal_repair(r, seen),
        (ErrorKind::SignError, Answer::Code(calls)) => wrong_way(calls, draw),
        (ErrorKind::SignError, Answer::Revision(r)) => on_calls(r, |calls| wrong_way(calls, draw)),
        (ErrorKind::OverLong, Answer::Code(calls)) => over_long(calls, seen, draw),
        (ErrorKind::OverLong, Answer::Revision(r)) => on_calls(r, |calls| over_long(calls, seen, draw)),
        _ => {}
    }
    *answer != before
}

fn same_skills(a: &[SkillCall], b: &[SkillCall]) -> bool {
    a.iter().map(SkillCall::name).eq(b.iter().map(SkillCall::name))
}

fn moves(calls: &[SkillCall]) -> bool {
    calls.iter().any(|call| !amounts(call).is_empty())
}

/// What a planner turns to that takes a failure for one of strategy.
pub(super) fn detour(kind: Kind) -> (Kind, Objective) {
    match kind {
        Kind::LinearTransport => (Kind::Alignment, Objective::EqualiseFormation),
        Kind::Alignment => (Kind::LinearTransport, Objective::CentreInCorridor),
        Kind::Pivot => (Kind::LinearTransport, Objective::AdvanceSegment),
        Kind::Lifecycle => (Kind::LinearTransport, Objective::ApproachTarget),
    }
}

/// After a rejection the strategy changes although it was not to blame; under an approved revision this is a
/// field outside its scope. A first decision has no scope.
fn wrong_decision(p: &mut DecisionProposal, seen: &Seen) {
    if seen.context.rejected.is_empty() && seen.context.child.is_none() {
        return;
    }
    let entry = catalog::entry(detour(p.kind).0);
    (p.kind, p.objective) = detour(p.kind);
    p.mode = entry.mode;
    p.roles = entry.roles(seen.context.observation.robots.len(), 0);
}

/// A field outside the scope, another scope for the same fields, or a change of strategy.
fn wrong_scope(r: &mut RevisionProposal, seen: &Seen, draw: &Draw) {
    let Some(parent) = &seen.context.parent else { return };
    let form = draw.of("form of wrong_scope");
    if form < 1.0 / 3.0 {
        match r.scope {
            Level::Parameter | Level::Coordination => r.objective = Some(detour(parent.decision.kind).1),
            Level::Strategy => {
                let other = catalog::entry(detour(parent.decision.kind).0);
                r.roles = Some(other.roles(parent.decision.roles.len(), 1));
            }
        }
    } else if form < 2.0 / 3.0 {
        r.scope = match r.scope {
            Level::Strategy => Level::Coordination,
            Level::Coordination => Level::Parameter,
            Level::Parameter => Level::Coordination,
        };
    } else {
        wrong_strategy(r, seen);
    }
}

/// Legal, and not what the failure asks for.
pub(super) fn wrong_strategy(r: &mut RevisionProposal, seen: &Seen) {
    let Some(parent) = &seen.context.parent else { return };
    if r.scope == Level::Strategy {
        return;
    }
    let (kind, objective) = detour(parent.decision.kind);
    *r = RevisionProposal {
        scope: Level::Strategy,
        kind: Some(kind),
        objective: Some(objective),
        mode: None,
        roles: None,
        calls: None,
        reason: "this does not work, something else may".into(),
    };
}

fn illegal(p: &mut DecisionProposal, draw: &Draw) {
    if draw.of("form of illegal_roles") < 0.5 {
        p.mode = if p.mode == Mode::Sync { Mode::Asym } else { Mode::Sync };
    } else {
        p.roles = illegal_roles(p.kind, p.roles.len());
    }
}

/// All alike where one has another part, and two parts where all are alike.
pub(super) fn illegal_roles(kind: Kind, robots: usize) -> Vec<Role> {
    match catalog::entry(kind).support {
        Some(_) => vec![Role::Peer; robots],
        None => catalog::entry(Kind::Alignment).roles(robots, 0),
    }
}

/// A revision of numbers and of nothing else.
fn only_calls(r: &mut RevisionProposal, calls: &[SkillCall], reason: &str) {
    *r = RevisionProposal {
        scope: Level::Parameter,
        kind: None,
        objective: None,
        mode: None,
        roles: None,
        calls: Some(calls.iter().map(CallProposal::of).collect()),
        reason: reason.into(),
    };
}

/// The same for all robots, a little less than before, where the evidence demands different amounts.
fn equal_repair(r: &mut RevisionProposal, seen: &Seen) {
    let Some(parent) = &seen.context.parent else { return };
    if !parent.relations.is_empty() && moves(&parent.calls) {
        let less = scaled(&parent.calls, 0.8);
        only_calls(r, &equal(&less, &parent.relations).unwrap_or(less), "the same for both, a little less");
        return;
    }
    on_calls(r, |calls| {
        if let Some(same) = equal(calls, &parent.relations) {
            *calls = same;
        }
    });
}

/// Changes the calls of a revision that has some.
fn on_calls(r: &mut RevisionProposal, change: impl FnOnce(&mut Vec<SkillCall>)) {
    let Some(Ok(mut calls)) = r.calls.as_ref().map(|c| c.iter().map(CallProposal::call).collect::<Result<Vec<_>, _>>()) else {
        return;
    };
    let before = calls.clone();
    change(&mut calls);
    if calls != before {
        r.calls = Some(calls.iter().map(CallProposal::of).collect());
    }
}

/// Reversed for all robots, now and then for one of them only.
fn wrong_way(calls: &mut [SkillCall], draw: &Draw) {
    let one = draw.of("form of sign_error") < 0.25;
    for (index, call) in calls.iter_mut().enumerate() {
        if !one || index == 0 {
            *call = reversed(call);
        }
    }
}

/// The longest legal step where that is longer, else, or now and then, one beyond the bounds.
fn over_long(calls: &mut Vec<SkillCall>, seen: &Seen, draw: &Draw) {
    let Some(room) = room(calls, &seen.context.bounds) else { return };
    if room > LONGER && draw.of("form of over_long") < 0.7 {
        *calls = seen.on_grid(&scaled(calls, room));
    } else {
        *calls = scaled(calls, room * (1.2 + 0.8 * draw.of("amount of over_long")));
    }
}
