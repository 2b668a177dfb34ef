//! What the controller takes from device and team state, and when it must not trust them.

use crate::config::SafetySettings;
use troupe_core::device::LowState;
use troupe_core::frames::{Planar, Pose, Twist};
use troupe_core::state::TeamState;

/// The robot in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Base in the world frame.
    pub pose: Planar,
    /// vx, vy in m/s, yaw rate in rad/s; world frame.
    pub velocity: [f64; 3],
}

impl Body {
    /// Planar speed, m/s.
    #[must_use]
    pub fn speed_mps(&self) -> f64 {
        self.velocity[0].hypot(self.velocity[1])
    }
}

/// Why no command may be computed from a state.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SenseFault {
    /// NaN or infinite.
    #[error("{0} is not finite")]
    NotFinite(String),
    /// The orientation is no rotation.
    #[error("the IMU's quaternion has length {0}")]
    Quaternion(f32),
    /// Fallen.
    #[error("fallen: pelvis at {height_m:.2} m, torso tilted {tilt_rad:.2} rad")]
    Fallen {
        /// m.
        height_m: f64,
        /// rad.
        tilt_rad: f64,
    },
}

/// Checks the device state.
///
/// # Errors
/// [`SenseFault::NotFinite`] naming the field, or [`SenseFault::Quaternion`].
pub fn check_device(low: &LowState) -> Result<(), SenseFault> {
    for (i, motor) in low.motors.iter().enumerate() {
        if !(motor.q.is_finite() && motor.dq.is_finite()) {
            return Err(SenseFault::NotFinite(format!("state of motor {i}")));
        }
    }
    if !low.imu.gyroscope.iter().all(|v| v.is_finite()) {
        return Err(SenseFault::NotFinite("the gyroscope".to_owned()));
    }
    let length = low.imu.quaternion_wxyz.iter().map(|v| v * v).sum::<f32>().sqrt();
    if !(0.9..=1.1).contains(&length) {
        return Err(SenseFault::Quaternion(length));
    }
    Ok(())
}

/// The robot `name` in the team's state: `None` when it is not there.
///
/// # Errors
/// [`SenseFault::NotFinite`] or [`SenseFault::Fallen`].
pub fn body(safety: &SafetySettings, team: &TeamState, name: &str) -> Result<Option<Body>, SenseFault> {
    let Some(robot) = team.robot(name) else { return Ok(None) };
    let Pose { position, orientation } = robot.base;
    let Twist { linear, angular } = robot.twist;
    let tilt_rad = robot.torso_tilt_rad;
    let numbers = position.iter().chain(&orientation).chain(&linear).chain(&angular).chain([&tilt_rad]);
    if !numbers.into_iter().all(|v| v.is_finite()) {
        return Err(SenseFault::NotFinite(format!("state of {name} in team/state")));
    }
    if position[2] < safety.fall_height_m || tilt_rad > safety.fall_tilt_rad {
        return Err(SenseFault::Fallen { height_m: position[2], tilt_rad });
    }
    Ok(Some(Body { pose: robot.base.planar(), velocity: [linear[0], linear[1], angular[2]] }))
}

#[cfg(test)]
pub(crate) mod tests_support {
    //! States of a robot that stands still.

    use crate::joints::Joints;
    use troupe_core::device::{G1_JOINTS, G1_MODE_MACHINE, Imu, LowState, MotorState};
    use troupe_core::frames::{Planar, Pose, Twist};
    use troupe_core::route::{Gate, RouteReference};
    use troupe_core::state::{RobotMode, RobotState, TeamState};

    /// Device state in the default pose.
    pub fn low_state(joints: &Joints, tick: u64) -> LowState {
        let motors: [MotorState; G1_JOINTS] =
            std::array::from_fn(|i| MotorState { mode: 1, q: joints.home[i], ..MotorState::default() });
        let imu = Imu { quaternion_wxyz: [1.0, 0.0, 0.0, 0.0], ..Imu::default() };
        LowState { mode_machine: G1_MODE_MACHINE, tick_ms: (20 * tick) as u32, imu, motors }
    }

    /// Team state with one robot `g1_0`.
    pub fn team_state(tick: u64, epoch: u32, pose: Planar) -> TeamState {
        let robot = RobotState {
            robot: "g1_0".into(),
            kind: "g1".into(),
            base: Pose::upright([pose.x, pose.y, 0.78], pose.yaw),
            twist: Twist::default(),
            torso_tilt_rad: 0.0,
            mode: RobotMode::Idle,
            controller_epoch: 0,
            privileged: true,
            pose_std_m: 0.0,
        };
        TeamState {
            tick,
            stamp_s: tick as f64 * 0.02,
            context_epoch: epoch,
            robots: vec![robot],
            payloads: vec![],
            contacts: vec![],
            route: RouteReference {
                segment_id: "a".into(),
                direction: [1.0, 0.0],
                local_target: [1.0, 0.0],
                left_boundary: vec![],
                right_boundary: vec![],
                gate: Gate { position: [1.0, 0.0], heading_rad: 0.0, width_m: 1.0, heading_tolerance_rad: 0.2 },
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::tests_support::{low_state, team_state};
    use super::*;
    use crate::config::tests_support::config;

    #[test]
    fn a_state_that_is_not_finite_is_named() {
        let joints = config().joints;
        let mut low = low_state(&joints, 1);
        assert_eq!(check_device(&low), Ok(()));
        low.motors[7].dq = f32::NAN;
        assert!(check_device(&low).unwrap_err().to_string().contains("motor 7"));
        let mut low = low_state(&joints, 1);
        low.imu.quaternion_wxyz = [0.0; 4];
        assert!(matches!(check_device(&low), Err(SenseFault::Quaternion(_))));
        low.imu.quaternion_wxyz = [f32::NAN; 4];
        assert!(check_device(&low).is_err());
    }

    #[test]
    fn a_fall_is_seen_by_height_and_by_tilt() {
        let safety = config().settings.safety;
        let mut team = team_state(1, 0, Planar::default());
        assert!(body(&safety, &team, "g1_0").unwrap().is_some());
        assert_eq!(body(&safety, &team, "g1_7"), Ok(None));
        team.robots[0].torso_tilt_rad = 1.2;
        assert!(matches!(body(&safety, &team, "g1_0"), Err(SenseFault::Fallen { .. })));
        team.robots[0].torso_tilt_rad = 0.0;
        team.robots[0].base.position[2] = 0.3;
        assert!(body(&safety, &team, "g1_0").unwrap_err().to_string().contains("0.30 m"));
    }
}
