//! The route through a corridor: straights in parts, pivots about the inner robot, the target region.

use super::body::Body;
use super::lay::{Corridor, Side, placed};
use crate::frames::Planar;
use crate::identity::round6;
use crate::route::{Gate, Segment, SegmentKind};
use serde::{Deserialize, Serialize};

/// Milestones of laid routes (CE-003).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MilestoneConfig {
    /// A straight is cut into parts of about this length, m.
    pub every_m: f64,
    /// A gate lies this far before the end of its segment, m.
    pub early_m: f64,
    /// Of a gate, m.
    pub width_m: f64,
    /// Of the target region's gate, m.
    pub target_width_m: f64,
    /// rad.
    pub heading_tolerance_rad: f64,
}

impl Corridor {
    /// The segments for a team of this outline. The payload enters a corner where a pivot by a right angle
    /// about the inner robot puts it on the next centre line.
    #[must_use]
    pub fn segments(&self, body: &Body, config: &MilestoneConfig) -> Vec<Segment> {
        let frames = self.frames();
        let half = 0.5 * body.distance_m;
        let mut segments = Vec::new();
        for (index, (straight, frame)) in self.straights.iter().zip(&frames).enumerate() {
            let letter = letter(index);
            let corner = self.turns.get(index).zip(frames.get(index + 1));
            let from = if index == 0 { 0.0 } else { half + body.lead_m };
            let to = if corner.is_some() { straight.length_m - half + body.lead_m } else { straight.length_m };
            let parts = ((to - from) / config.every_m).round().max(1.0) as u32;
            for part in 1..=parts {
                let at = |part: u32| from + (to - from) * f64::from(part) / f64::from(parts);
                let last = part == parts;
                let (kind, id) = match (last, corner) {
                    (true, Some(_)) => (SegmentKind::Straight, format!("corner_{letter}_entry")),
                    (true, None) => (SegmentKind::Approach, "target_region".to_owned()),
                    (false, _) => (SegmentKind::Straight, format!("straight_{letter}_{part}")),
                };
                let width_m = if kind == SegmentKind::Approach { config.target_width_m } else { config.width_m };
                segments.push(Segment {
                    id,
                    kind,
                    start: placed(*frame, at(part - 1), 0.0),
                    end: placed(*frame, at(part), 0.0),
                    gate: gate(*frame, at(part) - config.early_m, width_m, config),
                    left_boundary: self.boundary(index, Side::Left, 0.0),
                    right_boundary: self.boundary(index, Side::Right, 0.0),
                });
            }
            if let Some((_, next)) = corner {
                let around = |side| joined(self.boundary(index, side, 0.0), self.boundary(index + 1, side, 0.0));
                segments.push(Segment {
                    id: format!("corner_{letter}_exit"),
                    kind: SegmentKind::Corner,
                    start: placed(*frame, to, 0.0),
                    end: placed(*frame, straight.length_m, 0.0),
                    gate: gate(*next, half + body.lead_m - config.early_m, config.width_m, config),
                    left_boundary: around(Side::Left),
                    right_boundary: around(Side::Right),
                });
            }
        }
        segments
    }
}

fn gate(frame: Planar, along_m: f64, width_m: f64, config: &MilestoneConfig) -> Gate {
    Gate {
        position: placed(frame, along_m, 0.0),
        heading_rad: round6(frame.yaw),
        width_m,
        heading_tolerance_rad: config.heading_tolerance_rad,
    }
}

/// Two lines that share a point, as one.
fn joined(mut first: Vec<[f64; 2]>, second: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    first.extend(second.into_iter().skip(1));
    first
}

/// `a` for the first straight, and so on.
fn letter(index: usize) -> char {
    u8::try_from(index).ok().and_then(|i| b'a'.checked_add(i)).map_or('z', char::from)
}
