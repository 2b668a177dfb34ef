//! Route references: per segment a direction, one local target, boundaries and one completion gate
//! (CE-007). Not a trajectory.

use crate::frames::{Planar, wrap};
use serde::{Deserialize, Serialize};

/// How a segment is travelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SegmentKind {
    /// Translate along the direction.
    Straight,
    /// Turn from the direction to the gate's heading.
    Corner,
    /// Translate until the payload is above the target.
    Approach,
}

/// A line across the route with a heading to cross it with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// Centre of the gate in the world frame, m.
    pub position: [f64; 2],
    /// Heading to leave with, rad.
    pub heading_rad: f64,
    /// m.
    pub width_m: f64,
    /// Largest heading error of the team when crossing, rad.
    pub heading_tolerance_rad: f64,
}

impl Gate {
    /// True when the payload is past the gate's line, inside its width, with an allowed heading.
    #[must_use]
    pub fn passed(&self, payload: Planar) -> bool {
        let in_gate = Planar { x: self.position[0], y: self.position[1], yaw: self.heading_rad }.inverse_of(payload);
        in_gate.x >= 0.0 && in_gate.y.abs() <= 0.5 * self.width_m && in_gate.yaw.abs() <= self.heading_tolerance_rad
    }
}

/// One part of the route, ending at its gate. Its milestone has the same id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// Unique in the route; also the name of the milestone certified at its gate.
    pub id: String,
    /// How it is travelled.
    pub kind: SegmentKind,
    /// Start of the centre line, world frame, m.
    pub start: [f64; 2],
    /// End of the centre line (the local progress target), world frame, m.
    pub end: [f64; 2],
    /// Completion gate.
    pub gate: Gate,
    /// Wall to the left of the direction, world frame, m.
    pub left_boundary: Vec<[f64; 2]>,
    /// Wall to the right of the direction, world frame, m.
    pub right_boundary: Vec<[f64; 2]>,
}

impl Segment {
    /// Unit vector from start to end, world frame.
    #[must_use]
    pub fn direction(&self) -> [f64; 2] {
        let (dx, dy) = (self.end[0] - self.start[0], self.end[1] - self.start[1]);
        let length = dx.hypot(dy).max(1e-9);
        [dx / length, dy / length]
    }

    /// Heading of the direction, rad.
    #[must_use]
    pub fn heading_rad(&self) -> f64 {
        let [dx, dy] = self.direction();
        dy.atan2(dx)
    }

    /// Distance of a point along the direction from the start, m.
    #[must_use]
    pub fn along_m(&self, point: [f64; 2]) -> f64 {
        let [dx, dy] = self.direction();
        (point[0] - self.start[0]) * dx + (point[1] - self.start[1]) * dy
    }

    /// Distance of a point to the left of the centre line, m.
    #[must_use]
    pub fn across_m(&self, point: [f64; 2]) -> f64 {
        let [dx, dy] = self.direction();
        -(point[0] - self.start[0]) * dy + (point[1] - self.start[1]) * dx
    }

    /// Heading error `gate − heading`, rad in (−π, π].
    #[must_use]
    pub fn heading_error_rad(&self, heading_rad: f64) -> f64 {
        wrap(self.gate.heading_rad - heading_rad)
    }

    /// Smallest distance of a point to either boundary, m; infinite without boundaries.
    #[must_use]
    pub fn clearance_m(&self, point: [f64; 2]) -> f64 {
        polyline_distance(&self.left_boundary, point).min(polyline_distance(&self.right_boundary, point))
    }

    /// True when the payload, carried with the team's heading, has passed the gate: its line lies across the
    /// direction of travel, which in a corner is the gate's heading. A team may travel sideways.
    #[must_use]
    pub fn gate_passed(&self, payload: Planar) -> bool {
        let gate = &self.gate;
        let travel_rad = if self.kind == SegmentKind::Corner { gate.heading_rad } else { self.heading_rad() };
        let turned = Gate { heading_rad: travel_rad, ..*gate };
        // The heading is held against the gate's, the place against the line.
        turned.passed(Planar { yaw: wrap(payload.yaw - gate.heading_rad + travel_rad), ..payload })
    }

    /// What goes over the wire for this segment.
    #[must_use]
    pub fn reference(&self) -> RouteReference {
        RouteReference {
            segment_id: self.id.clone(),
            direction: self.direction(),
            local_target: self.end,
            left_boundary: self.left_boundary.clone(),
            right_boundary: self.right_boundary.clone(),
            gate: self.gate,
        }
    }
}

/// Where the payload shall come to rest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Centre of the target surface, world frame, m; z is the height of the surface.
    pub position: [f64; 3],
    /// Heading of the team on arrival, rad.
    pub heading_rad: f64,
    /// Largest distance of payload centre to target centre in the plane, m (CE-004).
    pub radius_m: f64,
}

/// The whole route of a world, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// In order; the last one ends at the target region.
    pub segments: Vec<Segment>,
    /// Where the payload goes.
    pub target: Target,
}

