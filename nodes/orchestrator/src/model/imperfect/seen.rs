//! What the prompt shows, and what of it speaks against a misconception.
//!
//! | misconception | failures that speak against it | refusals that do |
//! |---|---|---|
//! | `wrong_scope` | a rejected detour at this checkpoint; any failure in a record | E_SCOPE, E_NOOP, E_PHASE |
//! | `near_duplicate` | a second rejection at this checkpoint; any failure in a record | E_DUPLICATE, E_NOOP |
//! | `equal_amounts` | a second rejection for unequal displacement or drift; either in a record | E_RELATION, E_DUPLICATE, E_NOOP |
//! | `illegal_roles` | none; a record of an accepted transaction shows who has which part | E_PAIR |
//! | `sign_error` | wrong direction, insufficient progress, wall contact, formation drift | E_PAIR, E_DUPLICATE, E_NOOP |
//! | `over_long` | tilt, support, drop, fall, wall contact, drift, unequal displacement, timeout, release gate | E_BOUNDS, E_DUPLICATE, E_NOOP |
//!
//! Rejections count for the kind and objective in question, records for its phase class too. A record is a
//! counterexample with such a failure or an accepted repair of one. Exemplars speak against `sign_error` when
//! they go the way that the rules go, and against `equal_amounts` when their robots differ; of `over_long` they
//! set the scale.

use super::ErrorKind;
use super::error::detour;
use crate::model::RoleId;
use crate::model::builtin::on_grid;
use crate::role::context::{RejectedTry, RoleContext};
use crate::role::prompt::template;
use std::collections::BTreeSet;
use troupe_coordination::experience::{PhaseClass, Polarity};
use troupe_coordination::phase::PLACE_PHASE;
use troupe_core::decision::{Kind, Objective};
use troupe_core::evidence::FailureType;
use troupe_core::skill::SkillCall;

/// Failures that speak against a misconception wherever they are met.
fn against(kind: ErrorKind) -> &'static [FailureType] {
    use FailureType::{
        FormationDrift, InsufficientProgress, PayloadDrop, ReleaseGate, RobotFall, SupportLost, Tilt, Timeout,
        UnequalDisplacement, WallContact, WrongDirection,
    };
    match kind {
        ErrorKind::WrongScope | ErrorKind::NearDuplicate => FailureType::ALL,
        ErrorKind::EqualAmounts => &[UnequalDisplacement, FormationDrift],
        ErrorKind::SignError => &[WrongDirection, InsufficientProgress, WallContact, FormationDrift],
        ErrorKind::OverLong => {
            &[Tilt, SupportLost, PayloadDrop, RobotFall, WallContact, FormationDrift, UnequalDisplacement, Timeout, ReleaseGate]
        }
        ErrorKind::IllegalRoles | ErrorKind::StaleContext | ErrorKind::InvalidJson => &[],
    }
}

/// Refusals that speak against it.
fn codes(kind: ErrorKind) -> &'static [&'static str] {
    match kind {
        ErrorKind::WrongScope => &["E_SCOPE", "E_NOOP", "E_PHASE"],
        ErrorKind::NearDuplicate => &["E_DUPLICATE", "E_NOOP"],
        ErrorKind::EqualAmounts => &["E_RELATION", "E_DUPLICATE", "E_NOOP"],
        ErrorKind::IllegalRoles => &["E_PAIR"],
        ErrorKind::SignError => &["E_PAIR", "E_DUPLICATE", "E_NOOP"],
        ErrorKind::OverLong => &["E_BOUNDS", "E_DUPLICATE", "E_NOOP"],
        ErrorKind::StaleContext | ErrorKind::InvalidJson => &[],
    }
}

/// Where a misconception can live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Situation {
    pub phase: PhaseClass,
    pub kind: Kind,
    pub objective: Objective,
}

/// The context as far as the role's prompt shows it.
pub(super) struct Seen {
    pub context: RoleContext,
    codes: BTreeSet<String>,
}

