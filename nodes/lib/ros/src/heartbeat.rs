//! Signs of life: a thread that sends them and a watch that misses them.

use crate::error::RosError;
use crate::{names, qos, stamp};
use r2r::std_msgs::msg::Header;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Publishes `team/heartbeat` from a thread of its own until it is dropped, so that a loop that waits
/// for a model still counts as alive.
#[derive(Debug)]
pub struct Heartbeat {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Begins to beat every `period`.
    ///
    /// # Errors
    /// [`RosError`].
    pub fn start(node: &mut crate::RosNode, sender: &str, period: Duration) -> Result<Self, RosError> {
        let publisher = node.publish::<Header>(names::TEAM_HEARTBEAT, qos::HEARTBEAT)?;
        let stop = Arc::new(AtomicBool::new(false));
        let (flag, frame_id) = (Arc::clone(&stop), sender.to_owned());
        let beat = move || {
            while !flag.load(Ordering::Relaxed) {
                // A failed beat is what the watchers are there for.
                let _ = publisher.publish(&stamp::header(stamp::now(), &frame_id));
                std::thread::sleep(period);
            }
        };
        let thread = std::thread::Builder::new().name("heartbeat".into()).spawn(beat)?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Tells whether something that should come regularly has stopped coming. Times are arguments.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    limit: Duration,
    last: Option<Instant>,
}

impl Watch {
    /// A watch with this limit; not lost until the first one has come.
    #[must_use]
    pub fn new(limit: Duration) -> Self {
        Self { limit, last: None }
    }

    /// One has come.
    pub fn seen(&mut self, now: Instant) {
        self.last = Some(now);
    }

    /// Back to the start.
    pub fn forget(&mut self) {
        self.last = None;
    }

    /// True when at least one has come, but none within the limit.
    #[must_use]
    pub fn lost(&self, now: Instant) -> bool {
        self.last.is_some_and(|last| now.saturating_duration_since(last) > self.limit)
    }

    /// Age of the last one.
    #[must_use]
    pub fn age(&self, now: Instant) -> Option<Duration> {
        self.last.map(|last| now.saturating_duration_since(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_only_after_one_was_seen_and_the_limit_passed() {
        let now = Instant::now();
        let mut watch = Watch::new(Duration::from_millis(500));
        assert!(!watch.lost(now + Duration::from_secs(9)));
        watch.seen(now);
        assert!(!watch.lost(now + Duration::from_millis(500)));
        assert!(watch.lost(now + Duration::from_millis(501)));
    }
}
