//! The files of one run: `ledger.jsonl`, `report.md`, `report.json`, `path.svg` and camera stills.

use crate::experience::{SharedBank, SqliteBank, read_bank};
use crate::model::LanguageModel;
use crate::ports::Team;
use crate::progress::Progress;
use crate::report::{Report, markdown::markdown, plot::plot};
use crate::run::{Hooks, RunError, run};
use crate::setup::Setup;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Instant;
use troupe_core::ledger::{Ledger, LedgerError, Record, read};

/// Name of the ledger in a run's folder.
pub const LEDGER: &str = "ledger.jsonl";

/// Name of a run's own copy of experience.
pub const EXPERIENCE: &str = "experience.sqlite";

/// Why the files of a run are not complete.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// A file or folder cannot be written or read.
    #[error("{reason}: {file}")]
    File {
        /// Path.
        file: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// The run's folder holds a ledger already; a finished run is never written again (G-11).
    #[error("the folder holds a run already: {0}")]
    Taken(PathBuf),
    /// The run had no end.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Experience cannot be opened.
    #[error(transparent)]
    Experience(#[from] crate::experience::ExperienceError),
    /// The ledger does not verify.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The report cannot be written as JSON.
    #[error("report: {0}")]
    Json(#[from] serde_json::Error),
}

fn file_error(file: &Path) -> impl FnOnce(std::io::Error) -> FilesError {
    let file = file.to_owned();
    move |e| FilesError::File { file, reason: e.to_string() }
}

/// Runs one episode, its ledger on disk record by record, then writes the report from that ledger.
///
/// # Errors
/// [`FilesError`]; a run that ends without success is no error, see [`Report::outcome`].
pub fn run_to_folder(
    team: &mut dyn Team,
    model: &mut dyn LanguageModel,
    setup: &Setup,
    folder: &Path,
    progress: &mut dyn Progress,
    stills: bool,
) -> Result<Report, FilesError> {
    std::fs::create_dir_all(folder).map_err(file_error(folder))?;
    let path = folder.join(LEDGER);
    let file = File::options().write(true).create_new(true).open(&path).map_err(|e| match e.kind() {
        std::io::ErrorKind::AlreadyExists => FilesError::Taken(folder.to_owned()),
        _ => FilesError::File { file: path.clone(), reason: e.to_string() },
    })?;
    let start = Instant::now();
    let mut wall_s = move || start.elapsed().as_secs_f64();
    let own = match &setup.bank {
        Some(file) => SqliteBank::preloaded(&folder.join(EXPERIENCE), &read_bank(file)?)?,
        None => SqliteBank::open(&folder.join(EXPERIENCE))?,
    };
    let mut experience = SharedBank::new(own);
    team.share_experience(&experience, setup.config.experience);
    let hooks =
        Hooks { progress, wall_s: &mut wall_s, stills: stills.then_some(folder), experience: &mut experience };
    run(team, model, setup, &mut Ledger::new(file), hooks)?;
    write_report(folder)
}

/// Reads and verifies the ledger of a run and writes its report anew.
///
/// # Errors
/// [`FilesError`].
pub fn write_report(folder: &Path) -> Result<Report, FilesError> {
    let path = folder.join(LEDGER);
    let file = File::open(&path).map_err(file_error(&path))?;
    let (records, _) = read(BufReader::new(file))?;
    write_summaries(folder, &records)
}

/// Writes the report of verified records into the run's folder.
///
/// # Errors
/// [`FilesError`].
pub fn write_summaries(folder: &Path, records: &[Record]) -> Result<Report, FilesError> {
    let report = Report::from_records(records)?;
    let write = |name: &str, text: String| {
        let file = folder.join(name);
        std::fs::write(&file, text).map_err(file_error(&file))
    };
    write("report.md", markdown(&report))?;
    write("report.json", serde_json::to_string_pretty(&report)? + "\n")?;
    let svg = plot(records).map_err(|reason| FilesError::File { file: folder.join("path.svg"), reason })?;
    write("path.svg", svg)?;
    Ok(report)
}
