//! Strategy records and how they are ranked (CE-091, CE-093).

use super::PhaseClass;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use troupe_core::closed_set;
use troupe_core::decision::{Kind, Mode, Objective};
use troupe_core::evidence::{FailureType, Level};
use troupe_core::identity::{IdentityError, identity};

closed_set! {
    /// Whether a record says what to do or what not to do.
    Polarity {
        /// It was accepted.
        Positive = "positive",
        /// It was rejected.
        Counterexample = "counterexample",
    }
}

/// What a run learnt about coordination, in words without numbers of a scene.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrategyRecord {
    /// Identity of key and principle.
    pub id: String,
    /// What to do, or what not to do.
    pub polarity: Polarity,
    /// Where.
    pub phase: PhaseClass,
    /// Layout it comes from.
    pub layout: String,
    /// kappa.
    pub kind: Kind,
    /// d.
    pub objective: Objective,
    /// m.
    pub mode: Mode,
    /// Failure it answers or shows.
    pub failure_type: Option<FailureType>,
    /// Level of that failure.
    pub failure_level: Option<Level>,
    /// When it applies.
    pub applicability: String,
    /// How the robots coordinate.
    pub principle: String,
    /// What goes wrong.
    pub failure_pattern: String,
    /// What mends it.
    pub repair: String,
    /// Transactions that bore it out.
    pub n_accept: u32,
    /// Transactions that did not.
    pub n_reject: u32,
    /// Order of creation inside its bank.
    pub created: u64,
}

impl StrategyRecord {
    /// The same record with its id computed from key and principle; counters do not count.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn identified(mut self) -> Result<Self, IdentityError> {
        let key = (self.polarity, self.phase, self.kind, self.objective, self.mode, self.failure_type, normal(&self.principle));
        self.id = format!("s-{}", identity(&key)?.get(..16).unwrap_or_default());
        Ok(self)
    }

    /// Transactions that bore the record out, and those that did not: a rejection bears a counterexample out.
    #[must_use]
    pub fn borne_out(&self) -> (u32, u32) {
        match self.polarity {
            Polarity::Positive => (self.n_accept, self.n_reject),
            Polarity::Counterexample => (self.n_reject, self.n_accept),
        }
    }

    /// The four texts with their names.
    #[must_use]
    pub fn texts(&self) -> [(&'static str, &str); 4] {
        [
            ("applicability", &self.applicability),
            ("principle", &self.principle),
            ("failure_pattern", &self.failure_pattern),
            ("repair", &self.repair),
        ]
    }
}

/// Case, punctuation and spacing do not make another principle.
fn normal(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// What is known before a decision; the decision itself is no query term.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrategyQuery {
    /// Active phase; filters.
    pub phase: PhaseClass,
    /// Layout.
    pub layout: String,
    /// Latest failure at this checkpoint.
    pub failure_type: Option<FailureType>,
    /// Its level.
    pub failure_level: Option<Level>,
}

/// Rank value of a record of the right phase; `age_rank` is 0 for the newest.
#[must_use]
pub fn score(query: &StrategyQuery, record: &StrategyRecord, age_rank: usize) -> f64 {
    let term = |hit: bool, weight: f64| if hit { weight } else { 0.0 };
    let matches = |a: Option<FailureType>, b: Option<FailureType>| a.is_some() && a == b;
    term(matches(query.failure_type, record.failure_type), 2.0)
        + term(query.failure_level.is_some() && query.failure_level == record.failure_level, 1.0)
        + term(query.layout == record.layout, 0.5)
        - 0.1 * age_rank as f64
}
