//! The plan of a run: one phase per route segment, then placement (CE-021). Only the host marks a
//! phase done, on certified milestones.

use crate::phase::PLACE_PHASE;
use serde::{Deserialize, Serialize};
use troupe_core::route::Route;

/// Milestone certified by an accepted endpoint; the last of a run (CE-003).
pub const TERMINAL_MILESTONE: &str = "terminal";

/// Where a phase stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not begun.
    Pending,
    /// Under way; exactly one.
    Active,
    /// Its evidence is certified; for good.
    Done,
    /// Cannot be worked on.
    Blocked,
}

/// One phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Id of the route segment, or [`PLACE_PHASE`].
    pub id: String,
    /// Milestone that completes it.
    pub completion: String,
    /// Status.
    pub status: Status,
}

/// Ordered phases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    phases: Vec<Phase>,
}

/// A write that would break the plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Neither one active phase nor all done.
    #[error("{active} phases are active; allowed: exactly one, or none when all are done")]
    Active {
        /// Active phases.
        active: usize,
    },
    /// A done phase after one that is not.
    #[error("phase `{phase}` is done before the phases ahead of it")]
    Order {
        /// Phase.
        phase: String,
    },
    /// A done phase was reopened.
    #[error("phase `{phase}` was done and may not be reopened")]
    Reopened {
        /// Phase.
        phase: String,
    },
    /// Two phases of the same name.
    #[error("phase `{phase}` stands twice in the plan")]
    Twice {
        /// Phase.
        phase: String,
    },
}

impl Plan {
    /// The plan of a route: a phase per segment, then placement; the first is active.
    ///
    /// # Errors
    /// [`PlanError::Twice`] when segments share an id or use [`PLACE_PHASE`].
    pub fn for_route(route: &Route) -> Result<Self, PlanError> {
        let segments = route.segments.iter().map(|s| (s.id.as_str(), s.id.as_str()));
        let phases: Vec<Phase> = segments
            .chain([(PLACE_PHASE, TERMINAL_MILESTONE)])
            .enumerate()
            .map(|(i, (id, completion))| Phase {
                id: id.into(),
                completion: completion.into(),
                status: if i == 0 { Status::Active } else { Status::Pending },
            })
            .collect();
        let plan = Self { phases };
        plan.check()?;
        Ok(plan)
    }

    /// All phases in order.
    #[must_use]
    pub fn phases(&self) -> &[Phase] {
        &self.phases
    }

    /// The active phase; `None` when all are done.
    #[must_use]
    pub fn active(&self) -> Option<&Phase> {
        self.phases.iter().find(|p| p.status == Status::Active)
    }

    /// Milestones of the whole plan: route gates, target region, terminal.
    #[must_use]
    pub fn milestones(&self) -> Vec<String> {
        self.phases.iter().map(|p| p.completion.clone()).collect()
    }

    /// Marks phases done whose milestones are certified, in order, and activates the next one.
    /// Milestones that are not of the plan are ignored. Returns how many phases became done.
    ///
    /// # Errors
    /// [`PlanError`] when an invariant would break; the plan then stays as it was.
    pub fn advance(&mut self, certified: &[String]) -> Result<usize, PlanError> {
        let mut next = self.clone();
        let mut open = false;
        for phase in &mut next.phases {
            if phase.status == Status::Done {
                continue;
            }
            if !open && certified.contains(&phase.completion) {
                phase.status = Status::Done;
            } else {
                phase.status = if open { Status::Pending } else { Status::Active };
                open = true;
            }
        }
        let done = |plan: &Self| plan.phases.iter().filter(|p| p.status == Status::Done).count();
        next.check()?;
        self.keeps(&next)?;
        let gained = done(&next) - done(self);
        *self = next;
        Ok(gained)
    }

    /// Takes over an edited plan, for example a model's proposal: only statuses of phases that are
    /// not done may differ, and nothing may become done.
    ///
    /// # Errors
    /// [`PlanError`]; the plan then stays as it was.
    pub fn propose(&mut self, edited: Self) -> Result<(), PlanError> {
        edited.check()?;
        self.keeps(&edited)?;
        if let Some((_, after)) =
            self.phases.iter().zip(&edited.phases).find(|(b, a)| a.status == Status::Done && b.status != Status::Done)
        {
            return Err(PlanError::Order { phase: after.id.clone() });
        }
        *self = edited;
        Ok(())
    }

