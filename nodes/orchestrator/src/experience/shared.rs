//! A run's experience that others may look into, and add to, while the run goes on.

use super::{Experience, ExperienceError, SqliteBank};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use troupe_coordination::experience::{Bank, BankCaps, Change, Exemplar, ExemplarQuery, StrategyQuery, StrategyRecord};

/// One bank for the loop and for whoever serves requests about it.
#[derive(Clone)]
pub struct SharedBank(Arc<Mutex<SqliteBank>>);

impl SharedBank {
    /// Shares a bank.
    #[must_use]
    pub fn new(bank: SqliteBank) -> Self {
        Self(Arc::new(Mutex::new(bank)))
    }

    fn lock(&self) -> MutexGuard<'_, SqliteBank> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A copy of everything known now.
    #[must_use]
    pub fn copy(&self) -> Bank {
        self.lock().bank().clone()
    }
}

impl Experience for SharedBank {
    fn retrieve_strategies(&self, query: &StrategyQuery, caps: &BankCaps) -> Vec<StrategyRecord> {
        self.lock().bank().retrieve_strategies(query, caps)
    }

    fn retrieve_exemplars(&self, query: &ExemplarQuery, caps: &BankCaps) -> Vec<Exemplar> {
        self.lock().bank().retrieve_exemplars(query, caps)
    }

    fn add_strategy(&mut self, record: StrategyRecord, caps: &BankCaps) -> Result<Change, ExperienceError> {
        self.lock().add_strategy(record, caps)
    }

    fn add_exemplar(&mut self, exemplar: Exemplar, caps: &BankCaps) -> Result<Change, ExperienceError> {
        self.lock().add_exemplar(exemplar, caps)
    }

    fn count_rejected(&mut self, strategy_ids: &[String]) -> Result<(), ExperienceError> {
        self.lock().count_rejected(strategy_ids)
    }
}
