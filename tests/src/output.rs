//! What a process prints, line by line, and waiting for a line.

use anyhow::{Result, bail};
use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Lines in the order in which they came. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Output {
    shared: Arc<(Mutex<Lines>, Condvar)>,
}

#[derive(Debug, Default)]
struct Lines {
    lines: Vec<String>,
    ended: usize,
    sources: usize,
}

impl Output {
    /// Reads one more source on a thread of its own until it ends.
    pub fn follow(&self, source: impl Read + Send + 'static) {
        self.lock().sources += 1;
        let output = self.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(source).split(b'\n').map_while(Result::ok) {
                output.lock().lines.push(String::from_utf8_lossy(&line).into_owned());
                output.shared.1.notify_all();
            }
            output.lock().ended += 1;
            output.shared.1.notify_all();
        });
    }

    fn lock(&self) -> MutexGuard<'_, Lines> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All lines so far.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.lock().lines.clone()
    }

    /// Waits until a line from the `from`-th on satisfies `wanted`; returns its index and text.
    ///
    /// # Errors
    /// After the limit, or at once when all sources have ended; shows the last lines.
    pub fn wait_for(&self, what: &str, from: usize, limit: Duration, wanted: impl Fn(&str) -> bool) -> Result<(usize, String)> {
        let end = Instant::now() + limit;
        let mut seen = from;
        let mut lines = self.lock();
        loop {
            while let Some(line) = lines.lines.get(seen) {
                if wanted(line) {
                    return Ok((seen, line.clone()));
                }
                seen += 1;
            }
            let left = end.saturating_duration_since(Instant::now());
            let over = lines.ended == lines.sources;
            if left.is_zero() || over {
                let why = if over { "the output ended" } else { "time is up" };
                let count = lines.lines.len();
                let last: Vec<String> = lines.lines.iter().skip(count.saturating_sub(40)).cloned().collect();
                bail!("no {what} within {limit:?}: {why}; last lines:\n{}", last.join("\n"));
            }
            lines = self.shared.1.wait_timeout(lines, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Number of lines so far; a place to wait from.
    #[must_use]
    pub fn count(&self) -> usize {
        self.lock().lines.len()
    }
}
