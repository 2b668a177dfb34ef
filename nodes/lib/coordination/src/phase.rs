//! In which phase and stage a skill is legal (CE-066).

use serde::{Deserialize, Serialize};
use troupe_core::decision::Kind;
use troupe_core::skill::SkillCall;

/// Phase that follows the route's last segment: placement, release and retreat.
pub const PLACE_PHASE: &str = "place";

/// What has become of the payload, by accepted transactions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The robots carry it.
    #[default]
    Carrying,
    /// Lowered onto the target, arms still under it.
    Lowered,
    /// Let go.
    Released,
    /// Let go and stepped back.
    Retreated,
}

impl Stage {
    /// Name as in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Carrying => "carrying",
            Self::Lowered => "lowered",
            Self::Released => "released",
            Self::Retreated => "retreated",
        }
    }

    /// Lifecycle skills that are legal in this stage of the place phase.
    #[must_use]
    pub fn lifecycle_methods(self) -> &'static [&'static str] {
        match self {
            Self::Carrying => &["lower_to_target"],
            // Raised again it can be carried to a better place, when it cannot be let go where it lies.
            Self::Lowered => &["release", "init_support"],
            // A second retreat is legal: the first may end short of the clearance.
            Self::Released | Self::Retreated => &["retreat"],
        }
    }

    /// Stage after an accepted skill.
    #[must_use]
    pub fn after(self, call: &SkillCall) -> Self {
        match call {
            SkillCall::InitSupport => Self::Carrying,
            SkillCall::LowerToTarget => Self::Lowered,
            SkillCall::Release => Self::Released,
            SkillCall::Retreat { .. } => Self::Retreated,
            _ => self,
        }
    }
}

/// Why a decision or skill does not fit the phase.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PhaseError {
    /// The decision names another phase.
    #[error("phase_id = `{given}` is not active; allowed: `{active}`")]
    Inactive {
        /// Phase of the decision.
        given: String,
        /// Active phase.
        active: String,
    },
    /// A kind that the phase or stage does not allow.
    #[error("kind = `{kind}` is not allowed in phase `{phase}` while the payload is {stage}; allowed: {allowed}")]
    Kind {
        /// Kind of the decision.
        kind: &'static str,
        /// Active phase.
        phase: String,
        /// Stage.
        stage: &'static str,
        /// Legal kinds.
        allowed: &'static str,
    },
    /// A skill that the phase or stage does not allow.
    #[error("method = `{method}` is not allowed in phase `{phase}` while the payload is {stage}; allowed: {allowed}")]
    Method {
        /// Skill.
        method: &'static str,
        /// Active phase.
        phase: String,
        /// Stage.
        stage: &'static str,
        /// Legal skills.
        allowed: String,
    },
}

/// Checks that a decision's phase and kind are legal now.
///
/// # Errors
/// [`PhaseError::Inactive`] or [`PhaseError::Kind`].
pub fn check_decision(phase_id: &str, kind: Kind, active: &str, stage: Stage) -> Result<(), PhaseError> {
    if phase_id != active {
        return Err(PhaseError::Inactive { given: phase_id.into(), active: active.into() });
    }
    let lifecycle = kind == Kind::Lifecycle;
    let placing = active == PLACE_PHASE;
    let allowed = match (placing, stage) {
        // In the place phase the team may still move over the target before it lowers the payload.
        (true, Stage::Carrying) => return Ok(()),
        (true, _) if lifecycle => return Ok(()),
        (true, _) => "lifecycle",
        (false, _) if !lifecycle => return Ok(()),
        (false, _) => "coordinated_linear_transport, coordinated_pivot, coordinated_alignment",
    };
    Err(PhaseError::Kind { kind: kind.name(), phase: active.into(), stage: stage.name(), allowed })
}

/// Checks that a skill is legal under a kind, phase and stage that passed [`check_decision`].
///
/// # Errors
/// [`PhaseError::Method`].
pub fn check_call(call: &SkillCall, kind: Kind, active: &str, stage: Stage) -> Result<(), PhaseError> {
    let refused = |allowed: &[&str]| {
        Err(PhaseError::Method {
            method: call.name(),
            phase: active.into(),
            stage: stage.name(),
            allowed: allowed.join(", "),
        })
    };
    if kind == Kind::Lifecycle {
        let allowed = stage.lifecycle_methods();
        return if active == PLACE_PHASE && allowed.contains(&call.name()) { Ok(()) } else { refused(allowed) };
    }
    if call.is_lifecycle() { refused(&["walk", "turn", "arc", "hold"]) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use troupe_core::skill::Direction;

    #[test]
    fn lifecycle_only_in_its_phase_and_order() {
        let retreat = SkillCall::Retreat { distance_m: 0.4 };
        let legal = [
            (Stage::Carrying, SkillCall::LowerToTarget),
            (Stage::Lowered, SkillCall::Release),
            (Stage::Lowered, SkillCall::InitSupport),
            (Stage::Released, retreat),
            (Stage::Retreated, retreat),
        ];
        for stage in [Stage::Carrying, Stage::Lowered, Stage::Released, Stage::Retreated] {
            for call in [SkillCall::InitSupport, SkillCall::LowerToTarget, SkillCall::Release, retreat] {
                let wanted = legal.contains(&(stage, call));
                assert_eq!(check_call(&call, Kind::Lifecycle, PLACE_PHASE, stage).is_ok(), wanted, "{stage:?} {call:?}");
                assert!(check_call(&call, Kind::Lifecycle, "straight", stage).is_err());
                assert!(check_call(&call, Kind::LinearTransport, PLACE_PHASE, stage).is_err());
            }
        }
        for (stage, call) in legal {
            assert!(stage.after(&call) >= stage || call == SkillCall::InitSupport);
        }
    }

    #[test]
    fn kinds_follow_phase_and_stage() {
        assert!(check_decision("a", Kind::LinearTransport, "a", Stage::Carrying).is_ok());
        assert!(check_decision("b", Kind::LinearTransport, "a", Stage::Carrying).unwrap_err().to_string().contains("`a`"));
        assert!(check_decision("a", Kind::Lifecycle, "a", Stage::Carrying).is_err());
        assert!(check_decision(PLACE_PHASE, Kind::LinearTransport, PLACE_PHASE, Stage::Carrying).is_ok());
        assert!(check_decision(PLACE_PHASE, Kind::LinearTransport, PLACE_PHASE, Stage::Lowered).is_err());
        assert!(check_decision(PLACE_PHASE, Kind::Lifecycle, PLACE_PHASE, Stage::Released).is_ok());
    }

    #[test]
    fn moving_is_free_while_carrying() {
        let walk = SkillCall::Walk { distance_m: 0.2, direction: Direction::Back, speed_mps: 0.2 };
        assert!(check_call(&walk, Kind::LinearTransport, "a", Stage::Carrying).is_ok());
        assert!(check_call(&walk, Kind::Lifecycle, PLACE_PHASE, Stage::Carrying).unwrap_err().to_string().contains("lower_to_target"));
    }
}
