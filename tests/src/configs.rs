//! Copies of `config/` and `urdf/` with one thing changed.

use crate::paths;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A copy that is deleted with this value.
#[derive(Debug)]
pub struct Configs {
    folder: TempDir,
}

impl Configs {
    /// A copy of what the checkout has.
    ///
    /// # Errors
    /// When files cannot be copied.
    pub fn copy() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        for name in ["config", "urdf"] {
            copy_folder(&paths::root().join(name), &folder.path().join(name))?;
        }
        Ok(Self { folder })
    }

    /// The copy of `config/`.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("config")
    }

    /// Replaces the first `from` in a file of `config/`.
    ///
    /// # Errors
    /// When the file lacks it.
    pub fn replace(self, file: &str, from: &str, to: &str) -> Result<Self> {
        let path = self.path().join(file);
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        ensure!(text.contains(from), "{file} lacks `{from}`");
        std::fs::write(&path, text.replacen(from, to, 1))?;
        Ok(self)
    }

    /// Deletes a file of `config/`, or of the folder beside it.
    ///
    /// # Errors
    /// When it is not there.
    pub fn remove(self, file: &str) -> Result<Self> {
        let path = self.path().join(file);
        std::fs::remove_file(&path).with_context(|| path.display().to_string())?;
        Ok(self)
    }
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
