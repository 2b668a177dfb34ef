//! What the verifier is given: its own numbers, task records, skill bounds, route and team.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use troupe_coordination::look_ahead::LookAheadLimits;
use troupe_coordination::pairing::PairLimits;
use troupe_core::config::{ConfigError, in_range, load};
use troupe_core::corridor::world_text;
use troupe_core::route::Route;
use troupe_core::skill::SkillBounds;
use troupe_core::task::Task;
use troupe_core::variation::{EstimateStd, Varied};

/// A length and an angle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorScale {
    /// m.
    pub distance_m: f64,
    /// rad.
    pub angle_rad: f64,
}

/// How errors are compared for set-ups (CE-072).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetupErrors {
    /// Below this an error cannot be shown to have fallen.
    pub noise: ErrorScale,
    /// Below this an error counts as this when growth is judged.
    pub tolerance: ErrorScale,
}

/// When a restoration is confirmed (CE-053).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RestoreLimits {
    /// Largest |qpos − stored qpos|.
    pub max_error: f64,
    /// Settling before the check, s.
    pub settle_s: f64,
}

/// `config/nodes/verifier.yaml`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerifierConfig {
    /// States kept, s.
    pub history_s: f64,
    /// Synchronous pairs.
    pub pairing: PairLimits,
    /// Restorations.
    pub restore: RestoreLimits,
    /// Set-ups.
    pub setup_errors: SetupErrors,
    /// Margins of the look ahead.
    pub look_ahead: LookAheadLimits,
    /// Difference of displacements that explains a formation failure, m.
    pub unequal_displacement_m: f64,
}

/// Everything a verifier is made of.
#[derive(Clone, Debug)]
pub struct Setup {
    /// How to measure.
    pub config: VerifierConfig,
    /// Task records that a run may name.
    pub tasks: Vec<Task>,
    /// Bounds of skill arguments.
    pub bounds: SkillBounds,
    /// Of the world.
    pub route: Route,
    /// Namespaces in team order.
    pub robots: Vec<String>,
    /// What errors the team's state has; none where it is ground truth (CE-154).
    pub estimate: Option<EstimateStd>,
}

#[derive(Deserialize)]
struct WorldRobot {
    name: String,
}

impl Setup {
    /// Reads `nodes/verifier.yaml`, `nodes/g1.yaml` (bounds), `tasks/<task>.yaml` and the world
    /// (route and robots) below `folder`.
    ///
    /// # Errors
    /// [`ConfigError`] naming file, key, value and what is allowed.
    pub fn load(folder: &Path, tasks: &[&str], world: &str) -> Result<Self, ConfigError> {
        let file = folder.join("nodes/verifier.yaml");
        let config: VerifierConfig = load(&file, std::fs::read_to_string(&file))?;
        in_range(&file, "history_s", config.history_s, 10.0, 600.0)?;
        in_range(&file, "restore.max_error", config.restore.max_error, 0.0, 1e-3)?;
        in_range(&file, "restore.settle_s", config.restore.settle_s, 0.02, 10.0)?;
        in_range(&file, "look_ahead.support_duty", config.look_ahead.support_duty, 0.0, 1.0)?;
        in_range(&file, "look_ahead.tilt_rad", config.look_ahead.tilt_rad, 0.0, 1.6)?;
        in_range(&file, "look_ahead.clearance_m", config.look_ahead.clearance_m, -1.0, 5.0)?;
        in_range(&file, "look_ahead.robot_radius_m", config.look_ahead.robot_radius_m, 0.0, 2.0)?;
        let tasks = tasks
            .iter()
            .map(|task| {
                let path = folder.join("tasks").join(format!("{task}.yaml"));
                Task::load(&path, std::fs::read_to_string(&path))
            })
            .collect::<Result<_, _>>()?;
        let world = world_text(folder, world, |file| std::fs::read_to_string(file))?;
        let robots: Vec<WorldRobot> = world.part("robots")?;
        Ok(Self {
            config,
            tasks,
            bounds: part(&folder.join("nodes/g1.yaml"), "bounds")?,
            route: world.part("route")?,
            robots: robots.into_iter().map(|r| r.name).collect(),
            estimate: None,
        })
    }

    /// The same under a variation: with its planned route and the errors of its estimated state.
    #[must_use]
    pub fn varied(self, varied: &Varied) -> Self {
        let route = varied.route.clone().unwrap_or(self.route);
        Self { route, estimate: varied.estimate.map(|e| e.std()), ..self }
    }
}

/// One top-level key of a file whose other keys belong to another node, which checks them.
fn part<T: DeserializeOwned>(file: &Path, key: &str) -> Result<T, ConfigError> {
    let mut all: BTreeMap<String, serde_json::Value> = load(file, std::fs::read_to_string(file))?;
    let value = all.remove(key).ok_or_else(|| ConfigError::key(file, key, "is missing"))?;
    serde_json::from_value(value).map_err(|e| ConfigError::key(file, key, e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_files_load_and_faults_are_named() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config");
        let setup = Setup::load(&folder, &["transport"], "l1").unwrap();
        assert_eq!(setup.robots, ["g1_0", "g1_1"]);
        // K = 6 with the terminal milestone (CE-003).
        assert_eq!(setup.route.segments.len() + 1, 6);
        assert_eq!((setup.tasks[0].budget_transactions, setup.tasks[0].drop_limit), (80, 6));
        let error = Setup::load(&folder, &["absent"], "l1").unwrap_err().to_string();
        assert!(error.contains("absent.yaml"), "{error}");
        let error = part::<SkillBounds>(&folder.join("nodes/g1.yaml"), "bound").unwrap_err().to_string();
        assert!(error.contains("g1.yaml") && error.contains("bound"), "{error}");
        let error = Setup::load(&folder, &["transport"], "l99").unwrap_err().to_string();
        assert!(error.contains("l99.yaml") && error.contains("sampled-<n>"), "{error}");
    }
}
