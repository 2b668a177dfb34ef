//! Whether the team may be trusted again after a recovery by motion (CE-150). Nothing was brought back:
//! what counts is only how the team stands now.

use crate::errors::Scene;
use crate::history::History;
use crate::measure::{Window, measured};
use crate::outcome::{evidence, reasons, verdict};
use crate::restore::held_as;
use crate::transport::{always, in_formation};
use troupe_coordination::phase::Stage;
use troupe_coordination::predicate;
use troupe_core::evidence::{Comparator, Evidence, Outcome, Predicate, Verdict, VerdictKind};
use troupe_core::recovery::{ConfirmRecovery, RecoveryKind};
use troupe_core::ticks;

/// Stage that a recovery leaves the payload in: arms that were raised again carry it again.
pub(crate) fn stage_after(stage: Stage, kind: RecoveryKind) -> Stage {
    match kind {
        RecoveryKind::Regrip | RecoveryKind::Relay => Stage::Carrying,
        _ => stage,
    }
}

/// Verdict and evidence over the last support window; the scene holds the stage after the recovery.
pub(crate) fn confirm(scene: &Scene, history: &History, checkpoint_id: &str, request: &ConfirmRecovery) -> (Verdict, Evidence) {
    let subject = &request.recovery_id;
    let invalid = |why: String| {
        let none = evidence(subject, vec![], vec![], &[], &[]);
        (verdict(subject, Outcome::InvalidInfra, VerdictKind::Lifecycle, vec![why], scene.milestones), none)
    };
    if request.checkpoint_id != checkpoint_id {
        return invalid(format!("checkpoint_id = `{}`; allowed: the trusted `{checkpoint_id}`", request.checkpoint_id));
    }
    let span = ticks(scene.task.transition.support_window_s);
    let start = request.closed_tick.saturating_sub(span);
    let tail = match history.window(start, request.closed_tick, scene.robots) {
        Ok(tail) => tail,
        Err(error) => return invalid(format!("settling: {error}")),
    };
    let window = Window { states: tail.clone(), tail, lead: vec![] };
    let mut predicates = always(scene, &window, &[]);
    // No skill is judged here: their results are in the recovery's record.
    predicates.retain(|p| p.name != predicate::SKILLS);
    predicates.push(held_as(scene, &window.tail));
    if scene.stage == Stage::Carrying {
        let z_min = window.least(|s| s.payload().map_or(f64::NAN, |p| p.z_min_m));
        let limit = scene.task.transition.payload_z_min_m;
        predicates.push(Predicate::measured(predicate::PAYLOAD_Z_MIN, z_min, Comparator::Ge, limit, "m"));
        predicates.extend(window.end().map(|s| in_formation(scene, s)).unwrap_or_default());
    }
    let still_held = window.end().is_some_and(|s| s.payload().is_some_and(|p| p.held));
    let mut why = reasons(&predicates);
    if still_held {
        why.push("the payload is still held from outside".into());
    }
    let outcome = if why.is_empty() { Outcome::Accepted } else { Outcome::Rejected };
    let evidence = evidence(subject, measured(scene, &window), predicates, &[], &[]);
    (verdict(subject, outcome, VerdictKind::Lifecycle, why, scene.milestones), evidence)
}

#[cfg(test)]
mod tests;
