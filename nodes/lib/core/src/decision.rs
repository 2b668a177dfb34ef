//! What the team shall do next: kind, objective, mode and roles from closed sets (CE-022 to CE-026).

use crate::closed_set;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

closed_set! {
    /// How the team moves together (kappa).
    Kind {
        /// All robots translate alike.
        LinearTransport = "coordinated_linear_transport",
        /// One robot turns in place, the other walks around it.
        Pivot = "coordinated_pivot",
        /// One robot holds, the other corrects the formation.
        Alignment = "coordinated_alignment",
        /// Placement, release and retreat.
        Lifecycle = "lifecycle",
    }
}

closed_set! {
    /// What the decision is for (CE-023).
    Objective {
        /// Move on along the segment.
        AdvanceSegment = "advance_segment",
        /// Move into a corner.
        EnterCorner = "enter_corner",
        /// Turn the team in a corner.
        RotateAtCorner = "rotate_at_corner",
        /// Move out of a corner.
        ExitCorner = "exit_corner",
        /// Move back to the centre line.
        CentreInCorridor = "centre_in_corridor",
        /// Restore distance and heading between the robots.
        EqualiseFormation = "equalise_formation",
        /// Bring both robots' support back.
        RestoreSupport = "restore_support",
        /// Move above the target.
        ApproachTarget = "approach_target",
        /// Put the payload down, let go and step back.
        Place = "place",
    }
}

closed_set! {
    /// Whether all robots do the same.
    Mode {
        /// Same method and amounts.
        Sync = "sync",
        /// Different methods by role.
        Asym = "asym",
    }
}

closed_set! {
    /// Temporary role of one robot (CE-024).
    Role {
        /// Like all others.
        Peer = "peer",
        /// Turns in place or holds at the centre of a pivot.
        InnerSupport = "inner_support",
        /// Walks around the inner support.
        OuterMover = "outer_mover",
        /// Holds, so that the other can align to it.
        Reference = "reference",
        /// Moves to align.
        Corrector = "corrector",
    }
}

/// Wanted geometry between the robots.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Formation {
    /// m between the robots' bases.
    pub distance_m: f64,
    /// rad between their headings.
    pub heading_offset_rad: f64,
}

/// A decision bound to one trusted checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// Content identity of everything below.
    pub id: String,
    /// Trusted checkpoint it was made for (CE-054).
    pub checkpoint_id: String,
    /// Epoch it was made in (AR-103).
    pub context_epoch: u32,
    /// Active phase of the plan.
    pub phase_id: String,
    /// kappa.
    pub kind: Kind,
    /// d.
    pub objective: Objective,
    /// m.
    pub mode: Mode,
    /// rho, one per robot in team order.
    pub roles: Vec<Role>,
    /// Wanted formation.
    pub formation: Formation,
    /// Names of predicates that must hold afterwards.
    pub evidence_required: Vec<String>,
    /// Decision that this one revises; empty for a first one.
    pub parent_id: String,
    /// What the revision may change; `None` for a first decision and for an untyped one (CE-080).
    #[serde(default)]
    pub scope: Option<crate::evidence::Level>,
    /// Relations between the robots' arguments that the policies must satisfy (CE-022, CE-082).
    #[serde(default)]
    pub relations: Vec<crate::relation::Relation>,
    /// Strategy records that were retrieved for it (CE-026).
    #[serde(default)]
    pub strategy_ids: Vec<String>,
}

impl Decision {
    /// The same decision with its id computed from its content.
    ///
    /// # Errors
    /// When a number in it is not finite.
    pub fn identified(mut self) -> Result<Self, crate::identity::IdentityError> {
        self.id.clear();
        self.id = crate::identity::identity(&self)?;
        Ok(self)
    }
}

/// Generated policy text for one robot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyCode {
    /// Namespace of the robot.
    pub robot: String,
    /// One skill call and one stop.
    pub source: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CE-022.
    #[test]
    fn names_round_trip_and_serde_agrees() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_name(kind.name()), Some(*kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
        assert_eq!(Role::from_name("boss"), None);
    }
}
