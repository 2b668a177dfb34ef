//! Provider `builtin`: rules instead of a language model, behind the same interface. Its results are
//! never printed as a language model's.

use super::builtin_moves::{Move, next_move, with_numbers};
use super::builtin_words::{evaluation, experience, revision};
use super::{LanguageModel, ModelError, ModelReply, ModelRequest, RoleId};
use crate::config::BuiltinConfig;
use crate::role::answers::{CodeProposal, DecisionProposal, PhaseProposal, PhaseStatus, PlanProposal};
use crate::role::context::RoleContext;
use troupe_coordination::response::equalised;
use troupe_core::decision::PolicyCode;
use troupe_core::skill::SkillCall;

/// The rule-based planner; deterministic, no state.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    config: BuiltinConfig,
}

impl Builtin {
    /// A planner with these numbers.
    #[must_use]
    pub fn new(config: BuiltinConfig) -> Self {
        Self { config }
    }
}

impl LanguageModel for Builtin {
    fn provider(&self) -> &str {
        "builtin"
    }

    fn complete(&mut self, request: &ModelRequest) -> Result<ModelReply, ModelError> {
        let context: RoleContext = serde_json::from_value(request.context.clone())
            .map_err(|e| ModelError::Refused(format!("the rules cannot read the observation: {e}")))?;
        let text = match request.role {
            RoleId::Planner => serde_json::to_string(&plan(&context)),
            RoleId::Orchestrator => serde_json::to_string(&decision(&context, &self.config)),
            RoleId::Coder => serde_json::to_string(&policies(&context, &calls(&context, &self.config))),
            RoleId::Evaluator => serde_json::to_string(&evaluation(&context)),
            RoleId::Reviser => serde_json::to_string(&revision(&context, &self.config)),
            RoleId::Writer => serde_json::to_string(&experience(&context)),
        };
        let text = text.map_err(|e| ModelError::Refused(e.to_string()))?;
        Ok(ModelReply { text, model: "rules".into(), ..ModelReply::default() })
    }
}

pub(super) fn plan(context: &RoleContext) -> PlanProposal {
    let phases = context.plan.iter().map(|p| PhaseProposal {
        phase_id: p.id.clone(),
        status: PhaseStatus::of(p.status),
    });
    PlanProposal { phases: phases.collect() }
}

pub(super) fn decision(context: &RoleContext, config: &BuiltinConfig) -> DecisionProposal {
    let Move { kind, objective, mode, roles, .. } = next_move(context, config);
    let (kind, objective, mode, roles) = match &context.child {
        Some(child) => (child.kind, child.objective, child.mode, child.roles.clone()),
        None => (kind, objective, mode, roles),
    };
    DecisionProposal {
        kind,
        objective,
        mode,
        roles,
        formation: context.formation,
        evidence_required: Vec::new(),
    }
}

/// Calls for the decision in the context, in team order.
pub(super) fn calls(context: &RoleContext, config: &BuiltinConfig) -> Vec<SkillCall> {
    let calls = match context.child.as_ref().and_then(|c| c.calls.clone()) {
        Some(fixed) => fixed,
        None => as_answered(context, with_numbers(context, config)),
    };
    calls.iter().map(|call| on_grid(context, call)).collect()
}

/// One policy for each robot.
pub(super) fn policies(context: &RoleContext, calls: &[SkillCall]) -> CodeProposal {
    let robots = context.observation.robots.iter();
    let policies = robots
        .zip(calls)
        .map(|(robot, call)| PolicyCode { robot: robot.robot.clone(), source: source(call) })
        .collect();
    CodeProposal { policies }
}

/// The same call with magnitudes that the method offers.
pub(super) fn on_grid(context: &RoleContext, call: &SkillCall) -> SkillCall {
    let Some(grid) = &context.grid else { return *call };
    let snapped: Vec<(String, f64)> =
        call.arguments().into_iter().map(|(name, value)| (name.to_owned(), grid.nearest(name, value))).collect();
    SkillCall::from_parts(call.name(), call.direction().map_or("", |d| d.name()), &snapped).unwrap_or(*call)
}

/// Equal walks with amounts that bring equal ways, by what the robots have done so far (CE-152).
fn as_answered(context: &RoleContext, calls: Vec<SkillCall>) -> Vec<SkillCall> {
    let (Some(limits), Some(first @ SkillCall::Walk { .. })) = (&context.pairing, calls.first()) else { return calls };
    if context.responses.is_empty() || calls.iter().any(|c| c != first) {
        return calls;
    }
    let robots: Vec<String> = context.observation.robots.iter().map(|r| r.robot.clone()).collect();
    equalised(&context.responses, &robots, first, limits, context.bounds.distance_m)
}

/// Policy text of one call: the call, then `stop()`.
#[must_use]
pub fn source(call: &SkillCall) -> String {
    let mut arguments: Vec<String> =
        call.arguments().into_iter().map(|(name, value)| format!("{name}={value:.4}")).collect();
    if let Some(direction) = call.direction() {
        arguments.insert(1.min(arguments.len()), format!("direction=\"{}\"", direction.name()));
    }
    format!("{}({})\nstop()\n", call.name(), arguments.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use troupe_core::skill::Direction;

    #[test]
    fn policies_are_one_call_and_one_stop() {
        let walk = SkillCall::Walk { distance_m: 0.25, direction: Direction::Left, speed_mps: 0.2 };
        assert_eq!(source(&walk), "walk(distance_m=0.2500, direction=\"left\", speed_mps=0.2000)\nstop()\n");
        assert_eq!(source(&SkillCall::Release), "release()\nstop()\n");
    }
}
