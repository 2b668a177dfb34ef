//! States, skills, decisions, evidence, verdicts, ledger and statistics shared by every node.
//!
//! Pure: no ROS, MuJoCo, network, GPU, threads or files. Time, seeds and readers are arguments.

pub mod budget;
pub mod closed_set;
pub mod config;
pub mod corridor;
pub mod decision;
pub mod device;
pub mod evidence;
pub mod forecast;
pub mod frames;
pub mod identity;
pub mod ledger;
pub mod noise;
pub mod observation;
pub mod recovery;
pub mod relation;
pub mod robot;
pub mod route;
pub mod route_plan;
pub mod skill;
pub mod state;
pub mod stats;
pub mod task;
pub mod team;
pub mod variation;

/// Simulated seconds of one control tick (50 Hz), the period of the frozen walking policies.
pub const TICK_S: f64 = 0.02;

/// Whole control ticks that cover `seconds` of simulated time, rounded to the nearest.
#[must_use]
pub fn ticks(seconds: f64) -> u64 {
    (seconds / TICK_S).round().max(0.0) as u64
}
