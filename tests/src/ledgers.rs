//! Ledgers of runs, read back and checked.

use anyhow::{Context, Result};
use serde_json::Value;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use troupe_core::ledger::{Record, Verified, digest, read, stable_lines};

/// A ledger whose chain holds.
#[derive(Clone, Debug)]
pub struct Read {
    /// Its records.
    pub records: Vec<Record>,
    /// What the chain says.
    pub verified: Verified,
}

/// Reads and verifies the ledger in a run's folder.
///
/// # Errors
/// When it cannot be read or its chain is broken.
pub fn of_run(folder: &Path) -> Result<Read> {
    let path = folder.join("ledger.jsonl");
    let file = File::open(&path).with_context(|| path.display().to_string())?;
    of_bytes(BufReader::new(file))
}

/// Reads and verifies a ledger.
///
/// # Errors
/// When its chain is broken.
pub fn of_bytes(input: impl std::io::BufRead) -> Result<Read> {
    let (records, verified) = read(input)?;
    Ok(Read { records, verified })
}

impl Read {
    /// Everything but wall-clock fields, as text.
    ///
    /// # Errors
    /// When a record cannot be written.
    pub fn stable(&self) -> Result<String> {
        Ok(stable_lines(&self.records)?)
    }

    /// One hash over the same.
    ///
    /// # Errors
    /// When a record cannot be written.
    pub fn digest(&self) -> Result<String> {
        Ok(digest(&self.records)?)
    }

    /// Data of the records of one event, in order.
    #[must_use]
    pub fn events(&self, event: &str) -> Vec<&Value> {
        self.records.iter().filter(|r| r.event == event).map(|r| &r.data).collect()
    }

    /// A field of the record `end`, as text; empty when the run has no end.
    #[must_use]
    pub fn end(&self, key: &str) -> String {
        let value = self.events("end").last().and_then(|data| data.get(key));
        value.map_or_else(String::new, |v| v.as_str().map_or_else(|| v.to_string(), str::to_owned))
    }
}

/// The first line in which two texts differ, for a message that can be read.
#[must_use]
pub fn first_difference(a: &str, b: &str) -> Option<String> {
    if a == b {
        return None;
    }
    let at = a.lines().zip(b.lines()).position(|(x, y)| x != y);
    let line = at.unwrap_or_else(|| a.lines().count().min(b.lines().count()));
    let (x, y) = (a.lines().nth(line).unwrap_or("(end)"), b.lines().nth(line).unwrap_or("(end)"));
    let same = x.chars().zip(y.chars()).take_while(|(p, q)| p == q).count();
    let from = same.saturating_sub(60);
    let part = |text: &str| text.chars().skip(from).take(200).collect::<String>();
    Some(format!("line {line}, column {same}:\n  …{}\n  …{}", part(x), part(y)))
}
