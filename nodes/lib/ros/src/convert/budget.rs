//! `troupe_msgs/BudgetState`.

use r2r::troupe_msgs::msg::BudgetState;
use troupe_core::budget::Budget;

/// A message.
#[must_use]
pub fn to_wire(run_id: &str, budget: &Budget) -> BudgetState {
    BudgetState {
        run_id: run_id.to_owned(),
        attempts: budget.attempts,
        transactions: budget.transactions,
        limit: budget.limit,
        accepted: budget.accepted,
        rejected: budget.rejected,
        unresolved: budget.unresolved,
        drops: budget.drops,
        model_calls: budget.model_calls,
        tokens_in: budget.tokens_in,
        tokens_out: budget.tokens_out,
    }
}

/// A budget as sent.
#[must_use]
pub fn from_wire(message: &BudgetState) -> Budget {
    Budget {
        limit: message.limit,
        attempts: message.attempts,
        transactions: message.transactions,
        accepted: message.accepted,
        rejected: message.rejected,
        unresolved: message.unresolved,
        drops: message.drops,
        model_calls: message.model_calls,
        tokens_in: message.tokens_in,
        tokens_out: message.tokens_out,
        // The message does not carry them; the ledger does.
        tokens_cached: 0,
    }
}
