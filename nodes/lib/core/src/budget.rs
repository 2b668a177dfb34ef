//! The physical budget and separate accounts of calls and tokens (CE-057, G-07).

use serde::{Deserialize, Serialize};

/// Counters of one run. Only a dispatch is charged; nothing is refunded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Transactions allowed.
    pub limit: u32,
    /// Decisions tried, refused ones included.
    pub attempts: u32,
    /// Dispatched.
    pub transactions: u32,
    /// Judged accepted.
    pub accepted: u32,
    /// Judged rejected.
    pub rejected: u32,
    /// Could not be judged.
    pub unresolved: u32,
    /// Payload drops.
    pub drops: u32,
    /// Calls of model roles.
    pub model_calls: u32,
    /// Tokens sent to models, as billed by them.
    pub tokens_in: u64,
    /// Tokens got from models.
    pub tokens_out: u64,
    /// Of the tokens sent, those that a server had cached, as billed by it.
    #[serde(default)]
    pub tokens_cached: u64,
}

impl Budget {
    /// A fresh budget.
    #[must_use]
    pub fn new(limit: u32) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Charges one dispatch and returns its number, 1-based; `None` when the budget is spent.
    pub fn charge(&mut self) -> Option<u32> {
        if self.transactions >= self.limit {
            return None;
        }
        self.transactions += 1;
        Some(self.transactions)
    }

    /// Counts a verdict over a charged transaction.
    pub fn judged(&mut self, outcome: crate::evidence::Outcome, dropped: bool) {
        use crate::evidence::Outcome;
        match outcome {
            Outcome::Accepted => self.accepted += 1,
            Outcome::Rejected => self.rejected += 1,
            Outcome::Unresolved | Outcome::InvalidInfra => self.unresolved += 1,
        }
        self.drops += u32::from(dropped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Outcome;

    /// CE-057.
    #[test]
    fn only_dispatches_are_charged() {
        // CE-057: 3 accepted, 2 rejected, 1 unresolved, 4 refused before dispatch = 6.
        let mut budget = Budget::new(80);
        for outcome in [Outcome::Accepted; 3].into_iter().chain([Outcome::Rejected; 2]).chain([Outcome::Unresolved]) {
            budget.attempts += 1;
            budget.charge().unwrap();
            budget.judged(outcome, false);
        }
        budget.attempts += 4;
        assert_eq!((budget.transactions, budget.attempts), (6, 10));
        assert_eq!((budget.accepted, budget.rejected, budget.unresolved), (3, 2, 1));
    }

    #[test]
    fn a_spent_budget_charges_nothing() {
        let mut budget = Budget::new(1);
        assert_eq!(budget.charge(), Some(1));
        assert_eq!(budget.charge(), None);
        assert_eq!(budget.transactions, 1);
    }
}