impl Route {
    /// The first segment whose gate is not among the passed milestones, else the last.
    #[must_use]
    pub fn active<'a>(&'a self, passed: &[String]) -> Option<&'a Segment> {
        self.segments.iter().find(|s| !passed.contains(&s.id)).or_else(|| self.segments.last())
    }

    /// Segments whose gates the payload has passed in order, given those passed before.
    #[must_use]
    pub fn passed(&self, before: &[String], payload: Planar) -> Vec<String> {
        let mut passed = before.to_vec();
        for segment in &self.segments {
            if passed.contains(&segment.id) {
                continue;
            }
            if !segment.gate_passed(payload) {
                break;
            }
            passed.push(segment.id.clone());
        }
        passed
    }
}

/// The wire form of one segment; mirrors `troupe_msgs/RouteReference`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RouteReference {
    /// Id of the segment.
    pub segment_id: String,
    /// Unit vector, world frame.
    pub direction: [f64; 2],
    /// End of the centre line, world frame, m.
    pub local_target: [f64; 2],
    /// World frame, m.
    pub left_boundary: Vec<[f64; 2]>,
    /// World frame, m.
    pub right_boundary: Vec<[f64; 2]>,
    /// Completion gate.
    pub gate: Gate,
}

impl RouteReference {
    /// Smallest distance of a point to either boundary, m; infinite without boundaries.
    #[must_use]
    pub fn clearance_m(&self, point: [f64; 2]) -> f64 {
        polyline_distance(&self.left_boundary, point).min(polyline_distance(&self.right_boundary, point))
    }
}

fn polyline_distance(line: &[[f64; 2]], p: [f64; 2]) -> f64 {
    line.windows(2).fold(f64::INFINITY, |best, pair| match pair {
        [a, b] => best.min(segment_distance(*a, *b, p)),
        _ => best,
    })
}

fn segment_distance(a: [f64; 2], b: [f64; 2], p: [f64; 2]) -> f64 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length2 = dx * dx + dy * dy;
    let t = if length2 > 0.0 { (((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length2).clamp(0.0, 1.0) } else { 0.0 };
    (p[0] - a[0] - t * dx).hypot(p[1] - a[1] - t * dy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate() -> Gate {
        Gate { position: [1.0, 0.0], heading_rad: 0.0, width_m: 2.0, heading_tolerance_rad: 0.2 }
    }

    #[test]
    fn a_gate_wants_position_width_and_heading() {
        assert!(gate().passed(Planar { x: 1.0, y: 0.9, yaw: 0.1 }));
        assert!(!gate().passed(Planar { x: 0.99, y: 0.0, yaw: 0.0 }));
        assert!(!gate().passed(Planar { x: 1.5, y: 1.1, yaw: 0.0 }));
        assert!(!gate().passed(Planar { x: 1.5, y: 0.0, yaw: 0.3 }));
    }

    #[test]
    fn a_team_that_travels_sideways_passes_the_line_across_its_way() {
        let up = std::f64::consts::FRAC_PI_2;
        let segment = Segment {
            id: "aside".into(),
            kind: SegmentKind::Approach,
            start: [0.0, 0.0],
            end: [1.0, 0.0],
            gate: Gate { heading_rad: up, width_m: 0.4, ..gate() },
            left_boundary: vec![],
            right_boundary: vec![],
        };
        let at = |x: f64, y: f64, yaw: f64| segment.gate_passed(Planar { x, y, yaw });
        assert!(at(1.0, 0.19, up) && at(1.2, -0.19, up + 0.1));
        assert!(!at(0.99, 0.0, up) && !at(1.0, 0.21, up) && !at(1.0, 0.0, 0.0) && !at(1.0, 0.0, up + 0.3));
        // Out of a corner it goes along the gate's heading.
        let corner = Segment { kind: SegmentKind::Corner, ..segment.clone() };
        assert!(corner.gate_passed(Planar { x: 1.1, y: 0.0, yaw: up }));
        assert!(!corner.gate_passed(Planar { x: 1.1, y: -0.01, yaw: up }));
    }

    #[test]
    fn gates_are_passed_in_order_only() {
        let segment = |id: &str, x: f64| Segment {
            id: id.into(),
            kind: SegmentKind::Straight,
            start: [x - 1.0, 0.0],
            end: [x, 0.0],
            gate: Gate { position: [x, 0.0], ..gate() },
            left_boundary: vec![[0.0, 1.2], [4.0, 1.2]],
            right_boundary: vec![[0.0, -1.2], [4.0, -1.2]],
        };
        let target = Target { position: [3.0, 0.0, 0.84], heading_rad: 0.0, radius_m: 0.3 };
        let route = Route { segments: vec![segment("a", 1.0), segment("b", 2.0)], target };
        assert!(route.passed(&[], Planar { x: 0.5, y: 0.0, yaw: 0.0 }).is_empty());
        assert_eq!(route.passed(&[], Planar { x: 2.5, y: 0.0, yaw: 0.0 }), ["a", "b"]);
        assert_eq!(route.passed(&["a".into()], Planar { x: 0.0, y: 0.0, yaw: 0.0 }), ["a"]);
        assert!((route.segments[0].clearance_m([0.5, 0.2]) - 1.0).abs() < 1e-12);
        assert_eq!(route.active(&["a".into()]).map(|s| s.id.as_str()), Some("b"));
    }
}
