//! What was true at the end of a run that saw estimated state only: how good its verdict is (CE-154).

use serde::{Deserialize, Serialize};
use troupe_core::route::Route;
use troupe_core::state::TeamState;
use troupe_core::task::Task;

/// The payload at the end, measured against the task's own limits on ground truth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Truth {
    /// Payload centre to target centre in the plane, m.
    pub placement_radius_m: f64,
    /// Error of the payload's height against lying flat on the target, m.
    pub placement_vertical_m: f64,
    /// Payload tilt, rad.
    pub payload_tilt_rad: f64,
    /// The payload lies on the floor or as low (CE-075).
    pub dropped: bool,
    /// The target and no robot carries it, within the task's placement limits (CE-004).
    pub placed: bool,
}

impl Truth {
    /// Judges ground truth; without a payload it is neither placed nor near.
    #[must_use]
    pub fn of(state: &TeamState, task: &Task, route: &Route) -> Self {
        let touches = |is: &dyn Fn(&str) -> bool| state.contacts.iter().any(|c| c.body_a == "payload" && is(&c.body_b));
        let Some(payload) = state.payload() else {
            return Self {
                placement_radius_m: f64::MAX,
                placement_vertical_m: f64::MAX,
                payload_tilt_rad: 0.0,
                dropped: true,
                placed: false,
            };
        };
        let [x, y, z] = payload.pose.position;
        let [tx, ty, tz] = route.target.position;
        let placement_radius_m = (x - tx).hypot(y - ty);
        let placement_vertical_m = (z - tz - payload.half_extents_m[2]).abs();
        let limits = task.placement;
        let within = placement_radius_m <= limits.radius_m
            && placement_vertical_m <= limits.vertical_m
            && payload.tilt_rad <= limits.tilt_rad;
        Self {
            placement_radius_m,
            placement_vertical_m,
            payload_tilt_rad: payload.tilt_rad,
            dropped: touches(&|b| b == "floor") || payload.z_min_m < task.transition.drop_z_m,
            placed: within && touches(&|b| b == "stand") && !touches(&|b| b.contains('/')),
        }
    }
}
