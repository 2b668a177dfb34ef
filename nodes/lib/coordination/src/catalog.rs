//! Which modes and roles a kind of coordination allows (CE-022, CE-024).

use troupe_core::decision::{Kind, Mode, Objective, Role};

/// What a kind allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Kind.
    pub kind: Kind,
    /// The only legal mode.
    pub mode: Mode,
    /// Role that exactly one robot plays; `None` when all are alike.
    pub support: Option<Role>,
    /// Role of all other robots.
    pub others: Role,
}

/// The catalog.
pub const CATALOG: [Entry; 4] = [
    Entry { kind: Kind::LinearTransport, mode: Mode::Sync, support: None, others: Role::Peer },
    Entry { kind: Kind::Pivot, mode: Mode::Asym, support: Some(Role::InnerSupport), others: Role::OuterMover },
    Entry { kind: Kind::Alignment, mode: Mode::Asym, support: Some(Role::Reference), others: Role::Corrector },
    Entry { kind: Kind::Lifecycle, mode: Mode::Sync, support: None, others: Role::Peer },
];

/// Why a decision is not in the catalog; messages name the field, the value and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogError {
    /// Wrong mode for the kind.
    #[error("mode = `{mode}` does not go with kind `{kind}`; allowed: `{allowed}`")]
    Mode {
        /// Kind.
        kind: &'static str,
        /// Mode given.
        mode: &'static str,
        /// Legal mode.
        allowed: &'static str,
    },
    /// Wrong roles for the kind.
    #[error("roles = [{roles}] do not go with kind `{kind}`; allowed: {allowed}")]
    Roles {
        /// Kind.
        kind: &'static str,
        /// Roles given.
        roles: String,
        /// Legal roles.
        allowed: String,
    },
    /// Another number of roles than robots.
    #[error("roles has {given} entries for {robots} robots; allowed: one role per robot in team order")]
    Count {
        /// Roles given.
        given: usize,
        /// Robots in the team.
        robots: usize,
    },
    /// `place` and `lifecycle` go only together.
    #[error("objective = `{objective}` does not go with kind `{kind}`; `place` and `lifecycle` go only together")]
    Objective {
        /// Kind.
        kind: &'static str,
        /// Objective given.
        objective: &'static str,
    },
}

/// The catalog's entry of a kind.
#[must_use]
pub fn entry(kind: Kind) -> Entry {
    let [linear, pivot, alignment, lifecycle] = CATALOG;
    match kind {
        Kind::LinearTransport => linear,
        Kind::Pivot => pivot,
        Kind::Alignment => alignment,
        Kind::Lifecycle => lifecycle,
    }
}

impl Entry {
    /// Legal roles of a team in which `support` (index in team order) plays the single role, where
    /// the kind has one.
    #[must_use]
    pub fn roles(&self, robots: usize, support: usize) -> Vec<Role> {
        (0..robots)
            .map(|i| match self.support {
                Some(role) if i == support => role,
                _ => self.others,
            })
            .collect()
    }

    fn allowed(&self) -> String {
        match self.support {
            Some(role) => format!("one `{}`, all others `{}`", role.name(), self.others.name()),
            None => format!("all `{}`", self.others.name()),
        }
    }
}

/// Checks kind, objective, mode and roles against the catalog.
///
/// # Errors
/// [`CatalogError`].
pub fn check(kind: Kind, objective: Objective, mode: Mode, roles: &[Role], robots: usize) -> Result<(), CatalogError> {
    let entry = entry(kind);
    if (objective == Objective::Place) != (kind == Kind::Lifecycle) {
        return Err(CatalogError::Objective { kind: kind.name(), objective: objective.name() });
    }
    if mode != entry.mode {
        return Err(CatalogError::Mode { kind: kind.name(), mode: mode.name(), allowed: entry.mode.name() });
    }
    if roles.len() != robots {
        return Err(CatalogError::Count { given: roles.len(), robots });
    }
    let supports = roles.iter().filter(|r| Some(**r) == entry.support).count();
    let others = roles.iter().filter(|r| **r == entry.others).count();
    let wanted = usize::from(entry.support.is_some());
    if supports != wanted || supports + others != robots {
        let given: Vec<&str> = roles.iter().map(|r| r.name()).collect();
        return Err(CatalogError::Roles { kind: kind.name(), roles: given.join(", "), allowed: entry.allowed() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exactly these combinations are legal for two robots, of all that can be written.
    /// CE-022, CE-024.
    #[test]
    fn the_legal_set_of_two_robots() {
        let mut legal = Vec::new();
        for kind in Kind::ALL {
            for mode in Mode::ALL {
                for a in Role::ALL {
                    for b in Role::ALL {
                        let objective = if *kind == Kind::Lifecycle { Objective::Place } else { Objective::AdvanceSegment };
                        if check(*kind, objective, *mode, &[*a, *b], 2).is_ok() {
                            legal.push(format!("{} {} {} {}", kind.name(), mode.name(), a.name(), b.name()));
                        }
                    }
                }
            }
        }
        assert_eq!(
            legal,
            [
                "coordinated_linear_transport sync peer peer",
                "coordinated_pivot asym inner_support outer_mover",
                "coordinated_pivot asym outer_mover inner_support",
                "coordinated_alignment asym reference corrector",
                "coordinated_alignment asym corrector reference",
                "lifecycle sync peer peer",
            ]
        );
    }

    #[test]
    fn every_entry_makes_legal_roles() {
        for entry in CATALOG {
            let objective = if entry.kind == Kind::Lifecycle { Objective::Place } else { Objective::RotateAtCorner };
            for robots in 2..5 {
                assert_eq!(check(entry.kind, objective, entry.mode, &entry.roles(robots, 1), robots), Ok(()));
            }
        }
    }

    #[test]
    fn refusals_name_field_value_and_allowed() {
        let text = check(Kind::Pivot, Objective::RotateAtCorner, Mode::Sync, &[Role::Peer; 2], 2).unwrap_err().to_string();
        assert!(text.contains("mode") && text.contains("sync") && text.contains("asym"), "{text}");
        let text = check(Kind::Pivot, Objective::RotateAtCorner, Mode::Asym, &[Role::Peer; 2], 2).unwrap_err().to_string();
        assert!(text.contains("peer, peer") && text.contains("inner_support"), "{text}");
        let text = check(Kind::LinearTransport, Objective::Place, Mode::Sync, &[Role::Peer; 2], 2).unwrap_err().to_string();
        assert!(text.contains("place"), "{text}");
        assert!(check(Kind::LinearTransport, Objective::AdvanceSegment, Mode::Sync, &[Role::Peer], 2).is_err());
    }
}
