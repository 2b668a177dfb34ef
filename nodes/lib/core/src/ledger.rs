//! The hash-chained, append-only event log of a run (G-05, G-06).

use crate::identity::{IdentityError, canonical, sha256_hex};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io::{BufRead, Write};

/// Keys whose values depend on the wall clock or the machine; the digest leaves them out.
pub const WALL_CLOCK_KEYS: [&str; 6] = ["wall_s", "wall_time", "latency_s", "waited_s", "tries", "host"];

/// Hash before the first record.
pub const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// One line of a ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// 0-based.
    pub index: u64,
    /// What happened, for example `transaction`.
    pub event: String,
    /// Simulated time, s.
    pub sim_s: f64,
    /// Details; wall-clock keys anywhere inside are left out of the digest.
    pub data: Value,
    /// Hash of the record before.
    pub previous: String,
    /// SHA-256 over the canonical JSON of all the above.
    pub hash: String,
}

/// Why a ledger cannot be written or trusted.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The writer or reader failed.
    #[error("ledger: {0}")]
    Io(#[from] std::io::Error),
    /// A record cannot be written as JSON.
    #[error("ledger record: {0}")]
    Identity(#[from] IdentityError),
    /// A line is not a record.
    #[error("ledger record {index}: not a record: {reason}")]
    Malformed {
        /// 0-based line.
        index: u64,
        /// Parser's words.
        reason: String,
    },
    /// The chain is broken.
    #[error("ledger record {index}: {reason}")]
    Broken {
        /// First record that does not fit.
        index: u64,
        /// What does not fit.
        reason: String,
    },
}

/// Appends records; every record is written and flushed before `append` returns.
pub struct Ledger<W: Write> {
    out: W,
    next: u64,
    previous: String,
}

impl<W: Write> Ledger<W> {
    /// A new ledger on an empty writer.
    pub fn new(out: W) -> Self {
        Self { out, next: 0, previous: GENESIS.to_owned() }
    }

    /// Goes on after the records of [`Verified`].
    pub fn resume(out: W, after: &Verified) -> Self {
        Self { out, next: after.records, previous: after.last_hash.clone() }
    }

    /// Appends one event at simulated time `sim_s`.
    ///
    /// # Errors
    /// When the data cannot be written as JSON or the writer fails.
    pub fn append(&mut self, event: &str, sim_s: f64, data: &impl Serialize) -> Result<Record, LedgerError> {
        let data = serde_json::to_value(data).map_err(IdentityError::Json)?;
        // Stored as it is hashed (keys sorted, floats rounded), so that what is read back hashes alike.
        let data: Value = serde_json::from_str(&canonical(&data)?).map_err(IdentityError::Json)?;
        let mut record = Record {
            index: self.next,
            event: event.to_owned(),
            sim_s: crate::identity::round6(sim_s),
            data,
            previous: self.previous.clone(),
            hash: String::new(),
        };
        record.hash = hash_of(&record)?;
        let line = serde_json::to_string(&record).map_err(IdentityError::Json)?;
        writeln!(self.out, "{line}")?;
        self.out.flush()?;
        self.next += 1;
        self.previous.clone_from(&record.hash);
        Ok(record)
    }
}

fn hash_of(record: &Record) -> Result<String, IdentityError> {
    let mut open = record.clone();
    open.hash.clear();
    Ok(sha256_hex(canonical(&open)?.as_bytes()))
}

/// What a valid chain holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Complete records.
    pub records: u64,
    /// Hash of the last one.
    pub last_hash: String,
    /// True when a cut-off last line, left by a killed process, was ignored.
    pub truncated: bool,
}

/// Reads all records and checks the chain. A last line without its end, as a killed process leaves
/// it, is ignored and reported.
///
/// # Errors
/// [`LedgerError::Malformed`] or [`LedgerError::Broken`] naming the record.
pub fn read(mut input: impl BufRead) -> Result<(Vec<Record>, Verified), LedgerError> {
    let mut records = Vec::new();
    let mut verified = Verified { records: 0, last_hash: GENESIS.to_owned(), truncated: false };
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok((records, verified));
        }
        let index = verified.records;
        if line.pop() != Some(b'\n') {
            verified.truncated = true;
            return Ok((records, verified));
        }
        let record: Record = serde_json::from_slice(&line)
            .map_err(|e| LedgerError::Malformed { index, reason: e.to_string() })?;
        let broken = |reason: &str| LedgerError::Broken { index, reason: reason.to_owned() };
        if record.index != index {
            return Err(broken(&format!("has index {}", record.index)));
        }
        if record.previous != verified.last_hash {
            return Err(broken("does not follow the record before it"));
        }
        if record.hash != hash_of(&record)? {
            return Err(broken("content does not match its hash"));
        }
        if serde_json::to_string(&record).map_err(IdentityError::Json)?.as_bytes() != line.as_slice() {
            return Err(broken("is not written in canonical form"));
        }
        verified.records += 1;
        verified.last_hash.clone_from(&record.hash);
        records.push(record);
    }
}

