//! What a robot's own sensors say at the end of a tick: noisy, in the vendor's float32.

use crate::config::SensorNoise;
use crate::index::RobotIndex;
use troupe_core::noise::Noise;
use mujoco_rs::prelude::{MjData, MjModel};
use serde::{Deserialize, Serialize};
use troupe_core::device::{G1_JOINTS, Imu, MotorState};

/// One robot's readings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sensed {
    /// Pelvis IMU.
    pub imu: Imu,
    /// In motor order.
    pub motors: [MotorState; G1_JOINTS],
}

/// Reads one robot; always draws the same number of random words.
pub(crate) fn sense(data: &MjData<Box<MjModel>>, robot: &RobotIndex, config: &SensorNoise, noise: &mut Noise) -> Sensed {
    let at = |values: &[f64], index: usize| values.get(index).copied().unwrap_or(f64::NAN);
    let (qpos, qvel) = (data.qpos(), data.qvel());
    let three = |values: &[f64], start: usize| [0, 1, 2].map(|i| at(values, start + i));
    let quaternion_wxyz = [0, 1, 2, 3].map(|i| at(qpos, robot.free.qpos + 3 + i));
    // A free joint's angular velocity is already in the body's axes.
    let gyroscope = three(qvel, robot.free.qvel + 3).map(|v| (v + noise.uniform(config.gyro_radps)) as f32);
    let accelerometer = three(data.sensordata(), robot.accelerometer).map(|v| (v + noise.uniform(config.accelerometer_mps2)) as f32);
    let mut motors = [MotorState::default(); G1_JOINTS];
    let addresses = robot.qpos.iter().zip(&robot.qvel).zip(&robot.actuators);
    for (motor, ((q, v), a)) in motors.iter_mut().zip(addresses) {
        *motor = MotorState {
            mode: 1,
            q: (at(qpos, *q) + noise.uniform(config.joint_position_rad)) as f32,
            dq: (at(qvel, *v) + noise.uniform(config.joint_velocity_radps)) as f32,
            tau_est: at(data.actuator_force(), *a) as f32,
        };
    }
    let imu = Imu {
        quaternion_wxyz: quaternion_wxyz.map(|v| v as f32),
        gyroscope,
        accelerometer,
        rpy: rpy(quaternion_wxyz).map(|v| v as f32),
    };
    Sensed { imu, motors }
}

/// Roll, pitch, yaw (rad) of a quaternion w, x, y, z.
fn rpy([w, x, y, z]: [f64; 4]) -> [f64; 3] {
    [
        (2.0 * (w * x + y * z)).atan2(1.0 - 2.0 * (x * x + y * y)),
        (2.0 * (w * y - z * x)).clamp(-1.0, 1.0).asin(),
        (2.0 * (w * z + x * y)).atan2(1.0 - 2.0 * (y * y + z * z)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_of_a_quaternion() {
        let q = nalgebra::UnitQuaternion::from_euler_angles(0.1, -0.2, 2.0);
        for (got, want) in rpy([q.w, q.i, q.j, q.k]).into_iter().zip([0.1, -0.2, 2.0]) {
            assert!((got - want).abs() < 1e-12);
        }
    }
}
