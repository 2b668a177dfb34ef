//! Laying the payload on the forearms: the stand-in for an operator with a hoist.

use crate::config::PayloadConfig;
use crate::entity;
use crate::error::WorldError;
use crate::index::{RobotIndex, SupportIndex};
use mujoco_rs::prelude::{MjData, MjModel};
use nalgebra::Vector3;
use troupe_core::frames::Pose;

/// Pose just above the forearms: level, its y axis along the line from the last to the first robot,
/// a little ahead of the mean of the forearm centres.
pub(crate) fn place_pose(
    data: &MjData<Box<MjModel>>,
    robots: &[RobotIndex],
    config: &PayloadConfig,
) -> Result<Pose, WorldError> {
    let no_forearms = || WorldError::missing("geom", "forearm");
    let mut centre = Vector3::zeros();
    let mut top = f64::NEG_INFINITY;
    let mut count = 0.0;
    for forearm in robots.iter().flat_map(|r| &r.forearms) {
        let position = data.geom_xpos().get(forearm.geom).copied().ok_or_else(no_forearms)?;
        let rotation = data.geom_xmat().get(forearm.geom).copied().ok_or_else(no_forearms)?;
        // Third column of the rotation: the box's own up axis in the world.
        let up = Vector3::new(rotation[2], rotation[5], rotation[8]);
        let surface = Vector3::from(position) + up * forearm.half_extents_m[2];
        centre += surface;
        top = top.max(surface.z);
        count += 1.0;
    }
    for palm in robots.iter().flat_map(|r| &r.palms).filter(|_| config.place.on_palms) {
        top = top.max(highest(data, palm).ok_or_else(no_forearms)?);
    }
    let (Some(first), Some(last), true) = (robots.first(), robots.last(), count > 0.0) else {
        return Err(no_forearms());
    };
    centre /= count;
    let heading = entity::pose(data, first.free).yaw();
    let yaw = if robots.len() > 1 {
        let (a, b) = (entity::pose(data, first.free).position, entity::pose(data, last.free).position);
        (a[1] - b[1]).atan2(a[0] - b[0]) - std::f64::consts::FRAC_PI_2
    } else {
        heading
    };
    let position = [
        centre.x + config.place.ahead_m * yaw.cos(),
        centre.y + config.place.ahead_m * yaw.sin(),
        top + config.half_extents_m[2] + config.place.clearance_m,
    ];
    Ok(Pose::upright(position, yaw))
}

/// Height of a support box's highest point, m.
fn highest(data: &MjData<Box<MjModel>>, support: &SupportIndex) -> Option<f64> {
    let position = data.geom_xpos().get(support.geom)?;
    let rotation = data.geom_xmat().get(support.geom)?;
    let reach = support.half_extents_m.iter().zip([rotation[6], rotation[7], rotation[8]]);
    Some(position[2] + reach.map(|(half, share)| half * share.abs()).sum::<f64>())
}
