//! An answer of the right shape for the present case, shown to models that learn best from examples.
//!
//! It shows the form, with amounts from within what is allowed; it is no advice. A small model repeats what it
//! is shown, so after a rejection the amounts are others: what was rejected would be refused as a duplicate.

use super::answers::{CodeProposal, DecisionProposal, PhaseProposal, PhaseStatus, PlanProposal};
use super::context::RoleContext;
use crate::model::RoleId;
use crate::model::builtin::source;
use troupe_coordination::catalog::entry;
use troupe_coordination::phase::{PLACE_PHASE, Stage};
use troupe_core::decision::{Decision, Kind, Objective, PolicyCode, Role};
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

fn code(context: &RoleContext) -> CodeProposal {
    let Some(decision) = &context.decision else { return CodeProposal { policies: Vec::new() } };
    let robots = context.observation.robots.iter().zip(&decision.roles);
    let policies = robots
        .map(|(robot, role)| PolicyCode { robot: robot.robot.clone(), source: source(&call(context, decision, *role)) })
        .collect();
    CodeProposal { policies }
}

fn call(context: &RoleContext, decision: &Decision, role: Role) -> SkillCall {
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
        (_, Role::OuterMover) => {
            SkillCall::Arc { distance_m: distance * yaw_rad, yaw_rad, speed_mps: distance * speed_rps }
        }
        (_, Role::Reference) => SkillCall::Hold { duration_s: within(bounds.duration_s, share) },
        _ => SkillCall::Walk {
            distance_m: within(bounds.distance_m, share),
            direction: Direction::Forward,
            speed_mps: within(bounds.speed_mps, 0.5),
        },
    }
}
