//! How many set-ups a phase may accept before its strategy has to change (CE-151).

use serde::{Deserialize, Serialize};
use troupe_core::evidence::{Level, VerdictKind};

/// Counts accepted set-ups of the active phase. A run may otherwise go on setting up for ever: each
/// set-up is accepted on its own merits, and no milestone comes nearer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetupQuota {
    limit: u32,
    phase: String,
    milestones: usize,
    setups: u32,
    forced: bool,
}

impl SetupQuota {
    /// A quota of `limit` accepted set-ups per phase; 0 sets no limit.
    #[must_use]
    pub fn new(limit: u32) -> Self {
        Self { limit, phase: String::new(), milestones: 0, setups: 0, forced: false }
    }

    /// Notes an accepted transaction with the phase it was made in and the milestones certified after it.
    pub fn accepted(&mut self, kind: VerdictKind, phase: &str, milestones: usize) {
        if phase != self.phase || milestones > self.milestones {
            phase.clone_into(&mut self.phase);
            self.milestones = milestones;
            self.setups = 0;
            self.forced = false;
            // The set-up that brought the milestone has done its work.
            if kind != VerdictKind::Setup {
                return;
            }
        }
        match kind {
            VerdictKind::Setup => {
                self.setups += 1;
                self.forced = self.limit > 0 && self.setups >= self.limit;
            }
            // A way on was found; the next set-up of this phase forces again.
            _ => self.forced = false,
        }
    }

    /// Accepted set-ups of the phase since its last milestone.
    #[must_use]
    pub fn setups(&self) -> u32 {
        self.setups
    }

    /// The scope that the next decision must have, once the quota is spent.
    #[must_use]
    pub fn forced_scope(&self) -> Option<Level> {
        self.forced.then_some(Level::Strategy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// CE-151.
    #[test]
    fn the_fifth_setup_forces_strategy_until_something_else_works() {
        let mut quota = SetupQuota::new(5);
        for n in 1..=5 {
            assert_eq!(quota.forced_scope(), None);
            quota.accepted(VerdictKind::Setup, "a", 0);
            assert_eq!(quota.setups(), n);
        }
        assert_eq!(quota.forced_scope(), Some(Level::Strategy));
        quota.accepted(VerdictKind::Progress, "a", 0);
        assert_eq!((quota.forced_scope(), quota.setups()), (None, 5));
        quota.accepted(VerdictKind::Setup, "a", 0);
        assert_eq!(quota.forced_scope(), Some(Level::Strategy));
        quota.accepted(VerdictKind::Progress, "a", 1);
        assert_eq!((quota.forced_scope(), quota.setups()), (None, 0));
    }

    #[test]
    fn a_new_phase_begins_anew_and_no_limit_never_forces() {
        let mut quota = SetupQuota::new(1);
        quota.accepted(VerdictKind::Setup, "a", 0);
        assert!(quota.forced_scope().is_some());
        quota.accepted(VerdictKind::Progress, "b", 0);
        assert_eq!((quota.forced_scope(), quota.setups()), (None, 0));
        let mut free = SetupQuota::new(0);
        for _ in 0..100 {
            free.accepted(VerdictKind::Setup, "a", 0);
        }
        assert_eq!(free.forced_scope(), None);
    }

    proptest! {
        #[test]
        fn forced_exactly_when_the_last_acceptance_was_a_setup_at_the_limit(
            kinds in prop::collection::vec((any::<bool>(), 0u8..2, 0usize..2), 1..40), limit in 1u32..6,
        ) {
            let mut quota = SetupQuota::new(limit);
            let mut milestones = 0;
            for (setup, phase, gained) in kinds {
                milestones += gained;
                let kind = if setup { VerdictKind::Setup } else { VerdictKind::Progress };
                quota.accepted(kind, if phase == 0 { "a" } else { "b" }, milestones);
                prop_assert_eq!(quota.forced_scope().is_some(), setup && quota.setups() >= limit);
            }
        }
    }
}
