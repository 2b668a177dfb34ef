//! Messages to events.

use crate::event::{Event, Health, Joints, Picture};
use crate::meter::Meter;
use crate::ros::links::Links;
use std::collections::BTreeMap;
use std::time::Instant;
use troupe_ros::convert::{ConvertError, budget, checkpoint, decision, evidence, team_state, verdict};
use troupe_ros::r2r::diagnostic_msgs::msg::DiagnosticStatus;
use troupe_ros::r2r::sensor_msgs::msg::{CompressedImage, JointState};
use troupe_ros::r2r::troupe_msgs::msg::TeamState;
use troupe_ros::stamp;

/// Takes what has arrived.
#[derive(Debug)]
pub struct Ear {
    links: Links,
    meter: Meter,
    every_ticks: u64,
    started: Instant,
    refused: u64,
}

impl Ear {
    /// Nothing has arrived yet.
    pub fn new(links: Links, meter: Meter, every_ticks: u64) -> Self {
        Self { links, meter, every_ticks, started: Instant::now(), refused: 0 }
    }

    /// Messages that made no sense.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// States that never came, as their ticks tell.
    pub fn lost(&self) -> u64 {
        self.meter.lost()
    }

    /// Hands out everything that has arrived.
    pub fn hear(&mut self, mut tell: impl FnMut(Event)) {
        while let Some(message) = self.links.state.take() {
            if let Some(told) = self.state(&message) {
                self.pass(told, &mut tell);
            }
        }
        for (robot, inbox) in &mut self.links.joints {
            while let Some(message) = inbox.take() {
                tell(Event::Joints(joints(robot, message)));
            }
        }
        for (camera, inbox) in &mut self.links.images {
            while let Some(message) = inbox.take() {
                tell(Event::Picture(picture(camera, message)));
            }
        }
        while let Some(message) = self.links.decision.take() {
            self.pass(decision::from_wire(&message).map(Event::Decision), &mut tell);
        }
        while let Some(message) = self.links.evidence.take() {
            self.pass(evidence::from_wire(&message).map(Event::Evidence), &mut tell);
        }
        while let Some(message) = self.links.verdict.take() {
            self.pass(verdict::from_wire(&message).map(Event::Verdict), &mut tell);
        }
        while let Some(message) = self.links.checkpoint.take() {
            tell(Event::Checkpoint(checkpoint::from_wire(&message)));
        }
        while let Some(message) = self.links.budget.take() {
            let budget = budget::from_wire(&message);
            tell(Event::Budget { run_id: message.run_id, budget });
        }
        while let Some(message) = self.links.text.take() {
            tell(Event::Text(message.data));
        }
        while let Some(message) = self.links.stop.take() {
            tell(Event::Stop(message.data));
        }
        while let Some(message) = self.links.diagnostics.take() {
            message.status.into_iter().for_each(|status| tell(Event::Health(health(status))));
        }
    }

    /// Every state counts for the pace, every n-th is converted and shown.
    fn state(&mut self, message: &TeamState) -> Option<Result<Event, ConvertError>> {
        self.meter.came(message.tick, self.started.elapsed().as_secs_f64());
        if !message.tick.is_multiple_of(self.every_ticks) {
            return None;
        }
        let pace = self.meter.pace();
        Some(team_state::from_wire(message).map(|state| Event::State(Box::new(state), pace)))
    }

    fn pass(&mut self, event: Result<Event, ConvertError>, tell: &mut impl FnMut(Event)) {
        match event {
            Ok(event) => tell(event),
            Err(error) => {
                self.refused += 1;
                if self.refused == 1 {
                    tracing::warn!(%error, "a message makes no sense and is not shown");
                }
            }
        }
    }
}

fn joints(robot: &str, message: JointState) -> Joints {
    let angles_rad: BTreeMap<String, f64> =
        message.name.into_iter().zip(message.position).filter(|(_, angle)| angle.is_finite()).collect();
    Joints { robot: robot.to_owned(), stamp_s: stamp::from_wire(&message.header.stamp), angles_rad }
}

fn picture(camera: &str, message: CompressedImage) -> Picture {
    Picture { camera: camera.to_owned(), stamp_ns: stamp::nanoseconds(&message.header.stamp), png: message.data }
}

fn health(status: DiagnosticStatus) -> Health {
    let values = status.values.into_iter().filter_map(|v| Some((v.key, v.value.parse().ok()?))).collect();
    Health { name: status.name, level: status.level, message: status.message, values }
}
