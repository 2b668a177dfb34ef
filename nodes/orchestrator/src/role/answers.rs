//! Output types of the roles; their JSON schemas come from here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use troupe_core::decision::{Formation, Kind, Mode, Objective, PolicyCode, Role};

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
