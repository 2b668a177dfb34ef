//! What can go wrong between a node and ROS.

/// A failure of the ROS side of a node.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RosError {
    /// rcl refused.
    #[error("ROS refused {what}: {reason}")]
    Ros {
        /// What was asked of it.
        what: String,
        /// Its words.
        reason: String,
    },
    /// A parameter that the node does not have.
    #[error("unknown parameter `{name}` = {value}; allowed: {allowed}")]
    UnknownParameter {
        /// Name given.
        name: String,
        /// Value given.
        value: String,
        /// All names.
        allowed: String,
    },
    /// A parameter of the wrong type or outside its range.
    #[error("parameter `{name}` = {value}: {reason}")]
    Parameter {
        /// Name given.
        name: String,
        /// Value given.
        value: String,
        /// What is allowed.
        reason: String,
    },
    /// Signals cannot be watched.
    #[error("cannot watch for Ctrl-C: {0}")]
    Signals(#[from] std::io::Error),
}

impl RosError {
    /// An rcl error with what was asked.
    #[must_use]
    pub fn ros(what: impl Into<String>, reason: &r2r::Error) -> Self {
        Self::Ros { what: what.into(), reason: reason.to_string() }
    }
}
