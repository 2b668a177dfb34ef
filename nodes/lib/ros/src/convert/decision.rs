//! `troupe_msgs/Decision` and `PolicyCode`.

use super::{ConvertError, named};
use r2r::troupe_msgs::msg;
use troupe_core::decision::{Decision, Formation, Kind, Mode, Objective, PolicyCode, Role};
use troupe_core::evidence::Level;
use troupe_core::relation::Relation;

/// A message.
#[must_use]
pub fn to_wire(decision: &Decision) -> msg::Decision {
    msg::Decision {
        id: decision.id.clone(),
        checkpoint_id: decision.checkpoint_id.clone(),
        context_epoch: decision.context_epoch,
        phase_id: decision.phase_id.clone(),
        kind: decision.kind.name().to_owned(),
        objective: decision.objective.name().to_owned(),
        mode: decision.mode.name().to_owned(),
        roles: decision.roles.iter().map(|r| r.name().to_owned()).collect(),
        formation_distance: decision.formation.distance_m,
        formation_heading: decision.formation.heading_offset_rad,
        evidence_required: decision.evidence_required.clone(),
        parent_id: decision.parent_id.clone(),
        scope: decision.scope.map_or("", Level::name).to_owned(),
        relations: decision.relations.iter().map(|r| r.text()).collect(),
        strategy_ids: decision.strategy_ids.clone(),
    }
}

/// A decision as sent.
///
/// # Errors
/// [`ConvertError::Name`].
pub fn from_wire(message: &msg::Decision) -> Result<Decision, ConvertError> {
    Ok(Decision {
        id: message.id.clone(),
        checkpoint_id: message.checkpoint_id.clone(),
        context_epoch: message.context_epoch,
        phase_id: message.phase_id.clone(),
        kind: named!(Kind, "kind", message.kind.as_str())?,
        objective: named!(Objective, "objective", message.objective.as_str())?,
        mode: named!(Mode, "mode", message.mode.as_str())?,
        roles: message.roles.iter().map(|r| named!(Role, "role", r.as_str())).collect::<Result<_, _>>()?,
        formation: Formation {
            distance_m: message.formation_distance,
            heading_offset_rad: message.formation_heading,
        },
        evidence_required: message.evidence_required.clone(),
        parent_id: message.parent_id.clone(),
        scope: if message.scope.is_empty() { None } else { Some(named!(Level, "scope", message.scope.as_str())?) },
        relations: message.relations.iter().map(|r| relation(r)).collect::<Result<_, _>>()?,
        strategy_ids: message.strategy_ids.clone(),
    })
}

/// A relation as sent.
pub(super) fn relation(text: &str) -> Result<Relation, ConvertError> {
    Relation::from_text(text).ok_or_else(|| ConvertError::Name {
        field: "relation",
        given: text.to_owned(),
        allowed: "<distance_m|yaw_rad> <equal|different>".into(),
    })
}

/// Policy text.
#[must_use]
pub fn policy_to_wire(policy: &PolicyCode) -> msg::PolicyCode {
    msg::PolicyCode { robot: policy.robot.clone(), source: policy.source.clone() }
}

/// Policy text as sent.
#[must_use]
pub fn policy_from_wire(message: &msg::PolicyCode) -> PolicyCode {
    PolicyCode { robot: message.robot.clone(), source: message.source.clone() }
}
