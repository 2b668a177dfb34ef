//! A process to run, fully resolved: the outcome of reading launch files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// One process of a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessSpec {
    /// Name of the executable and its number in this launch, as in `g1-2`.
    pub label: String,
    /// Executable and arguments; never empty.
    pub command: Vec<String>,
    /// Working folder; the launcher's own when absent.
    pub directory: Option<PathBuf>,
    /// Changes to the launcher's environment: a value, or `None` for removed.
    pub environment: BTreeMap<String, Option<String>>,
    /// Where its output goes.
    pub output: Output,
    /// Whether it is started again when it ends on its own.
    pub respawn: Option<Respawn>,
    /// Whether its end ends the launch, with its exit code (`on_exit="shutdown"`).
    pub ends_launch: bool,
}

/// Where a process's output goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// To the launcher's own output, each line with the process's label before it.
    Screen,
    /// To a file of its own in the log folder, and not to the screen.
    OwnLog,
    /// Straight to the launcher's own output, unchanged, so that a progress bar works.
    Raw,
}

/// How a process is started again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Respawn {
    /// Pause before the new start.
    pub delay: Duration,
    /// Most restarts; without end when absent.
    pub max_retries: Option<u32>,
}
