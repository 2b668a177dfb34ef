//! What lies in a run's folder already, and what becomes of it (G-11): nothing is ever overwritten.

use anyhow::Context;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use troupe_core::ledger::read;
use troupe_orchestrator::files::LEDGER;

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// No ledger.
    Nothing,
    /// A verified ledger with an end, of the wanted settings.
    Finished,
    /// A verified ledger with an end, of other settings.
    OtherSettings,
    /// A ledger without an end, or one that cannot be trusted; why.
    Unfinished(String),
}

/// Looks into a run's folder; `config_hash` are the wanted settings.
///
/// # Errors
/// When the ledger is there and cannot be opened.
pub fn look(folder: &Path, config_hash: &str) -> anyhow::Result<Found> {
    let path = folder.join(LEDGER);
    let file = match File::open(&path) {
        Ok(file) => file,
        // A folder that was made and got no ledger is as good as none.
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(e) => return Err(e).with_context(|| format!("cannot open {}", path.display())),
    };
    let (records, verified) = match read(BufReader::new(file)) {
        Ok(read) => read,
        Err(error) => return Ok(Found::Unfinished(error.to_string())),
    };
    if verified.truncated || records.last().is_none_or(|r| r.event != "end") {
        return Ok(Found::Unfinished("no end".into()));
    }
    let opening = records.iter().find(|r| r.event == "run");
    let hash = opening.and_then(|r| r.data.get("config_hash")).and_then(|h| h.as_str());
    Ok(if hash == Some(config_hash) { Found::Finished } else { Found::OtherSettings })
}

/// Renames the folder of a run to `<seed>.aside-<n>` beside it, n being the first that is free.
///
/// # Errors
/// When it cannot be renamed.
pub fn set_aside(folder: &Path) -> anyhow::Result<PathBuf> {
    let name = folder.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let free = (1u32..).map(|n| folder.with_file_name(format!("{name}.aside-{n}"))).find(|p| !p.exists());
    let aside = free.context("no free name")?;
    std::fs::rename(folder, &aside).with_context(|| format!("cannot move aside {}", folder.display()))?;
    Ok(aside)
}
