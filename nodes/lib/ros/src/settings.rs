//! `config/nodes/ros.yaml`: limits and periods of the nodes' ROS side.

use serde::Deserialize;
use std::path::Path;
use std::time::Duration;
use troupe_core::config::{ConfigError, in_range, load};

/// All of the file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RosSettings {
    /// What stops a robot.
    pub watchdog: Watchdog,
    /// Wall seconds between two beats of the orchestrator.
    pub heartbeat_period_wall_s: f64,
    /// The bridge's patience.
    pub bridge: BridgeSettings,
    /// Camera images of the bridge.
    pub camera: CameraSettings,
    /// Deadlines of calls.
    pub calls: Calls,
    /// How often things are told.
    pub tell: Tell,
}

/// What stops a robot.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Watchdog {
    /// On a robot: wall seconds without a new state.
    pub state_wall_s: f64,
    /// In simulation: control ticks that `team/state` may be behind `lowstate`.
    pub state_ticks: u64,
    /// Wall seconds without a heartbeat while a skill runs.
    pub heartbeat_wall_s: f64,
    /// The same in lockstep.
    pub heartbeat_lockstep_wall_s: f64,
}

/// The bridge's patience.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BridgeSettings {
    /// Wall seconds that a robot may take to answer a tick.
    pub robot_silence_wall_s: f64,
    /// Wall seconds between two sendings of the first state.
    pub repeat_wall_s: f64,
    /// Wall seconds for a robot to save or restore its controller.
    pub controller_wall_s: f64,
    /// Ticks between the newest state and the start of a goal in real time.
    pub realtime_lead_ticks: u64,
}

/// Camera images of the bridge.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CameraSettings {
    /// Pixels.
    pub width_px: u32,
    /// Pixels.
    pub height_px: u32,
    /// Whether shadows are drawn.
    pub shadows: bool,
    /// Ticks between two images for a reader that stays.
    pub every_ticks: u64,
}

/// Deadlines of calls, wall seconds.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calls {
    /// Until a node is there.
    pub appear_wall_s: f64,
    /// Answers that need no simulated time.
    pub quick_wall_s: f64,
    /// A judgement with its checkpoint.
    pub verify_wall_s: f64,
    /// A window of simulated time.
    pub window_wall_s: f64,
    /// A goal's result after its window has closed.
    pub result_wall_s: f64,
    /// Without `team/state` while time should pass.
    pub silence_wall_s: f64,
}

/// How often things are told.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tell {
    /// Wall seconds between two diagnostics.
    pub diagnostics_wall_s: f64,
    /// Ticks between two joint states.
    pub joint_states_ticks: u64,
    /// Ticks between two feedbacks.
    pub feedback_ticks: u64,
}

impl RosSettings {
    /// Reads and checks `nodes/ros.yaml` in the configuration folder.
    ///
    /// # Errors
    /// [`ConfigError`] naming file, key, value and what is allowed.
    pub fn load(config: &Path) -> Result<Self, ConfigError> {
        let file = config.join("nodes/ros.yaml");
        let settings: Self = load(&file, std::fs::read_to_string(&file))?;
        settings.check(&file)?;
        Ok(settings)
    }

    fn check(&self, file: &Path) -> Result<(), ConfigError> {
        let (w, b, c, t) = (&self.watchdog, &self.bridge, &self.calls, &self.tell);
        for (key, seconds) in [
            ("watchdog.state_wall_s", w.state_wall_s),
            ("watchdog.heartbeat_wall_s", w.heartbeat_wall_s),
            ("watchdog.heartbeat_lockstep_wall_s", w.heartbeat_lockstep_wall_s),
            ("heartbeat_period_wall_s", self.heartbeat_period_wall_s),
            ("bridge.robot_silence_wall_s", b.robot_silence_wall_s),
            ("bridge.repeat_wall_s", b.repeat_wall_s),
            ("bridge.controller_wall_s", b.controller_wall_s),
            ("calls.appear_wall_s", c.appear_wall_s),
            ("calls.quick_wall_s", c.quick_wall_s),
            ("calls.silence_wall_s", c.silence_wall_s),
            ("calls.verify_wall_s", c.verify_wall_s),
            ("calls.window_wall_s", c.window_wall_s),
            ("calls.result_wall_s", c.result_wall_s),
            ("tell.diagnostics_wall_s", t.diagnostics_wall_s),
        ] {
            in_range(file, key, seconds, 0.001, 86_400.0)?;
        }
        for (key, ticks) in [
            ("watchdog.state_ticks", w.state_ticks),
            ("bridge.realtime_lead_ticks", b.realtime_lead_ticks),
            ("camera.every_ticks", self.camera.every_ticks),
            ("tell.joint_states_ticks", t.joint_states_ticks),
            ("tell.feedback_ticks", t.feedback_ticks),
        ] {
            in_range(file, key, ticks as f64, 1.0, 1e6)?;
        }
        for (key, px) in [("camera.width_px", self.camera.width_px), ("camera.height_px", self.camera.height_px)] {
            in_range(file, key, f64::from(px), 16.0, 4096.0)?;
        }
        Ok(())
    }
}

/// Wall time from checked seconds.
#[must_use]
pub fn wall(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shipped() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../config")
    }

    #[test]
    fn the_shipped_file_loads() {
        let settings = RosSettings::load(&shipped()).unwrap();
        assert!(settings.heartbeat_period_wall_s < settings.watchdog.heartbeat_wall_s);
    }

    #[test]
    fn a_range_is_named() {
        let mut settings = RosSettings::load(&shipped()).unwrap();
        settings.bridge.robot_silence_wall_s = 0.0;
        let text = settings.check(Path::new("nodes/ros.yaml")).unwrap_err().to_string();
        assert!(text.contains("bridge.robot_silence_wall_s") && text.contains("0.001"), "{text}");
    }
}
