//! Shared by the tests: the world L1 of this checkout.
#![allow(dead_code, clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use troupe_core::device::{G1_JOINTS, MotorCommand};
use troupe_world::{World, WorldDescription};

pub fn world_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../config/worlds/l1.yaml")
}

pub fn description() -> WorldDescription {
    WorldDescription::load(&world_file()).unwrap()
}

pub fn world(seed: u64) -> World {
    World::new(&description(), seed).unwrap()
}

/// The default pose held with the policy's gains.
pub fn stand(description: &WorldDescription) -> [MotorCommand; G1_JOINTS] {
    let joints = &description.robots[0].config.joints;
    std::array::from_fn(|i| MotorCommand {
        mode: 1,
        q: joints[i].default_rad as f32,
        dq: 0.0,
        tau: 0.0,
        kp: joints[i].kp as f32,
        kd: joints[i].kd as f32,
    })
}
