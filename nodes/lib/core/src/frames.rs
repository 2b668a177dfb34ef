//! Rotations and frames: the one place that knows MuJoCo's quaternion order from that of ROS.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

/// Position (m) and orientation of a body in the world frame; quaternion x, y, z, w as in ROS.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pose {
    /// x, y, z in m.
    pub position: [f64; 3],
    /// Unit quaternion x, y, z, w.
    pub orientation: [f64; 4],
}

impl Default for Pose {
    fn default() -> Self {
        Self { position: [0.0; 3], orientation: [0.0, 0.0, 0.0, 1.0] }
    }
}

impl Pose {
    /// Upright pose at x, y, z (m) with heading `yaw_rad` (counter-clockwise from world x).
    #[must_use]
    pub fn upright(position: [f64; 3], yaw_rad: f64) -> Self {
        let half = 0.5 * yaw_rad;
        Self { position, orientation: [0.0, 0.0, half.sin(), half.cos()] }
    }

    /// Heading about world z, rad in (−π, π].
    #[must_use]
    pub fn yaw(&self) -> f64 {
        yaw_of(self.orientation)
    }

    /// Angle between the body's z axis and world up, rad in [0, π].
    #[must_use]
    pub fn tilt(&self) -> f64 {
        up_axis(self.orientation).z.clamp(-1.0, 1.0).acos()
    }

    /// Planar part: x, y in m and heading in rad.
    #[must_use]
    pub fn planar(&self) -> Planar {
        Planar { x: self.position[0], y: self.position[1], yaw: self.yaw() }
    }
}

/// Linear (m/s) and angular (rad/s) velocity, both expressed in the world frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Twist {
    /// m/s.
    pub linear: [f64; 3],
    /// rad/s.
    pub angular: [f64; 3],
}

/// Planar pose in the world frame: m, m, rad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planar {
    /// m.
    pub x: f64,
    /// m.
    pub y: f64,
    /// rad, counter-clockwise from world x.
    pub yaw: f64,
}

impl Planar {
    /// `self` is `world_from_b`; returns the world pose of a pose given in b.
    #[must_use]
    pub fn compose(&self, in_b: Planar) -> Planar {
        let (s, c) = self.yaw.sin_cos();
        Planar {
            x: self.x + c * in_b.x - s * in_b.y,
            y: self.y + s * in_b.x + c * in_b.y,
            yaw: wrap(self.yaw + in_b.yaw),
        }
    }

    /// `self` is `world_from_b`; returns a world pose expressed in b.
    #[must_use]
    pub fn inverse_of(&self, in_world: Planar) -> Planar {
        let (s, c) = self.yaw.sin_cos();
        let (dx, dy) = (in_world.x - self.x, in_world.y - self.y);
        Planar { x: c * dx + s * dy, y: -s * dx + c * dy, yaw: wrap(in_world.yaw - self.yaw) }
    }

    /// Distance in the plane, m.
    #[must_use]
    pub fn distance(&self, other: &Planar) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }
}

/// Angle folded into (−π, π].
#[must_use]
pub fn wrap(angle_rad: f64) -> f64 {
    let folded = angle_rad.rem_euclid(std::f64::consts::TAU);
    if folded > std::f64::consts::PI { folded - std::f64::consts::TAU } else { folded }
}

/// MuJoCo's w, x, y, z from ROS' x, y, z, w (G-02).
#[must_use]
pub fn wxyz_from_xyzw(q: [f64; 4]) -> [f64; 4] {
    [q[3], q[0], q[1], q[2]]
}

/// ROS' x, y, z, w from MuJoCo's w, x, y, z (G-02).
#[must_use]
pub fn xyzw_from_wxyz(q: [f64; 4]) -> [f64; 4] {
    [q[1], q[2], q[3], q[0]]
}

/// Heading of a quaternion x, y, z, w, rad in (−π, π].
#[must_use]
pub fn yaw_of(q: [f64; 4]) -> f64 {
    let [x, y, z, w] = q;
    (2.0 * (w * z + x * y)).atan2(1.0 - 2.0 * (y * y + z * z))
}

/// The body's z axis in the world frame for a quaternion x, y, z, w.
#[must_use]
pub fn up_axis(q: [f64; 4]) -> Vector3<f64> {
    rotation(q) * Vector3::z()
}

/// Rotation of a quaternion x, y, z, w (normalised here).
#[must_use]
pub fn rotation(q: [f64; 4]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[0], q[1], q[2]))
}

/// Height of the lowest point of a box above the floor, m (CE-009).
///
/// `half_extents` in m along the box's own axes.
#[must_use]
pub fn lowest_point(pose: &Pose, half_extents: [f64; 3]) -> f64 {
    let r = rotation(pose.orientation).to_rotation_matrix();
    let drop: f64 = (0..3).map(|i| r[(2, i)].abs() * half_extents[i]).sum();
    pose.position[2] - drop
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// CE-009.
    #[test]
    fn lowest_point_of_the_paper_example() {
        let roll = 30f64.to_radians();
        let pose = Pose { position: [0.0, 0.0, 0.9], orientation: [(roll / 2.0).sin(), 0.0, 0.0, (roll / 2.0).cos()] };
        assert!((lowest_point(&pose, [0.5, 0.2, 0.05]) - 0.7567).abs() < 1e-4);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn quaternion_orders_round_trip(q in prop::array::uniform4(-1.0f64..1.0)) {
            prop_assume!(q.iter().map(|v| v * v).sum::<f64>() > 1e-3);
            let back = xyzw_from_wxyz(wxyz_from_xyzw(q));
            for (a, b) in q.iter().zip(back) { prop_assert!((a - b).abs() < 1e-12); }
            let r = rotation(q);
            prop_assert!(((r * Vector3::x()).norm() - 1.0).abs() < 1e-12);
        }

        #[test]
        fn planar_inverse_undoes_compose(x in -5.0..5.0, y in -5.0..5.0, a in -3.0..3.0, bx in -5.0..5.0, by in -5.0..5.0, b in -3.0..3.0) {
            let base = Planar { x, y, yaw: a };
            let rel = Planar { x: bx, y: by, yaw: b };
            let back = base.inverse_of(base.compose(rel));
            prop_assert!((back.x - rel.x).abs() < 1e-9 && (back.y - rel.y).abs() < 1e-9);
            prop_assert!(wrap(back.yaw - rel.yaw).abs() < 1e-9);
        }
    }
}
