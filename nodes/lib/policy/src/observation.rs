//! The 100 values that the G1's walking policies see, one slot a term.

use crate::gait::GaitPhase;
use std::ops::Range;

/// Values in an observation.
pub const OBSERVATIONS: usize = 100;
/// Values in an action: one a joint.
pub const ACTIONS: usize = 29;
/// First arm joint in motor order; the arms are the last fourteen.
pub const ARM_FIRST: usize = 15;

/// Previous policy action, raw.
pub const LAST_ACTION: Range<usize> = 0..29;
/// Pelvis angular velocity in the body frame × 0.25.
pub const ANGULAR_VELOCITY: Range<usize> = 29..32;
/// Commanded yaw rate, rad/s.
pub const YAW_RATE_COMMAND: Range<usize> = 32..33;
/// Commanded vx, vy in the base frame, m/s.
pub const VELOCITY_COMMAND: Range<usize> = 33..35;
/// Cosine of the phase, left then right.
pub const PHASE_COS: Range<usize> = 35..37;
/// Joint positions less the default pose, rad.
pub const JOINT_POSITION: Range<usize> = 37..66;
/// Joint velocities × 0.05.
pub const JOINT_VELOCITY: Range<usize> = 66..95;
/// Unit vector of gravity in the body frame.
pub const GRAVITY: Range<usize> = 95..98;
/// Sine of the phase, left then right.
pub const PHASE_SIN: Range<usize> = 98..100;

/// Entries that are zeroed while something else drives the arms: with the arms' true state the policy
/// falls (measured).
pub const ARM_ENTRIES: [Range<usize>; 3] = [15..29, 52..66, 81..95];

const ANGULAR_VELOCITY_SCALE: f32 = 0.25;
const JOINT_VELOCITY_SCALE: f32 = 0.05;

/// What an observation is made of.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// Raw action of the tick before.
    pub last_action: &'a [f32; ACTIONS],
    /// rad/s, body frame.
    pub angular_velocity: [f32; 3],
    /// vx, vy in m/s and yaw rate in rad/s, base frame.
    pub velocity_command: [f32; 3],
    /// After this tick's advance.
    pub gait: &'a GaitPhase,
    /// rad, motor order.
    pub joint_position: &'a [f32; ACTIONS],
    /// rad, motor order.
    pub default_position: &'a [f32; ACTIONS],
    /// rad/s, motor order.
    pub joint_velocity: &'a [f32; ACTIONS],
    /// Unit vector of gravity in the body frame, see [`gravity_in_body`].
    pub gravity: [f32; 3],
    /// True while the support posture drives the arms.
    pub mask_arms: bool,
}

impl Observation<'_> {
    /// The values in the policy's order.
    #[must_use]
    pub fn values(&self) -> [f32; OBSERVATIONS] {
        let mut out = [0.0; OBSERVATIONS];
        let [vx, vy, yaw_rate] = self.velocity_command;
        fill(&mut out, LAST_ACTION, self.last_action.iter().copied());
        fill(&mut out, ANGULAR_VELOCITY, self.angular_velocity.iter().map(|w| w * ANGULAR_VELOCITY_SCALE));
        fill(&mut out, YAW_RATE_COMMAND, [yaw_rate]);
        fill(&mut out, VELOCITY_COMMAND, [vx, vy]);
        fill(&mut out, PHASE_COS, self.gait.legs_rad.map(|p| p.cos() as f32));
        fill(&mut out, JOINT_POSITION, self.joint_position.iter().zip(self.default_position).map(|(q, d)| q - d));
        fill(&mut out, JOINT_VELOCITY, self.joint_velocity.iter().map(|v| v * JOINT_VELOCITY_SCALE));
        fill(&mut out, GRAVITY, self.gravity);
        fill(&mut out, PHASE_SIN, self.gait.legs_rad.map(|p| p.sin() as f32));
        if self.mask_arms {
            for entries in ARM_ENTRIES {
                fill(&mut out, entries, std::iter::repeat(0.0));
            }
        }
        out
    }
}

