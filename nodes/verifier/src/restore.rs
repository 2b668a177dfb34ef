//! Whether a restoration may be trusted (CE-053); a failure blames the infrastructure, not the decision.

use crate::errors::Scene;
use crate::history::History;
use crate::lifecycle::{carried_by_any, carried_by_target};
use crate::outcome::{reason, verdict};
use crate::transport::support;
use troupe_coordination::phase::Stage;
use troupe_core::evidence::{Outcome, Predicate, Verdict, VerdictKind};
use troupe_core::state::TeamState;
use troupe_core::team::ConfirmRestore;
use troupe_core::ticks;

/// The payload is carried as it should be in this stage.
pub(crate) fn held_as(scene: &Scene, tail: &[&TeamState]) -> Predicate {
    match scene.stage {
        Stage::Carrying => support(scene, tail),
        Stage::Lowered => carried_by_any(scene, tail),
        Stage::Released | Stage::Retreated => carried_by_target(scene, tail),
    }
}

/// Checks error, epochs and support after the settling window.
pub(crate) fn confirm(scene: &Scene, history: &History, checkpoint_id: &str, request: &ConfirmRestore) -> Verdict {
    let mut reasons = Vec::new();
    let limits = scene.config.restore;
    let restored = &request.restored;
    if request.checkpoint_id != checkpoint_id {
        reasons.push(format!("checkpoint_id = `{}`; allowed: the trusted `{checkpoint_id}`", request.checkpoint_id));
    }
    // NaN is no small error.
    if !restored.max_error.is_finite() || restored.max_error > limits.max_error {
        reasons.push(format!("max_error: {:e}; allowed: at most {:e}", restored.max_error, limits.max_error));
    }
    let settle = ticks(limits.settle_s);
    match history.window(request.closed_tick.saturating_sub(settle), request.closed_tick, scene.robots) {
        Err(error) => reasons.push(format!("settling: {error}")),
        Ok(states) => {
            let skip = states.len().saturating_sub(support_ticks(scene));
            let tail: Vec<&TeamState> = states.into_iter().skip(skip).collect();
            let held = held_as(scene, &tail);
            if !held.passed {
                reasons.push(reason(&held));
            }
            reasons.extend(tail.last().map(|end| epochs(scene, history, end, request)).unwrap_or_default());
        }
    }
    let outcome = if reasons.is_empty() { Outcome::Accepted } else { Outcome::InvalidInfra };
    verdict(&request.checkpoint_id, outcome, VerdictKind::Lifecycle, reasons, scene.milestones)
}

fn support_ticks(scene: &Scene) -> usize {
    usize::try_from(ticks(scene.task.transition.support_window_s)).unwrap_or(usize::MAX).max(1)
}

/// Context and controllers moved on, and every controller acknowledged its new epoch.
fn epochs(scene: &Scene, history: &History, end: &TeamState, request: &ConfirmRestore) -> Vec<String> {
    let mut reasons = Vec::new();
    let restored = &request.restored;
    if end.context_epoch != restored.context_epoch {
        reasons.push(format!("context_epoch: {} at the end; allowed: {}", end.context_epoch, restored.context_epoch));
    }
    if restored.controller_epochs.len() != scene.robots.len() {
        let (given, wanted) = (restored.controller_epochs.len(), scene.robots.len());
        reasons.push(format!("controller_epochs: {given} given; allowed: one for each of {wanted} robots"));
    }
    let before = history.back_from(request.closed_tick).find(|s| s.context_epoch < restored.context_epoch);
    for (name, epoch) in scene.robots.iter().zip(&restored.controller_epochs) {
        let now = end.robot(name).map(|r| r.controller_epoch);
        if now != Some(*epoch) {
            reasons.push(format!("{name}: controller_epoch {now:?} is not the acknowledged {epoch}"));
        }
        let old = before.and_then(|s| s.robot(name)).map(|r| r.controller_epoch);
        if old.is_some_and(|old| *epoch <= old) {
            reasons.push(format!("{name}: controller_epoch {epoch} did not rise above {old:?}"));
        }
    }
    reasons
}

#[cfg(test)]
mod tests;
