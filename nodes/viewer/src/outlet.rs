//! One destination of the recording: a queue and the thread that empties it.

use crate::config::QueueLimits;
use crate::event::Event;
use crate::queue::{Queue, Tally};
use crate::recorder::Recorder;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Part of the time for finishing in which waiting events are still written.
const DRAIN_SHARE: f64 = 0.5;

/// What writes events somewhere; [`Recorder`] does.
pub trait Writer: Send + 'static {
    /// Writes one event; `dropped` is what the destination has lost so far.
    ///
    /// # Errors
    /// In words; the next event is written all the same.
    fn write(&mut self, event: &Event, dropped: u64) -> Result<(), String>;

    /// Completes the destination.
    ///
    /// # Errors
    /// In words.
    fn finish(self, tally: &Tally) -> Result<(), String>;
}

impl Writer for Recorder {
    fn write(&mut self, event: &Event, dropped: u64) -> Result<(), String> {
        self.record(event).and_then(|()| self.note_dropped(dropped)).map_err(|e| e.to_string())
    }

    fn finish(self, tally: &Tally) -> Result<(), String> {
        self.finish(tally).map_err(|e| e.to_string())
    }
}

/// A destination that never makes its sender wait.
#[derive(Debug)]
pub struct Outlet {
    name: &'static str,
    queue: Arc<Queue>,
    done: Receiver<()>,
}

impl Outlet {
    /// Starts the thread. `name` is for people.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn open(name: &'static str, limits: QueueLimits, writer: impl Writer) -> std::io::Result<Self> {
        let queue = Arc::new(Queue::new(limits));
        let (tell, done) = channel();
        let reading = Arc::clone(&queue);
        std::thread::Builder::new().name(format!("viewer-{name}")).spawn(move || {
            empty(name, &reading, writer);
            // Nobody listens when time was up.
            let _ = tell.send(());
        })?;
        Ok(Self { name, queue, done })
    }

    /// For people.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Hands an event over, or drops and counts it.
    pub fn offer(&self, event: &Arc<Event>) -> bool {
        self.queue.offer(Arc::clone(event))
    }

    /// Counts so far.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.queue.tally()
    }

    /// Takes nothing more. What waits is still written while there is time.
    pub fn close(&self, within: Duration) {
        self.queue.close(Instant::now() + within.mul_f64(DRAIN_SHARE));
    }

    /// Waits, until `deadline` at most, for the destination to be complete; says whether it is.
    #[must_use]
    pub fn finished(&self, deadline: Instant) -> bool {
        self.done.recv_timeout(deadline.saturating_duration_since(Instant::now())).is_ok()
    }
}

fn empty(name: &'static str, queue: &Queue, mut writer: impl Writer) {
    let mut warned = false;
    while let Some(event) = queue.take() {
        let written = writer.write(&event, queue.tally().dropped_total());
        if let (Err(error), false) = (written, warned) {
            // Once: the cause is the same for all that follow.
            warned = true;
            tracing::warn!(name, %error, "an event could not be written");
        }
    }
    if let Err(error) = writer.finish(&queue.tally()) {
        tracing::warn!(name, %error, "the recording may be incomplete");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Sender, sync_channel};

    /// Waits for permission before each event.
    struct Slow {
        go: Receiver<()>,
        seen: Sender<(String, u64)>,
    }

    impl Writer for Slow {
        fn write(&mut self, event: &Event, dropped: u64) -> Result<(), String> {
            let _ = self.go.recv();
            let _ = self.seen.send((event.kind().to_owned(), dropped));
            Ok(())
        }

        fn finish(self, tally: &Tally) -> Result<(), String> {
            let _ = self.seen.send(("end".to_owned(), tally.dropped_total()));
            Ok(())
        }
    }

    fn slow(events: usize) -> (Outlet, std::sync::mpsc::SyncSender<()>, Receiver<(String, u64)>) {
        let (go, wait) = sync_channel(1000);
        let (seen, told) = channel();
        let limits = QueueLimits { events, bytes: 1 << 20 };
        (Outlet::open("test", limits, Slow { go: wait, seen }).unwrap(), go, told)
    }

    #[test]
    fn a_blocked_destination_costs_the_sender_nothing_and_losses_are_told() {
        let (outlet, go, told) = slow(4);
        let event = Arc::new(Event::Text("a".into()));
        let start = Instant::now();
        let taken = (0..100).filter(|_| outlet.offer(&event)).count();
        assert!(start.elapsed() < Duration::from_secs(1));
        assert!((4..=5).contains(&taken), "{taken}: four wait, one may be held by the writer");
        assert_eq!(outlet.tally().dropped_total(), 100 - taken as u64);
        drop(go);
        outlet.close(Duration::from_secs(20));
        assert!(outlet.finished(Instant::now() + Duration::from_secs(10)));
        let seen: Vec<_> = told.iter().collect();
        assert_eq!(seen.len(), taken + 1);
        assert_eq!(seen.last().unwrap(), &("end".to_owned(), 100 - taken as u64));
    }

    #[test]
    fn a_destination_that_never_answers_does_not_hold_up_the_end() {
        let (outlet, _go, _told) = slow(4);
        outlet.offer(&Arc::new(Event::Stop(true)));
        let start = Instant::now();
        outlet.close(Duration::from_millis(50));
        assert!(!outlet.finished(start + Duration::from_millis(50)));
        assert!(start.elapsed() < Duration::from_secs(1));
    }
}
