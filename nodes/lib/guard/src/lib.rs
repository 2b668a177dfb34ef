//! Parses and limits generated policy code before anything moves; pure.
//!
//! A policy is a Starlark program of two statements, one allowed skill call and one `stop()`:
//!
//! ```text
//! walk(distance_m=0.25, direction="forward", speed_mps=0.25)
//! stop()
//! ```
//!
//! The text is parsed and its tree is walked; it is never evaluated.

mod code;
mod fingerprint;
mod limits;
mod normal;
mod tree;

pub use code::Code;
pub use fingerprint::fingerprint;
pub use limits::{MAX_BYTES, MAX_CODE, MAX_NESTING};
pub use normal::normalised;

use troupe_core::skill::{SkillBounds, SkillCall};
use troupe_core::team::Finding;

/// Grammar of a policy, as shown to models.
pub const GRAMMAR: &str = "\
Exactly two statements: one call from the list, then stop().
walk(distance_m=0.25, direction=\"forward\", speed_mps=0.25)   direction: forward, back, left, right
turn(yaw_rad=0.26, speed_rps=0.25)                           counter-clockwise is positive
arc(distance_m=0.21, yaw_rad=0.26, speed_mps=0.25)           length along the circle and turn on the way;
                                                             direction=\"left\" or \"right\": walked sideways around a point ahead or behind
hold(duration_s=1.0)
lower_to_target()
release()
retreat(distance_m=0.4)
Arguments are constants, by name or in the order shown. Comments are allowed, nothing else is.
";

/// A policy that passed.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The skill call before `stop()`, with its arguments as written.
    pub call: SkillCall,
    /// Canonical text: names in order, numbers rounded to the actuation resolution (CE-030).
    pub normalised: String,
}

/// Checks one policy text against the allow-list and the bounds.
///
/// # Errors
/// One finding per reason with a code of [`Code`]; `robot` is left empty.
pub fn check(source: &str, bounds: &SkillBounds) -> Result<Parsed, Vec<Finding>> {
    let code_only = limits::strip(source).map_err(|f| vec![f])?;
    let call = tree::read(code_only)?;
    bounds.check(&call).map_err(|e| vec![code::of_skill_error(&e).finding(e.to_string())])?;
    Ok(Parsed { call, normalised: normalised(&call) })
}

#[cfg(test)]
mod tests;