fn fill(out: &mut [f32; OBSERVATIONS], slot: Range<usize>, values: impl IntoIterator<Item = f32>) {
    for (place, value) in out.iter_mut().take(slot.end).skip(slot.start).zip(values) {
        *place = value;
    }
}

/// Unit vector of gravity in the body frame for the orientation `world_from_body` (w, x, y, z).
#[must_use]
pub fn gravity_in_body(quaternion_wxyz: [f32; 4]) -> [f32; 3] {
    let [w, x, y, z] = quaternion_wxyz.map(f64::from);
    let norm = w * w + x * x + y * y + z * z;
    [2.0 * (w * y - x * z), -2.0 * (y * z + w * x), 2.0 * (x * x + y * y) - norm].map(|v| (v / norm) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(mask_arms: bool) -> [f32; OBSERVATIONS] {
        let actions: [f32; ACTIONS] = std::array::from_fn(|i| i as f32 + 1.0);
        let position: [f32; ACTIONS] = std::array::from_fn(|i| 100.0 + i as f32);
        let velocity: [f32; ACTIONS] = std::array::from_fn(|i| 20.0 * (200.0 + i as f32));
        Observation {
            last_action: &actions,
            angular_velocity: [4.0, 8.0, 12.0],
            velocity_command: [0.5, 0.25, -0.125],
            gait: &GaitPhase { legs_rad: [0.0, std::f64::consts::PI], standing: false },
            joint_position: &position,
            default_position: &[0.5; ACTIONS],
            joint_velocity: &velocity,
            gravity: [0.0, 0.0, -1.0],
            mask_arms,
        }
        .values()
    }

    #[test]
    fn every_term_has_its_place_and_scale() {
        let o = numbered(false);
        assert_eq!((o[0], o[28]), (1.0, 29.0));
        assert_eq!(o[29..32], [1.0, 2.0, 3.0]);
        assert_eq!(o[32..35], [-0.125, 0.5, 0.25]);
        assert_eq!(o[35..37], [1.0, -1.0]);
        assert_eq!((o[37], o[65]), (99.5, 127.5));
        assert!((o[66] - 200.0).abs() < 1e-3 && (o[94] - 228.0).abs() < 1e-3);
        assert_eq!(o[95..98], [0.0, 0.0, -1.0]);
        assert!(o[98].abs() < 1e-6 && o[99].abs() < 1e-6);
    }

    #[test]
    fn masking_zeroes_the_arms_and_nothing_else() {
        let (seen, masked) = (numbered(false), numbered(true));
        for i in 0..OBSERVATIONS {
            if (15..29).contains(&i) || (52..66).contains(&i) || (81..95).contains(&i) {
                assert_eq!(masked[i], 0.0, "{i}");
                assert_ne!(seen[i], 0.0, "{i}");
            } else {
                assert_eq!(masked[i], seen[i], "{i}");
            }
        }
    }

    #[test]
    fn the_slots_cover_the_observation_without_overlap() {
        let slots = [
            LAST_ACTION, ANGULAR_VELOCITY, YAW_RATE_COMMAND, VELOCITY_COMMAND, PHASE_COS, JOINT_POSITION,
            JOINT_VELOCITY, GRAVITY, PHASE_SIN,
        ];
        let mut next = 0;
        for slot in slots {
            assert_eq!(slot.start, next);
            next = slot.end;
        }
        assert_eq!(next, OBSERVATIONS);
    }

    #[test]
    fn gravity_points_down_and_turns_with_the_body() {
        assert_eq!(gravity_in_body([1.0, 0.0, 0.0, 0.0]), [0.0, 0.0, -1.0]);
        let half = std::f32::consts::FRAC_PI_4;
        // Pitched forward by 90°: the body's x axis points down.
        let [x, y, z] = gravity_in_body([half.cos(), 0.0, half.sin(), 0.0]);
        assert!((x - 1.0).abs() < 1e-6 && y.abs() < 1e-6 && z.abs() < 1e-6);
        // Rolled to the right: the body's y axis points up.
        let [_, y, _] = gravity_in_body([half.cos(), half.sin(), 0.0, 0.0]);
        assert!((y + 1.0).abs() < 1e-6);
    }
}
