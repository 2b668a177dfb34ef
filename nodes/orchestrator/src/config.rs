//! Numbers of the orchestrator: `config/nodes/orchestrator.yaml`.

pub use crate::model::http_config::{OpenAiConfig, RateConfig, ResponseFormat, RetryConfig, ServerConfig, ServersConfig};
use serde::{Deserialize, Serialize};
use crate::model::RoleId;
use crate::model::imperfect::ErrorLevel;
use std::path::Path;
use troupe_coordination::experience::BankCaps;
use troupe_coordination::recovery::RecoveryLimits;
use troupe_core::config::{ConfigError, in_range};

/// The whole file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrchestratorConfig {
    /// How roles are asked.
    pub roles: RolesConfig,
    /// The servers of providers `openai`, `anthropic` and `gemini`.
    pub server: ServersConfig,
    /// Times and bounds of the loop.
    pub run: RunConfig,
    /// Recoveries by motion (CE-150).
    pub recovery: RecoveryLimits,
    /// The rule-based provider.
    pub builtin: BuiltinConfig,
    /// Size of experience and of one retrieval.
    pub experience: BankCaps,
    /// Options of methods that offer a fixed grid.
    pub grid: Grid,
    /// Errors of provider `imperfect`, from its own file; only in runs with that provider.
    #[serde(default, skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub imperfect: Option<ErrorLevel>,
}

/// Magnitudes that a coder may choose under `arguments: grid` (CE-132).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// m.
    pub distance_m: Vec<f64>,
    /// rad.
    pub yaw_rad: Vec<f64>,
}

impl Grid {
    /// Options of an argument; `None` where every value is allowed.
    #[must_use]
    pub fn of(&self, argument: &str) -> Option<&[f64]> {
        match argument {
            "distance_m" => Some(&self.distance_m),
            "yaw_rad" => Some(&self.yaw_rad),
            _ => None,
        }
    }

    /// The option nearest to a value, with its sign.
    #[must_use]
    pub fn nearest(&self, argument: &str, value: f64) -> f64 {
        let options = self.of(argument).unwrap_or_default();
        let best = options.iter().copied().min_by(|a, b| (a - value.abs()).abs().total_cmp(&(b - value.abs()).abs()));
        best.map_or(value, |b| b.copysign(value))
    }

    /// Whether a value is one of the options, to the resolution of actuation.
    #[must_use]
    pub fn offers(&self, argument: &str, value: f64) -> bool {
        self.of(argument).is_none_or(|options| options.iter().any(|o| (o - value.abs()).abs() < 1e-3))
    }
}

/// One entry for each role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RolesConfig {
    /// CE-R1.
    pub planner: RoleConfig,
    /// CE-R2.
    pub orchestrator: RoleConfig,
    /// CE-R3.
    pub coder: RoleConfig,
    /// CE-R4.
    pub evaluator: RoleConfig,
    /// CE-R5.
    pub reviser: RoleConfig,
    /// CE-R6.
    pub writer: RoleConfig,
}

impl RolesConfig {
    /// How a role is asked.
    #[must_use]
    pub fn of(&self, role: RoleId) -> RoleConfig {
        match role {
            RoleId::Planner => self.planner,
            RoleId::Orchestrator => self.orchestrator,
            RoleId::Coder => self.coder,
            RoleId::Evaluator => self.evaluator,
            RoleId::Reviser => self.reviser,
            RoleId::Writer => self.writer,
        }
    }
}

/// How one role is asked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleConfig {
    /// Sampling temperature.
    pub temperature: f64,
    /// End-to-end limit of a call, wall-clock s.
    pub timeout_s: f64,
    /// Largest answer, tokens.
    pub max_tokens: u32,
}

