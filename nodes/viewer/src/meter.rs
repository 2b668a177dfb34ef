//! How fast states come, and which ticks never came.

use crate::event::Pace;

/// Follows the ticks of `team/state`; times are handed in.
#[derive(Clone, Debug)]
pub struct Meter {
    pause_s: f64,
    last: Option<(u64, f64)>,
    sum_s: f64,
    ticks: u64,
    max_s: f64,
    lost: u64,
}

impl Meter {
    /// Gaps of `pause_s` wall seconds and more are pauses.
    #[must_use]
    pub fn new(pause_s: f64) -> Self {
        Self { pause_s, last: None, sum_s: 0.0, ticks: 0, max_s: 0.0, lost: 0 }
    }

    /// State of `tick` came at `wall_s`.
    pub fn came(&mut self, tick: u64, wall_s: f64) {
        if let Some((last, at)) = self.last {
            // A repeated or older tick tells nothing about pace or loss.
            let Some(steps) = tick.checked_sub(last).filter(|n| *n > 0) else { return };
            self.lost += steps - 1;
            let took = wall_s - at;
            if took < self.pause_s {
                self.sum_s += took;
                self.ticks += steps;
                self.max_s = self.max_s.max(took);
            }
        }
        self.last = Some((tick, wall_s));
    }

    /// States that never came, so far.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Pace since the last call.
    pub fn pace(&mut self) -> Pace {
        let mean_s = if self.ticks > 0 { self.sum_s / self.ticks as f64 } else { 0.0 };
        let pace = Pace { tick_wall_ms: mean_s * 1e3, tick_wall_max_ms: self.max_s * 1e3, lost_states: self.lost };
        (self.sum_s, self.ticks, self.max_s) = (0.0, 0, 0.0);
        pace
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_left_out_and_gaps_in_ticks_are_losses() {
        let mut meter = Meter::new(0.25);
        for (tick, wall_s) in [(10, 1.0), (11, 1.004), (12, 1.010), (12, 1.011), (13, 6.0), (16, 6.012)] {
            meter.came(tick, wall_s);
        }
        let pace = meter.pace();
        assert_eq!(pace.lost_states, 2);
        assert!((pace.tick_wall_ms - 22.0 / 5.0).abs() < 1e-6, "{pace:?}");
        assert!((pace.tick_wall_max_ms - 12.0).abs() < 1e-6, "{pace:?}");
        assert_eq!(meter.pace(), Pace { lost_states: 2, ..Pace::default() });
    }
}
