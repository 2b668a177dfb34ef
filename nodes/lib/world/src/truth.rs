//! What can be read from a world: ground truth, and what the robots' own sensors say.

use crate::entity;
use crate::error::WorldError;
use crate::world::{World, robot_index};
use troupe_core::device::{G1_JOINTS, Imu, MotorState};
use troupe_core::frames::lowest_point;
use troupe_core::state::{Contact, PayloadState, RobotMode, RobotState};

impl World {
    /// Ground truth of robot `index`; `mode` and `controller_epoch` are the caller's to fill in.
    ///
    /// # Errors
    /// [`WorldError::RobotIndex`].
    pub fn robot_state(&self, index: usize) -> Result<RobotState, WorldError> {
        let outside = || robot_index(index, self.robots.len());
        let robot = self.robots.get(index).ok_or_else(outside)?;
        let name = self.description.config.robots.get(index).map(|r| r.name.clone()).ok_or_else(outside)?;
        let kind = self.description.robots.get(index).map(|r| r.config.kind.clone()).ok_or_else(outside)?;
        // Last entry of a row-major rotation matrix: cosine between the body's z axis and world up.
        let up = self.data.xmat().get(robot.torso).map_or(f64::NAN, |m| m[8]);
        Ok(RobotState {
            robot: name,
            kind,
            base: entity::pose(&self.data, robot.free),
            twist: entity::twist(&self.data, robot.free),
            torso_tilt_rad: up.clamp(-1.0, 1.0).acos(),
            mode: RobotMode::Idle,
            controller_epoch: 0,
            privileged: true,
            pose_std_m: 0.0,
        })
    }

    /// Readings of the IMU of robot `index`.
    ///
    /// # Errors
    /// [`WorldError::RobotIndex`].
    pub fn imu(&self, index: usize) -> Result<Imu, WorldError> {
        self.sensed.get(index).map(|s| s.imu).ok_or_else(|| robot_index(index, self.robots.len()))
    }

    /// Readings of the motors of robot `index`.
    ///
    /// # Errors
    /// [`WorldError::RobotIndex`].
    pub fn motors(&self, index: usize) -> Result<[MotorState; G1_JOINTS], WorldError> {
        self.sensed.get(index).map(|s| s.motors).ok_or_else(|| robot_index(index, self.robots.len()))
    }

    /// Ground truth of the joints of robot `index`: angle (rad) and speed (rad/s), in motor order.
    ///
    /// # Errors
    /// [`WorldError::RobotIndex`].
    pub fn joints(&self, index: usize) -> Result<[(f64, f64); G1_JOINTS], WorldError> {
        let robot = self.robots.get(index).ok_or_else(|| robot_index(index, self.robots.len()))?;
        let mut joints = [(f64::NAN, f64::NAN); G1_JOINTS];
        for (joint, (q, v)) in joints.iter_mut().zip(robot.qpos.iter().zip(&robot.qvel)) {
            if let (Some(q), Some(v)) = (self.data.qpos().get(*q), self.data.qvel().get(*v)) {
                *joint = (*q, *v);
            }
        }
        Ok(joints)
    }

    /// Torques that the motors of robot `index` exert at the present state, N m, in motor order.
    ///
    /// # Errors
    /// [`WorldError::RobotIndex`].
    pub fn motor_torques(&mut self, index: usize) -> Result<[f64; G1_JOINTS], WorldError> {
        let robot = self.robots.get(index).ok_or_else(|| robot_index(index, self.robots.len()))?;
        // Positions, velocities and transmissions first: after a step they are those before it.
        self.data.fwd_position();
        self.data.fwd_velocity();
        self.data.fwd_actuation();
        let mut torques = [f64::NAN; G1_JOINTS];
        for (torque, actuator) in torques.iter_mut().zip(&robot.actuators) {
            if let Some(force) = self.data.actuator_force().get(*actuator) {
                *torque = *force;
            }
        }
        Ok(torques)
    }

    /// Ground truth of the payload.
    #[must_use]
    pub fn payload_state(&self) -> PayloadState {
        let config = &self.description.config.payload;
        let pose = entity::pose(&self.data, self.payload);
        PayloadState {
            name: config.name.clone(),
            pose,
            twist: entity::twist(&self.data, self.payload),
            half_extents_m: config.half_extents_m,
            z_min_m: lowest_point(&pose, config.half_extents_m),
            tilt_rad: pose.tilt(),
            mass_kg: config.mass_kg,
            held: self.hoist.is_some(),
        }
    }

    /// Contacts of the last tick, sorted by `body_a`, then `body_b`. Empty after a reset.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }
}
