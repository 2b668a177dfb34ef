//! The rules of provider `builtin` for evaluator, reviser and experience writer.

use super::builtin_moves::{next_move, with_numbers};
use crate::config::BuiltinConfig;
use crate::role::answers::{CallProposal, EvaluationProposal, ExperienceProposal, RevisionProposal};
use crate::role::context::{ExecutedView, RoleContext};
use troupe_coordination::experience::{Claim, Polarity};
use troupe_coordination::revision::{Parent, alike, relations_hold};
use troupe_core::decision::{Kind, Mode, Objective};
use troupe_core::evidence::{FailureType, Level, Outcome};

/// Says what the first failed predicate says.
pub(super) fn evaluation(context: &RoleContext) -> EvaluationProposal {
    let executed = context.executed.as_ref();
    let reason = executed.and_then(|e| e.reasons.first().cloned());
    EvaluationProposal {
        scene: reason.unwrap_or_else(|| "Both robots carry the bar.".into()),
        failure_type: None,
        failure_level: None,
        proceed: true,
    }
}

/// Other numbers where the rules still want the same move, else another strategy.
pub(super) fn revision(context: &RoleContext, config: &BuiltinConfig) -> RevisionProposal {
    let empty = |scope, reason: &str| RevisionProposal {
        scope,
        kind: None,
        objective: None,
        mode: None,
        roles: None,
        calls: None,
        reason: reason.to_owned(),
    };
    let Some(parent) = &context.parent else { return empty(Level::Parameter, "nothing was rejected") };
    let strategy = |kind: Kind, objective: Objective| RevisionProposal {
        kind: Some(kind),
        objective: Some(objective),
        ..empty(Level::Strategy, "another move is due")
    };
    let wanted = next_move(context, config);
    let d = &parent.decision;
    let forced = context.forced == Some(Level::Strategy);
    if (wanted.kind, wanted.objective) != (d.kind, d.objective) {
        return strategy(wanted.kind, wanted.objective);
    }
    if wanted.roles != d.roles && !forced {
        let roles = Some(wanted.roles);
        return RevisionProposal { roles, ..empty(Level::Coordination, "the other robot has to hold") };
    }
    if !forced && let Some(calls) = smaller(context, parent, config) {
        let calls = Some(calls.iter().map(CallProposal::of).collect());
        return RevisionProposal { calls, ..empty(Level::Parameter, "a smaller step") };
    }
    match d.kind {
        Kind::Alignment => strategy(Kind::LinearTransport, Objective::CentreInCorridor),
        Kind::Lifecycle => strategy(Kind::LinearTransport, Objective::ApproachTarget),
        _ => strategy(Kind::Alignment, Objective::EqualiseFormation),
    }
}

/// The rules' numbers for the parent's decision, when they are new, and as the evidence demands.
fn smaller(context: &RoleContext, parent: &Parent, config: &BuiltinConfig) -> Option<Vec<troupe_core::skill::SkillCall>> {
    let with_parent = RoleContext { decision: Some(parent.decision.clone()), child: None, ..context.clone() };
    let calls = with_numbers(&with_parent, config);
    // Skills of the lifecycle have no amounts: another one is the only other number.
    let methods_kept = parent.decision.kind == Kind::Lifecycle
        || calls.iter().map(|c| c.name()).eq(parent.calls.iter().map(|c| c.name()));
    let tried = context.rejected.iter().any(|t| alike(&t.calls, &calls));
    let fits = methods_kept && !tried && !alike(&calls, &parent.calls) && relations_hold(&parent.relations, &calls).is_ok();
    fits.then_some(calls)
}

/// One claim in words about what was executed, where something can be said.
pub(super) fn experience(context: &RoleContext) -> ExperienceProposal {
    let claim = context.executed.as_ref().and_then(|e| claim(context, e));
    ExperienceProposal { claims: claim.into_iter().collect() }
}

fn claim(context: &RoleContext, e: &ExecutedView) -> Option<Claim> {
    let d = &e.decision;
    let polarity = match e.outcome? {
        Outcome::Accepted => Polarity::Positive,
        Outcome::Rejected => Polarity::Counterexample,
        _ => return None,
    };
    let what = match d.kind {
        Kind::LinearTransport => "Both robots walk the same way by the same amount",
        Kind::Pivot => "The inner robot turns in place while the outer one walks around it",
        Kind::Alignment => "One robot holds while the other corrects the formation",
        Kind::Lifecycle => "Both robots lower, let go and step back together",
    };
    let why = match d.objective {
        Objective::AdvanceSegment => "to advance along the corridor",
        Objective::EnterCorner => "to enter a corner",
        Objective::RotateAtCorner => "to turn in a corner",
        Objective::ExitCorner => "to leave a corner",
        Objective::CentreInCorridor => "to come back to the middle of the corridor",
        Objective::EqualiseFormation => "to restore the formation",
        Objective::RestoreSupport => "to restore the support of the bar",
        Objective::ApproachTarget => "to come above the target",
        Objective::Place => "to place the bar",
    };
    let failure = e.predicates.iter().find(|p| !p.passed).map(|p| troupe_coordination::failure::of_predicate(&p.name));
    Some(Claim {
        kind: d.kind,
        objective: d.objective,
        mode: d.mode,
        polarity,
        effect: e.effects.first()?.clone(),
        applicability: format!("In phases like this one, while the bar is {}.", context.stage.name()),
        principle: format!("{what} {why}."),
        failure_pattern: pattern(failure.or(e.repaired)).into(),
        repair: repair(failure.or(e.repaired), d.mode).into(),
    })
}

fn pattern(failure: Option<FailureType>) -> &'static str {
    match failure {
        None => "None was seen.",
        Some(FailureType::SupportLost) => "A robot loses touch with the bar.",
        Some(FailureType::PayloadDrop) => "The bar falls.",
        Some(FailureType::Tilt) => "The bar tilts.",
        Some(FailureType::RobotFall) => "A robot leans or falls.",
        Some(FailureType::WallContact) => "A wall is touched.",
        Some(FailureType::FormationDrift) => "The formation drifts apart.",
        Some(FailureType::UnequalDisplacement) => "Equal commands move the robots by unequal amounts.",
        Some(FailureType::InsufficientProgress) => "Too little is gained.",
        Some(FailureType::WrongDirection) => "The team moves the wrong way.",
        Some(FailureType::ReleaseGate) => "The bar is not yet where it may be let go.",
        Some(FailureType::Timeout) => "A skill does not end in time.",
        Some(FailureType::Sensor) => "A measurement is missing.",
    }
}

fn repair(failure: Option<FailureType>, mode: Mode) -> &'static str {
    match failure {
        None => "None is needed.",
        Some(FailureType::WrongDirection) => "Turn the sign or the direction round.",
        Some(FailureType::UnequalDisplacement | FailureType::FormationDrift) => {
            "Let one robot hold and correct with the other, by another amount for each."
        }
        Some(FailureType::InsufficientProgress) if mode == Mode::Sync => "Choose the move that the segment asks for.",
        Some(FailureType::WallContact) => "Centre the team in the corridor first.",
        Some(_) => "Take a smaller step.",
    }
}