/// Times and bounds of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    /// Limit of `init_support`, simulated s.
    pub init_deadline_s: f64,
    /// Rest after the payload was placed, simulated s.
    pub settle_s: f64,
    /// Rest after a restore before it is judged, simulated s (CE-053).
    pub restore_settle_s: f64,
    /// Part of every goal's limit that does not depend on its call, simulated s.
    pub deadline_base_s: f64,
    /// Limit of a goal per second of nominal motion.
    pub deadline_factor: f64,
    /// Failed restores, or infrastructure failures in a row, that end the run.
    pub infra_limit: u32,
    /// Motion above which a refused dispatch is charged after all, m (AR-102).
    pub moved_m: f64,
    /// Times that the endpoint may ask to watch on.
    pub endpoint_rounds: u32,
}

/// Numbers of the rule-based provider.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuiltinConfig {
    /// Longest straight step, m.
    pub step_m: f64,
    /// Shortest step that is proposed, m.
    pub step_min_m: f64,
    /// How far beyond the end of a segment it aims, m.
    pub overshoot_m: f64,
    /// Forward and backward walks, m/s.
    pub speed_mps: f64,
    /// Sideways walks, m/s.
    pub lateral_speed_mps: f64,
    /// Largest step of a pivot, rad.
    pub pivot_step_rad: f64,
    /// Pivots, rad/s; times the formation's distance it is the outer robot's speed.
    pub pivot_speed_rps: f64,
    /// Heading error at which a corner counts as turned, rad.
    pub corner_done_rad: f64,
    /// Offset from the centre line that is corrected, m.
    pub across_limit_m: f64,
    /// Heading error of the team on a straight that is corrected, rad.
    pub heading_limit_rad: f64,
    /// Error of the robots' distance that is corrected, m.
    pub formation_limit_m: f64,
    /// Fore-and-aft offset between the robots that is corrected, m.
    pub stagger_limit_m: f64,
    /// Heading between the robots that is corrected, rad.
    pub relative_heading_limit_rad: f64,
    /// Largest correction, m.
    pub correction_max_m: f64,
    /// How long a reference robot holds while the other corrects, s.
    pub hold_s: f64,
    /// Offset from the target along the way at which the payload is lowered, m.
    pub place_along_m: f64,
    /// Offset from the target across the way at which the payload is lowered, m.
    pub place_across_m: f64,
    /// Heading error at which the payload is lowered, rad.
    pub place_heading_rad: f64,
    /// Heading of the payload against the team's that is corrected before it is lowered, rad.
    pub place_skew_rad: f64,
    /// Retreat, m.
    pub retreat_m: f64,
    /// Each rejection at a checkpoint shortens the next step to this share.
    pub shrink: f64,
    /// After so many rejections of one correction the team goes on without it.
    pub correction_tries: u32,
}

