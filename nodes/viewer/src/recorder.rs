//! Turns events into rerun's log. Entity paths: `world/…` in three dimensions, `camera/…` images,
//! `curves/…` numbers, `text/…` the newest of each kind in words, `log` all words in order.

mod blueprint;
mod convert;
mod curves;
mod moving;
mod standing;
mod words;

use crate::event::{Event, Joints, Picture};
use crate::queue::Tally;
use crate::scene::Scene;
use rerun::{RecordingStream, RecordingStreamError};
use std::collections::BTreeMap;
use std::sync::Arc;
use troupe_core::TICK_S;
use troupe_core::frames::Pose;

/// Timeline of simulated seconds; on robots, seconds since the first state.
pub const TIME: &str = "sim_time";
/// Timeline of control ticks.
pub const TICK: &str = "tick";

/// How it is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Length of a contact's arrow, m/N.
    pub arrow_m_per_n: f64,
    /// Stamps are simulated time, and a tick is 20 ms.
    pub simulated: bool,
}

/// Writes one destination.
pub struct Recorder {
    stream: RecordingStream,
    scene: Arc<Scene>,
    look: Look,
    /// First stamp, s: the zero of the timeline.
    origin_s: Option<f64>,
    tick: u64,
    now_s: f64,
    bases: BTreeMap<String, Pose>,
    angles: BTreeMap<String, BTreeMap<String, f64>>,
    payload_half_m: Option<[f64; 3]>,
    milestones: Vec<String>,
    formation_m: f64,
    dropped: u64,
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").field("tick", &self.tick).finish_non_exhaustive()
    }
}

impl Recorder {
    /// Writes layout, world and robots; nothing moves yet.
    ///
    /// # Errors
    /// When rerun refuses.
    pub fn new(stream: RecordingStream, scene: Arc<Scene>, look: Look) -> Result<Self, RecordingStreamError> {
        // All that is shown has a time of its own.
        stream.set_log_time_enabled(false);
        stream.set_log_tick_enabled(false);
        blueprint::send(&stream, &scene)?;
        let formation_m = scene.start_distance_m;
        let recorder = Self {
            stream,
            scene,
            look,
            origin_s: look.simulated.then_some(0.0),
            tick: 0,
            now_s: 0.0,
            bases: BTreeMap::new(),
            angles: BTreeMap::new(),
            payload_half_m: None,
            milestones: Vec::new(),
            formation_m,
            dropped: 0,
        };
        recorder.set_time();
        standing::log(&recorder.stream, &recorder.scene)?;
        recorder.gates()?;
        Ok(recorder)
    }

    /// Writes one event.
    ///
    /// # Errors
    /// When rerun refuses it; the next one may be written all the same.
    pub fn record(&mut self, event: &Event) -> Result<(), RecordingStreamError> {
        self.set_time();
        match event {
            Event::State(state, pace) => {
                self.at(state.tick, state.stamp_s);
                self.moved(state)?;
                self.contacts(state)?;
                self.state_curves(state, pace)
            }
            Event::Joints(joints) => self.joints(joints),
            Event::Picture(picture) => self.picture(picture),
            Event::Decision(decision) => {
                self.formation_m = decision.formation.distance_m;
                self.decision(decision)
            }
            Event::Verdict(verdict) => {
                self.milestones.clone_from(&verdict.milestones);
                self.gates()?;
                self.verdict(verdict)
            }
            Event::Evidence(evidence) => {
                self.margins(evidence)?;
                self.evidence(evidence)
            }
            Event::Checkpoint(info) => self.checkpoint(info),
            Event::Budget { run_id, budget } => {
                self.budget_curves(budget)?;
                self.budget(run_id, budget)
            }
            Event::Text(text) => self.text(text),
            Event::Stop(stop) => self.stop(*stop),
            Event::Health(health) => self.health(health),
        }
    }

    /// Notes how many events this destination has lost; call it after each event, it is cheap.
    ///
    /// # Errors
    /// When rerun refuses.
    pub fn note_dropped(&mut self, dropped: u64) -> Result<(), RecordingStreamError> {
        if dropped == self.dropped {
            return Ok(());
        }
        self.dropped = dropped;
        self.scalar("curves/viewer/dropped_events", dropped as f64)
    }

    /// Writes the final counts and closes the destination; a file is complete afterwards.
    ///
    /// # Errors
    /// When rerun refuses.
    pub fn finish(mut self, tally: &Tally) -> Result<(), RecordingStreamError> {
        self.set_time();
        self.dropped = tally.dropped_total();
        self.scalar("curves/viewer/dropped_events", self.dropped as f64)?;
        self.tally(tally)
    }

    /// Moves the timelines to a tick; `stamp_s` as in the message.
    fn at(&mut self, tick: u64, stamp_s: f64) {
        self.tick = tick;
        self.at_stamp(stamp_s);
    }

    fn at_stamp(&mut self, stamp_s: f64) {
        let since_s = stamp_s - *self.origin_s.get_or_insert(stamp_s);
        if since_s.is_finite() && since_s >= 0.0 {
            self.now_s = since_s;
        }
        self.set_time();
    }

    /// Rerun keeps time for each thread, and takes what is logged without a time for what never changes.
    fn set_time(&self) {
        self.stream.set_duration_secs(TIME, self.now_s);
        self.stream.set_time_sequence(TICK, i64::try_from(self.tick).unwrap_or(i64::MAX));
    }

    /// Writes something at its own stamp without moving the recorder's time.
    fn aside(
        &mut self,
        stamp_s: f64,
        write: impl FnOnce(&mut Self) -> Result<(), RecordingStreamError>,
    ) -> Result<(), RecordingStreamError> {
        let (tick, now_s) = (self.tick, self.now_s);
        if self.look.simulated {
            self.tick = (stamp_s / TICK_S).round().max(0.0) as u64;
        }
        self.at_stamp(stamp_s);
        let written = write(self);
        let origin_s = self.origin_s.unwrap_or_default();
        self.at(tick, origin_s + now_s);
        written
    }

    fn joints(&mut self, joints: &Joints) -> Result<(), RecordingStreamError> {
        self.angles.entry(joints.robot.clone()).or_default().extend(joints.angles_rad.iter().map(|(k, v)| (k.clone(), *v)));
        self.aside(joints.stamp_s, |recorder| recorder.posture(joints))
    }

    fn picture(&mut self, picture: &Picture) -> Result<(), RecordingStreamError> {
        self.aside(picture.stamp_ns as f64 / 1e9, |recorder| {
            let image = rerun::EncodedImage::new(picture.png.clone()).with_media_type(rerun::MediaType::PNG);
            recorder.stream.log(format!("camera/{}", picture.camera), &image)
        })
    }

    fn scalar(&self, path: impl Into<rerun::EntityPath>, value: f64) -> Result<(), RecordingStreamError> {
        self.stream.log(path, &rerun::Scalars::single(value))
    }
}

#[cfg(test)]
mod tests;
