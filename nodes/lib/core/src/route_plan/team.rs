//! The team as one body in the plane: robots as discs, the payload as a capsule, pivots about outer robots.

use super::geometry::segment_gap;
use super::{PlanError, PlannerConfig, Task, Wall};
use crate::frames::Planar;
use std::f64::consts::FRAC_PI_2;

/// A quarter turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Left,
    Right,
}

impl Turn {
    pub(super) fn yaw_rad(self) -> f64 {
        match self {
            Self::Left => FRAC_PI_2,
            Self::Right => -FRAC_PI_2,
        }
    }
}

/// A segment with a radius around it, in the frame of payload centre and team heading.
struct Capsule {
    line: [Planar; 2],
    radius_m: f64,
}

/// The team's shape, rigid while it is carried along.
pub(super) struct Team {
    parts: Vec<Capsule>,
    leftmost: Planar,
    rightmost: Planar,
}

impl Team {
    pub(super) fn new(task: &Task, config: &PlannerConfig) -> Result<Self, PlanError> {
        let robots: Vec<Planar> = task.robots.iter().map(|r| task.payload.inverse_of(*r)).collect();
        let place = |p: &Planar| Planar { yaw: 0.0, ..*p };
        let by_side = |a: &&Planar, b: &&Planar| a.y.total_cmp(&b.y);
        let leftmost = robots.iter().max_by(by_side).map(place).ok_or(PlanError::NoRobots)?;
        let rightmost = robots.iter().min_by(by_side).map(place).ok_or(PlanError::NoRobots)?;
        let [half_x, half_y] = task.half_extents_m;
        let at = |x: f64, y: f64| Planar { x, y, yaw: 0.0 };
        let bar = if half_y >= half_x {
            Capsule { line: [at(0.0, -half_y), at(0.0, half_y)], radius_m: half_x }
        } else {
            Capsule { line: [at(-half_x, 0.0), at(half_x, 0.0)], radius_m: half_y }
        };
        let bodies = robots.iter().map(|r| Capsule { line: [place(r); 2], radius_m: config.body_radius_m });
        let parts = bodies.chain([bar]).collect();
        Ok(Self { parts, leftmost, rightmost })
    }

    fn pivot(&self, turn: Turn) -> Planar {
        match turn {
            Turn::Left => self.leftmost,
            Turn::Right => self.rightmost,
        }
    }

    /// Where the payload is after `share` of a turn that begins at `pose`.
    pub(super) fn turned(&self, pose: Planar, turn: Turn, share: f64) -> Planar {
        let pivot = self.pivot(turn);
        let rotated = Planar { yaw: share * turn.yaw_rad(), ..pivot };
        let to_payload = Planar { x: -pivot.x, y: -pivot.y, yaw: 0.0 };
        pose.compose(rotated.compose(to_payload))
    }

    /// True when every part keeps `clearance_m` to every wall's face.
    pub(super) fn fits(&self, pose: Planar, walls: &[Wall], clearance_m: f64) -> bool {
        self.parts.iter().all(|part| {
            let [a, b] = part.line.map(|p| pose.compose(p)).map(|p| [p.x, p.y]);
            walls.iter().all(|w| segment_gap([a, b], w.line) >= part.radius_m + 0.5 * w.thickness_m + clearance_m)
        })
    }
}
