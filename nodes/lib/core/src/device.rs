//! The Unitree G1's device records as they go over the wire; mirrors `unitree_hg`.

use serde::{Deserialize, Serialize};

/// Motor slots of a `unitree_hg` message; the 29-DoF G1 uses the first 29.
pub const MOTOR_SLOTS: usize = 35;
/// Actuated joints of the G1.
pub const G1_JOINTS: usize = 29;
/// `mode_machine` of the 29-DoF G1.
pub const G1_MODE_MACHINE: u8 = 5;

/// Set-point of one motor: torque = `tau` + `kp`·(`q` − q) + `kd`·(`dq` − dq).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MotorCommand {
    /// 1 = enabled.
    pub mode: u8,
    /// rad.
    pub q: f32,
    /// rad/s.
    pub dq: f32,
    /// N m, feed-forward.
    pub tau: f32,
    /// N m/rad.
    pub kp: f32,
    /// N m s/rad.
    pub kd: f32,
}

/// Measured state of one motor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MotorState {
    /// 1 = enabled.
    pub mode: u8,
    /// rad.
    pub q: f32,
    /// rad/s.
    pub dq: f32,
    /// N m, estimated.
    pub tau_est: f32,
}

/// Pelvis IMU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Imu {
    /// w, x, y, z: the vendor's order, not that of ROS.
    pub quaternion_wxyz: [f32; 4],
    /// rad/s, body frame.
    pub gyroscope: [f32; 3],
    /// m/s², body frame.
    pub accelerometer: [f32; 3],
    /// Roll, pitch, yaw, rad.
    pub rpy: [f32; 3],
}

/// `unitree_hg/LowState`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LowState {
    /// 5 for the 29-DoF G1.
    pub mode_machine: u8,
    /// Milliseconds of the robot's clock; in simulation 20 × the control tick (wraps at 2³²).
    pub tick_ms: u32,
    /// Pelvis IMU.
    pub imu: Imu,
    /// In the vendor's motor order.
    pub motors: [MotorState; G1_JOINTS],
}

/// `unitree_hg/LowCmd`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LowCommand {
    /// Copied from the state.
    pub mode_machine: u8,
    /// In the vendor's motor order.
    pub motors: [MotorCommand; G1_JOINTS],
    /// `tick_ms` of the state that this command answers (`reserve[0]`; the robot ignores it).
    pub answers_tick_ms: u32,
    /// The robot node's state for the bridge (`reserve[1]`): see [`Self::BUSY`].
    pub flags: u32,
    /// The robot controller's epoch (`reserve[2]`).
    pub controller_epoch: u32,
}

impl LowCommand {
    /// Flag: a skill or velocity command is executing.
    pub const BUSY: u32 = 1;
    /// Flag: stopped by `team/stop`, lost heartbeat or stale state.
    pub const STOPPED: u32 = 2;
    /// Flag: fallen, or its state is not finite.
    pub const FAULT: u32 = 4;
    /// Flag: holding a posture on purpose (support posture).
    pub const HOLDING: u32 = 8;

    /// True when every set-point is finite and gains are not negative.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.motors.iter().all(|m| {
            [m.q, m.dq, m.tau, m.kp, m.kd].iter().all(|v| v.is_finite()) && m.kp >= 0.0 && m.kd >= 0.0
        })
    }
}

/// CRC-32 of the vendor's messages: polynomial 0x04C11DB7, initial 0xFFFFFFFF, no reflection and no
/// final exclusive-or, over little-endian 32-bit words (vendor interface, `facts`).
#[must_use]
pub fn crc32_words(words: &[u32]) -> u32 {
    words.iter().fold(0xFFFF_FFFF_u32, |crc, word| {
        (0..32).rev().fold(crc, |crc, bit| {
            let mixed = (crc >> 31) ^ ((word >> bit) & 1);
            let shifted = crc << 1;
            if mixed == 1 { shifted ^ 0x04C1_1DB7 } else { shifted }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc_matches_the_mpeg2_check_value() {
        // CRC-32/MPEG-2 of the bytes "12345678" big-endian per word.
        let words = [u32::from_be_bytes(*b"1234"), u32::from_be_bytes(*b"5678")];
        let mut reference = 0xFFFF_FFFF_u32;
        for byte in b"12345678" {
            reference ^= u32::from(*byte) << 24;
            for _ in 0..8 {
                reference = if reference >> 31 == 1 { (reference << 1) ^ 0x04C1_1DB7 } else { reference << 1 };
            }
        }
        assert_eq!(crc32_words(&words), reference);
    }
}
