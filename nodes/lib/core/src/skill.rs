//! The static skill catalog: names, arguments and bounds (CE-035, CE-036), goals and results.

mod bounds;
mod call;
mod direction;
mod error;
mod goal;
mod parts;
#[cfg(test)]
mod tests;

pub use bounds::SkillBounds;
pub use call::SkillCall;
pub use direction::Direction;
pub use error::SkillError;
pub use goal::{SkillCode, SkillFeedback, SkillGoal, SkillResult, SkillStage};
