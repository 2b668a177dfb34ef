//! Why a skill call cannot be.

use super::SkillCall;

/// Why parts do not make a skill call.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SkillError {
    /// No such skill.
    #[error("unknown skill `{0}`; allowed: {names}", names = SkillCall::NAMES.join(", "))]
    Unknown(String),
    /// An argument is absent.
    #[error("`{skill}` lacks `{argument}`; it takes {allowed}")]
    Missing {
        /// Skill name.
        skill: String,
        /// Argument name.
        argument: &'static str,
        /// All arguments of the skill.
        allowed: String,
    },
    /// An argument that the skill does not take.
    #[error("`{skill}` has no argument `{argument}`; it takes {allowed}")]
    Unexpected {
        /// Skill name.
        skill: String,
        /// Argument name.
        argument: String,
        /// All arguments of the skill.
        allowed: String,
    },
    /// Not a direction.
    #[error("direction `{0}` is not one of forward, back, left, right")]
    Direction(String),
    /// Outside the bounds.
    #[error("`{skill}`: {argument} = {value} is outside {low} to {high}")]
    Bounds {
        /// Skill name.
        skill: &'static str,
        /// Argument name.
        argument: &'static str,
        /// Value given.
        value: f64,
        /// Lower bound of the magnitude.
        low: f64,
        /// Upper bound of the magnitude.
        high: f64,
    },
    /// NaN or infinite.
    #[error("`{skill}`: {argument} = {value} is not finite")]
    NotFinite {
        /// Skill name.
        skill: &'static str,
        /// Argument name.
        argument: &'static str,
        /// Value given.
        value: f64,
    },
}
