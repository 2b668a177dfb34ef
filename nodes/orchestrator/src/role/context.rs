//! What a role sees, structured; prompts are written from it and the rule-based provider reads it.

use serde::{Deserialize, Serialize};
use troupe_coordination::pairing::PairLimits;
use troupe_coordination::phase::Stage;
use troupe_coordination::plan::Phase;
use troupe_coordination::response::Response;
use troupe_core::decision::{Decision, Formation, Kind, Objective};
use troupe_core::evidence::{FailureType, Level, Predicate};
use troupe_core::observation::Observation;
use troupe_core::route::Target;
use troupe_core::skill::{SkillBounds, SkillCall};
use troupe_core::team::Finding;

/// A transaction that was not accepted at the current checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RejectedTry {
    /// kappa of its decision.
    pub kind: Kind,
    /// d of its decision.
    pub objective: Objective,
    /// What was done.
    pub calls: Vec<SkillCall>,
    /// First failure.
    pub failure_type: Option<FailureType>,
    /// Level that the host suggests for the repair.
    pub failure_level: Option<Level>,
    /// Failed predicates.
    pub failed: Vec<Predicate>,
    /// The verdict's reasons.
    pub reasons: Vec<String>,
}

/// Everything a role may know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoleContext {
    /// Task in words.
    pub goal: String,
    /// Measurements and the active segment.
    pub observation: Observation,
    /// Where the payload shall come to rest.
    pub target: Target,
    /// The plan as the host keeps it.
    pub plan: Vec<Phase>,
    /// Active phase.
    pub phase_id: String,
    /// What has become of the payload.
    pub stage: Stage,
    /// Wanted formation.
    pub formation: Formation,
    /// Allowed magnitudes of the skills' arguments.
    pub bounds: SkillBounds,
    /// Names of predicates that a decision may require.
    pub predicates: Vec<String>,
    /// The decision to write code for; only for the coder.
    pub decision: Option<Decision>,
    /// What was tried at the current checkpoint without success.
    pub rejected: Vec<RejectedTry>,
    /// Refusals since the last dispatch.
    pub findings: Vec<Finding>,
    /// What robots really do with what they are told, learnt in this run (CE-152); empty where it is not used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub responses: Vec<Response>,
    /// How far the amounts of a synchronous pair may differ; with `responses` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairing: Option<PairLimits>,
    /// Kind and objective that the spent set-up quota closes until something else is accepted (CE-151).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Closed>,
}

/// A strategy that may not be decided for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    /// kappa.
    pub kind: Kind,
    /// d.
    pub objective: Objective,
}
