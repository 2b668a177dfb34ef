//! Task records: endpoint, budgets and limits (CE-002, CE-004, CE-005, CE-006, CE-071, CE-101).

use crate::config::{ConfigError, in_range, load};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Which endpoint completes the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointKind {
    /// Placement, release, retreat, upright robots.
    Full,
    /// Placement and release.
    Placement,
}

/// One task: what to reach, with which budget, judged by which limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Name; also the task id.
    pub name: String,
    /// For models and people.
    pub goal: String,
    /// Endpoint.
    pub endpoint: EndpointKind,
    /// Physical transactions allowed.
    pub budget_transactions: u32,
    /// Drops that end the run.
    pub drop_limit: u32,
    /// Transaction rules.
    pub transition: TransitionLimits,
    /// Placement rules.
    pub placement: PlacementLimits,
    /// Retreat rules.
    pub retreat: RetreatLimits,
    /// Wanted geometry between the robots.
    pub formation: crate::decision::Formation,
    /// Where each robot's next neighbour in team order stands, in its own frame, rad: ±π/2 is beside it, on
    /// either side; 0 is on its line ahead.
    #[serde(default = "beside", skip_serializing_if = "is_beside")]
    pub neighbour_bearing_rad: f64,
    /// Repair bounds.
    pub repair: RepairLimits,
}

fn beside() -> f64 {
    std::f64::consts::FRAC_PI_2
}

#[allow(clippy::trivially_copy_pass_by_ref)] // The signature that serde wants.
fn is_beside(bearing_rad: &f64) -> bool {
    (bearing_rad - beside()).abs() < 1e-12
}

impl Task {
    /// Part of a neighbour's place, given in a robot's frame, along the wanted bearing and across it, m.
    #[must_use]
    pub fn along_and_across(&self, x: f64, y: f64) -> [f64; 2] {
        // Quarter turns are exact, so that a neighbour beside is measured by its y alone.
        let snap = |v: f64| if v.abs() < 1e-12 { 0.0 } else { v };
        let (sin, cos) = self.neighbour_bearing_rad.sin_cos();
        let (sin, cos) = (snap(sin), snap(cos));
        [cos * x + sin * y, sin * x - cos * y]
    }

    /// Parses and checks what was read from a task record's file.
    ///
    /// # Errors
    /// [`ConfigError`] naming file, key, value and what is allowed.
    pub fn load(file: &Path, text: std::io::Result<String>) -> Result<Self, ConfigError> {
        let task: Self = load(file, text)?;
        task.check(file)?;
        Ok(task)
    }

    fn check(&self, file: &Path) -> Result<(), ConfigError> {
        const ANGLE_RAD: f64 = std::f64::consts::FRAC_PI_2;
        let (t, p, r) = (&self.transition, &self.placement, &self.retreat);
        let bounded = [
            ("transition.support_window_s", t.support_window_s, 0.02, 10.0),
            ("transition.support_duty", t.support_duty, 0.0, 1.0),
            ("transition.payload_tilt_rad", t.payload_tilt_rad, 0.0, ANGLE_RAD),
            ("transition.payload_z_min_m", t.payload_z_min_m, 0.0, 2.0),
            ("transition.torso_tilt_rad", t.torso_tilt_rad, 0.0, ANGLE_RAD),
            ("transition.pelvis_z_m", t.pelvis_z_m, 0.0, 1.0),
            ("transition.wall_impulse_ns", t.wall_impulse_ns, 0.0, 100.0),
            ("transition.formation_distance_m", t.formation_distance_m, 0.0, 1.0),
            ("transition.formation_heading_rad", t.formation_heading_rad, 0.0, ANGLE_RAD),
            ("transition.rest_speed_mps", t.rest_speed_mps, 0.0, 1.0),
            ("transition.progress_min_m", t.progress_min_m, 0.0, 0.5),
            ("transition.progress_share", t.progress_share, 0.0, 1.0),
            ("transition.corner_share", t.corner_share, 0.0, 1.0),
            ("transition.setup_fall", t.setup_fall, 0.0, 1.0),
            ("transition.setup_growth", t.setup_growth, 0.0, 10.0),
            ("transition.drop_z_m", t.drop_z_m, 0.0, 2.0),
            ("placement.radius_m", p.radius_m, 0.0, 2.0),
            ("placement.vertical_m", p.vertical_m, 0.0, 1.0),
            ("placement.tilt_rad", p.tilt_rad, 0.0, ANGLE_RAD),
            ("placement.hold_s", p.hold_s, 0.02, 60.0),
            ("placement.release_gate_m", p.release_gate_m, 0.0, 2.0),
            ("retreat.clearance_m", r.clearance_m, 0.0, 10.0),
            ("retreat.torso_tilt_rad", r.torso_tilt_rad, 0.0, ANGLE_RAD),
            ("retreat.pelvis_z_m", r.pelvis_z_m, 0.0, 1.0),
            ("retreat.hold_s", r.hold_s, 0.02, 60.0),
            ("formation.distance_m", self.formation.distance_m, 0.1, 5.0),
            ("formation.heading_offset_rad", self.formation.heading_offset_rad, -4.0, 4.0),
            ("neighbour_bearing_rad", self.neighbour_bearing_rad, -4.0, 4.0),
            ("budget_transactions", f64::from(self.budget_transactions), 1.0, 10_000.0),
            ("drop_limit", f64::from(self.drop_limit), 1.0, 1000.0),
            ("repair.attempts_per_call", f64::from(self.repair.attempts_per_call), 1.0, 100.0),
        ];
        bounded.into_iter().try_for_each(|(key, value, low, high)| in_range(file, key, value, low, high))
    }
}

