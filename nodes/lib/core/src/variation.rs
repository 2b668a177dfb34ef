//! How a run departs from its world file: drawn contact and mass, late commands, estimated state, planned
//! routes (CE-153, CE-154). Files: `config/variations/<name>.yaml`.

mod estimate;
mod estimator;
mod span;

pub use estimate::{Dropout, Estimate, EstimateStd, FilterGains, Spread};
pub use estimator::Estimator;
pub use span::Span;

use crate::corridor::world_text;
use crate::config::{ConfigError, in_range, load};
use crate::noise::{Noise, Stream};
use crate::route::Route;
use crate::route_plan::{self, PlannerConfig};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Name of the variation that changes nothing.
pub const NOMINAL: &str = "nominal";

/// Longest delay of commands, simulated s (CE-153).
pub const DELAY_MAX_S: f64 = 0.06;

/// Where the route comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RouteSource {
    /// Written in the world file.
    #[default]
    Supplied,
    /// Planned from walls, start and target.
    Planned,
}

/// A variation file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variation {
    /// Name of the file; not one of its keys.
    #[serde(skip)]
    pub name: String,
    /// Sliding friction of payload and support boxes; the world's where absent.
    #[serde(default)]
    pub friction: Option<Span>,
    /// Mass of the payload, kg; the world's where absent.
    #[serde(default)]
    pub payload_mass_kg: Option<Span>,
    /// Simulated time from a motor command to the motors, s; rounded to whole physics steps.
    #[serde(default)]
    pub command_delay_s: Option<Span>,
    /// State is estimated with these errors; ground truth where absent.
    #[serde(default)]
    pub estimate: Option<Estimate>,
    /// Where the route comes from.
    #[serde(default)]
    pub route: RouteSource,
    /// Numbers of the route planner; needed when the route is planned.
    #[serde(default)]
    pub planner: Option<PlannerConfig>,
}

/// What one episode drew from a variation; as recorded in the ledger.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// Sliding friction; absent where the world's holds.
    pub friction: Option<f64>,
    /// kg; absent where the world's holds.
    pub payload_mass_kg: Option<f64>,
    /// Whole physics steps from a command to the motors.
    pub command_delay_steps: u32,
    /// The same in simulated s.
    pub command_delay_s: f64,
}

impl Variation {
    /// The variation that changes nothing.
    #[must_use]
    pub fn nominal() -> Self {
        Self { name: NOMINAL.into(), ..Self::default() }
    }

    /// Parses and checks what was read from a variation file, whose stem is the name.
    ///
    /// # Errors
    /// [`ConfigError`] naming file, key, value and what is allowed.
    pub fn load(file: &Path, text: std::io::Result<String>) -> Result<Self, ConfigError> {
        let mut variation: Self = load(file, text)?;
        variation.name = file.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        variation.check(file)?;
        Ok(variation)
    }

    fn check(&self, file: &Path) -> Result<(), ConfigError> {
        let spans = [
            ("friction", self.friction, 0.05, 3.0),
            ("payload_mass_kg", self.payload_mass_kg, 0.01, 20.0),
            ("command_delay_s", self.command_delay_s, 0.0, DELAY_MAX_S),
        ];
        for (key, span, low, high) in spans {
            let Some(span) = span else { continue };
            in_range(file, key, span.low, low, high)?;
            in_range(file, key, span.high, low, high)?;
            if span.low > span.high {
                let reason = format!("value [{}, {}] falls; allowed: the lower end first", span.low, span.high);
                return Err(ConfigError::key(file, key, reason));
            }
        }
        if let Some(estimate) = &self.estimate {
            estimate.check(file)?;
        }
        match (&self.planner, self.route) {
            (Some(planner), _) => planner.check(file),
            (None, RouteSource::Planned) => {
                Err(ConfigError::key(file, "planner", "is missing; needed with `route: planned`"))
            }
            (None, RouteSource::Supplied) => Ok(()),
        }
    }

    /// True when nothing differs from the world file.
    #[must_use]
    pub fn is_nominal(&self) -> bool {
        Self { name: String::new(), planner: None, ..self.clone() } == Self::default()
    }

    /// The values of an episode. Every quantity takes one number of the variation's own stream, drawn or
    /// not: giving one a range changes no other, nor the start noise.
    #[must_use]
    pub fn draw(&self, seed: u64, timestep_s: f64) -> Drawn {
        let mut noise = Noise::new(seed, Stream::Variation);
        let mut next = |span: Option<Span>| {
            let share = noise.unit();
            span.map(|s| s.at(share))
        };
        let (friction, payload_mass_kg) = (next(self.friction), next(self.payload_mass_kg));
        let delay_s = next(self.command_delay_s).unwrap_or_default();
        let steps = if timestep_s > 0.0 { (delay_s / timestep_s).round().clamp(0.0, 1e6) } else { 0.0 };
        Drawn {
            friction,
            payload_mass_kg,
            command_delay_steps: steps as u32,
            command_delay_s: steps * timestep_s,
        }
    }

    /// Reads `variations/<name>.yaml` below the configuration folder with `read`.
    ///
    /// # Errors
    /// [`ConfigError`] naming file, key, value and what is allowed.
    pub fn named(config: &Path, name: &str, read: impl Fn(&Path) -> std::io::Result<String>) -> Result<Self, ConfigError> {
        let file = config.join("variations").join(format!("{name}.yaml"));
        Self::load(&file, read(&file))
    }

    /// What an episode in a world gets: drawn values, and the route if it is planned. Orchestrator,
    /// verifier and bridge all ask here, so that they have the same.
    ///
    /// # Errors
    /// [`ConfigError`] of the world file: a part that is missing, or no way to the target.
    pub fn in_world(
        &self,
        config: &Path,
        world: &str,
        seed: u64,
        read: impl Fn(&Path) -> std::io::Result<String>,
    ) -> Result<Varied, ConfigError> {
        let text = world_text(config, world, read)?;
        let route = match (self.route, &self.planner) {
            (RouteSource::Planned, Some(planner)) => {
                Some(route_plan::plan_world(&text.file, Ok(text.text.clone()), planner)?)
            }
            _ => None,
        };
        let physics: PhysicsPart = load(&text.file, Ok(text.text))?;
        let drawn = self.draw(seed, physics.physics.timestep_s);
        Ok(Varied { name: self.name.clone(), drawn, estimate: self.estimate, route_source: self.route, route })
    }
}

#[derive(Deserialize)]
struct PhysicsPart {
    physics: TimestepPart,
}

#[derive(Deserialize)]
struct TimestepPart {
    timestep_s: f64,
}

/// A variation in one episode of one world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Varied {
    /// Name of the variation.
    pub name: String,
    /// What the episode's seed gave.
    pub drawn: Drawn,
    /// Errors of estimated state; ground truth where absent.
    pub estimate: Option<Estimate>,
    /// Where the route comes from.
    pub route_source: RouteSource,
    /// The planned route; a run's route is recorded once, so it is no part of this record.
    #[serde(skip)]
    pub route: Option<Route>,
}

impl Default for Varied {
    fn default() -> Self {
        Self {
            name: NOMINAL.into(),
            drawn: Drawn::default(),
            estimate: None,
            route_source: RouteSource::Supplied,
            route: None,
        }
    }
}

impl Varied {
    /// True when nothing differs from the world file.
    #[must_use]
    pub fn is_nominal(&self) -> bool {
        Self { name: NOMINAL.into(), ..self.clone() } == Self::default()
    }
}

#[cfg(test)]
mod tests;
