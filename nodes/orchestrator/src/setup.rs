//! Everything a run is given: task, route, bounds and numbers, from `config/`.

use crate::config::OrchestratorConfig;
use crate::model::imperfect::{DEFAULT_LEVEL, ErrorLevel};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;
use troupe_coordination::method::Method;
use troupe_coordination::pairing::PairLimits;
use troupe_core::config::ConfigError;
use troupe_core::corridor::{WorldText, world_text};
use troupe_core::identity::identity;
use troupe_core::route::Route;
use troupe_core::skill::SkillBounds;
use troupe_core::task::Task;
use troupe_core::variation::Varied;

/// A run before it starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// Seed of everything random.
    pub seed: u64,
    /// Name of the world.
    pub world: String,
    /// What to reach.
    pub task: Task,
    /// How the loop runs.
    pub method: Method,
    /// The way there.
    pub route: Route,
    /// Allowed magnitudes of skills.
    pub bounds: SkillBounds,
    /// Allowed differences in a synchronous pair, as the verifier applies them.
    pub pairing: PairLimits,
    /// Numbers of the orchestrator.
    pub config: OrchestratorConfig,
    /// What a plan view shows besides the route.
    pub scenery: Scenery,
    /// Bank file that the run's own experience starts from; none: empty (CE-090).
    #[serde(skip)]
    pub bank: Option<std::path::PathBuf>,
    /// What a study fixes; recorded, never acted on.
    #[serde(default)]
    pub protocol: Protocol,
    /// How the run departs from the world file (CE-153, CE-154).
    #[serde(default, skip_serializing_if = "Varied::is_nominal")]
    pub variation: Varied,
}

/// What makes runs comparable and how they are reported (CE-101, CE-125).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Protocol {
    /// [`crate::study::code::code_hash`].
    pub code_hash: String,
    /// Error level of a provider that errs on purpose; empty for others.
    pub level: String,
    /// Transactions that the task record allows.
    pub limit_original: u32,
    /// B of PAUC@B; no budget.
    pub horizon_report: u32,
    /// The bank that the run starts from; empty for none (CE-123, CE-125).
    #[serde(default, skip_serializing_if = "BankName::is_none")]
    pub bank: BankName,
}

/// Which bank a run starts from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BankName {
    /// Name in the study.
    pub name: String,
    /// Identity of its content.
    pub identity: String,
}

impl BankName {
    /// True when the run starts with empty experience.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.identity.is_empty()
    }
}

/// Walls and stand of the world, for the path plot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scenery {
    /// Middle lines of the walls, world frame, m.
    pub walls: Vec<[[f64; 2]; 2]>,
    /// The target stand, if the world has one.
    pub stand: Option<Stand>,
}

/// A box on the floor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "WorldStand")]
pub struct Stand {
    /// Centre, world frame, m.
    pub position_m: [f64; 2],
    /// Along the box's own axes, m.
    pub half_extents_m: [f64; 2],
    /// rad.
    pub yaw_rad: f64,
}

#[derive(Deserialize)]
struct WorldStand {
    position_m: [f64; 2],
    half_extents_m: Vec<f64>,
    yaw_rad: f64,
}

impl From<WorldStand> for Stand {
    fn from(s: WorldStand) -> Self {
        let half = |i: usize| s.half_extents_m.get(i).copied().unwrap_or_default();
        Self { position_m: s.position_m, half_extents_m: [half(0), half(1)], yaw_rad: s.yaw_rad }
    }
}

#[derive(Deserialize, Default)]
struct WorldWalls {
    #[serde(default)]
    lines: Vec<WallLine>,
}

#[derive(Deserialize)]
struct WallLine {
    from_m: [f64; 2],
    to_m: [f64; 2],
}

