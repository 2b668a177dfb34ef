//! A bank over an SQLite file: one row a record, its key in columns, its content as JSON.

use super::{Experience, ExperienceError};
use rusqlite::{Connection, params};
use serde::Serialize;
use std::path::Path;
use troupe_coordination::experience::{Bank, BankCaps, Change, Exemplar, ExemplarQuery, StrategyQuery, StrategyRecord};

/// Raised whenever the tables change.
const VERSION: i64 = 1;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS strategy (
    id TEXT PRIMARY KEY, created INTEGER NOT NULL, polarity TEXT NOT NULL, phase TEXT NOT NULL,
    kind TEXT NOT NULL, objective TEXT NOT NULL, mode TEXT NOT NULL, record TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS exemplar (
    id TEXT PRIMARY KEY, created INTEGER NOT NULL, phase TEXT NOT NULL,
    kind TEXT NOT NULL, objective TEXT NOT NULL, mode TEXT NOT NULL, record TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS strategy_phase ON strategy (phase);
CREATE INDEX IF NOT EXISTS exemplar_key ON exemplar (kind, objective, mode);
";

/// A run's own copy of experience.
pub struct SqliteBank {
    connection: Connection,
    bank: Bank,
}

impl SqliteBank {
    /// Opens or makes a bank's database.
    ///
    /// # Errors
    /// [`ExperienceError`], also for a file of another version.
    pub fn open(file: &Path) -> Result<Self, ExperienceError> {
        let connection = Connection::open(file)?;
        let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version != 0 && version != VERSION {
            let reason = format!("version {version}; allowed: {VERSION}");
            return Err(ExperienceError::Content { file: file.to_owned(), reason });
        }
        // A run's records are flushed one by one; the ledger is the durable account.
        connection.execute_batch("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = NORMAL;")?;
        connection.execute_batch(TABLES)?;
        connection.pragma_update(None, "user_version", VERSION)?;
        let strategies = rows::<StrategyRecord>(&connection, "SELECT record FROM strategy ORDER BY created, id")?;
        let exemplars = rows::<Exemplar>(&connection, "SELECT record FROM exemplar ORDER BY created, id")?;
        Ok(Self { connection, bank: Bank { strategies, exemplars } })
    }

    /// Opens a new database that holds a copy of `bank`.
    ///
    /// # Errors
    /// [`ExperienceError`].
    pub fn preloaded(file: &Path, bank: &Bank) -> Result<Self, ExperienceError> {
        let mut own = Self::open(file)?;
        own.bank = bank.clone();
        for record in &bank.strategies {
            own.put_strategy(record)?;
        }
        for exemplar in &bank.exemplars {
            own.put_exemplar(exemplar)?;
        }
        Ok(own)
    }

    /// Everything known.
    #[must_use]
    pub fn bank(&self) -> &Bank {
        &self.bank
    }

    fn put_strategy(&self, r: &StrategyRecord) -> Result<(), ExperienceError> {
        let created = i64::try_from(r.created).unwrap_or(i64::MAX);
        self.connection.execute(
            "INSERT OR REPLACE INTO strategy VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                r.id, created, r.polarity.name(), r.phase.name(), r.kind.name(), r.objective.name(), r.mode.name(),
                text(r)?
            ],
        )?;
        Ok(())
    }

    fn put_exemplar(&self, e: &Exemplar) -> Result<(), ExperienceError> {
        let created = i64::try_from(e.created).unwrap_or(i64::MAX);
        self.connection.execute(
            "INSERT OR REPLACE INTO exemplar VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![e.id, created, e.phase.name(), e.kind.name(), e.objective.name(), e.mode.name(), text(e)?],
        )?;
        Ok(())
    }

    fn remove(&self, table: &str, id: Option<&String>) -> Result<(), ExperienceError> {
        if let Some(id) = id {
            self.connection.execute(&format!("DELETE FROM {table} WHERE id = ?1"), params![id])?;
        }
        Ok(())
    }
}

impl Experience for SqliteBank {
    fn retrieve_strategies(&self, query: &StrategyQuery, caps: &BankCaps) -> Vec<StrategyRecord> {
        self.bank.retrieve_strategies(query, caps)
    }

    fn retrieve_exemplars(&self, query: &ExemplarQuery, caps: &BankCaps) -> Vec<Exemplar> {
        self.bank.retrieve_exemplars(query, caps)
    }

    fn add_strategy(&mut self, record: StrategyRecord, caps: &BankCaps) -> Result<Change, ExperienceError> {
        let change = self.bank.add_strategy(record, caps);
        self.remove("strategy", change.evicted.as_ref())?;
        if let Some(kept) = self.bank.strategies.iter().find(|r| r.id == change.id) {
            self.put_strategy(kept)?;
        }
        Ok(change)
    }

    fn add_exemplar(&mut self, exemplar: Exemplar, caps: &BankCaps) -> Result<Change, ExperienceError> {
        let change = self.bank.add_exemplar(exemplar, caps);
        self.remove("exemplar", change.evicted.as_ref())?;
        if let Some(kept) = self.bank.exemplars.iter().find(|e| e.id == change.id) {
            self.put_exemplar(kept)?;
        }
        Ok(change)
    }

    fn count_rejected(&mut self, strategy_ids: &[String]) -> Result<(), ExperienceError> {
        self.bank.count_rejected(strategy_ids);
        let touched = self.bank.strategies.iter().filter(|r| strategy_ids.contains(&r.id));
        touched.into_iter().try_for_each(|r| self.put_strategy(r))
    }
}

fn text(record: &impl Serialize) -> Result<String, ExperienceError> {
    Ok(serde_json::to_string(record)?)
}

fn rows<T: serde::de::DeserializeOwned>(connection: &Connection, query: &str) -> Result<Vec<T>, ExperienceError> {
    let mut statement = connection.prepare(query)?;
    let texts = statement.query_map([], |row| row.get::<_, String>(0))?;
    texts.map(|text| Ok(serde_json::from_str(&text?)?)).collect()
}
