//! Poses, twists and points. Quaternions are x, y, z, w on both sides.

use r2r::geometry_msgs::msg;
use troupe_core::frames::{Pose, Twist};

/// `geometry_msgs/Pose`.
#[must_use]
pub fn pose_to_wire(pose: &Pose) -> msg::Pose {
    let [x, y, z, w] = pose.orientation;
    msg::Pose { position: point_to_wire(pose.position), orientation: msg::Quaternion { x, y, z, w } }
}

/// A pose as sent.
#[must_use]
pub fn pose_from_wire(pose: &msg::Pose) -> Pose {
    let q = &pose.orientation;
    Pose { position: point_from_wire(&pose.position), orientation: [q.x, q.y, q.z, q.w] }
}

/// `geometry_msgs/Twist`.
#[must_use]
pub fn twist_to_wire(twist: &Twist) -> msg::Twist {
    msg::Twist { linear: vector_to_wire(twist.linear), angular: vector_to_wire(twist.angular) }
}

/// A twist as sent.
#[must_use]
pub fn twist_from_wire(twist: &msg::Twist) -> Twist {
    Twist { linear: vector_from_wire(&twist.linear), angular: vector_from_wire(&twist.angular) }
}

/// `geometry_msgs/Vector3`.
#[must_use]
pub fn vector_to_wire([x, y, z]: [f64; 3]) -> msg::Vector3 {
    msg::Vector3 { x, y, z }
}

/// A vector as sent.
#[must_use]
pub fn vector_from_wire(v: &msg::Vector3) -> [f64; 3] {
    [v.x, v.y, v.z]
}

/// `geometry_msgs/Point`.
#[must_use]
pub fn point_to_wire([x, y, z]: [f64; 3]) -> msg::Point {
    msg::Point { x, y, z }
}

/// A point as sent.
#[must_use]
pub fn point_from_wire(p: &msg::Point) -> [f64; 3] {
    [p.x, p.y, p.z]
}
