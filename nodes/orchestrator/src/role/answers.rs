//! Output types of the roles; their JSON schemas come from here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use troupe_coordination::experience::Claim;
use troupe_coordination::revision::Proposal;
use troupe_core::decision::{Formation, Kind, Mode, Objective, PolicyCode, Role};
use troupe_core::evidence::{FailureType, Level};
use troupe_core::skill::{SkillCall, SkillError};

/// A status that a planner may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PhaseStatus {
    /// Not begun.
    Pending,
    /// The one that is worked on.
    Active,
    /// Completed by evidence.
    Done,
    /// Cannot go on.
    Blocked,
}

/// A proposed status of one phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhaseProposal {
    /// Phase of the plan.
    pub phase_id: String,
    /// Proposed status; `done` only for phases that the host has marked done.
    pub status: PhaseStatus,
}

/// Answer of the planner (CE-R1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanProposal {
    /// One entry for each phase, in order; exactly one active.
    pub phases: Vec<PhaseProposal>,
}

/// Answer of the orchestrator (CE-R2): a decision without numbers of motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecisionProposal {
    /// How the team moves together.
    pub kind: Kind,
    /// What for.
    pub objective: Objective,
    /// Whether all robots do the same.
    pub mode: Mode,
    /// One role for each robot, in team order.
    pub roles: Vec<Role>,
    /// Wanted geometry between the robots.
    pub formation: Formation,
    /// Predicates that must hold afterwards.
    pub evidence_required: Vec<String>,
}

/// Answer of the coder (CE-R3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeProposal {
    /// One policy for each robot, in team order.
    pub policies: Vec<PolicyCode>,
}

/// One numeric argument of a proposed call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArgumentProposal {
    /// Name, with its unit as suffix.
    pub name: String,
    /// SI.
    pub value: f64,
}

/// One proposed call of a revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallProposal {
    /// Skill.
    pub skill: String,
    /// `forward`, `back`, `left` or `right` for a walk; else empty.
    #[serde(default)]
    pub direction: String,
    /// Every numeric argument once.
    pub arguments: Vec<ArgumentProposal>,
}

impl CallProposal {
    /// The proposal of a call.
    #[must_use]
    pub fn of(call: &SkillCall) -> Self {
        let arguments = call.arguments().into_iter();
        Self {
            skill: call.name().to_owned(),
            direction: call.direction().map_or(String::new(), |d| d.name().to_owned()),
            arguments: arguments.map(|(name, value)| ArgumentProposal { name: name.to_owned(), value }).collect(),
        }
    }

    /// The call.
    ///
    /// # Errors
    /// [`SkillError`] naming skill, argument and what is allowed.
    pub fn call(&self) -> Result<SkillCall, SkillError> {
        let arguments: Vec<(String, f64)> = self.arguments.iter().map(|a| (a.name.clone(), a.value)).collect();
        SkillCall::from_parts(&self.skill, &self.direction, &arguments)
    }
}

/// Answer of the reviser (CE-R5): a scope and the fields inside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RevisionProposal {
    /// What may change: strategy (kind, objective), coordination (mode, roles) or parameter (calls).
    pub scope: Level,
    /// Only under scope strategy.
    #[serde(default)]
    pub kind: Option<Kind>,
    /// Only under scope strategy.
    #[serde(default)]
    pub objective: Option<Objective>,
    /// Only under scope coordination.
    #[serde(default)]
    pub mode: Option<Mode>,
    /// Only under scope coordination, in team order.
    #[serde(default)]
    pub roles: Option<Vec<Role>>,
    /// Only under scope parameter, in team order.
    #[serde(default)]
    pub calls: Option<Vec<CallProposal>>,
    /// Why, in one sentence.
    pub reason: String,
}

impl RevisionProposal {
    /// The host's form of it.
    ///
    /// # Errors
    /// [`SkillError`] of a call that is none.
    pub fn host(&self) -> Result<Proposal, SkillError> {
        let calls = self.calls.as_ref().map(|calls| calls.iter().map(CallProposal::call).collect()).transpose()?;
        Ok(Proposal {
            scope: self.scope,
            kind: self.kind,
            objective: self.objective,
            mode: self.mode,
            roles: self.roles.clone(),
            calls,
        })
    }
}

/// Answer of the evaluator (CE-R4). It assists; measured facts decide (CE-070).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvaluationProposal {
    /// What is seen, in one or two sentences.
    pub scene: String,
    /// What seems to have gone wrong.
    #[serde(default)]
    pub failure_type: Option<FailureType>,
    /// At which level it should be mended.
    #[serde(default)]
    pub failure_level: Option<Level>,
    /// Before a dispatch: whether the conditions for it hold.
    pub proceed: bool,
}

/// Answer of the experience writer (CE-R6); the host decides what is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExperienceProposal {
    /// None when there is nothing to learn.
    pub claims: Vec<Claim>,
}
