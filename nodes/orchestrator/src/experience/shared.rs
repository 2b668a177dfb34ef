//! A run's experience that others may look into, and add to, while the run goes on.

use super::{Added, Experience, ExperienceError, SqliteBank};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use troupe_coordination::experience::{Bank, BankCaps, Change, Exemplar, ExemplarQuery, StrategyQuery, StrategyRecord};

/// One bank for the loop and for whoever serves requests about it.
#[derive(Clone)]
pub struct SharedBank(Arc<Mutex<Held>>);

struct Held {
    bank: SqliteBank,
    /// What others have added since the loop asked last.
    added: Vec<Added>,
}

impl SharedBank {
    /// Shares a bank.
    #[must_use]
    pub fn new(bank: SqliteBank) -> Self {
        Self(Arc::new(Mutex::new(Held { bank, added: Vec::new() })))
    }

    /// Notes a record that somebody outside the loop has added, for the run's ledger.
    pub fn note_added(&self, added: Added) {
        self.lock().added.push(added);
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A copy of everything known now.
    #[must_use]
    pub fn copy(&self) -> Bank {
        self.lock().bank.bank().clone()
    }
}

impl Experience for SharedBank {
    fn retrieve_strategies(&self, query: &StrategyQuery, caps: &BankCaps) -> Vec<StrategyRecord> {
        self.lock().bank.bank().retrieve_strategies(query, caps)
    }

    fn retrieve_exemplars(&self, query: &ExemplarQuery, caps: &BankCaps) -> Vec<Exemplar> {
        self.lock().bank.bank().retrieve_exemplars(query, caps)
    }

    fn add_strategy(&mut self, record: StrategyRecord, caps: &BankCaps) -> Result<Change, ExperienceError> {
        self.lock().bank.add_strategy(record, caps)
    }

    fn add_exemplar(&mut self, exemplar: Exemplar, caps: &BankCaps) -> Result<Change, ExperienceError> {
        self.lock().bank.add_exemplar(exemplar, caps)
    }

    fn count_rejected(&mut self, strategy_ids: &[String]) -> Result<(), ExperienceError> {
        self.lock().bank.count_rejected(strategy_ids)
    }

    fn take_added(&mut self) -> Vec<Added> {
        std::mem::take(&mut self.lock().added)
    }
}
