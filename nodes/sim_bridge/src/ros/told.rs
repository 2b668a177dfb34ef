//! The bridge's own diagnostics.

use crate::Bridge;
use crate::ros::robots::Robot;
use std::time::{Duration, Instant};
use troupe_core::TICK_S;
use troupe_ros::diagnostics::{Diagnostics, Jitter, Level, Status};
use troupe_ros::{RosNode, names, stamp};

/// Ticks over which jitter is told.
const JITTER_TICKS: usize = 1000;

/// What is measured between two diagnostics.
#[derive(Debug)]
pub struct Told {
    diagnostics: Diagnostics,
    period: Duration,
    last: Instant,
    ticks: u64,
    answers: Jitter,
}

impl Told {
    /// Nothing is measured yet.
    pub fn new(diagnostics: Diagnostics, period: Duration) -> Self {
        Self { diagnostics, period, last: Instant::now(), ticks: 0, answers: Jitter::new(JITTER_TICKS) }
    }

    /// One tick was made.
    pub fn stepped(&mut self) {
        self.ticks += 1;
    }

    /// All robots answered a tick after this time.
    pub fn answered(&mut self, after: Duration) {
        self.answers.note(after);
    }

    /// Publishes when it is due.
    pub fn tell(&mut self, ros: &RosNode, bridge: &Bridge, robots: &[Robot], silent: &[String]) {
        let passed = self.last.elapsed();
        if passed < self.period {
            return;
        }
        let mut status = Status::default();
        status.value("real_time_factor", format!("{:.3}", self.ticks as f64 * TICK_S / passed.as_secs_f64()));
        status.value("tick", bridge.tick());
        status.value("context_epoch", bridge.context_epoch());
        status.jitter("answer", &self.answers);
        if !silent.is_empty() {
            status.finding(Level::Warn, format!("no answer yet from {}", silent.join(", ")));
        }
        for robot in robots {
            status.value(&format!("{}_dropped_commands", robot.name), robot.dropped);
            if robot.dropped > 0 {
                status.finding(Level::Warn, format!("{}: {} commands dropped, last: {}", robot.name, robot.dropped, robot.reason));
            }
            let owners = ros.publishers_of(&names::robot(&robot.name, "lowcmd")).unwrap_or_default();
            if owners.len() > 1 {
                status.finding(Level::Error, format!("{} publishers on {}'s lowcmd: {}", owners.len(), robot.name, owners.join(", ")));
            }
        }
        self.diagnostics.report(stamp::to_wire(bridge.stamp_s()), status);
        self.last = Instant::now();
        self.ticks = 0;
    }
}
