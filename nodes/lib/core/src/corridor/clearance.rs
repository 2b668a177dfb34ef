//! How much room a route leaves between the team with its payload and the walls.

use super::body::Body;
use crate::frames::{Planar, wrap};
use crate::route::{Segment, SegmentKind};

/// The tightest place of a route.
#[derive(Clone, Debug, PartialEq)]
pub struct Tight {
    /// Between the outline and the nearest wall's face; negative where they overlap, m.
    pub clearance_m: f64,
    /// Segment that it lies in.
    pub segment: String,
    /// Payload's centre and the team's heading there, world frame.
    pub payload: Planar,
}

/// Distance between the poses that are looked at, m; a pivot is looked at as finely at the bar's end.
const SPACING_M: f64 = 0.02;

/// Walks the team along a route and finds the tightest place; `None` without segments or walls.
/// `walls` are the middle lines of walls of `thickness_m`, world frame, m.
#[must_use]
pub fn least_clearance(segments: &[Segment], body: &Body, walls: &[[[f64; 2]; 2]], thickness_m: f64) -> Option<Tight> {
    let poses = segments.iter().flat_map(|s| poses(s, body).into_iter().map(move |pose| (s, pose)));
    let places = poses.flat_map(|(segment, payload)| {
        walls.iter().map(move |wall| Tight {
            clearance_m: room_m(body, payload, *wall) - 0.5 * thickness_m,
            segment: segment.id.clone(),
            payload,
        })
    });
    places.min_by(|a, b| a.clearance_m.total_cmp(&b.clearance_m))
}

/// Payload poses of a segment that is travelled without error.
fn poses(segment: &Segment, body: &Body) -> Vec<Planar> {
    let yaw = segment.heading_rad();
    let at = |[x, y]: [f64; 2]| Planar { x, y, yaw };
    let start = at(segment.start);
    if segment.kind != SegmentKind::Corner {
        let length_m = start.distance(&at(segment.end));
        return steps(length_m / SPACING_M).map(|share| start.compose(Planar { x: share * length_m, y: 0.0, yaw: 0.0 })).collect();
    }
    let turn = wrap(segment.gate.heading_rad - yaw);
    let inner = Planar { x: -body.lead_m, y: turn.signum() * 0.5 * body.distance_m, yaw: 0.0 };
    let pivot = start.compose(inner);
    let payload = Planar { x: -inner.x, y: -inner.y, yaw: 0.0 };
    let reach_m = body.distance_m + body.half_extents_m[1];
    let turned = |share: f64| Planar { yaw: pivot.yaw + share * turn, ..pivot }.compose(payload);
    steps(turn.abs() * reach_m / SPACING_M).map(turned).collect()
}

/// Shares from 0 to 1.
fn steps(count: f64) -> impl Iterator<Item = f64> {
    let count = count.ceil().clamp(1.0, 1e5) as u32;
    (0..=count).map(move |i| f64::from(i) / f64::from(count))
}

/// Distance of the outline to a line, m.
fn room_m(body: &Body, payload: Planar, wall: [[f64; 2]; 2]) -> f64 {
    let point = |x: f64, y: f64| {
        let p = payload.compose(Planar { x, y, yaw: 0.0 });
        [p.x, p.y]
    };
    let [along, across] = body.half_extents_m;
    let bar = segments_apart([point(0.0, -across), point(0.0, across)], wall) - along;
    let robots = [-0.5, 0.5].map(|side| point_apart(point(-body.lead_m, side * body.distance_m), wall) - body.robot_radius_m);
    robots.into_iter().fold(bar, f64::min)
}

fn point_apart([px, py]: [f64; 2], [[ax, ay], [bx, by]]: [[f64; 2]; 2]) -> f64 {
    let (dx, dy) = (bx - ax, by - ay);
    let length2 = dx * dx + dy * dy;
    let t = if length2 > 0.0 { (((px - ax) * dx + (py - ay) * dy) / length2).clamp(0.0, 1.0) } else { 0.0 };
    (px - ax - t * dx).hypot(py - ay - t * dy)
}

/// Distance between two line segments, m; 0 where they cross.
fn segments_apart(a: [[f64; 2]; 2], b: [[f64; 2]; 2]) -> f64 {
    let side = |[[ax, ay], [bx, by]]: [[f64; 2]; 2], [px, py]: [f64; 2]| (bx - ax) * (py - ay) - (by - ay) * (px - ax);
    let cross = side(a, b[0]) * side(a, b[1]) < 0.0 && side(b, a[0]) * side(b, a[1]) < 0.0;
    if cross {
        return 0.0;
    }
    [point_apart(a[0], b), point_apart(a[1], b), point_apart(b[0], a), point_apart(b[1], a)].into_iter().fold(f64::INFINITY, f64::min)
}