impl Setup {
    /// Reads `tasks/<task>.yaml`, the world, `nodes/g1.yaml` and `nodes/orchestrator.yaml`
    /// below `folder`.
    ///
    /// # Errors
    /// [`ConfigError`] naming file, key, value and what is allowed.
    pub fn load(folder: &Path, task: &str, world: &str, seed: u64) -> Result<Self, ConfigError> {
        let file = folder.join("nodes/orchestrator.yaml");
        let text = world_text(folder, world, |file| std::fs::read_to_string(file))?;
        let task_file = folder.join("tasks").join(format!("{task}.yaml"));
        let task_record = Task::load(&task_file, std::fs::read_to_string(&task_file))?;
        let limit_original = task_record.budget_transactions;
        Ok(Self {
            seed,
            world: world.to_owned(),
            task: task_record,
            method: method(folder, "full")?,
            route: text.part("route")?,
            bounds: part(&folder.join("nodes/g1.yaml"), "bounds")?,
            pairing: part(&folder.join("nodes/verifier.yaml"), "pairing")?,
            config: OrchestratorConfig::parse(&file, std::fs::read_to_string(&file))?,
            scenery: scenery(&text)?,
            bank: None,
            protocol: Protocol {
                code_hash: crate::study::code::code_hash(folder, task, world)?,
                level: String::new(),
                limit_original,
                horizon_report: limit_original,
                bank: BankName::default(),
            },
            variation: Varied::default(),
        })
    }

    /// The same run by another method, a name in `methods/`.
    ///
    /// # Errors
    /// [`ConfigError`] naming what does not fit.
    pub fn with_method(self, folder: &Path, name: &str) -> Result<Self, ConfigError> {
        Ok(Self { method: method(folder, name)?, ..self })
    }

    /// The same run, starting from a copy of a bank file; the ledger names the bank and its identity.
    ///
    /// # Errors
    /// When the file is no bank.
    pub fn with_bank(mut self, name: &str, file: &Path) -> Result<Self, crate::experience::ExperienceError> {
        let identity = crate::experience::read_bank(file)?.identity()?;
        self.protocol.bank = BankName { name: name.to_owned(), identity };
        self.bank = Some(file.to_owned());
        Ok(self)
    }

    /// The same run answered by another provider: loads the level of one that errs on purpose, whose name is
    /// `model` (`mild` when empty).
    ///
    /// # Errors
    /// [`ConfigError`] naming what does not fit.
    pub fn with_provider(mut self, folder: &Path, provider: &str, model: &str) -> Result<Self, ConfigError> {
        if provider != "imperfect" {
            return Ok(self);
        }
        let level = ErrorLevel::named(folder, if model.is_empty() { DEFAULT_LEVEL } else { model })?;
        self.protocol.level.clone_from(&level.name);
        self.config.imperfect = Some(level);
        Ok(self)
    }

    /// The same run under a variation, with its planned route if it plans one.
    #[must_use]
    pub fn varied(self, variation: Varied) -> Self {
        let route = variation.route.clone().unwrap_or(self.route);
        Self { route, variation, ..self }
    }

    /// Content identity of all settings, for the ledger.
    #[must_use]
    pub fn hash(&self) -> String {
        identity(self).unwrap_or_default()
    }

    /// Name of the run by its content, equal wherever it runs.
    #[must_use]
    pub fn run_key(&self) -> String {
        let hash = self.hash();
        format!("{}-{}-{}-{}", self.task.name, self.world, self.seed, hash.get(..8).unwrap_or_default())
    }
}

fn method(folder: &Path, name: &str) -> Result<Method, ConfigError> {
    let file = folder.join("methods").join(format!("{name}.yaml"));
    Method::load(&file, std::fs::read_to_string(&file))
}

/// One top-level key of a file whose other keys belong to another node, which checks them.
pub(crate) fn part<T: DeserializeOwned>(file: &Path, key: &str) -> Result<T, ConfigError> {
    let mut all: std::collections::BTreeMap<String, serde_json::Value> =
        troupe_core::config::load(file, std::fs::read_to_string(file))?;
    let value = all.remove(key).ok_or_else(|| ConfigError::key(file, key, "is missing"))?;
    serde_json::from_value(value).map_err(|e| ConfigError::key(file, key, e.to_string()))
}

