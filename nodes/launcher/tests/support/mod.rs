//! A package made of shell scripts, and the launcher run on it.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking
#![allow(dead_code)] // each test file uses a part

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// An install prefix with a package `p` whose nodes are shell scripts.
pub struct Prefix(tempfile::TempDir);

impl Prefix {
    pub fn new() -> Self {
        let prefix = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(prefix.path().join("lib/p")).unwrap();
        fs::create_dir_all(prefix.path().join("share/p/launch")).unwrap();
        prefix
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Adds a node. Scripts use `exec` or `wait` so that signals reach them at once.
    pub fn node(self, name: &str, script: &str) -> Self {
        let path = self.path().join("lib/p").join(name);
        fs::write(&path, format!("#!/bin/bash\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Adds a launch file with this body and returns its path.
    pub fn file(&self, name: &str, body: &str) -> PathBuf {
        let path = self.path().join("share/p/launch").join(name);
        fs::write(&path, format!("<launch>\n{body}\n</launch>\n")).unwrap();
        path
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_launcher"));
        command
            .args(arguments)
            .env("AMENT_PREFIX_PATH", self.path())
            .current_dir(self.path());
        command.env("ROS_LOG_DIR", self.path().join("log"));
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a launch with this body to its end: exit code, standard output, standard error.
    pub fn run(&self, body: &str, arguments: &[&str]) -> (i32, String, String) {
        let file = self.file("t.launch.xml", body);
        let all: Vec<&str> = [file.to_str().unwrap()]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        let out = self.command(&all).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            out.status.code().unwrap_or(-1),
            text(out.stdout),
            text(out.stderr),
        )
    }

    /// Starts a launch and waits until `lines` lines of output have come.
    pub fn start(&self, body: &str, lines: usize) -> (Child, Vec<String>) {
        let file = self.file("t.launch.xml", body);
        let mut child = self.command(&[file.to_str().unwrap()]).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
        let seen = out.by_ref().take(lines).map(Result::unwrap).collect();
        // Goes on reading, so that no pipe is closed under the launcher.
        std::thread::spawn(move || out.for_each(drop));
        (child, seen)
    }
}

pub fn signal(child: &Child, name: &str) {
    let status = Command::new("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .status();
    assert!(status.unwrap().success());
}

/// Waits for the end of a process; kills it and fails the test after `limit`.
pub fn wait(child: &mut Child, limit: Duration) -> ExitStatus {
    let end = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if Instant::now() > end {
            child.kill().unwrap();
            panic!("still running after {limit:?}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process exists, be it as a zombie.
pub fn exists(pid: &str) -> bool {
    Path::new("/proc").join(pid).exists()
}

/// Fails unless the process is gone, not even a zombie, within a second.
pub fn assert_gone(pid: &str) {
    let end = Instant::now() + Duration::from_secs(1);
    while exists(pid) {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        assert!(Instant::now() < end, "process {pid} is left: {stat}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
