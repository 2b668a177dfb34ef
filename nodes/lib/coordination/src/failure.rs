//! From failed predicates to a failure type, and from that to the level a repair should change (CE-073).

use crate::predicate;
use troupe_core::evidence::{FailureType, Level};

/// All types, most severe first: a fallen robot explains a lost payload, not the other way round.
pub const SEVERITY: [FailureType; 12] = [
    FailureType::Sensor,
    FailureType::RobotFall,
    FailureType::PayloadDrop,
    FailureType::SupportLost,
    FailureType::Tilt,
    FailureType::WallContact,
    FailureType::ReleaseGate,
    FailureType::Timeout,
    FailureType::UnequalDisplacement,
    FailureType::FormationDrift,
    FailureType::WrongDirection,
    FailureType::InsufficientProgress,
];

/// Level that the host suggests; `None` where no decision is to blame.
#[must_use]
pub fn level(failure: FailureType) -> Option<Level> {
    match failure {
        FailureType::Sensor => None,
        FailureType::RobotFall | FailureType::WallContact | FailureType::WrongDirection => Some(Level::Strategy),
        FailureType::PayloadDrop | FailureType::SupportLost | FailureType::FormationDrift => Some(Level::Coordination),
        FailureType::Tilt
        | FailureType::ReleaseGate
        | FailureType::Timeout
        | FailureType::UnequalDisplacement
        | FailureType::InsufficientProgress => Some(Level::Parameter),
    }
}

/// Type of a failed predicate by its name; insufficient progress for all that only measure advance.
#[must_use]
pub fn of_predicate(name: &str) -> FailureType {
    match name {
        predicate::SENSOR => FailureType::Sensor,
        predicate::TORSO_TILT | predicate::PELVIS_Z => FailureType::RobotFall,
        predicate::DROP => FailureType::PayloadDrop,
        predicate::SUPPORT | predicate::PAYLOAD_Z_MIN | predicate::PAYLOAD_CARRIED | predicate::TARGET_SUPPORT => {
            FailureType::SupportLost
        }
        predicate::PAYLOAD_TILT => FailureType::Tilt,
        predicate::WALL_IMPULSE | predicate::PAYLOAD_WALL_CONTACT => FailureType::WallContact,
        predicate::RELEASE_GATE | predicate::PLACEMENT_RADIUS | predicate::PLACEMENT_VERTICAL | predicate::ROBOT_FREE => {
            FailureType::ReleaseGate
        }
        predicate::SKILLS | predicate::SETTLED => FailureType::Timeout,
        predicate::FORMATION_DISTANCE | predicate::FORMATION_HEADING => FailureType::FormationDrift,
        _ => FailureType::InsufficientProgress,
    }
}

/// The most severe of several.
#[must_use]
pub fn most_severe(failures: &[FailureType]) -> Option<FailureType> {
    SEVERITY.into_iter().find(|f| failures.contains(f))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_a_place_and_a_level() {
        for failure in FailureType::ALL {
            assert!(SEVERITY.contains(failure), "{failure:?}");
            assert_eq!(level(*failure).is_none(), *failure == FailureType::Sensor);
        }
        assert_eq!(most_severe(&[FailureType::InsufficientProgress, FailureType::Tilt]), Some(FailureType::Tilt));
        assert_eq!(most_severe(&[]), None);
    }
}
