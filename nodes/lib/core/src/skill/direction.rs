//! Directions of a walk.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Direction of a walk in the robot's base frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// +x.
    Forward,
    /// −x.
    Back,
    /// +y.
    Left,
    /// −y.
    Right,
}

impl Direction {
    /// Name as in policies and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Back => "back",
            Self::Left => "left",
            Self::Right => "right",
        }
    }

    /// The direction of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Forward, Self::Back, Self::Left, Self::Right].into_iter().find(|d| d.name() == name)
    }

    /// Unit vector in the base frame.
    #[must_use]
    pub fn unit(self) -> [f64; 2] {
        match self {
            Self::Forward => [1.0, 0.0],
            Self::Back => [-1.0, 0.0],
            Self::Left => [0.0, 1.0],
            Self::Right => [0.0, -1.0],
        }
    }
}
