//! What was measured, which conditions hold, and the verdict over them (CE-028, CE-070, CE-073, G-10).

use crate::closed_set;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One measured quantity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Name, with its unit as suffix.
    pub name: String,
    /// SI.
    pub value: f64,
    /// Unit, for people.
    pub unit: String,
    /// Standard deviation; 0 when privileged.
    pub std: f64,
}

/// How a predicate compares value and limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Comparator {
    /// value ≤ limit.
    Le,
    /// value ≥ limit.
    Ge,
    /// value = limit.
    Eq,
}

/// Who says so, in falling order of trust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Source {
    /// Measured fact.
    Measured = 0,
    /// Scripted predicate.
    Scripted = 1,
    /// A person.
    Human = 2,
    /// A model's video or text.
    Model = 3,
}

/// One condition and whether it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Predicate {
    /// Name.
    pub name: String,
    /// SI.
    pub value: f64,
    /// SI.
    pub limit: f64,
    /// Comparison.
    pub comparator: Comparator,
    /// Unit, for people.
    pub unit: String,
    /// Whether it holds; a value that is not finite never holds.
    pub passed: bool,
    /// Who says so.
    pub source: Source,
}

impl Predicate {
    /// A measured predicate `value` ⋈ `limit`; NaN never passes.
    #[must_use]
    pub fn measured(name: &str, value: f64, comparator: Comparator, limit: f64, unit: &str) -> Self {
        let passed = value.is_finite()
            && match comparator {
                Comparator::Le => value <= limit,
                Comparator::Ge => value >= limit,
                Comparator::Eq => (value - limit).abs() < 1e-9,
            };
        Self { name: name.into(), value, limit, comparator, unit: unit.into(), passed, source: Source::Measured }
    }
}

closed_set! {
    /// What went wrong (CE-073).
    FailureType {
        /// A robot lost touch with the payload.
        SupportLost = "support_lost",
        /// The payload fell.
        PayloadDrop = "payload_drop",
        /// The payload tilted too far.
        Tilt = "tilt",
        /// A robot fell.
        RobotFall = "robot_fall",
        /// A wall was hit.
        WallContact = "wall_contact",
        /// The robots' distance or heading is off.
        FormationDrift = "formation_drift",
        /// The robots moved by different amounts.
        UnequalDisplacement = "unequal_displacement",
        /// Too little progress.
        InsufficientProgress = "insufficient_progress",
        /// Moved the wrong way.
        WrongDirection = "wrong_direction",
        /// A release was not allowed.
        ReleaseGate = "release_gate",
        /// A skill ran out of time.
        Timeout = "timeout",
        /// Measurements are missing or not finite.
        Sensor = "sensor",
    }
}

closed_set! {
    /// Which part of the decision a repair should change.
    Level {
        /// kind and objective.
        Strategy = "strategy",
        /// mode and roles.
        Coordination = "coordination",
        /// numbers.
        Parameter = "parameter",
    }
}

/// Evidence of one transaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Content identity of everything below.
    pub id: String,
    /// Transaction it belongs to.
    pub transaction_id: String,
    /// What was measured.
    pub measured: Vec<Measured>,
    /// What was required.
    pub predicates: Vec<Predicate>,
    /// First failure in order of severity.
    pub failure_type: Option<FailureType>,
    /// Level that the host suggests for the repair.
    pub failure_level: Option<Level>,
    /// Relations that a repair must satisfy (CE-082).
    #[serde(default)]
    pub required_relations: Vec<crate::relation::Relation>,
}

impl Evidence {
    /// Value of a measured quantity.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<f64> {
        self.measured.iter().find(|m| m.name == name).map(|m| m.value)
    }

    /// The same evidence with its id computed from its content.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn identified(mut self) -> Result<Self, crate::identity::IdentityError> {
        self.id.clear();
        self.id = crate::identity::identity(&self)?;
        Ok(self)
    }
}

/// Closed set of outcomes (G-10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Outcome {
    /// All predicates hold.
    Accepted = 0,
    /// A predicate fails.
    Rejected = 1,
    /// Cannot be judged; in denominators, never in numerators.
    Unresolved = 2,
    /// The infrastructure failed, not the decision.
    InvalidInfra = 3,
}

closed_set! {
    /// What a verdict is about.
    VerdictKind {
        /// Progress along the route.
        Progress = "progress",
        /// An error fell without progress.
        Setup = "setup",
        /// A lifecycle step.
        Lifecycle = "lifecycle",
        /// The whole task.
        Endpoint = "endpoint",
    }
}

/// A verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Content identity of everything below.
    pub id: String,
    /// Id of what was judged.
    pub subject: String,
    /// Outcome.
    pub outcome: Outcome,
    /// What it is about.
    pub kind: VerdictKind,
    /// For people: names predicate, value and limit.
    pub reasons: Vec<String>,
    /// All milestones certified so far, in route order.
    pub milestones: Vec<String>,
}

impl Verdict {
    /// The same verdict with its id computed from its content.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn identified(mut self) -> Result<Self, crate::identity::IdentityError> {
        self.id.clear();
        self.id = crate::identity::identity(&self)?;
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_never_passes() {
        for comparator in [Comparator::Le, Comparator::Ge, Comparator::Eq] {
            assert!(!Predicate::measured("tilt", f64::NAN, comparator, 1.0, "rad").passed);
        }
        assert!(Predicate::measured("tilt", 1.0, Comparator::Le, 1.0, "rad").passed);
        assert!(!Predicate::measured("tilt", 1.0 + 1e-6, Comparator::Le, 1.0, "rad").passed);
    }
}
