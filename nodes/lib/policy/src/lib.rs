//! Frozen vendor policies from ONNX: observation layout, gait phase and inference.

pub mod error;
pub mod gait;
pub mod metadata;
pub mod model;
pub mod observation;

pub use error::PolicyError;
pub use gait::GaitPhase;
pub use metadata::Metadata;
pub use model::{WalkPolicy, WalkingPolicy};
pub use observation::{ACTIONS, ARM_FIRST, OBSERVATIONS, Observation};
