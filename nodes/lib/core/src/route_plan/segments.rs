//! From legs to segments with gates: what a hand-written route holds.

use super::boundary::Boundaries;
use super::search::Leg;
use super::team::Team;
use super::{PlanError, PlannerConfig, Task};
use crate::frames::Planar;
use crate::route::{Gate, Segment, SegmentKind};

/// Segments of the whole way, in order.
pub(super) fn segments(task: &Task, team: &Team, legs: &[Leg], config: &PlannerConfig) -> Result<Vec<Segment>, PlanError> {
    let mut out = Writer { task, config, boundaries: Boundaries::of(&task.walls), segments: Vec::new(), straights: 0, corners: 0 };
    let mut pose = task.payload;
    for leg in legs {
        let end = ahead(pose, leg.length_m);
        out.straight(pose, leg);
        pose = match leg.turn {
            None => end,
            Some(turn) => {
                let exit = team.turned(end, turn, 1.0);
                out.corner(end, exit);
                exit
            }
        };
    }
    if out.segments.last().is_none_or(|s| s.kind != SegmentKind::Approach) {
        return Err(PlanError::NoApproach);
    }
    Ok(out.segments)
}

fn ahead(pose: Planar, distance_m: f64) -> Planar {
    pose.compose(Planar { x: distance_m, ..Planar::default() })
}

struct Writer<'a> {
    task: &'a Task,
    config: &'a PlannerConfig,
    boundaries: Boundaries,
    segments: Vec<Segment>,
    straights: u32,
    corners: u32,
}

impl Writer<'_> {
    /// Equal parts of a leg, none longer than asked; the last part of the last leg is the approach.
    fn straight(&mut self, from: Planar, leg: &Leg) {
        if leg.length_m <= 1e-6 {
            return;
        }
        let parts = (leg.length_m / self.config.segment_m - 0.05).ceil().max(1.0);
        let count = parts as u32;
        let part_m = leg.length_m / parts;
        for index in 0..count {
            let start = ahead(from, part_m * f64::from(index));
            let end = ahead(from, part_m * f64::from(index + 1));
            if leg.turn.is_none() && index + 1 == count {
                let [x, y, _] = self.task.target.position;
                let end = Planar { x, y, yaw: self.task.target.heading_rad };
                let c = self.config;
                self.push("target_region".into(), SegmentKind::Approach, start, end, c.arrival_before_m, c.arrival_width_m);
            } else {
                self.straights += 1;
                let id = format!("straight_{}", self.straights);
                let c = self.config;
                self.push(id, SegmentKind::Straight, start, end, c.gate_before_m, c.gate_width_m);
            }
        }
    }

    /// The segment ends where the lines before and after the turn cross; its gate stands at the exit.
    fn corner(&mut self, entry: Planar, exit: Planar) {
        self.corners += 1;
        let corner = ahead(entry, entry.inverse_of(exit).x);
        let gate = self.gate(ahead(exit, -self.config.gate_before_m), self.config.gate_width_m);
        let segment = Segment {
            id: format!("corner_{}", self.corners),
            kind: SegmentKind::Corner,
            start: [entry.x, entry.y],
            end: [corner.x, corner.y],
            gate,
            left_boundary: Vec::new(),
            right_boundary: Vec::new(),
        };
        self.bounded(segment);
    }

    fn push(&mut self, id: String, kind: SegmentKind, start: Planar, end: Planar, before_m: f64, width_m: f64) {
        // A gate never stands in the first half of its segment.
        let before_m = before_m.min(0.5 * start.distance(&end));
        let gate = self.gate(ahead(end, -before_m), width_m);
        let segment = Segment {
            id,
            kind,
            start: [start.x, start.y],
            end: [end.x, end.y],
            gate,
            left_boundary: Vec::new(),
            right_boundary: Vec::new(),
        };
        self.bounded(segment);
    }

    fn gate(&self, at: Planar, width_m: f64) -> Gate {
        Gate {
            position: [at.x, at.y],
            heading_rad: at.yaw,
            width_m,
            heading_tolerance_rad: self.config.gate_tolerance_rad,
        }
    }

    fn bounded(&mut self, mut segment: Segment) {
        (segment.left_boundary, segment.right_boundary) = self.boundaries.beside(&segment);
        self.segments.push(segment);
    }
}
