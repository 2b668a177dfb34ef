//! Ranges of the node's settings.

use crate::config::{ArmPosture, Settings};
use std::f64::consts::PI;
use std::path::Path;
use troupe_core::config::{ConfigError, in_range};

impl Settings {
    /// Checks every number; `file` is for messages.
    ///
    /// # Errors
    /// [`ConfigError::Key`] naming the key, its value and the allowed range.
    pub fn check(&self, file: &Path) -> Result<(), ConfigError> {
        let (g, m, s, a, f) = (&self.gait, &self.motion, &self.settle, &self.support, &self.safety);
        let rows = [
            ("gait.ticks_per_cycle", g.ticks_per_cycle, 10.0, 500.0),
            ("gait.start_phase_rad", g.start_phase_rad[0], -PI, PI),
            ("gait.start_phase_rad", g.start_phase_rad[1], -PI, PI),
            ("gait.action_scale", g.action_scale.into(), 0.01, 2.0),
            ("gait.action_limit", g.action_limit.into(), 1.0, 1000.0),
            ("motion.ramp_s", m.ramp_s, 0.0, 5.0),
            ("motion.feedback_per_s", m.feedback_per_s, 0.0, 10.0),
            ("motion.command_limit", m.command_limit[0], 0.0, 1.0),
            ("motion.command_limit", m.command_limit[1], 0.0, 1.0),
            ("motion.command_limit", m.command_limit[2], 0.0, 1.0),
            // Below 0.01 m/s the policy stands.
            ("motion.keep_stepping_mps", m.keep_stepping_mps, 0.0101, 0.1),
            ("motion.correct_s", m.correct_s, 0.0, 10.0),
            ("motion.reference_carry_m", m.reference_carry_m, 0.0, 1.0),
            ("motion.reference_carry_rad", m.reference_carry_rad, 0.0, 1.0),
            ("motion.retreat_speed_mps", m.retreat_speed_mps, 0.05, 0.5),
            ("motion.start_slack_ticks", m.start_slack_ticks as f64, 0.0, 50.0),
            ("motion.start_ahead_ticks", m.start_ahead_ticks as f64, 1.0, 50_000.0),
            ("settle.speed_below_mps", s.speed_below_mps, 0.001, 0.5),
            ("settle.rest_s", s.rest_s, 0.02, 5.0),
            ("settle.least_s", s.least_s, 0.0, 10.0),
            ("settle.most_s", s.most_s, s.least_s.max(s.rest_s), 30.0),
            ("support.stiffness_nm", a.stiffness_nm.into(), 0.0, 200.0),
            ("support.damping_nms", a.damping_nms.into(), 0.0, 20.0),
            ("support.ramp_s", a.ramp_s, 0.5, 60.0),
            ("support.still_s", a.still_s, 0.0, 10.0),
            ("support.place_s", a.place_s, 0.0, 10.0),
            ("support.lower_s", a.lower_s, 0.5, 60.0),
            ("support.release_s", a.release_s, 0.5, 60.0),
            ("support.rest_s", a.rest_s, 0.0, 10.0),
            ("safety.fall_height_m", f.fall_height_m, 0.1, 0.7),
            ("safety.fall_tilt_rad", f.fall_tilt_rad, 0.2, PI),
            ("safety.fault_damping_nms", f.fault_damping_nms.into(), 0.0, 20.0),
            ("safety.speed_mps", f.speed_mps, 0.05, 2.0),
            ("safety.turn_rps", f.turn_rps, 0.05, 3.0),
            ("safety.mean_s", f.mean_s, 0.1, 10.0),
            ("safety.separation_m", f.separation_m[0], 0.0, f.separation_m[1]),
            ("safety.separation_m", f.separation_m[1], f.separation_m[0], 100.0),
            ("safety.velocity_duration_s", f.velocity_duration_s, 0.02, 3600.0),
            ("set_points.beyond_limit_rad", self.set_points.beyond_limit_rad, 0.0, 2.0),
        ];
        for (key, value, low, high) in rows {
            in_range(file, key, value, low, high)?;
        }
        for (key, [low, high]) in [
            ("bounds.distance_m", self.bounds.distance_m),
            ("bounds.yaw_rad", self.bounds.yaw_rad),
            ("bounds.speed_mps", self.bounds.speed_mps),
            ("bounds.speed_rps", self.bounds.speed_rps),
            ("bounds.duration_s", self.bounds.duration_s),
        ] {
            in_range(file, key, low, 1e-6, 100.0)?;
            in_range(file, key, high, low, 100.0)?;
        }
        let own = [("carry", a.carry), ("lowered", a.lowered), ("released", a.released)];
        let own = own.map(|(name, posture)| (format!("support.{name}"), posture));
        let presets = a.presets.iter().flat_map(|(preset, p)| {
            let postures = [("carry", p.carry), ("lowered", p.lowered), ("released", p.released)];
            postures.map(|(name, posture)| (format!("support.presets.{preset}.{name}"), posture))
        });
        for (key, posture) in own.into_iter().chain(presets) {
            for (joint, value) in named(&posture) {
                in_range(file, &format!("{key}.{joint}"), value, -PI, PI)?;
            }
        }
        for (joint, [low, high]) in &self.set_points.joint_limits_rad {
            let key = format!("set_points.joint_limits_rad.{joint}");
            in_range(file, &key, *low, -2.0 * PI, *high)?;
            in_range(file, &key, *high, *low, 2.0 * PI)?;
        }
        Ok(())
    }
}

fn named(p: &ArmPosture) -> [(&'static str, f64); 7] {
    [
        ("shoulder_pitch_rad", p.shoulder_pitch_rad),
        ("shoulder_roll_rad", p.shoulder_roll_rad),
        ("shoulder_yaw_rad", p.shoulder_yaw_rad),
        ("elbow_rad", p.elbow_rad),
        ("wrist_roll_rad", p.wrist_roll_rad),
        ("wrist_pitch_rad", p.wrist_pitch_rad),
        ("wrist_yaw_rad", p.wrist_yaw_rad),
    ]
}
