//! Poses and velocities of free bodies in MuJoCo's arrays, in the team's conventions.

use crate::error::WorldError;
use crate::index::FreeIndex;
use crate::world::World;
use mujoco_rs::prelude::{MjData, MjModel};
use nalgebra::Vector3;
use troupe_core::frames::{Pose, Twist, rotation, wxyz_from_xyzw, xyzw_from_wxyz};

type Data = MjData<Box<MjModel>>;

/// World pose of a free body.
pub(crate) fn pose(data: &Data, at: FreeIndex) -> Pose {
    match data.qpos().get(at.qpos..at.qpos + 7) {
        Some(&[x, y, z, qw, qx, qy, qz]) => Pose { position: [x, y, z], orientation: xyzw_from_wxyz([qw, qx, qy, qz]) },
        _ => Pose { position: [f64::NAN; 3], orientation: [f64::NAN; 4] },
    }
}

/// World velocity of a free body. MuJoCo keeps the angular part in the body's axes.
pub(crate) fn twist(data: &Data, at: FreeIndex) -> Twist {
    match data.qvel().get(at.qvel..at.qvel + 6) {
        Some(&[vx, vy, vz, wx, wy, wz]) => {
            let angular = rotation(pose(data, at).orientation) * Vector3::new(wx, wy, wz);
            Twist { linear: [vx, vy, vz], angular: angular.into() }
        }
        _ => Twist { linear: [f64::NAN; 3], angular: [f64::NAN; 3] },
    }
}

/// Writes a pose; does not touch the velocity.
pub(crate) fn set_pose(data: &mut Data, at: FreeIndex, pose: &Pose) {
    if let Some(slots) = data.qpos_mut().get_mut(at.qpos..at.qpos + 7) {
        let values = pose.position.into_iter().chain(wxyz_from_xyzw(pose.orientation));
        for (slot, value) in slots.iter_mut().zip(values) {
            *slot = value;
        }
    }
}

/// Writes a world velocity at the present pose.
pub(crate) fn set_twist(data: &mut Data, at: FreeIndex, twist: &Twist) {
    let angular = rotation(pose(data, at).orientation).inverse() * Vector3::from(twist.angular);
    if let Some(slots) = data.qvel_mut().get_mut(at.qvel..at.qvel + 6) {
        let values = twist.linear.into_iter().chain([angular.x, angular.y, angular.z]);
        for (slot, value) in slots.iter_mut().zip(values) {
            *slot = value;
        }
    }
}

/// The pose with a unit quaternion.
pub(crate) fn checked_pose(name: &str, pose: &Pose) -> Result<Pose, WorldError> {
    let what = || format!("pose of `{name}`");
    if let Some(value) = pose.position.iter().chain(&pose.orientation).find(|v| !v.is_finite()) {
        return Err(WorldError::Value { what: what(), value: *value, allowed: "finite numbers" });
    }
    let norm = pose.orientation.iter().map(|v| v * v).sum::<f64>().sqrt();
    if !(0.5..2.0).contains(&norm) {
        return Err(WorldError::Value { what: what(), value: norm, allowed: "a quaternion of norm 1" });
    }
    Ok(Pose { position: pose.position, orientation: pose.orientation.map(|v| v / norm) })
}

/// Refuses velocities that are not finite.
pub(crate) fn check_twist(name: &str, twist: &Twist) -> Result<(), WorldError> {
    match twist.linear.iter().chain(&twist.angular).find(|v| !v.is_finite()) {
        Some(value) => Err(WorldError::Value { what: format!("velocity of `{name}`"), value: *value, allowed: "finite numbers" }),
        None => Ok(()),
    }
}

impl World {
    /// Names of the robots and of the payload.
    #[must_use]
    pub fn entities(&self) -> Vec<String> {
        let mut names = self.description.robot_names();
        names.push(self.description.config.payload.name.clone());
        names
    }

    fn entity(&self, name: &str) -> Result<FreeIndex, WorldError> {
        if name == self.description.config.payload.name {
            return Ok(self.payload);
        }
        let found = self.description.config.robots.iter().position(|r| r.name == name);
        found.and_then(|i| self.robots.get(i)).map(|r| r.free).ok_or_else(|| WorldError::UnknownEntity {
            name: name.to_owned(),
            allowed: self.entities().join(", "),
        })
    }

    /// Pose of a robot's base or of the payload in the world frame.
    ///
    /// # Errors
    /// [`WorldError::UnknownEntity`].
    pub fn entity_pose(&self, name: &str) -> Result<Pose, WorldError> {
        Ok(pose(&self.data, self.entity(name)?))
    }

    /// Velocity of a robot's base or of the payload in the world frame.
    ///
    /// # Errors
    /// [`WorldError::UnknownEntity`].
    pub fn entity_twist(&self, name: &str) -> Result<Twist, WorldError> {
        Ok(twist(&self.data, self.entity(name)?))
    }

    /// Moves a robot's base or the payload; a held payload is then held there.
    ///
    /// # Errors
    /// [`WorldError::UnknownEntity`], [`WorldError::Value`] for a pose that is not finite or has no rotation.
    pub fn set_entity_pose(&mut self, name: &str, pose: &Pose) -> Result<(), WorldError> {
        let at = self.entity(name)?;
        let pose = checked_pose(name, pose)?;
        set_pose(&mut self.data, at, &pose);
        if name == self.description.config.payload.name && self.hoist.is_some() {
            self.hoist = Some(pose);
        }
        self.finish()
    }

    /// Sets the velocity of a robot's base or of the payload, world frame; a held payload stays at rest.
    ///
    /// # Errors
    /// [`WorldError::UnknownEntity`], [`WorldError::Value`] for a velocity that is not finite.
    pub fn set_entity_twist(&mut self, name: &str, twist: &Twist) -> Result<(), WorldError> {
        let at = self.entity(name)?;
        check_twist(name, twist)?;
        set_twist(&mut self.data, at, twist);
        self.hold_payload();
        self.finish()
    }
}
