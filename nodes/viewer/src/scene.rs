//! What stands still in a world, and what its robots look like: the viewer's part of `config/`.

use crate::urdf::{Body, UrdfError, parse};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use troupe_core::config::{ConfigError, load};
use troupe_core::corridor::world_text;
use troupe_core::robot::{BoxConfig, RobotConfig, TRANSVERSE};
use troupe_core::route::Route;

/// Why a world cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// A configuration file.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A robot description cannot be read.
    #[error("cannot read the robot description: {reason}: {file}")]
    Read {
        /// Path.
        file: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// A robot description makes no sense.
    #[error("{file}: {reason}")]
    Urdf {
        /// Path.
        file: PathBuf,
        /// What is wrong.
        reason: UrdfError,
    },
}

/// An upright box, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Centre, world frame.
    pub centre_m: [f64; 3],
    /// Along its own axes.
    pub half_extents_m: [f64; 3],
    /// rad.
    pub yaw_rad: f64,
}

/// A robot of the world.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneRobot {
    /// Namespace.
    pub name: String,
    /// Links and shapes.
    pub body: Body,
    /// Boxes that carry the payload.
    pub supports: Vec<BoxConfig>,
}

/// Everything that does not change in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Walls.
    pub walls: Vec<Cuboid>,
    /// The target stand.
    pub stand: Option<Cuboid>,
    /// The way to go, if the world has one.
    pub route: Option<Route>,
    /// In team order.
    pub robots: Vec<SceneRobot>,
    /// Distance of the first two robots at the start, m; 0 with fewer.
    pub start_distance_m: f64,
    /// Names of all cameras.
    pub cameras: Vec<String>,
}

#[derive(Deserialize)]
struct WorldFile {
    robots: Vec<RobotEntry>,
    walls: Option<Walls>,
    stand: Option<StandEntry>,
    route: Option<Route>,
    #[serde(default)]
    cameras: Vec<CameraEntry>,
    // The simulator owns this file and checks the rest.
    #[serde(flatten)]
    _rest: BTreeMap<String, IgnoredAny>,
}

#[derive(Deserialize)]
struct RobotEntry {
    name: String,
    description: PathBuf,
    position_m: [f64; 2],
    support: Option<String>,
}

#[derive(Deserialize)]
struct Walls {
    height_m: f64,
    thickness_m: f64,
    lines: Vec<WallLine>,
}

#[derive(Deserialize)]
struct WallLine {
    from_m: [f64; 2],
    to_m: [f64; 2],
}

#[derive(Deserialize)]
struct StandEntry {
    position_m: [f64; 2],
    half_extents_m: [f64; 3],
    yaw_rad: f64,
}

#[derive(Deserialize)]
struct CameraEntry {
    name: String,
}

impl Scene {
    /// Reads a named world, its robots' files and their descriptions.
    ///
    /// # Errors
    /// [`SceneError`] naming the file and what is wrong.
    pub fn load(config: &Path, world: &str) -> Result<Self, SceneError> {
        let text = world_text(config, world, |file| std::fs::read_to_string(file))?;
        let world: WorldFile = text.parse()?;
        let robots = world.robots.iter().map(|r| robot(&text.file, r)).collect::<Result<Vec<_>, _>>()?;
        let start_distance_m = match world.robots.as_slice() {
            [a, b, ..] => (a.position_m[0] - b.position_m[0]).hypot(a.position_m[1] - b.position_m[1]),
            _ => 0.0,
        };
        Ok(Self {
            walls: world.walls.iter().flat_map(|w| w.lines.iter().map(|l| wall(w, l))).collect(),
            stand: world.stand.map(|s| Cuboid {
                centre_m: [s.position_m[0], s.position_m[1], s.half_extents_m[2]],
                half_extents_m: s.half_extents_m,
                yaw_rad: s.yaw_rad,
            }),
            route: world.route,
            robots,
            start_distance_m,
            cameras: world.cameras.into_iter().map(|c| c.name).collect(),
        })
    }
}

fn wall(walls: &Walls, line: &WallLine) -> Cuboid {
    let ([ax, ay], [bx, by]) = (line.from_m, line.to_m);
    Cuboid {
        centre_m: [0.5 * (ax + bx), 0.5 * (ay + by), 0.5 * walls.height_m],
        half_extents_m: [0.5 * (bx - ax).hypot(by - ay), 0.5 * walls.thickness_m, 0.5 * walls.height_m],
        yaw_rad: (by - ay).atan2(bx - ax),
    }
}

fn robot(world_file: &Path, entry: &RobotEntry) -> Result<SceneRobot, SceneError> {
    let beside = |file: &Path, path: &Path| file.parent().unwrap_or(Path::new("")).join(path);
    let robot_file = beside(world_file, &entry.description);
    let config: RobotConfig = load(&robot_file, std::fs::read_to_string(&robot_file))?;
    let file = beside(&robot_file, &config.urdf);
    let text = std::fs::read_to_string(&file).map_err(|e| SceneError::Read { file: file.clone(), reason: e.to_string() })?;
    let body = parse(&text).map_err(|reason| SceneError::Urdf { file, reason })?;
    let supports = config.supports.of(entry.support.as_deref().unwrap_or(TRANSVERSE)).to_vec();
    Ok(SceneRobot { name: entry.name.clone(), body, supports })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_world_loads() {
        let scene = crate::testing::scene();
        assert_eq!((scene.walls.len(), scene.robots.len()), (4, 2));
        assert!(scene.stand.is_some() && scene.route.is_some());
        assert!((scene.start_distance_m - 0.8).abs() < 1e-9);
        assert!(scene.cameras.contains(&"overview".to_owned()));
        let south = scene.walls[0];
        assert!((south.half_extents_m[0] - 2.5625).abs() < 1e-9 && south.yaw_rad.abs() < 1e-9, "{south:?}");
        for robot in &scene.robots {
            for support in &robot.supports {
                assert!(robot.body.links.iter().any(|l| l.name == support.link), "{}", support.link);
            }
        }
    }

    #[test]
    fn a_missing_world_is_named() {
        let error = Scene::load(&crate::testing::config_folder(), "l9").unwrap_err().to_string();
        assert!(error.contains("l9.yaml"), "{error}");
    }
}
