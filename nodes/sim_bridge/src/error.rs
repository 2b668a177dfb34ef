//! What the bridge refuses.

use troupe_world::WorldError;

/// A request or command that the bridge cannot follow; nothing has changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BridgeError {
    /// The world refused.
    #[error(transparent)]
    World(#[from] WorldError),
    /// No such robot.
    #[error("robot {index} does not exist; allowed: 0 to {last}")]
    Robot {
        /// Index given.
        index: usize,
        /// Largest index.
        last: usize,
    },
    /// A command with NaN, infinity or a negative gain. The last good one stays in force.
    #[error("command of robot `{robot}` is not sound: motor {motor}: {value}; allowed: finite numbers, gains not below 0")]
    Command {
        /// Namespace.
        robot: String,
        /// First motor that is not sound.
        motor: usize,
        /// Its set-point.
        value: String,
    },
    /// No checkpoint of this name.
    #[error("no checkpoint `{id}`; stored: {stored}")]
    UnknownCheckpoint {
        /// Name given.
        id: String,
        /// All names.
        stored: String,
    },
    /// A checkpoint of this name exists.
    #[error("checkpoint `{0}` exists already")]
    CheckpointExists(String),
    /// One memory per robot is needed.
    #[error("checkpoint `{id}` got {given} controller memories; needed: {needed}")]
    Controllers {
        /// Name given.
        id: String,
        /// Memories given.
        given: usize,
        /// Number of robots.
        needed: usize,
    },
}
