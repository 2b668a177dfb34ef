//! The newest team states, by tick; windows of them without gaps.

use std::collections::VecDeque;
use troupe_core::state::TeamState;

/// States that a judgement needs and that are not there, or cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WindowError {
    /// A tick was not seen.
    #[error("no state of tick {0} was seen")]
    Gap(u64),
    /// A window that ends before it begins.
    #[error("the window ends at tick {end} before it begins at tick {start}")]
    Order {
        /// First tick.
        start: u64,
        /// Last tick.
        end: u64,
    },
    /// A number in a state is not finite.
    #[error("the state of tick {0} holds a number that is not finite")]
    NotFinite(u64),
    /// The world was reset or restored inside the window.
    #[error("the context epoch changed at tick {0}")]
    Epoch(u64),
    /// Payload or a robot is missing.
    #[error("the state of tick {0} lacks a robot or the payload")]
    Incomplete(u64),
}

/// A ring of states in order of ticks.
#[derive(Clone, Debug)]
pub(crate) struct History {
    states: VecDeque<TeamState>,
    capacity: usize,
}

impl History {
    /// Keeps `ticks` states.
    pub(crate) fn new(ticks: u64) -> Self {
        let capacity = usize::try_from(ticks).unwrap_or(usize::MAX).clamp(2, 100_000);
        Self { states: VecDeque::new(), capacity }
    }

    /// Adds a state. A tick seen before is ignored; ticks that fall mean another world.
    pub(crate) fn push(&mut self, state: TeamState) {
        if let Some(last) = self.states.back() {
            if state.tick == last.tick {
                return;
            }
            if state.tick < last.tick {
                self.states.clear();
            }
        }
        if self.states.len() >= self.capacity {
            self.states.pop_front();
        }
        self.states.push_back(state);
    }

    /// Newest state.
    pub(crate) fn newest(&self) -> Option<&TeamState> {
        self.states.back()
    }

    /// State of a tick.
    pub(crate) fn at(&self, tick: u64) -> Option<&TeamState> {
        let index = self.states.partition_point(|s| s.tick < tick);
        self.states.get(index).filter(|s| s.tick == tick)
    }

    /// States from newest to oldest, beginning with `tick`.
    pub(crate) fn back_from(&self, tick: u64) -> impl Iterator<Item = &TeamState> {
        let end = self.states.partition_point(|s| s.tick <= tick);
        self.states.range(..end).rev()
    }

    /// Every state of `start..=end`, usable as a measurement of `robots`.
    pub(crate) fn window(&self, start: u64, end: u64, robots: &[String]) -> Result<Vec<&TeamState>, WindowError> {
        if end < start {
            return Err(WindowError::Order { start, end });
        }
        // Without this a wrong request could ask for more ticks than were ever kept.
        if end - start >= self.capacity as u64 {
            return Err(WindowError::Gap(start));
        }
        let mut states = Vec::new();
        let mut epoch = None;
        for tick in start..=end {
            let state = self.at(tick).ok_or(WindowError::Gap(tick))?;
            usable(state, robots)?;
            if *epoch.get_or_insert(state.context_epoch) != state.context_epoch {
                return Err(WindowError::Epoch(tick));
            }
            states.push(state);
        }
        Ok(states)
    }
}

/// Complete and finite.
pub(crate) fn usable(state: &TeamState, robots: &[String]) -> Result<(), WindowError> {
    if state.payload().is_none() || robots.iter().any(|r| state.robot(r).is_none()) {
        return Err(WindowError::Incomplete(state.tick));
    }
    let payloads = state.payloads.iter().all(|p| p.z_min_m.is_finite() && p.half_extents_m.iter().all(|v| v.is_finite()));
    let contacts = state.contacts.iter().all(|c| c.impulse_ns.is_finite() && c.force_n.is_finite());
    if state.is_finite() && payloads && contacts { Ok(()) } else { Err(WindowError::NotFinite(state.tick)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at_tick, carrying, robots};

    #[test]
    fn windows_need_every_tick() {
        let mut history = History::new(10);
        for tick in (1..=5).chain(7..=14) {
            history.push(at_tick(carrying(0.0), tick));
        }
        history.push(at_tick(carrying(0.0), 14));
        assert_eq!(history.window(8, 14, &robots()).map(|w| w.len()), Ok(7));
        assert_eq!(history.window(5, 8, &robots()), Err(WindowError::Gap(6)));
        assert_eq!(history.window(1, 8, &robots()), Err(WindowError::Gap(1)));
        assert_eq!(history.window(0, u64::MAX, &robots()), Err(WindowError::Gap(0)));
        assert!(matches!(history.window(9, 8, &robots()), Err(WindowError::Order { .. })));
        assert_eq!(history.back_from(12).next().map(|s| s.tick), Some(12));
        history.push(at_tick(carrying(0.0), 3));
        assert_eq!(history.newest().map(|s| s.tick), Some(3));
        assert!(history.at(14).is_none());
    }

    #[test]
    fn unusable_states_are_told_apart() {
        let mut history = History::new(100);
        history.push(at_tick(carrying(0.0), 1));
        let mut broken = at_tick(carrying(0.0), 2);
        broken.payloads[0].z_min_m = f64::NAN;
        history.push(broken);
        let mut other = at_tick(carrying(0.0), 3);
        other.context_epoch += 1;
        history.push(other);
        let mut alone = at_tick(carrying(0.0), 4);
        alone.robots.pop();
        history.push(alone);
        assert_eq!(history.window(1, 2, &robots()), Err(WindowError::NotFinite(2)));
        assert_eq!(history.window(3, 4, &robots()), Err(WindowError::Incomplete(4)));
    }
}
