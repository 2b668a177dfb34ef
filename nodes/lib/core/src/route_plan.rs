//! Plans a route reference from walls, start and target (CE-154).
//!
//! The team moves as its skills do: ahead along its heading, and in quarter turns about one of its outer
//! robots. A* over payload position and heading finds the cheapest such way; straight, corner and
//! approach segments with gates and boundaries follow from it.

mod boundary;
mod geometry;
mod search;
mod segments;
mod team;

use crate::config::{ConfigError, in_range, load};
use crate::frames::Planar;
use crate::route::{Route, Target};
use serde::{Deserialize, Serialize};
use std::path::Path;
use team::Team;

/// Numbers of the planner.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannerConfig {
    /// Step of the search, m.
    pub cell_m: f64,
    /// Least gap between the team and a wall's face, m.
    pub clearance_m: f64,
    /// Radius of a robot seen from above, m.
    pub body_radius_m: f64,
    /// What a quarter turn costs beyond its way, m.
    pub turn_cost_m: f64,
    /// Longest straight segment, m.
    pub segment_m: f64,
    /// A gate stands so far before the end of its segment, m.
    pub gate_before_m: f64,
    /// Width of gates, m.
    pub gate_width_m: f64,
    /// Largest heading error in a gate, rad.
    pub gate_tolerance_rad: f64,
    /// The last gate stands so far before the target, m.
    pub arrival_before_m: f64,
    /// Width of the last gate, m.
    pub arrival_width_m: f64,
}

impl PlannerConfig {
    /// Checks all values.
    ///
    /// # Errors
    /// [`ConfigError`] naming file, key, value and range.
    pub fn check(&self, file: &Path) -> Result<(), ConfigError> {
        for (key, value, low, high) in [
            ("cell_m", self.cell_m, 0.02, 0.5),
            ("clearance_m", self.clearance_m, 0.0, 1.0),
            ("body_radius_m", self.body_radius_m, 0.05, 1.0),
            ("turn_cost_m", self.turn_cost_m, 0.0, 100.0),
            ("segment_m", self.segment_m, 0.2, 10.0),
            ("gate_before_m", self.gate_before_m, 0.0, 0.5),
            ("gate_width_m", self.gate_width_m, 0.1, 5.0),
            ("gate_tolerance_rad", self.gate_tolerance_rad, 0.01, 1.5),
            ("arrival_before_m", self.arrival_before_m, 0.0, 0.5),
            ("arrival_width_m", self.arrival_width_m, 0.1, 5.0),
        ] {
            in_range(file, &format!("planner.{key}"), value, low, high)?;
        }
        Ok(())
    }
}

/// One straight wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// Ends of the middle line, world frame, m.
    pub line: [[f64; 2]; 2],
    /// m.
    pub thickness_m: f64,
}

/// What is planned for.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// All walls.
    pub walls: Vec<Wall>,
    /// Start of the robots in team order, world frame.
    pub robots: Vec<Planar>,
    /// Start of the payload's centre with the heading of the team, world frame.
    pub payload: Planar,
    /// Half extents of the payload in the plane, along its own axes, m.
    pub half_extents_m: [f64; 2],
    /// Where it goes.
    pub target: Target,
}

/// Why there is no route.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// Nobody to walk.
    #[error("no robots; allowed: at least one")]
    NoRobots,
    /// The target's heading is no quarter turn from the start's.
    #[error("target heading {target_rad} rad; allowed: whole quarter turns from the start's {start_rad} rad")]
    Heading {
        /// rad.
        target_rad: f64,
        /// rad.
        start_rad: f64,
    },
    /// The team does not fit where it starts.
    #[error("the team at its start is nearer than {clearance_m} m to a wall")]
    Start {
        /// m.
        clearance_m: f64,
    },
    /// No way was found.
    #[error("no way to the target with {clearance_m} m to every wall after {visited} poses")]
    NoWay {
        /// m.
        clearance_m: f64,
        /// Poses looked at.
        visited: usize,
    },
    /// The way ends in a turn.
    #[error("the way ends in a turn: no room to approach the target")]
    NoApproach,
}

/// Plans a route; equal for equal arguments.
///
/// # Errors
/// [`PlanError`].
pub fn plan(task: &Task, config: &PlannerConfig) -> Result<Route, PlanError> {
    let team = Team::new(task, config)?;
    let legs = search::legs(task, &team, config)?;
    let segments = segments::segments(task, &team, &legs, config)?;
    Ok(Route { segments, target: task.target })
}

/// Only what planning needs of a world file; its other keys belong to others, who check them.
#[derive(Deserialize)]
struct WorldPart {
    robots: Vec<RobotPart>,
    payload: PayloadPart,
    walls: WallsPart,
    route: TargetPart,
}

#[derive(Deserialize)]
struct RobotPart {
    position_m: [f64; 2],
    yaw_rad: f64,
}

#[derive(Deserialize)]
struct PayloadPart {
    half_extents_m: [f64; 3],
    hoist: HoistPart,
}

#[derive(Deserialize)]
struct HoistPart {
    position_m: [f64; 3],
    yaw_rad: f64,
}

#[derive(Deserialize)]
struct WallsPart {
    thickness_m: f64,
    lines: Vec<LinePart>,
}

#[derive(Deserialize)]
struct LinePart {
    from_m: [f64; 2],
    to_m: [f64; 2],
}

#[derive(Deserialize)]
struct TargetPart {
    target: Target,
}

/// Plans the route of a world file; of its own route only the target is used.
///
/// # Errors
/// [`ConfigError`] when a part is missing or there is no way.
pub fn plan_world(file: &Path, text: std::io::Result<String>, config: &PlannerConfig) -> Result<Route, ConfigError> {
    let world: WorldPart = load(file, text)?;
    let [x, y, _] = world.payload.hoist.position_m;
    let [half_x, half_y, _] = world.payload.half_extents_m;
    let thickness_m = world.walls.thickness_m;
    let task = Task {
        walls: world.walls.lines.iter().map(|l| Wall { line: [l.from_m, l.to_m], thickness_m }).collect(),
        robots: world.robots.iter().map(|r| Planar { x: r.position_m[0], y: r.position_m[1], yaw: r.yaw_rad }).collect(),
        payload: Planar { x, y, yaw: world.payload.hoist.yaw_rad },
        half_extents_m: [half_x, half_y],
        target: world.route.target,
    };
    plan(&task, config).map_err(|e| ConfigError::key(file, "route", format!("cannot be planned: {e}")))
}

#[cfg(test)]
mod tests;
