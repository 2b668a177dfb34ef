//! From failed predicates to a failure type, and from that to the level a repair should change (CE-073).

use crate::predicate;
use troupe_core::evidence::{FailureType, Level};
use troupe_core::relation::{Argument, Comparison, Relation};
use troupe_core::skill::SkillCall;

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

/// What a repair of this failure must do differently between the robots (CE-082): equal commands that had
/// unequal effects cannot be mended by other equal commands.
#[must_use]
pub fn required_relations(failure: Option<FailureType>, failed: &[&str], calls: &[SkillCall]) -> Vec<Relation> {
    let demand = |argument| Relation { argument, comparison: Comparison::Different };
    let all_have = |name: &str| calls.iter().all(|c| c.arguments().iter().any(|(n, _)| *n == name));
    let equal = |argument| !demand(argument).holds(calls);
    let drifted = failure == Some(FailureType::UnequalDisplacement)
        || (failure == Some(FailureType::FormationDrift) && failed.contains(&predicate::FORMATION_HEADING));
    if calls.is_empty() || !drifted {
        return Vec::new();
    }
    if all_have(Argument::YawRad.name()) && equal(Argument::YawRad) {
        return vec![demand(Argument::YawRad)];
    }
    if failure == Some(FailureType::UnequalDisplacement) && all_have(Argument::DistanceM.name()) && equal(Argument::DistanceM) {
        return vec![demand(Argument::DistanceM)];
    }
    Vec::new()
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
    fn ce_082_equal_corrections_with_unequal_effects_demand_different_ones() {
        let turn = |yaw_rad| SkillCall::Turn { yaw_rad, speed_rps: 0.2 };
        let texts = |failure, failed: &[&str], calls: &[SkillCall]| {
            required_relations(Some(failure), failed, calls).into_iter().map(Relation::text).collect::<Vec<_>>()
        };
        let pair = [turn(0.04), turn(0.04)];
        assert_eq!(texts(FailureType::UnequalDisplacement, &[], &pair), ["yaw_rad different"]);
        assert_eq!(texts(FailureType::FormationDrift, &[predicate::FORMATION_HEADING], &pair), ["yaw_rad different"]);
        assert!(texts(FailureType::Tilt, &[], &pair).is_empty());
        assert!(texts(FailureType::UnequalDisplacement, &[], &[turn(0.04), turn(0.1)]).is_empty());
    }

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
