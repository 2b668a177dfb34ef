//! `/diagnostics`: one status per node, and percentiles of what jitters.

use crate::error::RosError;
use crate::{names, qos, stamp};
use r2r::Publisher;
use r2r::builtin_interfaces::msg::Time;
use r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus, KeyValue};
use std::collections::VecDeque;
use troupe_core::stats::quantile;

/// How well a node does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Works.
    #[default]
    Ok,
    /// Works, but someone should look.
    Warn,
    /// Does not work.
    Error,
    /// Gets nothing to work on.
    Stale,
}

/// A status under construction; the worst finding sets level and message.
#[derive(Clone, Debug, Default)]
pub struct Status {
    level: Level,
    messages: Vec<String>,
    values: Vec<(String, String)>,
}

impl Status {
    /// A finding.
    pub fn finding(&mut self, level: Level, message: impl Into<String>) {
        self.level = self.level.max(level);
        self.messages.push(message.into());
    }

    /// A figure; the key carries its unit.
    pub fn value(&mut self, key: &str, value: impl std::fmt::Display) {
        self.values.push((key.to_owned(), value.to_string()));
    }

    /// Three percentiles of a jitter record.
    pub fn jitter(&mut self, key: &str, jitter: &Jitter) {
        for (name, q) in [("p50", 0.5), ("p99", 0.99), ("max", 1.0)] {
            if let Some(value) = jitter.quantile(q) {
                self.value(&format!("{key}_{name}_ms"), format!("{value:.3}"));
            }
        }
    }
}

/// Publishes a node's status.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    publisher: Publisher<DiagnosticArray>,
    name: String,
    hardware_id: String,
}

impl Diagnostics {
    /// For the node `name`; `hardware_id` is the robot's namespace, or empty.
    ///
    /// # Errors
    /// [`RosError`].
    pub fn open(node: &mut crate::RosNode, name: &str, hardware_id: &str) -> Result<Self, RosError> {
        let publisher = node.publish(names::DIAGNOSTICS, qos::DIAGNOSTICS)?;
        Ok(Self { publisher, name: name.to_owned(), hardware_id: hardware_id.to_owned() })
    }

    /// Publishes a status.
    pub fn report(&self, at: Time, status: Status) {
        let message = if status.messages.is_empty() { "ok".to_owned() } else { status.messages.join("; ") };
        let status = DiagnosticStatus {
            level: match status.level {
                Level::Ok => 0,
                Level::Warn => 1,
                Level::Error => 2,
                Level::Stale => 3,
            },
            name: self.name.clone(),
            message,
            hardware_id: self.hardware_id.clone(),
            values: status.values.into_iter().map(|(key, value)| KeyValue { key, value }).collect(),
        };
        // Nobody may be listening; the node goes on either way.
        let _ = self.publisher.publish(&DiagnosticArray { header: stamp::header(at, ""), status: vec![status] });
    }
}

/// The last durations of something periodic.
#[derive(Clone, Debug)]
pub struct Jitter {
    last_ms: VecDeque<f64>,
    keep: usize,
}

impl Jitter {
    /// Keeps the last `keep` values.
    #[must_use]
    pub fn new(keep: usize) -> Self {
        Self { last_ms: VecDeque::with_capacity(keep), keep: keep.max(1) }
    }

    /// Notes one duration.
    pub fn note(&mut self, duration: std::time::Duration) {
        if self.last_ms.len() == self.keep {
            self.last_ms.pop_front();
        }
        self.last_ms.push_back(duration.as_secs_f64() * 1e3);
    }

    /// Quantile in ms.
    #[must_use]
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let values: Vec<f64> = self.last_ms.iter().copied().collect();
        quantile(&values, q)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// CE-011.
    #[test]
    fn jitter_keeps_the_newest() {
        let mut jitter = Jitter::new(3);
        for ms in [100, 1, 2, 3] {
            jitter.note(Duration::from_millis(ms));
        }
        assert_eq!(jitter.quantile(1.0), Some(3.0));
        assert_eq!(jitter.quantile(0.5), Some(2.0));
    }

    #[test]
    fn the_worst_finding_sets_the_level() {
        let mut status = Status::default();
        status.finding(Level::Warn, "late");
        status.finding(Level::Error, "fallen");
        status.finding(Level::Ok, "fine");
        assert_eq!(status.level, Level::Error);
    }
}