/// Limits of one transaction (CE-071, CE-072, CE-075).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransitionLimits {
    /// Window over which support is measured, s.
    pub support_window_s: f64,
    /// Least share of the window in which each robot touches the payload.
    pub support_duty: f64,
    /// Payload tilt, rad.
    pub payload_tilt_rad: f64,
    /// Lowest allowed point of the payload during transport, m.
    pub payload_z_min_m: f64,
    /// Torso tilt, rad.
    pub torso_tilt_rad: f64,
    /// Pelvis height, m.
    pub pelvis_z_m: f64,
    /// Impulse against walls, N s.
    pub wall_impulse_ns: f64,
    /// Error of the robots' distance, m.
    pub formation_distance_m: f64,
    /// Heading offset between the robots, rad.
    pub formation_heading_rad: f64,
    /// Speed under which a robot is at rest, m/s.
    pub rest_speed_mps: f64,
    /// Least progress along the reference, m.
    pub progress_min_m: f64,
    /// Least share of the commanded progress.
    pub progress_share: f64,
    /// Least share of the commanded yaw by which the corner error must fall.
    pub corner_share: f64,
    /// Share by which the named error must fall for a set-up.
    pub setup_fall: f64,
    /// Share by which no other error may grow in a set-up.
    pub setup_growth: f64,
    /// Payload height that counts as a drop, m.
    pub drop_z_m: f64,
}

/// Limits of placement (CE-004, CE-006).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacementLimits {
    /// Payload centre to target centre in the plane, m.
    pub radius_m: f64,
    /// Payload centre height against the target surface, m.
    pub vertical_m: f64,
    /// Payload tilt, rad.
    pub tilt_rad: f64,
    /// How long it must hold without a break, s.
    pub hold_s: f64,
    /// Largest height of the payload over the target before support may be withdrawn, m (CE-006).
    pub release_gate_m: f64,
}

/// Limits after the retreat (CE-005).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetreatLimits {
    /// Pelvis to target centre in the plane, m.
    pub clearance_m: f64,
    /// Torso tilt, rad.
    pub torso_tilt_rad: f64,
    /// Pelvis height, m.
    pub pelvis_z_m: f64,
    /// How long it must hold, s.
    pub hold_s: f64,
}

/// Bounds on repair (CE-056).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepairLimits {
    /// Attempts per role call.
    pub attempts_per_call: u32,
    /// Consecutive refusals before dispatch.
    pub refusals: u32,
    /// Consecutive rejected transactions at one checkpoint.
    pub rejections_at_checkpoint: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shipped(name: &str) -> Task {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../../config/tasks/{name}.yaml"));
        Task::load(&file, std::fs::read_to_string(&file)).unwrap()
    }

    #[test]
    fn a_neighbour_is_measured_along_its_bearing() {
        assert_eq!(shipped("transport").along_and_across(0.1, -0.8), [-0.8, 0.1]);
        assert_eq!(shipped("placement_facing").along_and_across(1.5, -0.1), [1.5, 0.1]);
    }

    #[test]
    fn a_bearing_beside_goes_unsaid() {
        let text = serde_json::to_string(&shipped("transport")).unwrap();
        assert!(!text.contains("bearing"), "{text}");
        assert!(serde_json::to_string(&shipped("placement_facing")).unwrap().contains("\"neighbour_bearing_rad\":0.0"));
    }
}
