//! Where the recording lies: `<runs>/<run id>/run.rrd`, also when the run's name is told only later.

use std::path::{Component, Path, PathBuf};

/// Name of the first recording in a run's folder.
const NAME: &str = "run.rrd";
/// More recordings than this are not looked for in one folder.
const MOST: u32 = 10_000;

/// The file of one recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFile {
    runs: PathBuf,
    path: PathBuf,
    named: bool,
}

impl RunFile {
    /// Makes the folder and chooses a free name in it. With an empty `run_id` the folder is called
    /// `unnamed` until [`RunFile::name`] is called.
    ///
    /// # Errors
    /// When the folder cannot be made, or `run_id` is no plain folder name.
    pub fn create(runs: &Path, run_id: &str, unnamed: &str) -> std::io::Result<Self> {
        let named = !run_id.is_empty();
        let path = free(runs, if named { run_id } else { unnamed })?;
        Ok(Self { runs: runs.to_owned(), path, named })
    }

    /// Path of the recording now.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Moves the recording to its run's folder, once; a recording that is being written moves along.
    /// Returns whether it moved.
    ///
    /// # Errors
    /// When the folder cannot be made, or `run_id` is no plain folder name.
    pub fn name(&mut self, run_id: &str) -> std::io::Result<bool> {
        if self.named || run_id.is_empty() {
            return Ok(false);
        }
        // Tried once: what fails now fails for every later message too.
        self.named = true;
        let path = free(&self.runs, run_id)?;
        std::fs::rename(&self.path, &path)?;
        if let Some(folder) = self.path.parent() {
            // Only when nothing else lies in it.
            let _ = std::fs::remove_dir(folder);
        }
        self.path = path;
        Ok(true)
    }
}

/// A name in a run's folder that no recording has: a finished one is never written over.
fn free(runs: &Path, run_id: &str) -> std::io::Result<PathBuf> {
    let refused = |reason: String| std::io::Error::new(std::io::ErrorKind::InvalidInput, reason);
    // The name may come from another node: it must not lead out of the folder of runs.
    let mut parts = Path::new(run_id).components();
    if !matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)) {
        return Err(refused(format!("run id `{run_id}` is not a plain folder name")));
    }
    let folder = runs.join(run_id);
    std::fs::create_dir_all(&folder)?;
    std::iter::once(folder.join(NAME))
        .chain((2..MOST).map(|n| folder.join(format!("run-{n}.rrd"))))
        .find(|path| !path.exists())
        .ok_or_else(|| refused(format!("too many recordings: {}", folder.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_comes_later_moves_the_file() {
        let runs = tempfile::tempdir().unwrap();
        let mut file = RunFile::create(runs.path(), "", "unnamed-1").unwrap();
        std::fs::write(file.path(), "a").unwrap();
        assert!(file.name("transport-l1-0").unwrap());
        assert_eq!(std::fs::read(runs.path().join("transport-l1-0/run.rrd")).unwrap(), b"a");
        assert!(!runs.path().join("unnamed-1").exists());
        assert!(!file.name("another").unwrap(), "once only");
    }

    #[test]
    fn nothing_is_written_over_and_nothing_leaves_the_folder() {
        let runs = tempfile::tempdir().unwrap();
        let first = RunFile::create(runs.path(), "a", "u").unwrap();
        std::fs::write(first.path(), "a").unwrap();
        assert!(RunFile::create(runs.path(), "a", "u").unwrap().path().ends_with("a/run-2.rrd"));
        for bad in ["../a", "/a", "a/b", ".", ".."] {
            assert!(RunFile::create(runs.path(), bad, "u").is_err(), "{bad}");
        }
    }
}
