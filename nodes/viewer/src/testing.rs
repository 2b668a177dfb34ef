//! A world, a recorder's look and states for tests.

use crate::scene::Scene;
use std::path::PathBuf;
use troupe_core::frames::{Pose, Twist};
use troupe_core::state::{Contact, PayloadState, RobotMode, RobotState, TeamState};

/// The shipped configuration.
pub fn config_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../config")
}

/// World L1.
pub fn scene() -> Scene {
    Scene::load(&config_folder(), "l1").unwrap()
}

/// The team walking along x with the payload on its arms.
pub fn state(tick: u64) -> TeamState {
    let x = 0.005 * tick as f64;
    let robot = |name: &str, y: f64| RobotState {
        robot: name.into(),
        kind: "g1".into(),
        base: Pose::upright([x, y, 0.78], 0.0),
        twist: Twist::default(),
        torso_tilt_rad: 0.02,
        mode: RobotMode::Moving,
        controller_epoch: 0,
        privileged: true,
        pose_std_m: 0.0,
    };
    let contact = |b: &str, force_n: f64| Contact { body_a: "payload".into(), body_b: b.into(), force_n, impulse_ns: 0.02 * force_n };
    TeamState {
        tick,
        stamp_s: tick as f64 * troupe_core::TICK_S,
        context_epoch: 0,
        robots: vec![robot("g1_0", 0.41), robot("g1_1", -0.4)],
        payloads: vec![PayloadState {
            name: "payload".into(),
            pose: Pose::upright([x + 0.13, 0.0, 0.95], 0.0),
            twist: Twist::default(),
            half_extents_m: [0.05, 0.65, 0.015],
            z_min_m: 0.93,
            tilt_rad: 0.01,
            mass_kg: 0.5,
            held: false,
        }],
        contacts: vec![contact("g1_0/left_forearm", 1.2), contact("g1_1/right_palm", 0.8), contact("wall", 3.0)],
        route: scene().route.unwrap().segments[0].reference(),
    }
}
