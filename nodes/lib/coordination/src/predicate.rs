//! Names of the conditions a verdict rests on; also what `evidence_required` may name.

/// Each robot touches the payload long enough.
pub const SUPPORT: &str = "support";
/// Payload tilt.
pub const PAYLOAD_TILT: &str = "payload_tilt";
/// Lowest point of the payload.
pub const PAYLOAD_Z_MIN: &str = "payload_z_min";
/// Payload neither low nor on the floor (CE-075).
pub const DROP: &str = "drop";
/// Torso tilt of the worst robot.
pub const TORSO_TILT: &str = "torso_tilt";
/// Pelvis height of the lowest robot.
pub const PELVIS_Z: &str = "pelvis_z";
/// Impulse against walls.
pub const WALL_IMPULSE: &str = "wall_impulse";
/// Payload against a wall at rest.
pub const PAYLOAD_WALL_CONTACT: &str = "payload_wall_contact";
/// Every skill ended without error.
pub const SKILLS: &str = "skills";
/// Robots at rest.
pub const SETTLED: &str = "settled";
/// Error of the robots' distance.
pub const FORMATION_DISTANCE: &str = "formation_distance";
/// Heading between the robots.
pub const FORMATION_HEADING: &str = "formation_heading";
/// Progress along the reference.
pub const PROGRESS: &str = "progress";
/// Fall of the heading error to the gate.
pub const CORNER_ERROR_FALL: &str = "corner_error_fall";
/// Fall of the error that the objective names.
pub const SETUP_FALL: &str = "setup_fall";
/// Growth of any other error.
pub const SETUP_GROWTH: &str = "setup_growth";
/// Payload centre to target centre in the plane.
pub const PLACEMENT_RADIUS: &str = "placement_radius";
/// Payload centre against its height at rest on the target.
pub const PLACEMENT_VERTICAL: &str = "placement_vertical";
/// Payload height over the target before support may be withdrawn (CE-006).
pub const RELEASE_GATE: &str = "release_gate";
/// The target, or every robot, carries the payload.
pub const PAYLOAD_CARRIED: &str = "payload_carried";
/// The target carries the payload.
pub const TARGET_SUPPORT: &str = "target_support";
/// No robot touches the payload.
pub const ROBOT_FREE: &str = "robot_free";
/// Gain of distance between robots and target.
pub const RETREAT_PROGRESS: &str = "retreat_progress";
/// Robots far enough from the target.
pub const CLEARANCE: &str = "clearance";
/// How long placement has held.
pub const PLACEMENT_HOLD: &str = "placement_hold";
/// How long retreat has held.
pub const RETREAT_HOLD: &str = "retreat_hold";
/// All route gates certified.
pub const MILESTONES: &str = "milestones";
/// Measurements complete and finite.
pub const SENSOR: &str = "sensor";

/// Some next move keeps the margins, as a copy of the world foretells (CE-074).
pub const LOOK_AHEAD: &str = "look_ahead";

/// Every name above.
pub const NAMES: [&str; 29] = [
    SUPPORT,
    PAYLOAD_TILT,
    PAYLOAD_Z_MIN,
    DROP,
    TORSO_TILT,
    PELVIS_Z,
    WALL_IMPULSE,
    PAYLOAD_WALL_CONTACT,
    SKILLS,
    SETTLED,
    FORMATION_DISTANCE,
    FORMATION_HEADING,
    PROGRESS,
    CORNER_ERROR_FALL,
    SETUP_FALL,
    SETUP_GROWTH,
    PLACEMENT_RADIUS,
    PLACEMENT_VERTICAL,
    RELEASE_GATE,
    PAYLOAD_CARRIED,
    TARGET_SUPPORT,
    ROBOT_FREE,
    RETREAT_PROGRESS,
    CLEARANCE,
    PLACEMENT_HOLD,
    RETREAT_HOLD,
    MILESTONES,
    SENSOR,
    LOOK_AHEAD,
];

/// Whether a predicate says that something was achieved, not only that nothing broke.
#[must_use]
pub fn is_achievement(name: &str) -> bool {
    matches!(
        name,
        PROGRESS | CORNER_ERROR_FALL | SETUP_FALL | PAYLOAD_CARRIED | TARGET_SUPPORT | PLACEMENT_RADIUS | ROBOT_FREE | RETREAT_PROGRESS
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let distinct: std::collections::BTreeSet<&str> = NAMES.into_iter().collect();
        assert_eq!(distinct.len(), NAMES.len());
    }
}
