//! What the world offers and why a window closed.

use super::ConvertError;
use r2r::troupe_msgs::srv::WorldCapabilities;
use troupe_core::TICK_S;
use troupe_core::team::{Capabilities, WindowReason};

/// `world/capabilities`.
#[must_use]
pub fn capabilities_to_wire(c: &Capabilities) -> WorldCapabilities::Response {
    WorldCapabilities::Response {
        lockstep: c.lockstep,
        checkpoint: c.checkpoint,
        fork: false,
        privileged_state: c.privileged_state,
        place_payload: c.place_payload,
        tick_s: TICK_S,
        world: c.world.clone(),
        robots: c.robots.clone(),
        seed: c.seed,
    }
}

/// Capabilities as sent.
#[must_use]
pub fn capabilities_from_wire(message: &WorldCapabilities::Response) -> Capabilities {
    Capabilities {
        lockstep: message.lockstep,
        checkpoint: message.checkpoint,
        place_payload: message.place_payload,
        privileged_state: message.privileged_state,
        world: message.world.clone(),
        robots: message.robots.clone(),
        seed: message.seed,
    }
}

/// Why a window closed, as sent.
///
/// # Errors
/// [`ConvertError::Code`].
pub fn reason_from_wire(reason: u8) -> Result<WindowReason, ConvertError> {
    [WindowReason::Idle, WindowReason::Limit, WindowReason::Stopped, WindowReason::RobotSilent, WindowReason::Refused]
        .into_iter()
        .find(|r| *r as u8 == reason)
        .ok_or(ConvertError::Code { field: "reason", given: u64::from(reason), allowed: "0 to 4" })
}