impl OrchestratorConfig {
    /// Parses and checks the file's text; `file` is for messages.
    ///
    /// # Errors
    /// [`ConfigError`] naming file, key, value and what is allowed.
    pub fn parse(file: &Path, text: std::io::Result<String>) -> Result<Self, ConfigError> {
        let config: Self = troupe_core::config::load(file, text)?;
        for role in RoleId::ALL {
            let (role, c) = (role.name(), config.roles.of(role));
            in_range(file, &format!("roles.{role}.temperature"), c.temperature, 0.0, 2.0)?;
            in_range(file, &format!("roles.{role}.timeout_s"), c.timeout_s, 0.05, 3600.0)?;
            in_range(file, &format!("roles.{role}.max_tokens"), f64::from(c.max_tokens), 1.0, 1e6)?;
        }
        config.server.check(file)?;
        let run = &config.run;
        for (key, value, low, high) in [
            ("init_deadline_s", run.init_deadline_s, 1.0, 120.0),
            ("settle_s", run.settle_s, 0.0, 60.0),
            ("restore_settle_s", run.restore_settle_s, 0.02, 60.0),
            ("deadline_base_s", run.deadline_base_s, 1.0, 120.0),
            ("deadline_factor", run.deadline_factor, 1.0, 20.0),
            ("infra_limit", f64::from(run.infra_limit), 1.0, 20.0),
            ("moved_m", run.moved_m, 0.0, 1.0),
            ("endpoint_rounds", f64::from(run.endpoint_rounds), 1.0, 100.0),
        ] {
            in_range(file, &format!("run.{key}"), value, low, high)?;
        }
        let r = &config.recovery;
        for (key, value, low, high) in [
            ("kinds", f64::from(r.kinds), 1.0, 20.0),
            ("dispatches", f64::from(r.dispatches), 1.0, 40.0),
            ("position_m", r.position_m, 0.02, 0.5),
            ("yaw_rad", r.yaw_rad, 0.01, 0.5),
            ("step_m", r.step_m, 0.02, 0.5),
            ("turn_rad", r.turn_rad, 0.01, 0.5),
            ("speed_mps", r.speed_mps, 0.05, 0.5),
            ("lateral_speed_mps", r.lateral_speed_mps, 0.05, 0.5),
            ("speed_rps", r.speed_rps, 0.05, 1.0),
            ("settle_s", r.settle_s, 0.5, 10.0),
            ("place_settle_s", r.place_settle_s, 0.5, 10.0),
        ] {
            in_range(file, &format!("recovery.{key}"), value, low, high)?;
        }
        let b = &config.builtin;
        for (key, value, low, high) in [
            ("step_m", b.step_m, 0.02, 0.5),
            ("step_min_m", b.step_min_m, 0.02, 0.5),
            ("overshoot_m", b.overshoot_m, 0.0, 0.2),
            ("speed_mps", b.speed_mps, 0.2, 0.5),
            ("lateral_speed_mps", b.lateral_speed_mps, 0.2, 0.5),
            ("pivot_step_rad", b.pivot_step_rad, 0.01, 0.35),
            ("pivot_speed_rps", b.pivot_speed_rps, 0.05, 1.0),
            ("corner_done_rad", b.corner_done_rad, 0.005, 0.5),
            ("across_limit_m", b.across_limit_m, 0.02, 1.0),
            ("heading_limit_rad", b.heading_limit_rad, 0.01, 1.0),
            ("formation_limit_m", b.formation_limit_m, 0.02, 1.0),
            ("stagger_limit_m", b.stagger_limit_m, 0.02, 1.0),
            ("relative_heading_limit_rad", b.relative_heading_limit_rad, 0.01, 1.0),
            ("correction_max_m", b.correction_max_m, 0.02, 0.5),
            ("hold_s", b.hold_s, 0.2, 3.0),
            ("place_along_m", b.place_along_m, 0.005, 0.5),
            ("place_across_m", b.place_across_m, 0.005, 0.5),
            ("place_heading_rad", b.place_heading_rad, 0.005, 1.0),
            ("place_skew_rad", b.place_skew_rad, 0.005, 1.5),
            ("retreat_m", b.retreat_m, 0.02, 0.5),
            ("shrink", b.shrink, 0.1, 0.95),
            ("correction_tries", f64::from(b.correction_tries), 1.0, 20.0),
        ] {
            in_range(file, &format!("builtin.{key}"), value, low, high)?;
        }
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHIPPED: &str = include_str!("../../../config/nodes/orchestrator.yaml");

    #[test]
    fn the_shipped_file_loads() {
        OrchestratorConfig::parse(Path::new("orchestrator.yaml"), Ok(SHIPPED.to_owned())).unwrap();
    }

    #[test]
    fn bad_values_name_file_key_value_and_range() {
        let text = SHIPPED.replacen("step_m: 0.4", "step_m: 4", 1);
        let error = OrchestratorConfig::parse(Path::new("orchestrator.yaml"), Ok(text)).unwrap_err().to_string();
        for part in ["orchestrator.yaml", "builtin.step_m", "4", "0.02 to 0.5"] {
            assert!(error.contains(part), "{error} lacks {part}");
        }
        let text = SHIPPED.replacen("  step_m: 0.4", "  step_cm: 0.4", 1);
        let error = OrchestratorConfig::parse(Path::new("o.yaml"), Ok(text)).unwrap_err().to_string();
        assert!(error.contains("step_cm") && error.contains("builtin"), "{error}");
    }
}
