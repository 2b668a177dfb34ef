//! Corridors of right-angled turns: geometry, sampled ones, and whether a team fits through (CE-008).
//!
//! A [`Corridor`] is a centre line of straights with a turn between each two. From it follow walls, route
//! and target for a team side by side, with the payload across its way. [`SamplerConfig`] draws corridors
//! from a number; [`world_text`] is the one way from a world's name to its text.

mod body;
mod clearance;
mod draws;
mod lay;
mod named;
mod route;
mod sampler;
mod world;

pub use body::Body;
pub use clearance::{Tight, least_clearance};
pub use lay::{Corridor, Narrowing, Side, Straight, Turn};
pub use named::{SAMPLED, WorldText, world_text};
pub use route::MilestoneConfig;
pub use sampler::{ClearanceConfig, LengthConfig, NarrowingConfig, ReachConfig, SamplerConfig};

#[cfg(test)]
mod tests;
