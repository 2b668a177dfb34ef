//! A graph of real processes, started by the launcher from a shipped launch file.

use crate::domain::{Domain, Turn};
use crate::ledgers::{self, Read};
use crate::paths::{self, program};
use crate::process::{Program, gone, until};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The launcher's promise for Ctrl-C.
pub const SHUTDOWN: Duration = Duration::from_secs(5);
/// Until every node is there, on a busy machine.
pub const START: Duration = Duration::from_secs(60);
/// After the launcher has ended: until the system has let go of what it killed.
const GONE: Duration = Duration::from_secs(3);
/// Name of the run in its folder.
const RUN: &str = "run";

/// A running graph. Everything it started is gone when this is dropped.
#[derive(Debug)]
pub struct Graph {
    launcher: Program,
    folder: TempDir,
    domain: Domain,
    _turn: Turn,
}

impl Graph {
    /// Starts `launch/<file>` with `name:=value` arguments; runs go to a folder of their own.
    ///
    /// # Errors
    /// When the environment of the tests or a program is missing.
    pub fn start(file: &str, arguments: &[&str]) -> Result<Self> {
        // The environment decides whether any node can start: say so before waiting for a turn.
        let _ = (paths::from_environment("AMENT_PREFIX_PATH")?, paths::assets()?);
        let launcher = program("launcher")?;
        let turn = Turn::take()?;
        let domain = Domain::take()?;
        let folder = tempfile::tempdir()?;
        let mut command = Command::new(launcher);
        command
            .arg(paths::root().join("launch").join(file))
            .arg(format!("runs:={}", folder.path().display()))
            .arg(format!("run_id:={RUN}"))
            .args(arguments)
            .current_dir(folder.path());
        in_domain(&mut command, &domain);
        command.env("ROS_LOG_DIR", folder.path().join("log"));
        Ok(Self { launcher: Program::start(&mut command)?, folder, domain, _turn: turn })
    }

    /// The launcher.
    pub fn launcher(&mut self) -> &mut Program {
        &mut self.launcher
    }

    /// A command that joins this graph.
    ///
    /// # Errors
    /// When the program was not built.
    pub fn command(&self, name: &str) -> Result<Command> {
        let mut command = Command::new(program(name)?);
        in_domain(&mut command, &self.domain);
        command.current_dir(self.folder.path());
        Ok(command)
    }

