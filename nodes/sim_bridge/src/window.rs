//! When simulated time passes in lockstep: only while a window is open, and until the tick it closes.

use troupe_core::team::WindowReason;

/// An open window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    start_tick: u64,
    left: u64,
    until_idle: bool,
}

/// What to do once every robot has answered a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowStep {
    /// Step once more.
    Step,
    /// Close on this tick.
    Close(WindowReason),
}

impl Window {
    /// A window of at most `max_ticks` steps from `tick`; with `until_idle` it closes on the first tick
    /// that every robot answers as idle. `None` without ticks.
    #[must_use]
    pub fn open(tick: u64, max_ticks: u64, until_idle: bool) -> Option<Self> {
        (max_ticks > 0).then_some(Self { start_tick: tick, left: max_ticks, until_idle })
    }

    /// Tick at which it was opened.
    #[must_use]
    pub fn start_tick(&self) -> u64 {
        self.start_tick
    }

    /// Steps that it may still take.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Counts one step.
    pub fn stepped(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    /// After a step and all answers to it: go on or close. `busy` is true when any robot is busy.
    #[must_use]
    pub fn answered(&self, busy: bool) -> WindowStep {
        if self.until_idle && !busy {
            WindowStep::Close(WindowReason::Idle)
        } else if self.left == 0 {
            WindowStep::Close(WindowReason::Limit)
        } else {
            WindowStep::Step
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closes_on_the_first_idle_tick_or_at_the_limit() {
        let mut window = Window::open(7, 2, true).unwrap();
        assert_eq!(window.answered(true), WindowStep::Step);
        window.stepped();
        assert_eq!(window.answered(true), WindowStep::Step);
        assert_eq!(window.answered(false), WindowStep::Close(WindowReason::Idle));
        window.stepped();
        assert_eq!(window.answered(true), WindowStep::Close(WindowReason::Limit));
        assert_eq!(window.start_tick(), 7);
    }

    #[test]
    fn an_exact_window_ignores_idle_robots() {
        let mut window = Window::open(0, 1, false).unwrap();
        assert_eq!(window.answered(false), WindowStep::Step);
        window.stepped();
        assert_eq!(window.answered(false), WindowStep::Close(WindowReason::Limit));
        assert_eq!(Window::open(0, 0, true), None);
    }
}
