//! `ledger verify|digest|times`: whether a run's ledger can be trusted, what identifies it, how long it took.

use anyhow::Context;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use troupe_coordination::terminal::Label;
use troupe_core::ledger::{Record, Verified, digest, read};
use troupe_core::stats::quantile;
use troupe_orchestrator::report::facts::facts;

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

/// Run time of each run and their median, from the ledgers alone (CE-116).
///
/// # Errors
/// As [`verify`], and when a ledger is no run.
pub fn times(all: &[PathBuf], runs: &Path) -> anyhow::Result<String> {
    let mut out = String::new();
    let mut times = Vec::new();
    let mut open = false;
    for run in all {
        let facts = facts(&load(run, runs)?.0).with_context(|| run.display().to_string())?;
        let bound = if facts.wall_is_lower_bound { ">= " } else { "" };
        let label = facts.label.map_or("incomplete", Label::letter);
        out.push_str(&format!(
            "{label:>10} {bound}{:>7.1} s wall, {:>6.1} s simulated, {:>3} transactions, {} seed {}, provider {}\n",
            facts.wall_s, facts.sim_s, facts.charged, facts.world, facts.seed, facts.provider
        ));
        open |= facts.wall_is_lower_bound;
        times.push(facts.wall_s);
    }
    let median = quantile(&times, 0.5).context("no runs")?;
    out.push_str(&format!("median {}{median:.1} s wall of {} runs", if open { ">= " } else { "" }, times.len()));
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use troupe_core::ledger::Ledger;

    #[test]
    fn ce_116_the_median_comes_from_ledgers_and_may_be_a_lower_bound() {
        let runs = tempfile::tempdir().unwrap();
        for (name, wall_s, end) in [("a", 10.0, true), ("b", 30.0, true), ("c", 20.0, false)] {
            std::fs::create_dir(runs.path().join(name)).unwrap();
            let file = File::create(runs.path().join(name).join("ledger.jsonl")).unwrap();
            let mut ledger = Ledger::new(file);
            ledger.append("run", 0.0, &json!({"world": "l1", "seed": 1, "provider": "builtin"})).unwrap();
            ledger.append("transaction", 1.0, &json!({"n": 1, "charged": true, "wall_s": wall_s})).unwrap();
            if end {
                ledger.append("end", 2.0, &json!({"label": "S", "wall_s": wall_s})).unwrap();
            }
        }
        let of = |names: &[&str]| times(&names.iter().map(PathBuf::from).collect::<Vec<_>>(), runs.path());
        assert!(of(&["a", "b"]).unwrap().ends_with("median 20.0 s wall of 2 runs"));
        assert!(of(&["a", "b", "c"]).unwrap().ends_with("median >= 20.0 s wall of 3 runs"));
        assert!(of(&[]).is_err() && of(&["d"]).is_err());
    }
}