    /// Starts the test node with these arguments.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn probe(&self, arguments: &[&str]) -> Result<Program> {
        Program::start(self.command("probe")?.args(arguments))
    }

    /// Waits for a line of a process, for example `sim_bridge-5`, that contains `text`.
    ///
    /// # Errors
    /// After the limit.
    pub fn wait_for(&self, label: &str, text: &str, limit: Duration) -> Result<String> {
        self.wait_for_after(0, label, text, limit).map(|(_, line)| line)
    }

    /// The same among lines from the `from`-th on; also returns the line's index.
    ///
    /// # Errors
    /// After the limit.
    pub fn wait_for_after(&self, from: usize, label: &str, text: &str, limit: Duration) -> Result<(usize, String)> {
        let prefix = format!("[{label}");
        let what = format!("`{text}` from {label}");
        self.launcher.output.wait_for(&what, from, limit, |line| line.starts_with(&prefix) && line.contains(text))
    }

    /// Waits until the bridge has heard every robot.
    ///
    /// # Errors
    /// When that does not happen.
    pub fn ready(&self) -> Result<()> {
        self.wait_for("sim_bridge-", " ready", START).map(|_| ())
    }

    /// Process ids by label, for example `g1-1`, as the launcher prints them.
    #[must_use]
    pub fn pids(&self) -> Vec<(String, u32)> {
        let lines = self.launcher.output.lines();
        let started = lines.iter().filter_map(|line| {
            let (label, rest) = line.strip_prefix("[INFO] [")?.split_once("]: process started with pid")?;
            let pid: String = rest.chars().filter(char::is_ascii_digit).collect();
            Some((label.to_owned(), pid.parse().ok()?))
        });
        started.collect()
    }

    /// Process id of a label.
    ///
    /// # Errors
    /// When no such process was started in time.
    pub fn pid(&self, label: &str) -> Result<u32> {
        until(label, START, || Ok(self.pids().into_iter().find(|(name, _)| name == label).map(|(_, pid)| pid)))
    }

    /// The run's folder.
    #[must_use]
    pub fn run_folder(&self) -> PathBuf {
        self.folder.path().join(RUN)
    }

    /// The run's ledger, verified.
    ///
    /// # Errors
    /// When it cannot be read or is broken.
    pub fn ledger(&self) -> Result<Read> {
        ledgers::of_run(&self.run_folder())
    }

    /// Waits until the ledger holds at least `count` records of an event.
    ///
    /// # Errors
    /// After the limit, or when the graph ends before.
    pub fn wait_for_event(&mut self, event: &str, count: usize, limit: Duration) -> Result<()> {
        let end = Instant::now() + limit;
        loop {
            if self.ledger().is_ok_and(|ledger| ledger.events(event).len() >= count) {
                return Ok(());
            }
            let lines = self.launcher.output.lines();
            let last = lines.get(lines.len().saturating_sub(40)..).unwrap_or_default().join("\n");
            anyhow::ensure!(self.launcher.is_running()?, "the graph ended before {count} `{event}`:\n{last}");
            anyhow::ensure!(Instant::now() < end, "no {count} `{event}` within {limit:?}:\n{last}");
            std::thread::sleep(crate::process::LOOK);
        }
    }

    /// Waits for the end of the launch.
    ///
    /// # Errors
    /// After the limit.
    pub fn wait(&mut self, limit: Duration) -> Result<ExitStatus> {
        self.launcher.wait(limit)
    }

    /// Ctrl-C; returns the exit status and how long it took.
    ///
    /// # Errors
    /// When the launcher still runs long after its promise.
    pub fn interrupt(&mut self) -> Result<(ExitStatus, Duration)> {
        let begin = Instant::now();
        self.launcher.signal("INT")?;
        let status = self.launcher.wait(2 * SHUTDOWN).context("after Ctrl-C")?;
        Ok((status, begin.elapsed()))
    }

    /// Number of lines so far; a place to wait from.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.launcher.output.count()
    }

    /// Fails unless every process of the graph dies, be it as a zombie of whoever inherits it.
    ///
    /// # Errors
    /// Names it.
    pub fn all_dead(&self, limit: Duration) -> Result<()> {
        for (label, pid) in self.pids() {
            let stat = PathBuf::from(format!("/proc/{pid}/stat"));
            let is_dead = || std::fs::read_to_string(&stat).map_or(true, |s| s.contains(") Z ") || s.contains(") X "));
            until(&format!("end of {label}"), limit, || Ok(is_dead().then_some(())))?;
        }
        Ok(())
    }

    /// Fails when any process of the graph is left.
    ///
    /// # Errors
    /// Names it.
    pub fn nothing_left(&self) -> Result<()> {
        for (label, pid) in self.pids() {
            gone(pid, GONE).with_context(|| label)?;
        }
        Ok(())
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // The launcher ends its processes; those of a killed launcher die with it.
        self.launcher.end(SHUTDOWN + Duration::from_secs(1));
        if std::thread::panicking() {
            let lines = self.launcher.output.lines();
            let last = lines.get(lines.len().saturating_sub(60)..).unwrap_or_default();
            eprintln!("last lines of the graph:\n{}", last.join("\n"));
        }
    }
}

fn in_domain(command: &mut Command, domain: &Domain) {
    command.env("ROS_DOMAIN_ID", domain.id.to_string());
    command.env("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST");
    // Lines are searched for words: no colours between them.
    command.env("NO_COLOR", "1");
}