fn scenery(world: &WorldText) -> Result<Scenery, ConfigError> {
    let walls: WorldWalls = world.optional("walls")?.unwrap_or_default();
    Ok(Scenery {
        walls: walls.lines.iter().map(|l| [l.from_m, l.to_m]).collect(),
        stand: world.optional("stand")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_setup_loads_and_names_itself() {
        let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config");
        let setup = Setup::load(&config, "transport", "l1", 3).unwrap();
        assert!(setup.run_key().starts_with("transport-l1-3-"));
        assert_ne!(setup.hash(), Setup { seed: 4, ..setup.clone() }.hash());
        let error = Setup::load(&config, "transport", "l99", 3).unwrap_err().to_string();
        assert!(error.contains("l99.yaml") && error.contains("sampled-<n>"), "{error}");
        let sampled = Setup::load(&config, "transport", "sampled-3", 3).unwrap();
        assert!(sampled.run_key().starts_with("transport-sampled-3-3-"));
    }

    #[test]
    fn a_variation_is_part_of_the_runs_identity_and_nominal_is_none() {
        let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config");
        let plain = Setup::load(&config, "transport", "l1", 3).unwrap();
        let varied = |name: &str| {
            let read = |file: &Path| std::fs::read_to_string(file);
            let variation = troupe_core::variation::Variation::named(&config, name, read).unwrap();
            plain.clone().varied(variation.in_world(&config, "l1", 3, read).unwrap())
        };
        assert_eq!(varied("nominal").hash(), plain.hash());
        assert_ne!(varied("friction_low").hash(), plain.hash());
        let planned = varied("planned_route");
        assert_ne!(planned.route, plain.route);
        assert_eq!(planned.route.target, plain.route.target);
    }

    #[test]
    fn shipped_parts_load_and_missing_ones_are_named() {
        let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config");
        let route: Route = part(&config.join("worlds/l1.yaml"), "route").unwrap();
        assert_eq!(route.segments.len(), 5);
        let seen = scenery(&world_text(&config, "l1", |file| std::fs::read_to_string(file)).unwrap()).unwrap();
        assert!(seen.walls.len() == 4 && seen.stand.is_some());
        let bounds: SkillBounds = part(&config.join("nodes/g1.yaml"), "bounds").unwrap();
        assert!(bounds.distance_m[1] > bounds.distance_m[0]);
        let error = part::<Route>(&config.join("worlds/l1.yaml"), "rout").unwrap_err().to_string();
        assert!(error.contains("l1.yaml") && error.contains("rout"), "{error}");
    }

    fn shipped() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config")
    }

    /// Fields in which a method differs from another, apart from its names.
    fn differing(a: &Method, b: &Method) -> Vec<String> {
        let fields = |m: &Method| serde_json::to_value(m).unwrap().as_object().unwrap().clone();
        let (a, b) = (fields(a), fields(b));
        let differ = a.iter().filter(|(key, value)| b.get(*key) != Some(*value) && !["name", "title"].contains(&key.as_str()));
        differ.map(|(key, _)| key.clone()).collect()
    }

    #[test]
    fn ce_135_an_ablation_is_one_flag() {
        let full = method(&shipped(), "full").unwrap();
        for (name, flag) in [("flat", "revision"), ("without_experience", "memory"), ("recovery", "recovery"), ("response_model", "response_model")] {
            assert_eq!(differing(&method(&shipped(), name).unwrap(), &full), [flag], "{name}");
        }
    }

    /// Every method of the paper's comparison has the same task, route, skills and limits; only its loop differs. CE-121.
    #[test]
    fn ce_130_methods_share_task_and_motor_interface() {
        let config = shipped();
        let full = Setup::load(&config, "transport", "l1", 0).unwrap();
        for name in ["flat", "without_experience", "remac", "coherent", "cap_agent0", "aspire"] {
            let other = Setup::load(&config, "transport", "l1", 0).unwrap().with_method(&config, name).unwrap();
            assert!(!differing(&other.method, &full.method).is_empty(), "{name} is full by another name");
            assert_eq!(Setup { method: full.method.clone(), ..other }, full, "{name}");
        }
    }
}