impl Seen {
    /// Drops what the role's prompt does not show.
    pub(super) fn new(role: RoleId, context: &RoleContext, prompt: &str) -> Self {
        let page = template(role);
        let shows = |field: &str| page.contains(field);
        let mut context = context.clone();
        if !shows("{rejected}") {
            context.rejected.clear();
        }
        if !shows("{strategies}") {
            context.strategies.clear();
        }
        if !shows("{exemplars}") {
            context.exemplars.clear();
        }
        if !shows("{reflections}") {
            context.reflections.clear();
        }
        if !shows("{parent}") {
            context.parent = None;
        }
        if !shows("{child}") {
            context.child = None;
        }
        let words = prompt.split(|c: char| !(c.is_ascii_uppercase() || c == '_'));
        let codes = words.filter(|w| w.starts_with("E_")).map(str::to_owned).collect();
        Self { context, codes }
    }

    /// Class of the active phase.
    pub(super) fn phase(&self) -> PhaseClass {
        let placing = self.context.phase_id == PLACE_PHASE;
        PhaseClass::of((!placing).then_some(self.context.observation.segment_kind))
    }

    /// Kind of the decision that is carried out or revised.
    pub(super) fn kind(&self) -> Option<Kind> {
        let parent = self.context.parent.as_ref().map(|p| p.decision.kind);
        parent.or_else(|| self.context.decision.as_ref().map(|d| d.kind))
    }

    /// Rejected tries of a kind and objective at this checkpoint.
    fn tries(&self, kind: Kind, objective: Objective) -> impl Iterator<Item = &RejectedTry> {
        self.context.rejected.iter().filter(move |t| (t.kind, t.objective) == (kind, objective))
    }

    /// What the present decision's last rejected try did.
    pub(super) fn rejected_calls(&self) -> Option<&[SkillCall]> {
        let decision = self.context.decision.as_ref()?;
        self.tries(decision.kind, decision.objective).last().map(|t| t.calls.as_slice())
    }

    /// With the magnitudes that the method offers.
    pub(super) fn on_grid(&self, calls: &[SkillCall]) -> Vec<SkillCall> {
        calls.iter().map(|call| on_grid(&self.context, call)).collect()
    }

    /// Whether an answer was refused for what the misconception makes of it; a refusal is always heeded.
    pub(super) fn refused(&self, kind: ErrorKind) -> bool {
        codes(kind).iter().any(|code| self.codes.contains(*code))
    }

    /// Whether what was measured or retrieved speaks against a misconception; `calls` are the rules' own numbers, if there are any.
    pub(super) fn speaks_against(&self, kind: ErrorKind, at: Situation, calls: &[SkillCall]) -> bool {
        self.rejections_speak(kind, at)
            || self.records_speak(kind, at)
            || self.reflections_speak(kind, at)
            || self.exemplars_speak(kind, calls)
    }

    fn rejections_speak(&self, kind: ErrorKind, at: Situation) -> bool {
        let failures = || self.tries(at.kind, at.objective).filter(|t| t.failure_type.is_some_and(|f| against(kind).contains(&f)));
        match kind {
            ErrorKind::WrongScope => {
                let (kind, objective) = detour(at.kind);
                self.tries(kind, objective).next().is_some()
            }
            // The first rejection is what the misconception answers to.
            ErrorKind::NearDuplicate | ErrorKind::EqualAmounts => failures().count() > 1,
            _ => failures().next().is_some(),
        }
    }

    fn records_speak(&self, kind: ErrorKind, at: Situation) -> bool {
        self.context.strategies.iter().any(|r| {
            (r.phase, r.kind, r.objective) == (at.phase, at.kind, at.objective)
                && match kind {
                    ErrorKind::IllegalRoles => r.polarity == Polarity::Positive,
                    _ => r.failure_type.is_some_and(|f| against(kind).contains(&f)),
                }
        })
    }

    fn reflections_speak(&self, kind: ErrorKind, at: Situation) -> bool {
        self.context.reflections.iter().any(|line| {
            let failed = |f: &FailureType| line.ends_with(&format!("failed: {}", f.name()));
            line.contains(at.kind.name()) && line.contains(at.objective.name()) && against(kind).iter().any(failed)
        })
    }

    fn exemplars_speak(&self, kind: ErrorKind, calls: &[SkillCall]) -> bool {
        let way = |call: &SkillCall| (call.name(), call.direction(), call.intended().yaw > 0.0);
        self.context.exemplars.iter().any(|e| match kind {
            ErrorKind::SignError => !calls.is_empty() && e.calls.iter().map(way).eq(calls.iter().map(way)),
            ErrorKind::EqualAmounts => e.calls.windows(2).any(|pair| matches!(pair, [a, b] if a.name() != b.name())),
            _ => false,
        })
    }
}
