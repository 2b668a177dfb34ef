//! The limit that this side keeps: requests and tokens in any minute.

use super::http_config::RateConfig;
use std::collections::VecDeque;
use std::time::Duration;

const WINDOW: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug)]
struct Sent {
    ticket: u64,
    at: Duration,
    tokens: u64,
}

/// What was sent within the last minute.
#[derive(Clone, Debug)]
pub struct RateLimit {
    config: RateConfig,
    sent: VecDeque<Sent>,
    next: u64,
}

impl RateLimit {
    /// Nothing sent yet.
    #[must_use]
    pub fn new(config: RateConfig) -> Self {
        Self { config, sent: VecDeque::new(), next: 0 }
    }

    /// Counts a request of about `tokens` at `now` and names it, or tells how long to wait before asking again.
    /// A request that is larger than a whole minute's tokens goes alone.
    ///
    /// # Errors
    /// The wait.
    pub fn admit(&mut self, now: Duration, tokens: u64) -> Result<u64, Duration> {
        while self.sent.front().is_some_and(|s| s.at + WINDOW <= now) {
            self.sent.pop_front();
        }
        let wait = self.by_requests(now).max(self.by_tokens(now, tokens));
        if !wait.is_zero() {
            return Err(wait);
        }
        let ticket = self.next;
        self.next += 1;
        if self.config.requests_per_minute > 0 || self.config.tokens_per_minute > 0 {
            self.sent.push_back(Sent { ticket, at: now, tokens });
        }
        Ok(ticket)
    }

    /// Replaces a request's estimate by what was billed.
    pub fn settle(&mut self, ticket: u64, tokens: u64) {
        if let Some(sent) = self.sent.iter_mut().find(|s| s.ticket == ticket) {
            sent.tokens = tokens;
        }
    }

    fn by_requests(&self, now: Duration) -> Duration {
        let limit = self.config.requests_per_minute as usize;
        if limit == 0 || self.sent.len() < limit {
            return Duration::ZERO;
        }
        self.sent.get(self.sent.len() - limit).map_or(Duration::ZERO, |s| (s.at + WINDOW).saturating_sub(now))
    }

    fn by_tokens(&self, now: Duration, tokens: u64) -> Duration {
        let limit = self.config.tokens_per_minute;
        let mut total = self.sent.iter().fold(tokens, |sum, s| sum.saturating_add(s.tokens));
        let mut wait = Duration::ZERO;
        if limit == 0 {
            return wait;
        }
        for sent in &self.sent {
            if total <= limit {
                break;
            }
            total -= sent.tokens.min(total);
            wait = (sent.at + WINDOW).saturating_sub(now);
        }
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn zero_is_off() {
        let mut limit = RateLimit::new(RateConfig { requests_per_minute: 0, tokens_per_minute: 0 });
        assert!((0..1000).all(|n| limit.admit(s(0), n * 1000).is_ok()));
    }

    #[test]
    fn the_requests_of_a_minute_are_counted() {
        let mut limit = RateLimit::new(RateConfig { requests_per_minute: 2, tokens_per_minute: 0 });
        assert_eq!(limit.admit(s(0), 1), Ok(0));
        assert_eq!(limit.admit(s(10), 1), Ok(1));
        assert_eq!(limit.admit(s(20), 1), Err(s(40)));
        assert_eq!(limit.admit(s(60), 1), Ok(2));
        assert_eq!(limit.admit(s(61), 1), Err(s(9)));
    }

    #[test]
    fn tokens_count_as_billed_and_a_huge_request_goes_alone() {
        let mut limit = RateLimit::new(RateConfig { requests_per_minute: 0, tokens_per_minute: 100 });
        let first = limit.admit(s(0), 90).unwrap();
        assert_eq!(limit.admit(s(1), 20), Err(s(59)));
        limit.settle(first, 30);
        assert_eq!(limit.admit(s(1), 20), Ok(1));
        assert_eq!(limit.admit(s(2), 500), Err(s(59)));
        assert_eq!(limit.admit(s(61), 500), Ok(2));
    }

    proptest! {
        /// No minute ever holds more than allowed, whatever the pauses and sizes are.
        #[test]
        fn no_minute_holds_too_much(asks in prop::collection::vec((0u64..30, 1u64..60), 1..60)) {
            let config = RateConfig { requests_per_minute: 5, tokens_per_minute: 100 };
            let mut limit = RateLimit::new(config);
            let (mut now, mut log) = (s(0), Vec::new());
            for (pause, tokens) in asks {
                now += s(pause);
                while let Err(wait) = limit.admit(now, tokens) {
                    prop_assert!(!wait.is_zero());
                    now += wait;
                }
                log.push((now, tokens));
                let minute: Vec<_> = log.iter().filter(|(at, _)| *at + WINDOW > now).collect();
                prop_assert!(minute.len() <= 5 && minute.iter().map(|(_, t)| t).sum::<u64>() <= 100);
            }
        }
    }
}
