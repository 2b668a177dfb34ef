//! The outline of a team side by side that carries a bar across its way.

use crate::frames::Planar;
use serde::Deserialize;

/// Measures of the team and its payload, in the frame of the payload: x the way the team walks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Payload centre ahead of the robots, m.
    pub lead_m: f64,
    /// Between the robots, m.
    pub distance_m: f64,
    /// Half the payload along the way and across it, m.
    pub half_extents_m: [f64; 2],
    /// Circle around a robot, m.
    pub robot_radius_m: f64,
}

/// The parts of a world that tell where the team stands with its payload.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Start {
    robots: Vec<Placed>,
    payload: Payload,
}

#[derive(Clone, Debug, Deserialize)]
struct Placed {
    position_m: [f64; 2],
    yaw_rad: f64,
}

#[derive(Clone, Debug, Deserialize)]
struct Payload {
    half_extents_m: [f64; 3],
    hoist: Hoist,
}

#[derive(Clone, Debug, Deserialize)]
struct Hoist {
    position_m: [f64; 3],
}

impl Start {
    /// Payload's centre with the team's heading, and the team's outline; `None` unless two robots stand
    /// side by side with one heading.
    pub(super) fn team(&self, robot_radius_m: f64) -> Option<(Planar, Body)> {
        let [a, b] = self.robots.as_slice() else { return None };
        let yaw = a.yaw_rad;
        let place = |r: &Placed| Planar { x: r.position_m[0], y: r.position_m[1], yaw };
        let (first, second) = (place(a), place(b));
        let apart = first.inverse_of(second);
        let level = apart.x.abs() < 1e-6 && (a.yaw_rad - b.yaw_rad).abs() < 1e-6;
        if !level {
            return None;
        }
        let middle = Planar { x: 0.5 * (first.x + second.x), y: 0.5 * (first.y + second.y), yaw };
        let [x, y, _] = self.payload.hoist.position_m;
        let payload = Planar { x, y, yaw };
        let [along, across, _] = self.payload.half_extents_m;
        let body = Body {
            lead_m: middle.inverse_of(payload).x,
            distance_m: apart.y.abs(),
            half_extents_m: [along, across],
            robot_radius_m,
        };
        Some((payload, body))
    }
}
