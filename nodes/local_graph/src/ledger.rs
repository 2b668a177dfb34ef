//! `ledger verify|digest RUN`: whether a run's ledger can be trusted, and what identifies it.

use anyhow::Context;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use troupe_core::ledger::{Record, Verified, digest, read};

/// The ledger of a run, given its folder, its file, or a name below `runs/`.
fn file_of(run: &Path, runs: &Path) -> PathBuf {
    let folder = if run.exists() { run.to_owned() } else { runs.join(run) };
    if folder.is_dir() { folder.join(troupe_orchestrator::files::LEDGER) } else { folder }
}

fn load(run: &Path, runs: &Path) -> anyhow::Result<(Vec<Record>, Verified)> {
    let path = file_of(run, runs);
    let file = File::open(&path).with_context(|| format!("cannot open the ledger: {}", path.display()))?;
    read(BufReader::new(file)).with_context(|| format!("ledger cannot be trusted: {}", path.display()))
}

/// Says how many records verify.
///
/// # Errors
/// When the file cannot be read or the chain is broken; names the record.
pub fn verify(run: &Path, runs: &Path) -> anyhow::Result<String> {
    let (records, verified) = load(run, runs)?;
    let complete = records.last().is_some_and(|r| r.event == "end");
    let state = if complete { "complete" } else { "without an end" };
    let cut = if verified.truncated { "; a cut-off last line was ignored" } else { "" };
    Ok(format!("{} records verify, last hash {}, run {state}{cut}", verified.records, verified.last_hash))
}

/// The digest without wall-clock fields.
///
/// # Errors
/// As [`verify`].
pub fn digest_of(run: &Path, runs: &Path) -> anyhow::Result<String> {
    Ok(digest(&load(run, runs)?.0)?)
}
