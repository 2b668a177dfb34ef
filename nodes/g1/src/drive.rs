//! From a velocity command to motor commands: gait, policy, arms, limits.

use crate::controller::G1;
use crate::enforce::{self, JointTargets, LimitedJoint};
use crate::sense;
use crate::sport::{FSM_DAMP, FSM_ZERO_TORQUE};
use troupe_core::device::{G1_JOINTS, LowCommand, LowState, MotorCommand};
use troupe_policy::observation::gravity_in_body;
use troupe_policy::{GaitPhase, Observation, PolicyError};

impl G1 {
    /// A command without a policy step, for when no fresh state comes or the process ends: holds the
    /// set-points that were sent last, or damps when `low` cannot be trusted.
    #[must_use]
    pub fn hold_command(&self, low: &LowState) -> LowCommand {
        let mut targets = self.policy_targets();
        self.memory.arms.override_arms(&self.config.settings.support, &mut targets);
        let motors = if !self.enabled || self.memory.fsm == FSM_ZERO_TORQUE {
            enforce::no_torque()
        } else if self.latches.fault.is_some() || self.memory.fsm == FSM_DAMP || sense::check_device(low).is_err() {
            enforce::damping(self.config.settings.safety.fault_damping_nms)
        } else {
            enforce::enforce(&self.config.joints, &targets, low).motors
        };
        let mut command = self.command(low, motors);
        command.flags |= LowCommand::STOPPED;
        command
    }

    /// From the velocity command to the motors.
    pub(crate) fn act(&mut self, low: &LowState, velocity: [f32; 3]) -> ([MotorCommand; G1_JOINTS], Vec<LimitedJoint>) {
        self.memory.velocity_command = [0.0; 3];
        if !self.enabled || self.memory.fsm == FSM_ZERO_TORQUE {
            return (enforce::no_torque(), vec![]);
        }
        let damping = enforce::damping(self.config.settings.safety.fault_damping_nms);
        if self.latches.fault.is_some() || self.memory.fsm == FSM_DAMP {
            return (damping, vec![]);
        }
        self.memory.velocity_command = velocity;
        match self.policy_step(low, velocity) {
            Ok(()) => {
                let mut targets = self.policy_targets();
                self.memory.arms.apply(&self.config.settings.support, &mut targets);
                let sent = enforce::enforce(&self.config.joints, &targets, low);
                (sent.motors, sent.limited)
            }
            Err(e) => {
                self.memory.velocity_command = [0.0; 3];
                self.fail(&e.to_string());
                (damping, vec![])
            }
        }
    }

    /// Gait phase, observation, action.
    fn policy_step(&mut self, low: &LowState, velocity: [f32; 3]) -> Result<(), PolicyError> {
        let gait = &self.config.settings.gait;
        self.memory.gait.advance(velocity, gait.start_phase_rad, gait.ticks_per_cycle);
        let observation = Observation {
            last_action: &self.memory.last_action,
            angular_velocity: low.imu.gyroscope,
            velocity_command: velocity,
            gait: &self.memory.gait,
            joint_position: &low.motors.map(|m| m.q),
            default_position: &self.config.joints.home,
            joint_velocity: &low.motors.map(|m| m.dq),
            gravity: gravity_in_body(low.imu.quaternion_wxyz),
            mask_arms: self.memory.arms.engaged,
        };
        let action = self.policy.infer(&observation.values())?;
        if let Some((index, value)) = action.iter().enumerate().find(|(_, v)| !v.is_finite()) {
            return Err(PolicyError::NotFinite { index, value: *value });
        }
        self.memory.last_action = action.map(|a| a.max(-gait.action_limit).min(gait.action_limit));
        Ok(())
    }

    /// Set-points and gains of the last action.
    fn policy_targets(&self) -> JointTargets {
        let joints = &self.config.joints;
        let scale = self.config.settings.gait.action_scale;
        let mut position = joints.home;
        for (target, action) in position.iter_mut().zip(self.memory.last_action) {
            *target += scale * action;
        }
        JointTargets { position, kp: joints.kp, kd: joints.kd }
    }

    pub(crate) fn command(&self, low: &LowState, motors: [MotorCommand; G1_JOINTS]) -> LowCommand {
        let flag = |on: bool, flag: u32| if on { flag } else { 0 };
        LowCommand {
            mode_machine: low.mode_machine,
            motors,
            answers_tick_ms: low.tick_ms,
            flags: flag(self.is_busy(), LowCommand::BUSY)
                | flag(self.latches.stop_reason().is_some(), LowCommand::STOPPED)
                | flag(self.latches.fault.is_some(), LowCommand::FAULT)
                | flag(self.memory.arms.engaged, LowCommand::HOLDING),
            controller_epoch: self.controller_epoch,
        }
    }

    /// The policy starts as after a reset.
    pub(crate) fn restart_gait(&mut self) {
        self.memory.last_action = [0.0; G1_JOINTS];
        self.memory.gait = GaitPhase::starting_at(self.config.settings.gait.start_phase_rad);
    }
}
