//! Validates before dispatch, measures, judges, owns checkpoints, milestones and endpoints.
//!
//! [`Verifier`] does no input or output: it is shown every [`troupe_core::state::TeamState`] and asked
//! to judge. It sends no goal and asks no model.

pub mod config;
mod endpoint;
mod errors;
mod foresight;
mod history;
mod judge;
mod lifecycle;
mod measure;
mod outcome;
mod placement;
mod progress;
mod recovery;
mod restore;
#[cfg(feature = "ros")]
pub mod ros;
#[cfg(test)]
mod testing;
mod transport;
mod validate;
mod verifier;

pub use config::{Setup, VerifierConfig};
pub use judge::Judged;
pub use verifier::{Verifier, VerifierError};
