//! Which route segment the payload is in, for the reference in `team/state`.

use troupe_core::frames::Planar;
use troupe_core::observation::team_pose;
use troupe_core::route::{Route, RouteReference};
use troupe_core::state::TeamState;

/// Payload position with the team's heading: what gates are judged by. A bar looks the same turned by
/// half a turn; the robots' headings do not.
pub fn crossing_pose(state: &TeamState, heading_offset_rad: f64) -> Option<Planar> {
    let [x, y, _] = state.payload()?.pose.position;
    Some(Planar { x, y, yaw: team_pose(state, heading_offset_rad).yaw })
}

/// Updates the passed gates and sets the reference of the segment that follows them. `heading_offset_rad` is
/// that from one robot to the next as the world sets them down.
pub fn set_reference(route: &Route, passed: &mut Vec<String>, state: &mut TeamState, heading_offset_rad: f64) {
    if let Some(pose) = crossing_pose(state, heading_offset_rad) {
        *passed = route.passed(passed, pose);
    }
    if let Some(segment) = route.active(passed) {
        state.route = segment.reference();
    }
}

/// A reference for a world without a route.
pub fn no_reference() -> RouteReference {
    RouteReference {
        segment_id: String::new(),
        direction: [1.0, 0.0],
        local_target: [0.0, 0.0],
        left_boundary: Vec::new(),
        right_boundary: Vec::new(),
        gate: troupe_core::route::Gate { position: [0.0, 0.0], heading_rad: 0.0, width_m: 0.0, heading_tolerance_rad: 0.0 },
    }
}
