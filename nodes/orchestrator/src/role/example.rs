//! An answer of the right shape for the present case, shown to models that learn best from examples.
//!
//! It shows the form, with amounts from within what is allowed; it is no advice. A small model repeats what it
//! is shown, so after a rejection the amounts are others: what was rejected would be refused as a duplicate.

use super::answers::{
    CallProposal, CodeProposal, DecisionProposal, EvaluationProposal, ExperienceProposal, PhaseProposal, PhaseStatus,
    PlanProposal, RevisionProposal,
};
use super::context::RoleContext;
use crate::model::RoleId;
use crate::model::builtin::source;
use troupe_coordination::catalog::entry;
use troupe_coordination::experience::{Claim, Polarity};
use troupe_coordination::phase::{PLACE_PHASE, Stage};
use troupe_core::decision::{Decision, Kind, Objective, PolicyCode, Role};
use troupe_core::evidence::{Level, Outcome};
use troupe_core::frames::Planar;
use troupe_core::observation::RobotView;
use troupe_core::route::SegmentKind;
use troupe_core::skill::{Direction, SkillCall};

/// Where in its bounds an amount lies, by the number of rejections at the checkpoint.
const SHARES: [f64; 8] = [0.5, 0.25, 0.75, 0.125, 0.625, 0.375, 0.875, 0.0625];

/// JSON text of an example for this role and context.
#[must_use]
pub fn answer(role: RoleId, context: &RoleContext) -> String {
    match role {
        RoleId::Planner => serde_json::to_string(&plan(context)),
        RoleId::Orchestrator => serde_json::to_string(&decision(context)),
        RoleId::Coder => serde_json::to_string(&code(context)),
        RoleId::Evaluator => serde_json::to_string(&evaluation()),
        RoleId::Reviser => serde_json::to_string(&revision(context)),
        RoleId::Writer => serde_json::to_string(&experience(context)),
    }
    .unwrap_or_default()
}

fn plan(context: &RoleContext) -> PlanProposal {
    let phases = context.plan.iter();
    let phases = phases.map(|p| PhaseProposal { phase_id: p.id.clone(), status: PhaseStatus::of(p.status) });
    PlanProposal { phases: phases.collect() }
}

fn decision(context: &RoleContext) -> DecisionProposal {
    let (kind, objective) = match (context.phase_id == PLACE_PHASE, context.observation.segment_kind) {
        (true, _) => (Kind::Lifecycle, Objective::Place),
        (_, SegmentKind::Straight) => (Kind::LinearTransport, Objective::AdvanceSegment),
        (_, SegmentKind::Corner) => (Kind::Pivot, Objective::RotateAtCorner),
        (_, SegmentKind::Approach) => (Kind::LinearTransport, Objective::ApproachTarget),
    };
    let entry = entry(kind);
    DecisionProposal {
        kind,
        objective,
        mode: entry.mode,
        roles: entry.roles(context.observation.robots.len(), 0),
        formation: context.formation,
        evidence_required: Vec::new(),
    }
}

fn evaluation() -> EvaluationProposal {
    let scene = "The bar lies level on both robots; they stand side by side.".to_owned();
    EvaluationProposal { scene, failure_type: None, failure_level: None, proceed: true }
}

fn revision(context: &RoleContext) -> RevisionProposal {
    let calls = context.parent.as_ref().map(|p| p.calls.iter().map(CallProposal::of).collect());
    RevisionProposal {
        scope: context.forced.or(context.suggested).unwrap_or(Level::Parameter),
        kind: None,
        objective: None,
        mode: None,
        roles: None,
        calls,
        reason: "The step was too long.".into(),
    }
}

fn experience(context: &RoleContext) -> ExperienceProposal {
    let claim = context.executed.as_ref().map(|e| Claim {
        kind: e.decision.kind,
        objective: e.decision.objective,
        mode: e.decision.mode,
        polarity: if e.outcome == Some(Outcome::Accepted) { Polarity::Positive } else { Polarity::Counterexample },
        effect: e.effects.first().cloned().unwrap_or_default(),
        applicability: "On a straight part of the corridor.".into(),
        principle: "Both robots take the same step.".into(),
        failure_pattern: "The bar tilts when one robot is late.".into(),
        repair: "Take a shorter step.".into(),
    });
    ExperienceProposal { claims: claim.into_iter().collect() }
}

fn code(context: &RoleContext) -> CodeProposal {
    let robots = context.observation.robots.iter().zip(calls(context));
    let policies = robots.map(|(robot, call)| PolicyCode { robot: robot.robot.clone(), source: source(&call) });
    CodeProposal { policies: policies.collect() }
}

/// Calls in team order for the decision in the context; none without one.
#[must_use]
pub fn calls(context: &RoleContext) -> Vec<SkillCall> {
    let decision = context.decision.iter();
    let roles = decision.flat_map(|d| d.roles.iter().enumerate().map(move |(index, role)| (d, *role, index)));
    roles.map(|(decision, role, index)| call(context, decision, role, index)).collect()
}

fn call(context: &RoleContext, decision: &Decision, role: Role, index: usize) -> SkillCall {
    let bounds = &context.bounds;
    let within = |[low, high]: [f64; 2], share: f64| (1.0 - share) * low + share * high;
    let share = SHARES.get(context.rejected.len() % SHARES.len()).copied().unwrap_or(0.5);
    let (yaw_rad, speed_rps) = (within(bounds.yaw_rad, share), within(bounds.speed_rps, 0.5));
    let distance = decision.formation.distance_m;
    match (decision.kind, role) {
        (Kind::Lifecycle, _) => match context.stage {
            Stage::Carrying => SkillCall::LowerToTarget,
            Stage::Lowered => SkillCall::Release,
            Stage::Released | Stage::Retreated => SkillCall::Retreat { distance_m: bounds.distance_m[1] },
        },
        (_, Role::InnerSupport) => SkillCall::Turn { yaw_rad, speed_rps },
        (_, Role::OuterMover) => outer(context, index, distance, yaw_rad, speed_rps),
        (_, Role::Reference) => SkillCall::Hold { duration_s: within(bounds.duration_s, share) },
        _ => SkillCall::Walk {
            distance_m: within(bounds.distance_m, share),
            direction: Direction::Forward.turned(-decision.formation.heading_offset_rad * index as f64),
            speed_mps: within(bounds.speed_mps, 0.5),
        },
    }
}

/// The arc of robot `index` around the other one: forward beside it, sideways in front of it.
fn outer(context: &RoleContext, index: usize, distance_m: f64, yaw_rad: f64, speed_rps: f64) -> SkillCall {
    let pose = |r: &RobotView| Planar { x: r.x_m, y: r.y_m, yaw: r.yaw_rad };
    let seen = match (context.observation.robots.as_slice(), index) {
        ([own, other, ..], 0) | ([other, own, ..], _) => pose(own).inverse_of(pose(other)),
        _ => Planar { y: 1.0, ..Planar::default() },
    };
    match Direction::nearest(seen.x, seen.y) {
        // Beside it the form is shown for a turn in which the mover walks forward.
        Direction::Left | Direction::Right => {
            SkillCall::Arc { distance_m: distance_m * yaw_rad, yaw_rad, speed_mps: distance_m * speed_rps }
        }
        ahead => SkillCall::around(ahead, distance_m, yaw_rad, distance_m * speed_rps),
    }
}
