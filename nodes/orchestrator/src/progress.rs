//! What a person sees while a run goes on.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};

/// Where a run stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Active phase; `preparation`, `endpoint` and `end` around the plan.
    pub phase: String,
    /// Dispatched so far.
    pub transaction: u32,
    /// Allowed.
    pub limit: u32,
    /// Last verdict, in one word; empty before the first.
    pub verdict: String,
    /// Its first reason.
    pub reason: String,
    /// Payload tilt, rad.
    pub tilt_rad: f64,
    /// Simulated time since the start of the run, s.
    pub sim_s: f64,
    /// Simulated over wall-clock time.
    pub real_time_factor: f64,
}

impl Snapshot {
    /// One line for people.
    #[must_use]
    pub fn line(&self) -> String {
        let verdict = if self.verdict.is_empty() { "-" } else { &self.verdict };
        let mut line = format!(
            "{} | transaction {}/{} | {verdict} | tilt {:.1}° | {:.1} s simulated | {:.1} × real time",
            self.phase,
            self.transaction,
            self.limit,
            self.tilt_rad.to_degrees(),
            self.sim_s,
            self.real_time_factor
        );
        if !self.reason.is_empty() {
            line.push_str(" | ");
            line.push_str(&self.reason);
        }
        line
    }
}

/// Is told how a run goes on.
pub trait Progress {
    /// Something changed.
    fn update(&mut self, snapshot: &Snapshot);
    /// Something worth a line of its own.
    fn text(&mut self, line: &str);
}

/// Shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn update(&mut self, _: &Snapshot) {}
    fn text(&mut self, _: &str) {}
}

/// A bar on a terminal, plain lines elsewhere.
pub struct Terminal {
    bar: Option<ProgressBar>,
    last: String,
}

impl Terminal {
    /// For standard error.
    #[must_use]
    pub fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(1);
            if let Ok(style) = ProgressStyle::with_template("{bar:24} {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, last: String::new() }
    }
}

impl Default for Terminal {
    fn default() -> Self {
        Self::new()
    }
}

impl Progress for Terminal {
    fn update(&mut self, snapshot: &Snapshot) {
        let line = snapshot.line();
        match &self.bar {
            Some(bar) => {
                bar.set_length(u64::from(snapshot.limit));
                bar.set_position(u64::from(snapshot.transaction));
                bar.set_message(line);
            }
            None if line != self.last => {
                // A closed standard error must not end a run.
                let _ = writeln!(std::io::stderr(), "{line}");
                self.last = line;
            }
            None => {}
        }
    }

    fn text(&mut self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => {
                let _ = writeln!(std::io::stderr(), "{line}");
            }
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.abandon();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_all_that_the_demo_promises() {
        let line = Snapshot {
            phase: "corner_entry".into(),
            transaction: 7,
            limit: 80,
            verdict: "rejected".into(),
            reason: "payload_tilt 0.40 above 0.35".into(),
            tilt_rad: 0.0349,
            sim_s: 61.25,
            real_time_factor: 5.5,
        }
        .line();
        for part in ["corner_entry", "7/80", "rejected", "payload_tilt 0.40", "2.0°", "61.2 s", "5.5 ×"] {
            assert!(line.contains(part), "{line} lacks {part}");
        }
    }
}
