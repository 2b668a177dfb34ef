//! The motor law, run by MuJoCo's actuators at every physics step: τ = tau + kp·(q* − q) + kd·(dq* − dq).
//!
//! Each actuator's force is `ctrl − kp·q − kd·dq`, cut to the motor's torque. A command writes kp and kd
//! into the actuator and `ctrl = kp·q* + kd·dq* + tau`, so the law also holds without stiffness, and
//! the implicit integrator sees the damping.
#![allow(unsafe_code)]

use crate::index::RobotIndex;
use mujoco_rs::prelude::{MjData, MjModel};
use troupe_core::device::{G1_JOINTS, MotorCommand};

/// Hands one robot's command to its actuators. A motor that is not enabled (`mode` 0) gets no torque.
pub(crate) fn command(data: &mut MjData<Box<MjModel>>, robot: &RobotIndex, motors: &[MotorCommand; G1_JOINTS]) {
    for (actuator, motor) in robot.actuators.iter().zip(motors) {
        let enabled = if motor.mode == 0 { 0.0 } else { 1.0 };
        let (kp, kd) = (enabled * f64::from(motor.kp), enabled * f64::from(motor.kd));
        let effort = kp * f64::from(motor.q) + kd * f64::from(motor.dq) + enabled * f64::from(motor.tau);
        // SAFETY: the model is not exchanged; only numbers in an existing row are written.
        let model = unsafe { data.model_mut() };
        if let Some([_, stiffness, damping, ..]) = model.actuator_biasprm_mut().get_mut(*actuator) {
            *stiffness = -kp;
            *damping = -kd;
        }
        if let Some(ctrl) = data.ctrl_mut().get_mut(*actuator) {
            *ctrl = effort;
        }
    }
}
