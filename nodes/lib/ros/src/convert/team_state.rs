//! `troupe_msgs/TeamState` with its robots, payloads and contacts; every frame is the world.

use super::geometry::{pose_from_wire, pose_to_wire, twist_from_wire, twist_to_wire};
use super::{ConvertError, array, route};
use crate::stamp;
use r2r::builtin_interfaces::msg::Time;
use r2r::std_msgs::msg::Header;
use r2r::troupe_msgs::msg;
use troupe_core::state::{Contact, PayloadState, RobotMode, RobotState, TeamState};

/// A message.
#[must_use]
pub fn to_wire(state: &TeamState) -> msg::TeamState {
    let at = stamp::to_wire(state.stamp_s);
    msg::TeamState {
        header: stamp::header(at.clone(), stamp::WORLD),
        tick: state.tick,
        context_epoch: state.context_epoch,
        robots: state.robots.iter().map(|r| robot_to_wire(r, &at)).collect(),
        payloads: state.payloads.iter().map(|p| payload_to_wire(p, &at)).collect(),
        contacts: state.contacts.iter().map(contact_to_wire).collect(),
        route: route::to_wire(&state.route),
    }
}

/// A state as sent.
///
/// # Errors
/// [`ConvertError`]: a frame that is not the world, an unknown mode, a box without three extents.
pub fn from_wire(message: &msg::TeamState) -> Result<TeamState, ConvertError> {
    in_world("TeamState", &message.header)?;
    Ok(TeamState {
        tick: message.tick,
        stamp_s: stamp::of_tick(&message.header.stamp, message.tick),
        context_epoch: message.context_epoch,
        robots: message.robots.iter().map(robot_from_wire).collect::<Result<_, _>>()?,
        payloads: message.payloads.iter().map(payload_from_wire).collect::<Result<_, _>>()?,
        contacts: message.contacts.iter().map(contact_from_wire).collect(),
        route: route::from_wire(&message.route),
    })
}

/// Refuses a header whose frame is not the world.
pub(crate) fn in_world(message: &'static str, header: &Header) -> Result<(), ConvertError> {
    if header.frame_id == stamp::WORLD {
        return Ok(());
    }
    Err(ConvertError::Frame { message, given: header.frame_id.clone(), required: stamp::WORLD })
}

fn robot_to_wire(robot: &RobotState, at: &Time) -> msg::RobotState {
    msg::RobotState {
        header: stamp::header(at.clone(), stamp::WORLD),
        robot: robot.robot.clone(),
        kind: robot.kind.clone(),
        base: pose_to_wire(&robot.base),
        twist: twist_to_wire(&robot.twist),
        torso_tilt: robot.torso_tilt_rad,
        mode: mode_to_wire(robot.mode),
        controller_epoch: robot.controller_epoch,
        privileged: robot.privileged,
        pose_std: robot.pose_std_m,
    }
}

fn robot_from_wire(message: &msg::RobotState) -> Result<RobotState, ConvertError> {
    in_world("RobotState", &message.header)?;
    Ok(RobotState {
        robot: message.robot.clone(),
        kind: message.kind.clone(),
        base: pose_from_wire(&message.base),
        twist: twist_from_wire(&message.twist),
        torso_tilt_rad: message.torso_tilt,
        mode: mode_from_wire(message.mode)?,
        controller_epoch: message.controller_epoch,
        privileged: message.privileged,
        pose_std_m: message.pose_std,
    })
}

fn mode_to_wire(mode: RobotMode) -> u8 {
    match mode {
        RobotMode::Idle => 0,
        RobotMode::Moving => 1,
        RobotMode::Holding => 2,
        RobotMode::Stopped => 3,
        RobotMode::Fault => 4,
    }
}

fn mode_from_wire(mode: u8) -> Result<RobotMode, ConvertError> {
    Ok(match mode {
        0 => RobotMode::Idle,
        1 => RobotMode::Moving,
        2 => RobotMode::Holding,
        3 => RobotMode::Stopped,
        4 => RobotMode::Fault,
        other => return Err(ConvertError::Code { field: "mode", given: u64::from(other), allowed: "0 to 4" }),
    })
}

fn payload_to_wire(payload: &PayloadState, at: &Time) -> msg::PayloadState {
    msg::PayloadState {
        header: stamp::header(at.clone(), stamp::WORLD),
        name: payload.name.clone(),
        pose: pose_to_wire(&payload.pose),
        twist: twist_to_wire(&payload.twist),
        half_extents: payload.half_extents_m.to_vec(),
        z_min: payload.z_min_m,
        tilt: payload.tilt_rad,
        mass: payload.mass_kg,
        held: payload.held,
    }
}

fn payload_from_wire(message: &msg::PayloadState) -> Result<PayloadState, ConvertError> {
    in_world("PayloadState", &message.header)?;
    Ok(PayloadState {
        name: message.name.clone(),
        pose: pose_from_wire(&message.pose),
        twist: twist_from_wire(&message.twist),
        half_extents_m: array("half_extents", &message.half_extents)?,
        z_min_m: message.z_min,
        tilt_rad: message.tilt,
        mass_kg: message.mass,
        held: message.held,
    })
}

fn contact_to_wire(contact: &Contact) -> msg::Contact {
    msg::Contact {
        body_a: contact.body_a.clone(),
        body_b: contact.body_b.clone(),
        force: contact.force_n,
        impulse: contact.impulse_ns,
    }
}

fn contact_from_wire(message: &msg::Contact) -> Contact {
    Contact {
        body_a: message.body_a.clone(),
        body_b: message.body_b.clone(),
        force_n: message.force,
        impulse_ns: message.impulse,
    }
}
