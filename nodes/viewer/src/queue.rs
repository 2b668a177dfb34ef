//! A bounded queue that never makes the sender wait: what does not fit is dropped and counted by kind.

use crate::config::QueueLimits;
use crate::event::Event;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What has passed and what was dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Events handed on.
    pub passed: u64,
    /// Events dropped, by kind.
    pub dropped: BTreeMap<&'static str, u64>,
}

impl Tally {
    /// All dropped events.
    #[must_use]
    pub fn dropped_total(&self) -> u64 {
        self.dropped.values().sum()
    }

    fn drop_one(&mut self, event: &Event) {
        *self.dropped.entry(event.kind()).or_insert(0) += 1;
    }
}

#[derive(Debug, Default)]
struct Inner {
    waiting: VecDeque<Arc<Event>>,
    bytes: usize,
    tally: Tally,
    closed: Option<Instant>,
}

/// The queue; share it in an [`Arc`].
#[derive(Debug)]
pub struct Queue {
    limits: QueueLimits,
    inner: Mutex<Inner>,
    arrived: Condvar,
}

impl Queue {
    /// An empty queue.
    #[must_use]
    pub fn new(limits: QueueLimits) -> Self {
        Self { limits, inner: Mutex::default(), arrived: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts an event in, or drops and counts it; never waits for the reader.
    pub fn offer(&self, event: Arc<Event>) -> bool {
        let size = event.bytes();
        let mut inner = self.lock();
        let fits = inner.waiting.len() < self.limits.events && inner.bytes.saturating_add(size) <= self.limits.bytes;
        if inner.closed.is_some() || !fits {
            inner.tally.drop_one(&event);
            return false;
        }
        inner.bytes += size;
        inner.waiting.push_back(event);
        drop(inner);
        self.arrived.notify_one();
        true
    }

    /// Waits for the oldest event; `None` once the queue is closed and empty, or its time is up.
    #[must_use]
    pub fn take(&self) -> Option<Arc<Event>> {
        let mut inner = self.lock();
        loop {
            if inner.closed.is_some_and(|until| Instant::now() >= until) {
                while let Some(event) = inner.waiting.pop_front() {
                    inner.tally.drop_one(&event);
                }
                inner.bytes = 0;
                return None;
            }
            if let Some(event) = inner.waiting.pop_front() {
                inner.bytes = inner.bytes.saturating_sub(event.bytes());
                inner.tally.passed += 1;
                return Some(event);
            }
            if inner.closed.is_some() {
                return None;
            }
            inner = self.arrived.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes nothing more; what waits may be taken until `until`, then it is dropped and counted.
    pub fn close(&self, until: Instant) {
        self.lock().closed.get_or_insert(until);
        self.arrived.notify_all();
    }

    /// Counts so far.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.lock().tally.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Picture;
    use std::time::Duration;

    fn text(words: &str) -> Arc<Event> {
        Arc::new(Event::Text(words.to_owned()))
    }

    #[test]
    fn a_full_queue_drops_and_counts_by_kind() {
        let queue = Queue::new(QueueLimits { events: 3, bytes: 1 << 20 });
        assert_eq!((0..5).filter(|_| queue.offer(text("a"))).count(), 3);
        assert!(!queue.offer(Arc::new(Event::Stop(true))));
        assert_eq!(queue.tally().dropped, BTreeMap::from([("texts", 2), ("stops", 1)]));
        assert!(queue.take().is_some());
        assert!(queue.offer(text("b")), "a place is free again");
    }

    #[test]
    fn bytes_are_bounded_too() {
        let queue = Queue::new(QueueLimits { events: 100, bytes: 10_000 });
        let image = |size| Arc::new(Event::Picture(Picture { camera: "a".into(), stamp_ns: 0, png: vec![0; size] }));
        assert!(queue.offer(image(5_000)));
        assert!(!queue.offer(image(5_000)));
        assert_eq!(queue.tally().dropped_total(), 1);
        assert!(queue.take().is_some() && queue.offer(image(5_000)), "bytes are given back");
    }

    #[test]
    fn after_closing_what_waits_is_taken_in_order_and_then_nothing() {
        let queue = Queue::new(QueueLimits { events: 10, bytes: 1 << 20 });
        queue.offer(text("a"));
        queue.offer(text("b"));
        queue.close(Instant::now() + Duration::from_secs(60));
        assert!(!queue.offer(text("late")));
        assert_eq!((queue.take(), queue.take(), queue.take()), (Some(text("a")), Some(text("b")), None));
        assert_eq!((queue.tally().passed, queue.tally().dropped_total()), (2, 1));
    }

    #[test]
    fn when_the_time_is_up_the_rest_is_dropped_and_counted() {
        let queue = Queue::new(QueueLimits { events: 10, bytes: 1 << 20 });
        queue.offer(text("a"));
        queue.close(Instant::now());
        assert_eq!(queue.take(), None);
        assert_eq!(queue.tally().dropped_total(), 1);
    }
}
