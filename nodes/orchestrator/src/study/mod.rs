//! Studies: many runs under pre-registered conditions, and their report from ledgers alone (CE-156, G-06).

pub mod bank;
pub mod code;
pub mod layout;
pub mod load;
pub mod report;
mod report_csv;
mod report_curves;
mod report_page;
mod report_paths;
pub mod spec;
#[cfg(test)]
mod tests;

use layout::PlaceError;
use std::path::{Path, PathBuf};
use troupe_coordination::metrics::PoolError;
use troupe_core::ledger::LedgerError;

/// Why a study has no report.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// A file or folder cannot be read or written.
    #[error("{reason}: {file}")]
    File {
        /// Path.
        file: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// A ledger cannot be trusted.
    #[error("{error}: {file}")]
    Ledger {
        /// Path.
        file: PathBuf,
        /// What is broken.
        error: LedgerError,
    },
    /// A run lies where another one belongs.
    #[error("{error}: {file}")]
    Place {
        /// Path.
        file: PathBuf,
        /// What does not fit.
        error: PlaceError,
    },
    /// Runs that may not share a figure.
    #[error("world {world}: {error}")]
    Pool {
        /// World.
        world: String,
        /// Why not.
        error: PoolError,
    },
    /// A table or picture cannot be made.
    #[error("{what}: {reason}")]
    Write {
        /// Table or picture.
        what: String,
        /// The library's words.
        reason: String,
    },
    /// There is nothing to report.
    #[error("no run with a ledger lies below {0}")]
    Empty(PathBuf),
}

pub(crate) fn file_error(file: &Path) -> impl FnOnce(std::io::Error) -> StudyError {
    let file = file.to_owned();
    move |e| StudyError::File { file, reason: e.to_string() }
}
