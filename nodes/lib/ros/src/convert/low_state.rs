//! `unitree_hg/LowState`. The crc is set here and checked on arrival.

use super::{ConvertError, array};
use crate::crc;
use r2r::unitree_hg::msg::{IMUState, LowState as Message, MotorState as MotorMessage};
use troupe_core::device::{G1_JOINTS, Imu, LowState, MOTOR_SLOTS, MotorState};

/// A message with its crc. Temperatures and voltages that a simulation does not have are 0.
#[must_use]
pub fn to_wire(state: &LowState) -> Message {
    let mut motor_state: Vec<MotorMessage> = state.motors.iter().map(motor_to_wire).collect();
    motor_state.resize_with(MOTOR_SLOTS, || motor_to_wire(&MotorState::default()));
    let imu = &state.imu;
    let mut message = Message {
        version: vec![0; 2],
        mode_pr: 0,
        mode_machine: state.mode_machine,
        tick: state.tick_ms,
        imu_state: IMUState {
            quaternion: imu.quaternion_wxyz.to_vec(),
            gyroscope: imu.gyroscope.to_vec(),
            accelerometer: imu.accelerometer.to_vec(),
            rpy: imu.rpy.to_vec(),
            temperature: 0,
        },
        motor_state,
        wireless_remote: vec![0; 40],
        reserve: vec![0; 4],
        crc: 0,
    };
    message.crc = crc::of_state(&message);
    message
}

fn motor_to_wire(m: &MotorState) -> MotorMessage {
    MotorMessage {
        mode: m.mode,
        q: m.q,
        dq: m.dq,
        ddq: 0.0,
        tau_est: m.tau_est,
        temperature: vec![0; 2],
        vol: 0.0,
        sensor: vec![0; 2],
        motorstate: 0,
        reserve: vec![0; 4],
    }
}

/// A state as sent; NaN passes.
///
/// # Errors
/// [`ConvertError::Crc`], [`ConvertError::Length`].
pub fn from_wire(message: &Message) -> Result<LowState, ConvertError> {
    let computed = crc::of_state(message);
    if computed != message.crc {
        return Err(ConvertError::Crc { message: "LowState", given: message.crc, computed });
    }
    let given = message.motor_state.len();
    let short = ConvertError::Length { field: "motor_state", given, required: MOTOR_SLOTS };
    let slots = message.motor_state.get(..G1_JOINTS).ok_or(short)?;
    let mut motors = [MotorState::default(); G1_JOINTS];
    for (motor, m) in motors.iter_mut().zip(slots) {
        *motor = MotorState { mode: m.mode, q: m.q, dq: m.dq, tau_est: m.tau_est };
    }
    let imu = &message.imu_state;
    Ok(LowState {
        mode_machine: message.mode_machine,
        tick_ms: message.tick,
        imu: Imu {
            quaternion_wxyz: array("imu_state.quaternion", &imu.quaternion)?,
            gyroscope: array("imu_state.gyroscope", &imu.gyroscope)?,
            accelerometer: array("imu_state.accelerometer", &imu.accelerometer)?,
            rpy: array("imu_state.rpy", &imu.rpy)?,
        },
        motors,
    })
}
