//! `unitree_hg/LowCmd`: reserve 0 to 2 carry the answered tick, the flags and the controller epoch,
//! which the robot ignores; the crc is set and checked here.

use super::{ConvertError, array};
use crate::crc;
use r2r::unitree_hg::msg::{LowCmd, MotorCmd};
use troupe_core::device::{G1_JOINTS, LowCommand, MOTOR_SLOTS, MotorCommand};

/// A message with its crc.
#[must_use]
pub fn to_wire(command: &LowCommand) -> LowCmd {
    let mut motor_cmd: Vec<MotorCmd> = command.motors.iter().map(motor_to_wire).collect();
    motor_cmd.resize_with(MOTOR_SLOTS, || motor_to_wire(&MotorCommand::default()));
    let mut message = LowCmd {
        mode_pr: 0,
        mode_machine: command.mode_machine,
        motor_cmd,
        reserve: vec![command.answers_tick_ms, command.flags, command.controller_epoch, 0],
        crc: 0,
    };
    message.crc = crc::of_command(&message);
    message
}

fn motor_to_wire(m: &MotorCommand) -> MotorCmd {
    MotorCmd { mode: m.mode, q: m.q, dq: m.dq, tau: m.tau, kp: m.kp, kd: m.kd, reserve: 0 }
}

/// A command as sent; NaN passes.
///
/// # Errors
/// [`ConvertError::Crc`], [`ConvertError::Length`].
pub fn from_wire(message: &LowCmd) -> Result<LowCommand, ConvertError> {
    let computed = crc::of_command(message);
    if computed != message.crc {
        return Err(ConvertError::Crc { message: "LowCmd", given: message.crc, computed });
    }
    let given = message.motor_cmd.len();
    let short = ConvertError::Length { field: "motor_cmd", given, required: MOTOR_SLOTS };
    let slots = message.motor_cmd.get(..G1_JOINTS).ok_or(short)?;
    let mut motors = [MotorCommand::default(); G1_JOINTS];
    for (motor, m) in motors.iter_mut().zip(slots) {
        *motor = MotorCommand { mode: m.mode, q: m.q, dq: m.dq, tau: m.tau, kp: m.kp, kd: m.kd };
    }
    let [answers_tick_ms, flags, controller_epoch, _] = array::<u32, 4>("reserve", &message.reserve)?;
    Ok(LowCommand { mode_machine: message.mode_machine, motors, answers_tick_ms, flags, controller_epoch })
}
