//! The quality-of-service table: one row per kind of topic, both ends from the same row, never a default.

use r2r::QosProfile;

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quality {
    /// Kind of topic, for people.
    pub kind: &'static str,
    /// Lost messages are sent again to readers that ask for it.
    pub reliable: bool,
    /// Readers ask for it. One that does not matches every publisher, sends no acknowledgements, and needs another
    /// way to get on after a loss.
    pub reader_reliable: bool,
    /// A late reader gets the last messages.
    pub latched: bool,
    /// Messages kept by a publisher.
    pub publisher_depth: usize,
    /// Messages kept for a slow reader.
    pub subscriber_depth: usize,
}

/// `/clock`.
pub const CLOCK: Quality = row("clock", true, false, 10, 10);
/// `lowstate` and `lowcmd`: both ends match a vendor's, whichever it has. A tick whose state or command is lost in
/// lockstep is sent again by the bridge.
pub const DEVICE: Quality = row("device", true, false, 10, 10).unacknowledged();
/// `team/state` for a robot, which wants the newest, from whatever estimator there is; sent again like `lowstate`.
pub const TEAM_STATE: Quality = row("team_state", true, false, 64, 16).unacknowledged();
/// `team/state` for readers that want every tick: lockstep may be far ahead of them for a while.
pub const TEAM_STATE_STREAM: Quality = row("team_state_stream", true, false, 64, 1024);
/// Decisions, verdicts, evidence, budgets, checkpoints, text: a late reader gets the last few.
pub const NOTES: Quality = row("notes", true, true, 16, 64);
/// Stops, descriptions, states of goals: only the last one counts.
pub const LATCHED: Quality = row("latched", true, true, 1, 16);
/// The orchestrator's sign of life.
pub const HEARTBEAT: Quality = row("heartbeat", true, false, 4, 4);
/// High-level requests and responses of the robots.
pub const API: Quality = row("api", true, false, 16, 16);
/// Joint states, transforms.
pub const STREAM: Quality = row("stream", true, false, 50, 100);
/// Camera images.
pub const IMAGE: Quality = row("image", false, false, 2, 2);
/// Single pictures that someone waits for.
pub const PICTURE: Quality = row("picture", true, true, 1, 4);
/// `/diagnostics`.
pub const DIAGNOSTICS: Quality = row("diagnostics", true, false, 16, 32);
/// Feedback of actions.
pub const FEEDBACK: Quality = row("feedback", true, false, 10, 10);
/// Requests and responses of services.
pub const SERVICE: Quality = row("service", true, false, 10, 10);

/// All rows.
pub const TABLE: [Quality; 14] = [
    CLOCK, DEVICE, TEAM_STATE, TEAM_STATE_STREAM, NOTES, LATCHED, HEARTBEAT, API, STREAM, IMAGE, PICTURE, DIAGNOSTICS, FEEDBACK, SERVICE,
];

const fn row(kind: &'static str, reliable: bool, latched: bool, publisher_depth: usize, subscriber_depth: usize) -> Quality {
    Quality { kind, reliable, reader_reliable: reliable, latched, publisher_depth, subscriber_depth }
}

impl Quality {
    /// The same with readers that acknowledge nothing.
    #[must_use]
    pub const fn unacknowledged(self) -> Self {
        Self { reader_reliable: false, ..self }
    }

    /// For a publisher, or a service's end.
    #[must_use]
    pub fn publisher(self) -> QosProfile {
        self.profile(self.reliable, self.publisher_depth)
    }

    /// For a subscriber.
    #[must_use]
    pub fn subscriber(self) -> QosProfile {
        self.profile(self.reader_reliable, self.subscriber_depth)
    }

    fn profile(self, reliable: bool, depth: usize) -> QosProfile {
        let profile = QosProfile::default().keep_last(depth);
        let profile = if reliable { profile.reliable() } else { profile.best_effort() };
        if self.latched { profile.transient_local() } else { profile.volatile() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use r2r::qos::{DurabilityPolicy, ReliabilityPolicy};

    #[test]
    fn both_ends_of_every_row_match() {
        for row in TABLE {
            let (publisher, subscriber) = (row.publisher(), row.subscriber());
            // A reliable reader does not match a best-effort publisher; the other way round is fine.
            let matches = publisher.reliability == ReliabilityPolicy::Reliable || subscriber.reliability == ReliabilityPolicy::BestEffort;
            assert!(matches, "{}", row.kind);
            assert_eq!(publisher.durability, subscriber.durability, "{}", row.kind);
            assert_eq!(publisher.depth, row.publisher_depth, "{}", row.kind);
            assert!(row.publisher_depth > 0 && row.subscriber_depth > 0, "{}", row.kind);
        }
    }

    #[test]
    fn what_must_not_be_lost_is_reliable_and_what_must_be_found_late_is_latched() {
        assert_eq!(DEVICE.publisher().reliability, ReliabilityPolicy::Reliable);
        assert_eq!(DEVICE.subscriber().reliability, ReliabilityPolicy::BestEffort);
        assert_eq!(TEAM_STATE_STREAM.subscriber().reliability, ReliabilityPolicy::Reliable);
        assert_eq!(LATCHED.publisher().durability, DurabilityPolicy::TransientLocal);
        assert_eq!(IMAGE.subscriber().reliability, ReliabilityPolicy::BestEffort);
    }
}
