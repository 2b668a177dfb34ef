//! `troupe_msgs/RouteReference`.

use super::geometry::{point_to_wire, pose_from_wire, pose_to_wire, vector_to_wire};
use r2r::geometry_msgs::msg::Point;
use r2r::troupe_msgs::msg::RouteReference as Message;
use troupe_core::frames::Pose;
use troupe_core::route::{Gate, RouteReference};

/// A message; everything lies in the floor plane.
#[must_use]
pub fn to_wire(route: &RouteReference) -> Message {
    let [dx, dy] = route.direction;
    let [gx, gy] = route.gate.position;
    Message {
        segment_id: route.segment_id.clone(),
        direction: vector_to_wire([dx, dy, 0.0]),
        local_target: planar_point(&route.local_target),
        left_boundary: route.left_boundary.iter().map(planar_point).collect(),
        right_boundary: route.right_boundary.iter().map(planar_point).collect(),
        gate: pose_to_wire(&Pose::upright([gx, gy, 0.0], route.gate.heading_rad)),
        gate_width: route.gate.width_m,
    }
}

fn planar_point([x, y]: &[f64; 2]) -> Point {
    point_to_wire([*x, *y, 0.0])
}

/// A route as sent. The gate's heading tolerance is the task's business and does not travel: it reads as 0.
#[must_use]
pub fn from_wire(message: &Message) -> RouteReference {
    let planar = |p: &Point| [p.x, p.y];
    let gate = pose_from_wire(&message.gate);
    RouteReference {
        segment_id: message.segment_id.clone(),
        direction: [message.direction.x, message.direction.y],
        local_target: planar(&message.local_target),
        left_boundary: message.left_boundary.iter().map(planar).collect(),
        right_boundary: message.right_boundary.iter().map(planar).collect(),
        gate: Gate {
            position: [gate.position[0], gate.position[1]],
            heading_rad: gate.yaw(),
            width_m: message.gate_width,
            heading_tolerance_rad: 0.0,
        },
    }
}
