//! Action exemplars: executable code that was accepted, keyed by (kappa, d, m) (CE-092, CE-094).

use super::PhaseClass;
use serde::{Deserialize, Serialize};
use troupe_core::decision::{Kind, Mode, Objective, Role};
use troupe_core::identity::{IdentityError, identity};
use troupe_core::skill::SkillCall;

/// Policies that were dispatched, with their effective arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exemplar {
    /// Identity of key, roles and calls.
    pub id: String,
    /// kappa.
    pub kind: Kind,
    /// d.
    pub objective: Objective,
    /// m.
    pub mode: Mode,
    /// Attribute; ranks only.
    pub phase: PhaseClass,
    /// rho in team order.
    pub roles: Vec<Role>,
    /// Code in team order.
    pub sources: Vec<String>,
    /// Effective calls in team order.
    pub calls: Vec<SkillCall>,
    /// Times accepted.
    pub n_accept: u32,
    /// Times rejected.
    pub n_reject: u32,
    /// Order of its last acceptance inside its bank.
    pub created: u64,
}

impl Exemplar {
    /// The same exemplar with its id computed from key, roles and calls.
    ///
    /// # Errors
    /// When a number in it is not finite.
    pub fn identified(mut self) -> Result<Self, IdentityError> {
        let key = (self.kind, self.objective, self.mode, &self.roles, &self.calls);
        self.id = format!("a-{}", identity(&key)?.get(..16).unwrap_or_default());
        Ok(self)
    }
}

/// Key of an exemplar; all three must match, the phase ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExemplarQuery {
    /// kappa.
    pub kind: Kind,
    /// d.
    pub objective: Objective,
    /// m.
    pub mode: Mode,
    /// Active phase.
    pub phase: PhaseClass,
}
