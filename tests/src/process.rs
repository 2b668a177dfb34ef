//! Started programs that cannot outlive their test, and what is known about processes.

use crate::output::Output;
use anyhow::{Context, Result, bail, ensure};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Between two looks at something that tells nobody when it changes.
pub const LOOK: Duration = Duration::from_millis(20);

/// A program in a process group of its own; the group is killed when this is dropped.
#[derive(Debug)]
pub struct Program {
    child: Child,
    /// What it prints, both streams.
    pub output: Output,
}

impl Program {
    /// Starts a command.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(command: &mut Command) -> Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
        let output = Output::default();
        if let Some(stdout) = child.stdout.take() {
            output.follow(stdout);
        }
        if let Some(stderr) = child.stderr.take() {
            output.follow(stderr);
        }
        Ok(Self { child, output })
    }

    /// Process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal by name to the process itself.
    ///
    /// # Errors
    /// When it is gone.
    pub fn signal(&self, name: &str) -> Result<()> {
        signal(self.pid(), name)
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// After the limit; shows the last lines.
    pub fn wait(&mut self, limit: Duration) -> Result<ExitStatus> {
        let end = Instant::now() + limit;
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if Instant::now() >= end {
                let lines = self.output.lines();
                let last = lines.get(lines.len().saturating_sub(40)..).unwrap_or_default();
                bail!("still running after {limit:?}; last lines:\n{}", last.join("\n"));
            }
            std::thread::sleep(LOOK);
        }
    }

    /// True while it runs.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn is_running(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_none())
    }

    /// Asks it to end and kills what is left of its group after `limit`.
    pub fn end(&mut self, limit: Duration) {
        if self.is_running().unwrap_or(false) {
            let _ = self.signal("INT");
            let _ = self.wait(limit);
        }
        let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", self.pid())]).stderr(Stdio::null()).status();
        let _ = self.child.wait();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.end(Duration::from_millis(500));
    }
}

/// Sends a signal by name to one process.
///
/// # Errors
/// When there is no such process.
pub fn signal(pid: u32, name: &str) -> Result<()> {
    let status = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status()?;
    ensure!(status.success(), "kill -{name} {pid} failed");
    Ok(())
}

/// Fails unless the process is gone, not even a zombie, within `limit`.
///
/// # Errors
/// Shows what is left.
pub fn gone(pid: u32, limit: Duration) -> Result<()> {
    let place = Path::new("/proc").join(pid.to_string());
    let end = Instant::now() + limit;
    while place.exists() {
        if Instant::now() >= end {
            let stat = std::fs::read_to_string(place.join("stat")).unwrap_or_default();
            bail!("process {pid} is left: {stat}");
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}

/// Waits until `ready` gives a value.
///
/// # Errors
/// After the limit.
pub fn until<T>(what: &str, limit: Duration, mut ready: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    let end = Instant::now() + limit;
    loop {
        if let Some(value) = ready()? {
            return Ok(value);
        }
        ensure!(Instant::now() < end, "no {what} within {limit:?}");
        std::thread::sleep(LOOK);
    }
}
