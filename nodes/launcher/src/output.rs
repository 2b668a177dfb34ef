//! Passes on what processes print, line by line, with their label; and the launcher's own messages.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::spec::{Output, ProcessSpec};

/// Longest piece of a line that is held back until its end comes.
const MAX_LINE_BYTES: u64 = 64 * 1024;

/// Threads that pass output on.
#[derive(Debug)]
pub struct Outputs {
    threads: Vec<JoinHandle<()>>,
    log_dir: PathBuf,
}

impl Outputs {
    /// `log_dir` takes the files of processes whose output goes to a log of their own.
    pub fn new(log_dir: &Path) -> Self {
        Self {
            threads: Vec::new(),
            log_dir: log_dir.to_path_buf(),
        }
    }

    /// Starts to pass on what a process prints.
    ///
    /// # Errors
    /// When the log file cannot be created.
    pub fn attach(&mut self, spec: &ProcessSpec, child: &mut Child) -> io::Result<()> {
        let prefix = match spec.output {
            Output::Raw => return Ok(()),
            Output::Screen => format!("[{}] ", spec.label),
            Output::OwnLog => String::new(),
        };
        let (mut out, mut err): (Box<dyn Write + Send>, Box<dyn Write + Send>) =
            (Box::new(io::stdout()), Box::new(io::stderr()));
        if spec.output == Output::OwnLog {
            std::fs::create_dir_all(&self.log_dir)?;
            let path = self.log_dir.join(format!("{}.log", spec.label));
            let file = File::options().create(true).append(true).open(path)?;
            err = Box::new(file.try_clone()?);
            out = Box::new(file);
        }
        self.threads.retain(|thread| !thread.is_finished());
        if let Some(from) = child.stdout.take() {
            self.start(from, out, prefix.clone());
        }
        if let Some(from) = child.stderr.take() {
            self.start(from, err, prefix);
        }
        Ok(())
    }

    fn start(
        &mut self,
        from: impl Read + Send + 'static,
        to: Box<dyn Write + Send>,
        prefix: String,
    ) {
        self.threads
            .push(std::thread::spawn(move || pass_on(from, to, &prefix)));
    }

    /// Waits until everything printed has been passed on, but no longer than `limit`: a stray
    /// process may hold a pipe open.
    pub fn finish(self, limit: Duration) {
        let end = Instant::now() + limit;
        while Instant::now() < end && self.threads.iter().any(|thread| !thread.is_finished()) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn pass_on(from: impl Read, mut to: impl Write, prefix: &str) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    loop {
        line.clear();
        line.extend_from_slice(prefix.as_bytes());
        match from
            .by_ref()
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut line)
        {
            Ok(0) => return,
            Ok(_) => {
                if line.last() != Some(&b'\n') {
                    line.push(b'\n');
                }
                // Nobody may be reading any more; the process must be able to go on printing.
                let _ = to.write_all(&line).and_then(|()| to.flush());
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Prints a message of the launcher itself about one process.
pub fn note(level: &str, label: &str, text: &str) {
    let _ = writeln!(io::stderr(), "[{level}] [{label}]: {text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_lines_and_ends_the_last() {
        let mut out = Vec::new();
        pass_on(&b"a\n\xff b\nc"[..], &mut out, "[n-1] ");
        assert_eq!(out, b"[n-1] a\n[n-1] \xff b\n[n-1] c\n");
    }

    #[test]
    fn cuts_endless_lines() {
        let mut out = Vec::new();
        pass_on(&vec![b'x'; 100_000][..], &mut out, "> ");
        assert_eq!(out.iter().filter(|b| **b == b'\n').count(), 2);
    }
}
