//! The arms as a support: set-points, ramps between postures, blended gains.

use crate::config::{ArmPosture, SupportSettings};
use crate::enforce::JointTargets;
use serde::{Deserialize, Serialize};
use troupe_core::device::G1_JOINTS;
use troupe_policy::ARM_FIRST;

/// Joints of both arms.
pub const ARM_JOINTS: usize = G1_JOINTS - ARM_FIRST;

/// Who drives the arms, and where to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arms {
    /// True: the support posture; false: the walking policy.
    pub engaged: bool,
    /// Share of the support's gains, 0..1.
    pub weight: f32,
    /// Set-points that were sent last, left arm then right arm, rad.
    pub posture: [f32; ARM_JOINTS],
}

/// A linear blend from where the arms are to a posture.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmRamp {
    /// Set-points at its start, rad.
    pub from: [f32; ARM_JOINTS],
    /// Gain share at its start.
    pub from_weight: f32,
    /// Set-points at its end, rad.
    pub to: [f32; ARM_JOINTS],
    /// Ticks that it takes.
    pub ticks: u64,
}

impl Arms {
    /// Driven by the policy, at the default pose.
    #[must_use]
    pub fn relaxed(home: &[f32; G1_JOINTS]) -> Self {
        let mut posture = [0.0; ARM_JOINTS];
        copy(&mut posture, home.iter().skip(ARM_FIRST));
        Self { engaged: false, weight: 0.0, posture }
    }

    /// Starts a ramp from the set-points that were sent last.
    #[must_use]
    pub fn ramp_to(&self, to: [f32; ARM_JOINTS], ticks: u64) -> ArmRamp {
        ArmRamp { from: self.posture, from_weight: self.weight, to, ticks }
    }

    /// Moves to where `ramp` is after `elapsed` ticks.
    pub fn follow(&mut self, ramp: &ArmRamp, elapsed: u64) {
        let share = if elapsed >= ramp.ticks { 1.0 } else { elapsed as f32 / ramp.ticks as f32 };
        let blend = |from: f32, to: f32| (1.0 - share) * from + share * to;
        self.engaged = true;
        self.weight = blend(ramp.from_weight, 1.0);
        for ((posture, from), to) in self.posture.iter_mut().zip(ramp.from).zip(ramp.to) {
            *posture = blend(from, to);
        }
    }

    /// Puts the support's set-points and gains over the policy's; notes the policy's while it drives.
    pub fn apply(&mut self, settings: &SupportSettings, targets: &mut JointTargets) {
        if !self.engaged {
            copy(&mut self.posture, targets.position.iter().skip(ARM_FIRST));
        }
        self.override_arms(settings, targets);
    }

    /// Puts the support's set-points and gains over the policy's while the support is engaged.
    pub fn override_arms(&self, settings: &SupportSettings, targets: &mut JointTargets) {
        if !self.engaged {
            return;
        }
        copy_to(targets.position.iter_mut(), &self.posture);
        for (kp, kd) in targets.kp.iter_mut().zip(&mut targets.kd).skip(ARM_FIRST) {
            *kp = (1.0 - self.weight) * *kp + self.weight * settings.stiffness_nm;
            *kd = (1.0 - self.weight) * *kd + self.weight * settings.damping_nms;
        }
    }
}

/// Set-points of both arms: the right one mirrors roll and yaw.
#[must_use]
pub fn both_arms(left: &ArmPosture) -> [f32; ARM_JOINTS] {
    let l = left;
    let arm = |side: f64| {
        [
            l.shoulder_pitch_rad,
            side * l.shoulder_roll_rad,
            side * l.shoulder_yaw_rad,
            l.elbow_rad,
            side * l.wrist_roll_rad,
            l.wrist_pitch_rad,
            side * l.wrist_yaw_rad,
        ]
    };
    let mut posture = [0.0; ARM_JOINTS];
    for (place, value) in posture.iter_mut().zip(arm(1.0).into_iter().chain(arm(-1.0))) {
        *place = value as f32;
    }
    posture
}

fn copy<'a>(to: &mut [f32; ARM_JOINTS], from: impl Iterator<Item = &'a f32>) {
    copy_all(to.iter_mut(), from);
}

fn copy_to<'a>(to: impl Iterator<Item = &'a mut f32>, from: &[f32; ARM_JOINTS]) {
    copy_all(to.skip(ARM_FIRST), from.iter());
}

fn copy_all<'a, 'b>(to: impl Iterator<Item = &'a mut f32>, from: impl Iterator<Item = &'b f32>) {
    for (place, value) in to.zip(from) {
        *place = *value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests_support::config;

    #[test]
    fn a_ramp_starts_where_the_arms_are_and_ends_in_the_posture() {
        let config = config();
        let carry = both_arms(&config.settings.support.carry);
        let mut arms = Arms::relaxed(&config.joints.home);
        let start = arms.posture;
        let ramp = arms.ramp_to(carry, 300);
        let mut largest_step = 0.0_f32;
        for tick in 1..=300 {
            let before = arms.posture;
            arms.follow(&ramp, tick);
            for (a, b) in before.iter().zip(arms.posture) {
                largest_step = largest_step.max((a - b).abs());
            }
            if tick == 150 {
                assert!((arms.posture[5] - 0.5 * (start[5] + carry[5])).abs() < 1e-6);
                assert!((arms.weight - 0.5).abs() < 1e-6);
            }
        }
        assert_eq!((arms.posture, arms.weight), (carry, 1.0));
        assert!(largest_step < 0.01, "{largest_step}");
    }

    /// CE-010.
    #[test]
    fn the_support_overrides_the_arms_and_leaves_the_legs() {
        let config = config();
        let mut targets =
            JointTargets { position: [0.7; G1_JOINTS], kp: config.joints.kp, kd: config.joints.kd };
        let mut arms = Arms::relaxed(&config.joints.home);
        arms.apply(&config.settings.support, &mut targets);
        assert_eq!((arms.posture, targets.position), ([0.7; ARM_JOINTS], [0.7; G1_JOINTS]));
        let ramp = arms.ramp_to(both_arms(&config.settings.support.carry), 1);
        arms.follow(&ramp, 1);
        arms.apply(&config.settings.support, &mut targets);
        assert_eq!(targets.position[14], 0.7);
        assert_eq!((targets.position[15], targets.kp[15], targets.kd[28]), (-0.2, 24.0, 1.5));
        assert_eq!(targets.kp[0], config.joints.kp[0]);
    }

    #[test]
    fn the_right_arm_mirrors_roll_and_yaw() {
        let posture = ArmPosture {
            shoulder_pitch_rad: 1.0,
            shoulder_roll_rad: 2.0,
            shoulder_yaw_rad: 3.0,
            elbow_rad: 4.0,
            wrist_roll_rad: 5.0,
            wrist_pitch_rad: 6.0,
            wrist_yaw_rad: 7.0,
        };
        assert_eq!(both_arms(&posture)[7..], [1.0, -2.0, -3.0, 4.0, -5.0, 6.0, -7.0]);
    }
}
