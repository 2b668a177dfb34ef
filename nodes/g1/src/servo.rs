//! From a reference pose to a velocity command: feed-forward plus pose feedback, limited.

use crate::config::MotionSettings;
use troupe_core::frames::{Planar, wrap};

/// The velocity command (vx, vy in m/s, yaw rate in rad/s; base frame) that follows a reference.
///
/// `reference` is a world pose, `velocity` its velocity in its own frame, `base` the measured world pose.
/// Never so slow that the gait pauses: stepping on the spot is what keeps a robot in its place.
#[must_use]
pub fn follow(settings: &MotionSettings, reference: Planar, velocity: [f64; 3], base: Planar) -> [f32; 3] {
    let gain = settings.feedback_per_s;
    let (sin, cos) = reference.yaw.sin_cos();
    let in_world = [
        cos * velocity[0] - sin * velocity[1] + gain * (reference.x - base.x),
        sin * velocity[0] + cos * velocity[1] + gain * (reference.y - base.y),
    ];
    let (sin, cos) = base.yaw.sin_cos();
    let command = [
        cos * in_world[0] + sin * in_world[1],
        -sin * in_world[0] + cos * in_world[1],
        velocity[2] + gain * wrap(reference.yaw - base.yaw),
    ];
    limit(settings, command)
}

/// The slowest command that keeps the gait going.
#[must_use]
pub fn step_on_the_spot(settings: &MotionSettings) -> [f32; 3] {
    limit(settings, [0.0; 3])
}

fn limit(settings: &MotionSettings, command: [f64; 3]) -> [f32; 3] {
    let mut limited = command;
    for (value, most) in limited.iter_mut().zip(settings.command_limit) {
        *value = value.clamp(-most, most);
    }
    let least = settings.keep_stepping_mps;
    if limited[0].hypot(limited[1]) < least && limited[2].abs() < least {
        limited[0] = least;
    }
    limited.map(|v| v as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;

    fn settings() -> MotionSettings {
        crate::config::tests_support::settings().motion
    }

    #[test]
    fn feed_forward_turns_from_the_reference_frame_into_the_base_frame() {
        let Settings { motion, .. } = crate::config::tests_support::settings();
        let half_turn = Planar { yaw: std::f64::consts::FRAC_PI_2, ..Planar::default() };
        let command = follow(&motion, half_turn, [0.25, 0.0, 0.0], Planar::default());
        // The reference moves along world y; the yaw error of 90° saturates the turn.
        assert!(command[0].abs() < 1e-6 && (command[1] - 0.25).abs() < 1e-6 && (command[2] - 0.5).abs() < 1e-6);
    }

    #[test]
    fn errors_pull_toward_the_reference_and_are_limited() {
        let near = follow(&settings(), Planar { x: 0.1, y: -0.1, yaw: 0.1 }, [0.0; 3], Planar::default());
        assert!(near.iter().zip([0.15, -0.15, 0.15]).all(|(a, b)| (a - b).abs() < 1e-6));
        let far = follow(&settings(), Planar { x: -9.0, y: 9.0, yaw: -3.0 }, [0.0; 3], Planar::default());
        assert_eq!(far, [-0.5, 0.4, -0.5]);
    }

    #[test]
    fn without_error_it_keeps_stepping() {
        let still = follow(&settings(), Planar::default(), [0.0; 3], Planar::default());
        assert_eq!(still, [0.012, 0.0, 0.0]);
        assert_eq!(still, step_on_the_spot(&settings()));
    }
}
