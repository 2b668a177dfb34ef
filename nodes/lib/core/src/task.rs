//! Task records: endpoint, budgets and limits (CE-002, CE-004, CE-005, CE-006, CE-071, CE-101).

use serde::{Deserialize, Serialize};

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
    /// Repair bounds.
    pub repair: RepairLimits,
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
