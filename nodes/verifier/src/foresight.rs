//! The verifier's look ahead: an accepted transition from which no next move is safe is rejected after all
//! (CE-074, CE-151). The moves are the host's own; how they go is foretold in a copy of the world.

use crate::errors::Scene;
use crate::judge::Judged;
use crate::outcome::{evidence, reason, verdict};
use troupe_coordination::look_ahead::{Outlook, judge, primitives};
use troupe_core::evidence::{FailureType, Outcome};
use troupe_core::forecast::Forecast;
use troupe_core::observation::Observation;
use troupe_core::skill::{SkillBounds, SkillCall};
use troupe_core::state::TeamState;

/// Next moves from the state after a judged transition; the scene holds milestones and stage after it.
pub(crate) fn moves(scene: &Scene, newest: &TeamState, bounds: &SkillBounds) -> Vec<Vec<SkillCall>> {
    let Some(segment) = scene.route.active(scene.milestones) else { return Vec::new() };
    let Some(observation) = Observation::new(newest, segment, scene.task.formation.heading_offset_rad) else { return Vec::new() };
    primitives(&Outlook {
        observation: &observation,
        stage: scene.stage,
        placing: scene.segment().is_none(),
        target: scene.route.target,
        formation: scene.task.formation,
        bounds,
    })
}

/// Adds the predicate to a judgement. When it fails the judgement becomes a rejection at `checkpoint_id` with
/// the milestones of before; returns true then.
pub(crate) fn apply(judged: &mut Judged, calls: &[SkillCall], forecasts: &[Forecast], scene: &Scene, checkpoint_id: &str) -> bool {
    if judged.save.is_none() {
        return false;
    }
    let Some((predicate, failure, words)) = judge(forecasts, &scene.config.look_ahead) else { return false };
    let old = &judged.response;
    let mut predicates = old.evidence.predicates.clone();
    predicates.push(predicate.clone());
    let hints: Vec<FailureType> = if predicate.passed { vec![] } else { failure.into_iter().collect() };
    let new = evidence(&old.evidence.transaction_id, old.evidence.measured.clone(), predicates, &hints, calls);
    let rejected = !predicate.passed;
    if rejected {
        let why = vec![format!("{}; the best of {} moves: {words}", reason(&predicate), forecasts.len())];
        judged.response.verdict = verdict(&old.verdict.subject, Outcome::Rejected, old.verdict.kind, why, scene.milestones);
        checkpoint_id.clone_into(&mut judged.response.checkpoint_id);
        judged.save = None;
        judged.stage = scene.stage;
    }
    judged.response.evidence = new;
    rejected
}

#[cfg(test)]
mod tests;
