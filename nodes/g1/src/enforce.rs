//! The last gate before the motors: set-points within limits, torque within the motor's effort.

use crate::joints::Joints;
use troupe_core::device::{G1_JOINTS, LowState, MotorCommand};

/// What is asked of the joints.
#[derive(Clone, Debug, PartialEq)]
pub struct JointTargets {
    /// Set-points, rad.
    pub position: [f32; G1_JOINTS],
    /// N m/rad.
    pub kp: [f32; G1_JOINTS],
    /// N m s/rad.
    pub kd: [f32; G1_JOINTS],
}

/// Why a joint's command was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The set-point was beyond the limits.
    Position,
    /// The gains would have asked for more torque than the motor has.
    Effort,
}

/// One joint whose command was changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitedJoint {
    /// In motor order.
    pub joint: usize,
    /// Why.
    pub limit: Limit,
    /// Asked for: rad or N m.
    pub asked: f32,
    /// Sent: rad or N m.
    pub sent: f32,
}

/// The command that is really sent, and what was changed.
#[derive(Clone, Debug, PartialEq)]
pub struct EnforcedCommand {
    /// In motor order.
    pub motors: [MotorCommand; G1_JOINTS],
    /// In motor order; empty when nothing was changed.
    pub limited: Vec<LimitedJoint>,
}

/// Applies the limits. `targets` and `state` must be finite.
///
/// Where the gains ask for more torque than the motor has at the measured state, both are scaled down
/// together, which keeps the set-point and the ratio of stiffness to damping.
#[must_use]
pub fn enforce(joints: &Joints, targets: &JointTargets, state: &LowState) -> EnforcedCommand {
    let mut motors = [MotorCommand::default(); G1_JOINTS];
    let mut limited = Vec::new();
    for (joint, (motor, measured)) in motors.iter_mut().zip(&state.motors).enumerate() {
        let asked = targets.position[joint];
        let position = asked.max(joints.lowest[joint]).min(joints.highest[joint]);
        if position < asked || position > asked {
            limited.push(LimitedJoint { joint, limit: Limit::Position, asked, sent: position });
        }
        let (mut kp, mut kd) = (targets.kp[joint], targets.kd[joint]);
        let torque = kp * (position - measured.q) - kd * measured.dq;
        let effort = joints.effort[joint];
        if torque.abs() > effort {
            let share = effort / torque.abs();
            kp *= share;
            kd *= share;
            limited.push(LimitedJoint { joint, limit: Limit::Effort, asked: torque, sent: torque * share });
        }
        *motor = MotorCommand { mode: 1, q: position, dq: 0.0, tau: 0.0, kp, kd };
    }
    EnforcedCommand { motors, limited }
}

/// Damping only: the joints give way slowly.
#[must_use]
pub fn damping(kd: f32) -> [MotorCommand; G1_JOINTS] {
    [MotorCommand { mode: 1, kd, ..MotorCommand::default() }; G1_JOINTS]
}

/// No torque at all.
#[must_use]
pub fn no_torque() -> [MotorCommand; G1_JOINTS] {
    [MotorCommand::default(); G1_JOINTS]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests_support::config;
    use crate::sense::tests_support::low_state;

    fn at_home() -> (Joints, JointTargets) {
        let joints = config().joints;
        let targets = JointTargets { position: joints.home, kp: joints.kp, kd: joints.kd };
        (joints, targets)
    }

    #[test]
    fn a_command_within_limits_passes_unchanged() {
        let (joints, targets) = at_home();
        let sent = enforce(&joints, &targets, &low_state(&joints, 0));
        assert!(sent.limited.is_empty());
        assert_eq!(sent.motors[3].q, joints.home[3]);
        assert_eq!(sent.motors[3].kp, joints.kp[3]);
    }

    #[test]
    fn a_set_point_beyond_the_limits_is_brought_back_and_reported() {
        let (joints, mut targets) = at_home();
        targets.position[4] = -9.0;
        let sent = enforce(&joints, &targets, &low_state(&joints, 0));
        assert_eq!(sent.motors[4].q, joints.lowest[4]);
        let report = sent.limited.first().unwrap();
        assert_eq!((report.joint, report.limit, report.asked), (4, Limit::Position, -9.0));
    }

    #[test]
    fn gains_never_ask_for_more_than_the_effort() {
        let (joints, mut targets) = at_home();
        targets.kp[20] = 200.0;
        targets.position[20] = 1.0;
        let mut state = low_state(&joints, 0);
        state.motors[20].dq = -3.0;
        let sent = enforce(&joints, &targets, &state);
        let m = sent.motors[20];
        let torque = m.kp * (m.q - state.motors[20].q) - m.kd * state.motors[20].dq;
        assert!((torque - joints.effort[20]).abs() < 1e-3, "{torque}");
        assert_eq!(sent.limited.first().map(|l| l.limit), Some(Limit::Effort));
    }
}
