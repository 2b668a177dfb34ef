//! Where a run keeps what it learns: a bank in memory over an SQLite file, and versioned files that people
//! read and review (CE-090).

mod compare;
mod file;
pub mod request;
mod shared;
mod sqlite;
#[cfg(test)]
mod tests;

pub use compare::{Difference, compare};
pub use file::{FORMAT, read_bank, write_bank};
pub use shared::SharedBank;
pub use sqlite::SqliteBank;

use std::path::PathBuf;
use troupe_coordination::experience::{Bank, BankCaps, Change, Exemplar, ExemplarQuery, StrategyQuery, StrategyRecord};
use troupe_core::identity::IdentityError;

/// Why experience cannot be read or kept.
#[derive(Debug, thiserror::Error)]
pub enum ExperienceError {
    /// The database refuses.
    #[error("experience database: {0}")]
    Database(#[from] rusqlite::Error),
    /// A bank's file cannot be read or written.
    #[error("bank file: {reason}: {file}")]
    File {
        /// Path.
        file: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// A bank's file does not hold what it should.
    #[error("bank file {file}: {reason}")]
    Content {
        /// Path.
        file: PathBuf,
        /// Field, value and what is allowed.
        reason: String,
    },
    /// A bank has fewer records than are asked for.
    #[error("bank {file}: {error}")]
    Small {
        /// Path.
        file: PathBuf,
        /// Store, records and what is allowed.
        error: troupe_coordination::experience::TooSmall,
    },
    /// A record has no identity.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// A record cannot be written as JSON.
    #[error("record: {0}")]
    Json(#[from] serde_json::Error),
}

/// The experience of one run.
pub trait Experience {
    /// The best strategy records (CE-093).
    fn retrieve_strategies(&self, query: &StrategyQuery, caps: &BankCaps) -> Vec<StrategyRecord>;

    /// Exemplars of exactly this key (CE-094).
    fn retrieve_exemplars(&self, query: &ExemplarQuery, caps: &BankCaps) -> Vec<Exemplar>;

    /// Adds or merges a strategy record.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn add_strategy(&mut self, record: StrategyRecord, caps: &BankCaps) -> Result<Change, ExperienceError>;

    /// Adds or merges an exemplar.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn add_exemplar(&mut self, exemplar: Exemplar, caps: &BankCaps) -> Result<Change, ExperienceError>;

    /// Notes that these records preceded a rejected transaction.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn count_rejected(&mut self, strategy_ids: &[String]) -> Result<(), ExperienceError>;

    /// What somebody outside the loop has added since the last call.
    fn take_added(&mut self) -> Vec<Added> {
        Vec::new()
    }
}

/// A record that came through `experience/promote` while a run was going on.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Added {
    /// `strategy` or `exemplar`.
    pub store: String,
    /// As sent.
    pub record: String,
    /// Its id.
    pub id: String,
    /// It was known already.
    pub merged: bool,
}

impl Experience for Bank {
    fn retrieve_strategies(&self, query: &StrategyQuery, caps: &BankCaps) -> Vec<StrategyRecord> {
        Bank::retrieve_strategies(self, query, caps)
    }

    fn retrieve_exemplars(&self, query: &ExemplarQuery, caps: &BankCaps) -> Vec<Exemplar> {
        Bank::retrieve_exemplars(self, query, caps)
    }

    fn add_strategy(&mut self, record: StrategyRecord, caps: &BankCaps) -> Result<Change, ExperienceError> {
        Ok(Bank::add_strategy(self, record, caps))
    }

    fn add_exemplar(&mut self, exemplar: Exemplar, caps: &BankCaps) -> Result<Change, ExperienceError> {
        Ok(Bank::add_exemplar(self, exemplar, caps))
    }

    fn count_rejected(&mut self, strategy_ids: &[String]) -> Result<(), ExperienceError> {
        Bank::count_rejected(self, strategy_ids);
        Ok(())
    }
}
