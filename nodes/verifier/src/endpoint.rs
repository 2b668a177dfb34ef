//! Whether the task as a whole is complete (CE-002, CE-004, CE-005).

use crate::errors::Scene;
use crate::history::{History, usable};
use crate::outcome::{evidence, reasons, verdict};
use crate::placement::{resting, retreated};
use troupe_coordination::plan::TERMINAL_MILESTONE;
use troupe_coordination::predicate;
use troupe_core::TICK_S;
use troupe_core::evidence::{Comparator, Evidence, Outcome, Predicate, VerdictKind};
use troupe_core::identity::round6;
use troupe_core::state::TeamState;
use troupe_core::task::EndpointKind;
use troupe_core::team::EndpointResponse;

/// One rule that must hold for a while without a break.
struct Held {
    /// Predicates at the newest state.
    now: Vec<Predicate>,
    /// How long all of them have held, against how long they must.
    hold: Predicate,
}

impl Held {
    fn of(
        scene: &Scene,
        history: &History,
        closed_tick: u64,
        rule: fn(&Scene, &TeamState) -> Vec<Predicate>,
        name: &str,
        hold_s: f64,
    ) -> Self {
        let mut now = Vec::new();
        let mut next = closed_tick;
        let mut ticks = 0_u64;
        let mut epoch = None;
        for state in history.back_from(closed_tick) {
            let whole = state.tick == next && usable(state, scene.robots).is_ok();
            if !whole || *epoch.get_or_insert(state.context_epoch) != state.context_epoch {
                break;
            }
            let held = rule(scene, state);
            let passed = held.iter().all(|p| p.passed);
            if state.tick == closed_tick {
                now = held;
            }
            if !passed {
                break;
            }
            ticks = closed_tick - state.tick;
            next = state.tick.saturating_sub(1);
        }
        let seconds = round6(ticks as f64 * TICK_S);
        Self { now, hold: Predicate::measured(name, seconds, Comparator::Ge, round6(hold_s), "s") }
    }

    /// Holds at the newest state.
    fn begun(&self) -> bool {
        !self.now.is_empty() && self.now.iter().all(|p| p.passed)
    }

    /// Further time that the rule needs, s.
    fn missing_s(&self) -> f64 {
        (self.hold.limit - self.hold.value).max(0.0)
    }
}

/// Judges the endpoint that the task record names, at a tick that was seen.
pub(crate) fn judge(scene: &Scene, history: &History, closed_tick: u64) -> EndpointResponse {
    let task = scene.task;
    let mut held =
        vec![Held::of(scene, history, closed_tick, resting, predicate::PLACEMENT_HOLD, task.placement.hold_s)];
    if task.endpoint == EndpointKind::Full {
        held.push(Held::of(scene, history, closed_tick, retreated, predicate::RETREAT_HOLD, task.retreat.hold_s));
    }
    let gates = scene.route.segments.len();
    let certified = scene.route.segments.iter().filter(|s| scene.milestones.contains(&s.id)).count();
    let milestones =
        Predicate::measured(predicate::MILESTONES, certified as f64, Comparator::Ge, gates as f64, "1");

    let possible = milestones.passed && held.iter().all(Held::begun);
    let missing_s = held.iter().map(Held::missing_s).fold(0.0, f64::max);
    let seen = history.at(closed_tick).is_some_and(|s| usable(s, scene.robots).is_ok());
    let mut predicates = vec![milestones];
    for rule in held {
        predicates.extend(rule.now);
        predicates.push(rule.hold);
    }
    let open = reasons(&predicates);
    let (outcome, observe_s) = match (seen, possible, missing_s > 0.0) {
        (false, ..) => (Outcome::InvalidInfra, 0.0),
        (_, false, _) => (Outcome::Rejected, 0.0),
        (_, true, true) => (Outcome::Unresolved, round6(missing_s)),
        (_, true, false) => (Outcome::Accepted, 0.0),
    };
    let mut certified = scene.milestones.to_vec();
    if outcome == Outcome::Accepted && !certified.iter().any(|m| m == TERMINAL_MILESTONE) {
        certified.push(TERMINAL_MILESTONE.into());
    }
    let reasons = if seen { open } else { vec![format!("no usable state of tick {closed_tick} was seen")] };
    let evidence: Evidence = evidence(&task.name, vec![], predicates, &[], &[]);
    EndpointResponse { verdict: verdict(&task.name, outcome, VerdictKind::Endpoint, reasons, &certified), evidence, observe_s }
}

#[cfg(test)]
mod tests;
