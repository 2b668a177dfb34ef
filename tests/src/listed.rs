//! The files of the checkout.

use crate::paths;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Tracked files and new ones that are not ignored, relative to the checkout, sorted.
///
/// # Errors
/// When git cannot list them.
pub fn files() -> Result<Vec<PathBuf>> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(paths::root())
        .output()
        .context("git")?;
    ensure!(listed.status.success(), "git ls-files: {}", String::from_utf8_lossy(&listed.stderr));
    let text = String::from_utf8(listed.stdout)?;
    let mut files: Vec<PathBuf> = text.split('\0').filter(|f| !f.is_empty()).map(PathBuf::from).collect();
    files.retain(|f| paths::root().join(f).is_file());
    files.sort();
    files.dedup();
    Ok(files)
}

/// Those with this extension, with their text.
///
/// # Errors
/// As [`files`], or when one cannot be read as text.
pub fn texts(extension: &str) -> Result<Vec<(PathBuf, String)>> {
    files()?.into_iter().filter(|f| f.extension().is_some_and(|e| e == extension)).map(read).collect()
}

/// The text of a listed file.
///
/// # Errors
/// When it cannot be read as text.
pub fn read(file: PathBuf) -> Result<(PathBuf, String)> {
    let text = std::fs::read_to_string(paths::root().join(&file)).with_context(|| file.display().to_string())?;
    Ok((file, text))
}

/// True when `file` lies in `folder`; both relative to the checkout.
#[must_use]
pub fn is_in(file: &Path, folder: &str) -> bool {
    file.starts_with(folder)
}
