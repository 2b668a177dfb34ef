//! What a role sees, structured; prompts are written from it and the rule-based provider reads it.

use serde::{Deserialize, Serialize};
use crate::config::Grid;
use crate::role::answers::EvaluationProposal;
use troupe_coordination::experience::{Exemplar, StrategyRecord};
use troupe_coordination::pairing::PairLimits;
use troupe_coordination::phase::Stage;
use troupe_coordination::plan::Phase;
use troupe_coordination::response::Response;
use troupe_coordination::revision::{Child, Parent};
use troupe_core::decision::{Decision, Formation, Kind, Objective};
use troupe_core::evidence::{FailureType, Level, Outcome, Predicate};
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
    /// Strategy records of the active phase (CE-093).
    #[serde(default)]
    pub strategies: Vec<StrategyRecord>,
    /// Exemplars of the decision; only for the coder (CE-094).
    #[serde(default)]
    pub exemplars: Vec<Exemplar>,
    /// Words of failed checks of this run, newest first (CE-131).
    #[serde(default)]
    pub reflections: Vec<String>,
    /// What the next decision and its code must follow.
    #[serde(default)]
    pub child: Option<Child>,
    /// What is to be revised; only for the reviser.
    #[serde(default)]
    pub parent: Option<Parent>,
    /// Level that the host suggests for the revision (CE-083).
    #[serde(default)]
    pub suggested: Option<Level>,
    /// Scope that the host demands (CE-151).
    #[serde(default)]
    pub forced: Option<Level>,
    /// What the evaluator said last.
    #[serde(default)]
    pub evaluation: Option<EvaluationProposal>,
    /// What was executed; only for evaluator and experience writer.
    #[serde(default)]
    pub executed: Option<ExecutedView>,
    /// The only magnitudes that may be chosen (CE-132).
    #[serde(default)]
    pub grid: Option<Grid>,
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

impl RoleContext {
    /// A context in which nothing was planned, decided, tried or learnt yet.
    #[must_use]
    pub fn new(
        observation: Observation,
        target: Target,
        (phase_id, stage): (String, Stage),
        formation: Formation,
        bounds: SkillBounds,
    ) -> Self {
        Self {
            goal: String::new(),
            observation,
            target,
            plan: Vec::new(),
            phase_id,
            stage,
            formation,
            bounds,
            predicates: Vec::new(),
            decision: None,
            rejected: Vec::new(),
            findings: Vec::new(),
            strategies: Vec::new(),
            exemplars: Vec::new(),
            reflections: Vec::new(),
            child: None,
            parent: None,
            suggested: None,
            forced: None,
            evaluation: None,
            executed: None,
            grid: None,
            responses: Vec::new(),
            pairing: None,
            closed: None,
        }
    }
}

/// A judged transaction as a role sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExecutedView {
    /// Its decision.
    pub decision: Decision,
    /// What was done, in team order.
    pub calls: Vec<SkillCall>,
    /// What was required, finite values only.
    pub predicates: Vec<Predicate>,
    /// Judgement; `None` before dispatch.
    pub outcome: Option<Outcome>,
    /// The verdict's reasons.
    pub reasons: Vec<String>,
    /// Failure that it repaired.
    pub repaired: Option<FailureType>,
    /// Names that a claim about it may use as effect.
    pub effects: Vec<String>,
}

/// A strategy that may not be decided until something else is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    /// kappa.
    pub kind: Kind,
    /// d.
    pub objective: Objective,
}