/// SHA-256 over all records without hashes and wall-clock fields: equal for equal runs.
///
/// # Errors
/// When a record cannot be written as JSON.
pub fn digest(records: &[Record]) -> Result<String, LedgerError> {
    Ok(sha256_hex(stable_lines(records)?.as_bytes()))
}

/// The ledger as text, one line a record, without hashes and wall-clock fields.
///
/// # Errors
/// When a record cannot be written as JSON.
pub fn stable_lines(records: &[Record]) -> Result<String, LedgerError> {
    let mut out = String::new();
    for record in records {
        let mut value = serde_json::to_value(record).map_err(IdentityError::Json)?;
        if let Value::Object(map) = &mut value {
            map.remove("hash");
            map.remove("previous");
        }
        strip(&mut value);
        out.push_str(&canonical(&value)?);
        out.push('\n');
    }
    Ok(out)
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(map) => {
            let kept: Map<String, Value> =
                std::mem::take(map).into_iter().filter(|(k, _)| !WALL_CLOCK_KEYS.contains(&k.as_str())).collect();
            *map = kept;
            map.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn sample(wall: f64) -> Vec<u8> {
        let mut out = Vec::new();
        let mut ledger = Ledger::new(&mut out);
        ledger.append("run", 0.0, &json!({"seed": 3, "wall_s": wall})).unwrap();
        ledger.append("transaction", 1.5, &json!({"n": 1, "tilt": 0.1 + 0.2, "model": {"latency_s": wall, "waited_s": wall, "tries": wall}})).unwrap();
        ledger.append("end", 2.0, &json!({"label": "success"})).unwrap();
        out
    }

    #[test]
    fn a_written_ledger_verifies() {
        let (records, verified) = read(sample(1.0).as_slice()).unwrap();
        assert_eq!((records.len(), verified.records, verified.truncated), (3, 3, false));
    }

    #[test]
    fn digest_ignores_wall_clock_only() {
        let digest_of = |bytes: &[u8]| digest(&read(bytes).unwrap().0).unwrap();
        assert_eq!(digest_of(&sample(1.0)), digest_of(&sample(2.0)));
        let mut out = Vec::new();
        Ledger::new(&mut out).append("run", 0.0, &json!({"seed": 4})).unwrap();
        assert_ne!(digest_of(&sample(1.0)), digest_of(&out));
    }

    #[test]
    fn a_cut_last_line_is_ignored_and_reported() {
        let bytes = sample(1.0);
        let (records, verified) = read(&bytes[..bytes.len() - 7]).unwrap();
        assert_eq!((records.len(), verified.truncated), (2, true));
        let mut more = Vec::new();
        Ledger::resume(&mut more, &verified).append("end", 2.0, &json!({})).unwrap();
        let kept: usize = bytes.split_inclusive(|b| *b == b'\n').take(2).map(<[u8]>::len).sum();
        let mut whole = bytes[..kept].to_vec();
        whole.extend_from_slice(&more);
        assert_eq!(read(whole.as_slice()).unwrap().1.records, 3);
    }

    proptest! {
        #[test]
        fn any_changed_byte_is_noticed_and_named(position in 0usize..10_000, flip in 1u8..=255) {
            let mut bytes = sample(1.0);
            let position = position % (bytes.len() - 1);
            bytes[position] ^= flip;
            let line = bytes[..position].iter().filter(|b| **b == b'\n').count() as u64;
            match read(bytes.as_slice()) {
                Err(LedgerError::Malformed { index, .. } | LedgerError::Broken { index, .. }) => {
                    prop_assert!(index <= line + 1);
                }
                Err(other) => prop_assert!(false, "{other}"),
                Ok(_) => prop_assert!(false, "byte {position} changed unnoticed"),
            }
        }
    }
}
