//! What each skill consists of: a motion or standing, an arm posture, and how long each part takes.

use crate::arms::{ARM_JOINTS, both_arms};
use crate::config::Settings;
use crate::memory::Lifecycle;
use crate::motion::Motion;
use troupe_core::TICK_S;
use troupe_core::skill::SkillCall;
use troupe_core::ticks;

/// The parts of a skill, in ticks.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Where the base moves; `None` stands.
    pub motion: Option<Motion>,
    /// Length of the motion, of standing, or of the arm motion with its rest.
    pub move_ticks: u64,
    /// Closing in on the final pose.
    pub correct_ticks: u64,
    /// Posture to ramp the arms to, and the ramp's length.
    pub arms: Option<([f32; ARM_JOINTS], u64)>,
}

impl Plan {
    /// The parts of a call.
    #[must_use]
    pub fn of(call: &SkillCall, settings: &Settings) -> Self {
        let (motion, support) = (&settings.motion, &settings.support);
        let standing = |seconds: f64| Self { motion: None, move_ticks: ticks(seconds), correct_ticks: 0, arms: None };
        let ramp = |posture, ramp_s: f64, rest_s: f64| Self {
            arms: Some((both_arms(posture), ticks(ramp_s))),
            ..standing(ramp_s + rest_s)
        };
        match *call {
            SkillCall::Walk { .. } | SkillCall::Turn { .. } | SkillCall::Arc { .. } | SkillCall::Retreat { .. } => {
                let path = Motion::of(call, motion.ramp_s, motion.retreat_speed_mps);
                let duration_s = path.as_ref().map_or(0.0, Motion::duration_s);
                Self {
                    // Rounding absorbs the last digit, so equal quotients give equal ticks.
                    move_ticks: (duration_s / TICK_S - 1e-6).ceil().max(0.0) as u64,
                    motion: path,
                    correct_ticks: ticks(motion.correct_s),
                    arms: None,
                }
            }
            SkillCall::Hold { duration_s } => standing(duration_s),
            SkillCall::Stop => standing(0.0),
            SkillCall::InitSupport => Self {
                correct_ticks: ticks(support.place_s),
                ..ramp(&support.carry, support.ramp_s, support.still_s)
            },
            SkillCall::LowerToTarget => ramp(&support.lowered, support.lower_s, support.rest_s),
            SkillCall::Release => ramp(&support.released, support.release_s, support.rest_s),
        }
    }
}

/// Phase that a lifecycle skill needs (none: any), and the one it leads to; `None` for the other skills.
/// The arms may go into the support posture from anywhere: first, and again to regrip a payload (CE-150).
#[must_use]
pub fn lifecycle(call: &SkillCall) -> Option<(Option<Lifecycle>, Lifecycle)> {
    Some(match call {
        SkillCall::InitSupport => (None, Lifecycle::Supporting),
        SkillCall::LowerToTarget => (Some(Lifecycle::Supporting), Lifecycle::Lowered),
        SkillCall::Release => (Some(Lifecycle::Lowered), Lifecycle::Released),
        SkillCall::Retreat { .. } => (Some(Lifecycle::Released), Lifecycle::Released),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests_support::settings;

    #[test]
    fn turn_and_arc_of_a_pivot_take_the_same_ticks() {
        let settings = settings();
        for yaw_rad in [0.05, 0.1, 0.2618, 0.349] {
            let turn = Plan::of(&SkillCall::Turn { yaw_rad, speed_rps: 0.25 }, &settings);
            let arc = Plan::of(&SkillCall::Arc { distance_m: 0.8 * yaw_rad, yaw_rad, speed_mps: 0.2 }, &settings);
            assert_eq!((turn.move_ticks, turn.correct_ticks), (arc.move_ticks, arc.correct_ticks));
        }
    }

    #[test]
    fn the_support_takes_its_ramp_and_stands_before_it_steps() {
        let plan = Plan::of(&SkillCall::InitSupport, &settings());
        assert_eq!((plan.move_ticks, plan.correct_ticks), (340, 90));
        assert_eq!(plan.arms.map(|(_, t)| t), Some(300));
        assert_eq!(Plan::of(&SkillCall::Stop, &settings()).move_ticks, 0);
    }
}
