//! Rollouts of candidates in copies of the crew, several at a time (CE-151, CE-155).

use crate::crew::Crew;
use std::num::NonZeroUsize;
use troupe_core::forecast::{Forecast, ForecastRules};
use troupe_core::skill::{SkillCall, SkillCode, SkillGoal};
use troupe_core::ticks;

/// Limit of a rolled-out goal, simulated s: longer than the longest skill with settling.
const DEADLINE_S: f64 = 20.0;

/// Rolls out one candidate in a crew that is thrown away.
#[must_use]
pub fn roll(mut fork: Crew, calls: &[SkillCall], rules: &ForecastRules) -> Forecast {
    let bridge = fork.bridge();
    let (tick, context_epoch) = (bridge.tick(), bridge.context_epoch());
    let mut states = match bridge.team_state() {
        Ok(state) => vec![state],
        Err(error) => return Forecast::refused(calls, &error.to_string()),
    };
    let goal = |call: &SkillCall| SkillGoal {
        call: *call,
        transaction_id: "forecast".into(),
        context_epoch,
        start_tick: tick + 1,
        deadline_s: DEADLINE_S,
    };
    let goals: Vec<SkillGoal> = calls.iter().map(goal).collect();
    match fork.dispatch(&goals, ticks(DEADLINE_S) + 2, &mut |s| states.push(s.clone())) {
        Ok(done) => {
            let settled = done.results.iter().all(|r| r.code == SkillCode::None && r.settled);
            Forecast::of(calls, &states, settled, rules)
        }
        Err(error) => Forecast::refused(calls, &error.to_string()),
    }
}

/// Rolls out every candidate from the crew's present state; the crew itself stays as it is. Forecasts are in
/// the order of the candidates, whatever thread was first.
#[must_use]
pub fn roll_all(crew: &Crew, candidates: &[Vec<SkillCall>], rules: &ForecastRules) -> Vec<Forecast> {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = cores.min(candidates.len());
    if threads <= 1 {
        return candidates.iter().map(|calls| roll(crew.fork(), calls, rules)).collect();
    }
    let mut work: Vec<Vec<(usize, Crew)>> = (0..threads).map(|_| Vec::new()).collect();
    for index in 0..candidates.len() {
        if let Some(list) = work.get_mut(index % threads) {
            list.push((index, crew.fork()));
        }
    }
    let mut found: Vec<(usize, Forecast)> = std::thread::scope(|scope| {
        let handles: Vec<_> = work
            .into_iter()
            .map(|list| {
                scope.spawn(move || {
                    let roll_one = |(index, fork): (usize, Crew)| {
                        candidates.get(index).map(|calls| (index, roll(fork, calls, rules)))
                    };
                    list.into_iter().filter_map(roll_one).collect::<Vec<_>>()
                })
            })
            .collect();
        handles.into_iter().filter_map(|h| h.join().ok()).flatten().collect()
    });
    found.sort_by_key(|(index, _)| *index);
    let mut found = found.into_iter().peekable();
    let mut next = |index: usize| found.next_if(|(i, _)| *i == index).map(|(_, forecast)| forecast);
    let lost = |calls: &[SkillCall]| Forecast::refused(calls, "the rollout's thread ended early");
    candidates.iter().enumerate().map(|(i, calls)| next(i).unwrap_or_else(|| lost(calls))).collect()
}
