//! A sampled world: everything of a base world, with walls, stand, cameras and route of a drawn corridor.

use super::body::Start;
use super::clearance::least_clearance;
use super::sampler::SamplerConfig;
use crate::config::{ConfigError, parse};
use crate::identity::round6;
use crate::route::{Route, Target};
use serde::{Deserialize, Serialize};
use serde_yaml_ng::{Mapping, Value};
use std::path::Path;

/// What is read of the base world besides the team.
#[derive(Deserialize)]
struct Base {
    walls: Walls,
    stand: Stand,
    route: Route,
}

#[derive(Deserialize)]
struct Walls {
    thickness_m: f64,
}

#[derive(Deserialize)]
struct Stand {
    half_extents_m: [f64; 3],
}

#[derive(Serialize)]
struct Line {
    from_m: [f64; 2],
    to_m: [f64; 2],
}

/// The text of world `name`, drawn from `number`. `base` is the text of the base world, `file` is for
/// messages.
///
/// # Errors
/// When the base world does not fit, or the corridor leaves less room than is asked for.
pub(super) fn sampled(file: &Path, config: &SamplerConfig, base: &str, name: &str, number: u64) -> Result<String, ConfigError> {
    let mut world: Value = parse(file, base)?;
    let start: Start = parse(file, base)?;
    let Base { walls, stand, route } = parse(file, base)?;
    let Some((payload, body)) = start.team(config.clearance.robot_radius_m) else {
        return Err(ConfigError::key(file, "robots", "do not stand level; allowed: two robots side by side with one heading"));
    };
    let corridor = config.corridor(number, payload, &body);
    let target = corridor.target();
    let yaw = round6(target.yaw);
    let (x, y) = (round6(target.x), round6(target.y));
    let lines = corridor.walls(walls.thickness_m);
    let laid = Route {
        segments: corridor.segments(&body, &config.milestones),
        target: Target { position: [x, y, 2.0 * stand.half_extents_m[2]], heading_rad: yaw, radius_m: route.target.radius_m },
    };
    let tight = least_clearance(&laid.segments, &body, &lines, walls.thickness_m);
    if let Some(tight) = tight.filter(|t| t.clearance_m < config.clearance.least_m) {
        let reason = format!(
            "{name} leaves {:.3} m in {}; allowed: at least {} m",
            tight.clearance_m, tight.segment, config.clearance.least_m
        );
        return Err(ConfigError::key(file, "clearance.least_m", reason));
    }
    let view = View::between(&route, &laid);
    put(file, &mut world, &["name"], &name)?;
    let lines: Vec<Line> = lines.into_iter().map(|[from_m, to_m]| Line { from_m, to_m }).collect();
    put(file, &mut world, &["walls", "lines"], &lines)?;
    put(file, &mut world, &["stand", "position_m"], &[x, y])?;
    put(file, &mut world, &["stand", "yaw_rad"], &yaw)?;
    put(file, &mut world, &["route"], &laid)?;
    if let Some(Value::Sequence(cameras)) = world.get_mut("cameras") {
        cameras.iter_mut().for_each(|camera| view.shift(camera));
    }
    serde_yaml_ng::to_string(&world).map_err(|e| ConfigError::key(file, name, e.to_string()))
}

/// Overwrites a key that the base world must have.
fn put(file: &Path, world: &mut Value, path: &[&str], value: &impl Serialize) -> Result<(), ConfigError> {
    let key = || path.join(".");
    let value = serde_yaml_ng::to_value(value).map_err(|e| ConfigError::key(file, key(), e.to_string()))?;
    let place = path.iter().try_fold(world, |at, part| at.get_mut(*part));
    *place.ok_or_else(|| ConfigError::key(file, key(), "is missing in the base world"))? = value;
    Ok(())
}

/// How cameras that stand still move: they see the new route as they saw the old one.
struct View {
    from: [f64; 2],
    to: [f64; 2],
    scale: f64,
}

impl View {
    fn between(old: &Route, new: &Route) -> Self {
        let ((from, before), (to, after)) = (extent(old), extent(new));
        Self { from, to, scale: if before > 0.0 { (after / before).max(1.0) } else { 1.0 } }
    }

    fn shift(&self, camera: &mut Value) {
        if camera.get("kind").and_then(Value::as_str) != Some("fixed") {
            return;
        }
        let Value::Mapping(camera) = camera else { return };
        let read = |camera: &Mapping, key: &str| -> Option<[f64; 3]> {
            serde_yaml_ng::from_value(camera.get(key)?.clone()).ok()
        };
        let (Some(eye), Some(look)) = (read(camera, "position_m"), read(camera, "look_at_m")) else { return };
        let scaled = |i: usize| eye.get(i).zip(look.get(i)).map_or(0.0, |(e, l)| self.scale * (e - l));
        let look = [look[0] - self.from[0] + self.to[0], look[1] - self.from[1] + self.to[1], look[2]];
        let eye = [look[0] + scaled(0), look[1] + scaled(1), look[2] + scaled(2)];
        for (key, point) in [("position_m", eye), ("look_at_m", look)] {
            let point = point.map(|v| Value::from(round6(v))).to_vec();
            camera.insert(Value::from(key), Value::Sequence(point));
        }
    }
}

/// Middle and diagonal of the box around a route, m.
fn extent(route: &Route) -> ([f64; 2], f64) {
    let points: Vec<[f64; 2]> = route.segments.iter().flat_map(|s| [s.start, s.end]).collect();
    let bounds = |axis: fn(&[f64; 2]) -> f64| {
        points.iter().map(axis).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
    };
    if points.is_empty() {
        return ([0.0; 2], 0.0);
    }
    let ((west, east), (south, north)) = (bounds(|p| p[0]), bounds(|p| p[1]));
    ([0.5 * (west + east), 0.5 * (south + north)], (east - west).hypot(north - south))
}
