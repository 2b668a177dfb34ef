//! The world file (`config/worlds/*.yaml`): physics, payload, robots, walls, stand, cameras, route.

use troupe_core::robot::{ContactConfig, TRANSVERSE};
use serde::Deserialize;
use std::path::PathBuf;
use troupe_core::route::Route;

/// MuJoCo's integrators that are supported here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Integrator {
    /// Implicit in velocity-dependent forces: motor damping stays stable at 5 ms.
    Implicitfast,
    /// Semi-implicit Euler.
    Euler,
}

/// MuJoCo's friction cones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cone {
    /// Exact.
    Elliptic,
    /// Linearised.
    Pyramidal,
}

/// Solver options.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhysicsConfig {
    /// Physics step, s.
    pub timestep_s: f64,
    /// Physics steps in a control tick; `timestep_s · substeps` is 20 ms.
    pub substeps: u32,
    /// Integrator.
    pub integrator: Integrator,
    /// Friction cone.
    pub cone: Cone,
    /// Friction to normal impedance.
    pub impratio: f64,
    /// Largest number of solver iterations.
    pub iterations: u32,
    /// Largest number of line-search iterations.
    pub ls_iterations: u32,
}

/// The floor, a plane at z = 0.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FloorConfig {
    /// Surface.
    pub contact: ContactConfig,
}

/// One robot of the team.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RobotPlacement {
    /// Namespace, for example `g1_0`.
    pub name: String,
    /// Robot file, relative to the world file.
    pub description: PathBuf,
    /// Start of the base in the world, x and y, m.
    pub position_m: [f64; 2],
    /// Start heading, rad.
    pub yaw_rad: f64,
    /// How it carries: `transverse`, or a preset of the robot file and of the robot node's file.
    #[serde(default = "transverse")]
    pub support: String,
    /// Phase of left and right leg at its first step, rad; the robot node's own where there is none.
    #[serde(default)]
    pub start_phase_rad: Option<[f64; 2]>,
}

fn transverse() -> String {
    TRANSVERSE.into()
}

/// Normal noise on the start poses.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartNoise {
    /// Standard deviation of x and of y, m.
    pub position_sd_m: f64,
    /// Standard deviation of the heading, rad.
    pub yaw_sd_rad: f64,
}

/// Where the payload hangs before it is placed.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HoistConfig {
    /// Centre in the world, m.
    pub position_m: [f64; 3],
    /// Heading, rad.
    pub yaw_rad: f64,
}

/// How the payload is laid on the forearms.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaceConfig {
    /// Gap between its underside and the highest forearm, m.
    pub clearance_m: f64,
    /// Distance ahead of the mean of the forearm centres, m.
    pub ahead_m: f64,
    /// It comes to lie on the palms too, so the highest of all supports counts, not of the forearms alone.
    #[serde(default)]
    pub on_palms: bool,
}

/// The carried box.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PayloadConfig {
    /// Entity name.
    pub name: String,
    /// Along its own axes, m.
    pub half_extents_m: [f64; 3],
    /// kg.
    pub mass_kg: f64,
    /// Surface.
    pub contact: ContactConfig,
    /// Where it hangs after a reset.
    pub hoist: HoistConfig,
    /// How it is laid down.
    pub place: PlaceConfig,
}

/// One straight wall.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WallLine {
    /// One end of the middle line, m.
    pub from_m: [f64; 2],
    /// Other end, m.
    pub to_m: [f64; 2],
}

/// All walls.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WallsConfig {
    /// m.
    pub height_m: f64,
    /// m.
    pub thickness_m: f64,
    /// Surface.
    pub contact: ContactConfig,
    /// The walls.
    pub lines: Vec<WallLine>,
}

/// The box that receives the payload; stands on the floor.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StandConfig {
    /// Centre in the world, x and y, m.
    pub position_m: [f64; 2],
    /// Along its own axes, m; its top is at twice the third.
    pub half_extents_m: [f64; 3],
    /// Heading, rad.
    pub yaw_rad: f64,
    /// Surface.
    pub contact: ContactConfig,
}

/// Half widths of uniform sensor noise.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SensorNoise {
    /// rad.
    pub joint_position_rad: f64,
    /// rad/s.
    pub joint_velocity_radps: f64,
    /// rad/s.
    pub gyro_radps: f64,
    /// m/s².
    pub accelerometer_mps2: f64,
}

/// One camera. Names are unique.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum CameraConfig {
    /// Stands still.
    Fixed {
        /// Name.
        name: String,
        /// In the world, m.
        position_m: [f64; 3],
        /// Point in the middle of the picture, world, m.
        look_at_m: [f64; 3],
        /// Vertical field of view, rad.
        fovy_rad: f64,
    },
    /// Keeps its offset to an entity and looks at it; does not turn with it.
    Follow {
        /// Name.
        name: String,
        /// The payload's name.
        entity: String,
        /// From the entity's centre, world axes, m.
        offset_m: [f64; 3],
        /// Vertical field of view, rad.
        fovy_rad: f64,
    },
    /// In a robot's face.
    Head {
        /// Name.
        name: String,
        /// Robot's namespace.
        robot: String,
        /// Vertical field of view, rad.
        fovy_rad: f64,
    },
}

impl CameraConfig {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Fixed { name, .. } | Self::Follow { name, .. } | Self::Head { name, .. } => name,
        }
    }

    /// Vertical field of view, rad.
    #[must_use]
    pub fn fovy_rad(&self) -> f64 {
        match self {
            Self::Fixed { fovy_rad, .. } | Self::Follow { fovy_rad, .. } | Self::Head { fovy_rad, .. } => *fovy_rad,
        }
    }
}

impl WorldConfig {
    /// Start heading of the second robot less that of the first, rad; 0 for a single robot.
    #[must_use]
    pub fn heading_offset_rad(&self) -> f64 {
        match self.robots.as_slice() {
            [first, second, ..] => second.yaw_rad - first.yaw_rad,
            _ => 0.0,
        }
    }
}

/// The world file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorldConfig {
    /// Name of the world.
    pub name: String,
    /// Solver options.
    pub physics: PhysicsConfig,
    /// Floor.
    pub floor: FloorConfig,
    /// The team, in order.
    pub robots: Vec<RobotPlacement>,
    /// Noise on the start poses.
    pub start_noise: StartNoise,
    /// Carried object.
    pub payload: PayloadConfig,
    /// Corridor.
    pub walls: WallsConfig,
    /// Target.
    pub stand: StandConfig,
    /// Noise on what robots sense.
    pub sensor_noise: SensorNoise,
    /// Cameras.
    pub cameras: Vec<CameraConfig>,
    /// Where the team goes.
    pub route: Route,
}
