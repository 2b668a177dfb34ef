//! What one run contributes to every figure.

use super::pauc::pauc;
use crate::terminal::Label;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use troupe_core::task::EndpointKind;

/// A milestone and when it was certified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attained {
    /// Milestone.
    pub milestone: String,
    /// 1-based cumulative index of the charged transaction after which it was certified.
    pub transaction: u32,
}

/// One logical run in numbers; every one of them is counted from its ledger.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunFacts {
    /// Method that ran the loop.
    pub method: String,
    /// Content identity of the method's record; empty when the ledger names none.
    pub method_hash: String,
    /// Who answered the model roles.
    pub provider: String,
    /// Error level of a provider that errs on purpose; empty for others.
    pub level: String,
    /// World.
    pub world: String,
    /// Task record.
    pub task: String,
    /// Seed; runs of equal world and seed are a pair.
    pub seed: u64,
    /// What completes the task; absent in ledgers that do not say.
    pub endpoint: Option<EndpointKind>,
    /// Identity of the code and of all settings that every condition of a study shares.
    pub code_hash: String,
    /// Transactions that the task record allows (CE-101).
    pub limit_original: u32,
    /// Transactions that the run was allowed (CE-101).
    pub limit_effective: u32,
    /// B of PAUC@B; says nothing about the budget (CE-101).
    pub horizon_report: u32,
    /// Final stop condition; `None` when the ledger has no end, which makes counts lower bounds.
    pub label: Option<Label>,
    /// K.
    pub milestones_total: u32,
    /// First certifications, in order of attainment; a rewind takes none away (CE-114).
    pub certified_at: Vec<Attained>,
    /// q: milestones of the final trusted checkpoint.
    pub retained: u32,
    /// T: charged transactions.
    pub charged: u32,
    /// A: accepted ones of these.
    pub accepted: u32,
    /// Charged, and neither accepted nor rejected.
    pub unresolved: u32,
    /// Accepted set-ups since the last newly certified milestone (CE-141).
    pub setups_since_milestone: u32,
    /// Charged transactions since the last newly certified milestone (CE-141).
    pub charged_since_milestone: u32,
    /// Drops of the payload.
    pub drops: u32,
    /// What stood in the way last: `refused answers` when no dispatch came after them, else the failure type of the
    /// last rejected transaction; empty when nothing did.
    pub last_obstacle: String,
    /// Refusals before dispatch, by code; they cost no transaction.
    pub refusals: BTreeMap<String, u32>,
    /// Calls of model roles, failed ones included.
    pub model_calls: u32,
    /// Tokens sent, as billed.
    pub tokens_in: u64,
    /// Tokens got, as billed.
    pub tokens_out: u64,
    /// Tokens sent that the provider had cached, as billed.
    pub tokens_cached: u64,
    /// Run time inside recorded segments, wall-clock s (CE-116).
    pub wall_s: f64,
    /// Whether `wall_s` misses an interval.
    pub wall_is_lower_bound: bool,
    /// Simulated time, s.
    pub sim_s: f64,
}

impl RunFacts {
    /// The ledger has an end.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.label.is_some()
    }

    /// S_r: the endpoint holds.
    #[must_use]
    pub fn success(&self) -> bool {
        self.label == Some(Label::S)
    }

    /// q_r / K_r; 0 for a run without milestones.
    #[must_use]
    pub fn progress(&self) -> f64 {
        if self.milestones_total == 0 {
            return 0.0;
        }
        f64::from(self.retained.min(self.milestones_total)) / f64::from(self.milestones_total)
    }

    /// A_r / T_r; `None` for a run that dispatched nothing. A lower bound when outcomes are unresolved (CE-111).
    #[must_use]
    pub fn acceptance(&self) -> Option<f64> {
        (self.charged > 0).then(|| f64::from(self.accepted) / f64::from(self.charged))
    }

    /// PAUC@`horizon` in percent.
    #[must_use]
    pub fn pauc(&self, horizon: u32) -> f64 {
        pauc(&self.certified_at, self.milestones_total, horizon)
    }

    /// Label and last obstacle in words.
    #[must_use]
    pub fn obstacle(&self) -> String {
        let label = self.label.map_or("incomplete", |l| l.letter());
        format!("{label} {}", self.last_obstacle).trim_end().to_owned()
    }

    /// Refusals of all codes.
    #[must_use]
    pub fn refusals_total(&self) -> u32 {
        self.refusals.values().sum()
    }
}