    /// Done phases stay done, and phases keep their place.
    fn keeps(&self, next: &Self) -> Result<(), PlanError> {
        for (i, before) in self.phases.iter().enumerate() {
            let same = next.phases.get(i).is_some_and(|n| n.id == before.id && n.completion == before.completion);
            let reopened = before.status == Status::Done && next.phases.get(i).is_none_or(|n| n.status != Status::Done);
            if !same || reopened || next.phases.len() != self.phases.len() {
                return Err(PlanError::Reopened { phase: before.id.clone() });
            }
        }
        Ok(())
    }

    /// The invariants of CE-021.
    ///
    /// # Errors
    /// The first that does not hold.
    pub fn check(&self) -> Result<(), PlanError> {
        let active = self.phases.iter().filter(|p| p.status == Status::Active).count();
        let all_done = self.phases.iter().all(|p| p.status == Status::Done);
        if active != usize::from(!all_done) {
            return Err(PlanError::Active { active });
        }
        let mut seen = std::collections::BTreeSet::new();
        let mut open = false;
        for phase in &self.phases {
            if !seen.insert(&phase.id) {
                return Err(PlanError::Twice { phase: phase.id.clone() });
            }
            if open && phase.status == Status::Done {
                return Err(PlanError::Order { phase: phase.id.clone() });
            }
            open |= phase.status != Status::Done;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use troupe_core::route::{Gate, Segment, SegmentKind, Target};

    fn route(ids: &[&str]) -> Route {
        let gate = Gate { position: [1.0, 0.0], heading_rad: 0.0, width_m: 1.0, heading_tolerance_rad: 0.2 };
        let segments = ids
            .iter()
            .map(|id| Segment {
                id: (*id).into(),
                kind: SegmentKind::Straight,
                start: [0.0, 0.0],
                end: [1.0, 0.0],
                gate,
                left_boundary: vec![],
                right_boundary: vec![],
            })
            .collect();
        Route { segments, target: Target { position: [1.0, 0.0, 0.8], heading_rad: 0.0, radius_m: 0.3 } }
    }

    const IDS: [&str; 5] = ["a", "b", "c", "d", "e"];

    /// CE-003.
    #[test]
    fn a_route_of_five_has_six_milestones() {
        let plan = Plan::for_route(&route(&IDS)).unwrap();
        assert_eq!(plan.milestones(), ["a", "b", "c", "d", "e", TERMINAL_MILESTONE]);
        assert_eq!(plan.active().map(|p| p.id.as_str()), Some("a"));
        assert!(Plan::for_route(&route(&["a", "a"])).is_err());
        assert!(Plan::for_route(&route(&[PLACE_PHASE])).is_err());
    }

    /// CE-R1.
    #[test]
    fn a_model_may_not_mark_done() {
        let mut plan = Plan::for_route(&route(&IDS)).unwrap();
        let mut edited = plan.clone();
        edited.phases[0].status = Status::Done;
        edited.phases[1].status = Status::Active;
        assert!(plan.propose(edited).is_err());
        let mut two = plan.clone();
        two.phases[3].status = Status::Active;
        assert_eq!(plan.propose(two), Err(PlanError::Active { active: 2 }));
        let mut blocked = plan.clone();
        blocked.phases[4].status = Status::Blocked;
        assert_eq!(plan.propose(blocked), Ok(()));
    }

    proptest! {
        /// CE-021.
        #[test]
        fn done_only_grows_and_invariants_hold(sets in prop::collection::vec(prop::collection::vec(0usize..7, 0..7), 1..8)) {
            let mut plan = Plan::for_route(&route(&IDS)).unwrap();
            let names = plan.milestones();
            let mut done = 0;
            for set in sets {
                let certified: Vec<String> = set.iter().map(|i| names.get(*i).cloned().unwrap_or("other".into())).collect();
                done += plan.advance(&certified).unwrap();
                prop_assert_eq!(plan.check(), Ok(()));
                prop_assert_eq!(plan.phases().iter().filter(|p| p.status == Status::Done).count(), done);
            }
        }
    }
}
