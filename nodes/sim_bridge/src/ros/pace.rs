//! When the next control tick is due in real time. Times are arguments.

use std::time::{Duration, Instant};
use troupe_core::TICK_S;

/// Behind by more than this many ticks, the lost time is given up.
const CATCH_UP_TICKS: u32 = 5;

/// Paces ticks to a real-time factor.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    period: Duration,
    due: Option<Instant>,
}

impl Pace {
    /// `rtf` simulated seconds in one second; above 0.
    pub fn new(rtf: f64) -> Self {
        Self { period: Duration::try_from_secs_f64(TICK_S / rtf).unwrap_or(Duration::from_millis(20)), due: None }
    }

    /// Time does not pass; the schedule starts afresh afterwards.
    pub fn pause(&mut self) {
        self.due = None;
    }

    /// How long to wait for the next tick; zero when it is due.
    pub fn wait(&mut self, now: Instant) -> Duration {
        self.due.get_or_insert(now).saturating_duration_since(now)
    }

    /// A tick was made.
    pub fn ticked(&mut self, now: Instant) {
        let next = self.due.unwrap_or(now) + self.period;
        let late = now.saturating_duration_since(next);
        self.due = Some(if late > self.period * CATCH_UP_TICKS { now } else { next });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_mean_rate_and_gives_up_long_stalls() {
        let start = Instant::now();
        let mut pace = Pace::new(2.0);
        let mut now = start;
        for tick in 0..50_u32 {
            now += pace.wait(now) + Duration::from_millis(u64::from(tick % 3));
            pace.ticked(now);
        }
        let elapsed = now.duration_since(start);
        assert!((490..=495).contains(&elapsed.as_millis()), "{elapsed:?}");
        now += Duration::from_secs(10);
        pace.ticked(now);
        assert_eq!(pace.wait(now), Duration::ZERO);
        pace.ticked(now);
        assert_eq!(pace.wait(now), Duration::from_millis(10));
        pace.pause();
        assert_eq!(pace.wait(now + Duration::from_secs(60)), Duration::ZERO);
    }
}
