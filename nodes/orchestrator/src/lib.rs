//! Runs CoEvolve's loop; the only node that talks to models; keeps the ledger.
//!
//! [`run::run`] walks one episode over the [`ports::Team`] port, which the ROS shell and the local graph
//! implement; [`files::run_to_folder`] adds the files of a run: ledger, report and path plot.

pub mod config;
pub mod experience;
pub mod files;
pub mod model;
pub mod ports;
pub mod progress;
pub mod report;
pub mod role;
#[cfg(feature = "ros")]
pub mod ros;
pub mod run;
pub mod setup;
pub mod study;
