//! One Unitree G1: device state in, skills offered as an action, limited device commands out.
//!
//! Everything here is synchronous and deterministic: [`G1::tick`] turns one state into one command.
//! The binary opens ROS around it.

pub mod accept;
pub mod active;
pub mod arms;
pub mod config;
pub mod config_check;
pub mod controller;
pub mod drive;
pub mod enforce;
pub mod goals;
pub mod joints;
pub mod latches;
pub mod memory;
pub mod motion;
pub mod restore;
#[cfg(feature = "ros")]
pub mod ros;
pub mod sense;
pub mod servo;
pub mod skills;
pub mod sport;
pub mod supervisor;

#[cfg(test)]
mod tests;

pub use accept::Refusal;
pub use config::{G1Config, Settings};
pub use controller::{G1, Output, Report};
pub use memory::Lifecycle;
pub use restore::RestoreError;
pub use sport::SportReply;
