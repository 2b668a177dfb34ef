//! What can go wrong with a world, in words that name what to change.

use std::path::PathBuf;
use troupe_core::config::ConfigError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// A configuration file cannot be used; names file, key, value and what is allowed.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A URDF cannot be read or parsed.
    #[error("cannot use the robot description: {reason}: {file}")]
    Urdf {
        /// Path of the URDF.
        file: PathBuf,
        /// The parser's words.
        reason: String,
    },
    /// MuJoCo refuses the assembled model.
    #[error("MuJoCo does not compile world `{world}`: {reason}")]
    Compile {
        /// Name of the world.
        world: String,
        /// MuJoCo's words.
        reason: String,
    },
    /// The compiled model lacks something that the assembly wrote into it.
    #[error("the compiled world lacks {kind} `{name}`")]
    Missing {
        /// joint, body, geom, site, camera, sensor or actuator.
        kind: &'static str,
        /// Name in the model.
        name: String,
    },
    /// No robot with this index.
    #[error("robot index {index} is outside the allowed range 0 to {last}")]
    RobotIndex {
        /// As given.
        index: usize,
        /// Largest allowed index.
        last: usize,
    },
    /// No robot or payload with this name.
    #[error("no entity `{name}`; allowed: {allowed}")]
    UnknownEntity {
        /// As given.
        name: String,
        /// Names that exist, comma separated.
        allowed: String,
    },
    /// No camera with this name.
    #[error("no camera `{name}`; allowed: {allowed}")]
    UnknownCamera {
        /// As given.
        name: String,
        /// Names that exist, comma separated.
        allowed: String,
    },
    /// A number given to the world is not finite or not allowed.
    #[error("{what}: value {value} is not allowed; allowed: {allowed}")]
    Value {
        /// What the number is.
        what: String,
        /// As given.
        value: f64,
        /// In words.
        allowed: &'static str,
    },
    /// The simulation left the finite numbers.
    #[error("the simulation diverged: {what} is not finite at simulated time {time_s} s")]
    Diverged {
        /// Which quantity.
        what: &'static str,
        /// MuJoCo's time, s.
        time_s: f64,
    },
    /// The snapshot is of another world.
    #[error("snapshot does not fit this world: {reason}")]
    Snapshot {
        /// What differs.
        reason: String,
    },
    /// Placing asked for while nothing is held.
    #[error("the payload is not held, so it cannot be placed")]
    NotHeld,
    /// No off-screen rendering on this machine.
    #[error("no off-screen rendering: {reason}; a software device needs the packages libegl1 and libgl1-mesa-dri")]
    NoEgl {
        /// What failed.
        reason: String,
    },
    /// A picture cannot be made.
    #[error("cannot render: {reason}")]
    Render {
        /// What failed.
        reason: String,
    },
    /// A picture cannot be written.
    #[error("cannot write the picture: {reason}: {file}")]
    Png {
        /// Where to.
        file: PathBuf,
        /// The system's or encoder's words.
        reason: String,
    },
}

impl WorldError {
    /// Shorthand for [`WorldError::Missing`].
    pub(crate) fn missing(kind: &'static str, name: &str) -> Self {
        Self::Missing { kind, name: name.to_owned() }
    }
}
