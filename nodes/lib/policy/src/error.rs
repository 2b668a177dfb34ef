//! Why a policy cannot be loaded or used.

use std::path::PathBuf;

/// A policy that cannot be loaded or used.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The file cannot be read.
    #[error("cannot read the policy {file}: {reason}; `./run setup` fetches the vendor's policies")]
    Read {
        /// Path as given.
        file: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// Not a model that the runtime understands.
    #[error("{file} is not a usable ONNX policy: {reason}")]
    Model {
        /// Path as given.
        file: PathBuf,
        /// The runtime's words.
        reason: String,
    },
    /// Its metadata is absent or malformed.
    #[error("{file}: metadata `{key}`: {reason}")]
    Metadata {
        /// Path as given.
        file: PathBuf,
        /// Key in the model's `metadata_props`.
        key: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// Its metadata differs from the robot's description.
    #[error("the policy expects {key} {expected} for `{joint}`, the robot's description says {found}")]
    Mismatch {
        /// `joint name`, `kp` or `kd`.
        key: &'static str,
        /// Joint in the description.
        joint: String,
        /// From the policy.
        expected: String,
        /// From the description.
        found: String,
    },
    /// Inference failed.
    #[error("inference failed: {0}")]
    Inference(String),
    /// The answer is NaN or infinite.
    #[error("policy action {index} is {value}")]
    NotFinite {
        /// Index in the action.
        index: usize,
        /// Its value.
        value: f32,
    },
}
