//! Settings of the viewer (`config/nodes/viewer.yaml`).

use serde::Deserialize;
use std::path::Path;
use troupe_core::config::{ConfigError, in_range, load};

/// `nodes/viewer.yaml`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewerConfig {
    /// Every n-th control tick is shown.
    pub state_every_ticks: u64,
    /// What may wait for a slow destination.
    pub queue: QueueLimits,
    /// Wall seconds of log that leave in one piece.
    pub flush_wall_s: FlushConfig,
    /// Names of the world's cameras to show.
    pub cameras: Vec<String>,
    /// Mode `live`.
    pub live: LiveConfig,
    /// Length of a contact's arrow, m/N.
    pub arrow_m_per_n: f64,
    /// Wall seconds between two states that count as a pause, not as a tick.
    pub pause_wall_s: f64,
    /// Wall seconds that the end of the recording may take.
    pub finish_wall_s: f64,
}

/// Limits of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueLimits {
    /// Events.
    pub events: usize,
    /// Bytes of all events together, roughly.
    pub bytes: usize,
}

/// How long log is gathered, wall seconds.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlushConfig {
    /// For the file.
    pub file: f64,
    /// For a live viewer.
    pub live: f64,
}

/// Where a live viewer is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiveConfig {
    /// For example `rerun+http://127.0.0.1:9876/proxy`; empty: start `rerun`, or the default address.
    pub url: String,
}

impl ViewerConfig {
    /// Reads and checks `nodes/viewer.yaml` in the configuration folder.
    ///
    /// # Errors
    /// [`ConfigError`] naming file, key, value and what is allowed.
    pub fn load(config: &Path) -> Result<Self, ConfigError> {
        let file = config.join("nodes/viewer.yaml");
        let settings: Self = load(&file, std::fs::read_to_string(&file))?;
        settings.check(&file)?;
        Ok(settings)
    }

    fn check(&self, file: &Path) -> Result<(), ConfigError> {
        in_range(file, "state_every_ticks", self.state_every_ticks as f64, 1.0, 1e6)?;
        in_range(file, "queue.events", self.queue.events as f64, 1.0, 1e6)?;
        in_range(file, "queue.bytes", self.queue.bytes as f64, 65_536.0, 4e9)?;
        in_range(file, "flush_wall_s.file", self.flush_wall_s.file, 0.005, 60.0)?;
        in_range(file, "flush_wall_s.live", self.flush_wall_s.live, 0.005, 60.0)?;
        in_range(file, "arrow_m_per_n", self.arrow_m_per_n, 1e-6, 10.0)?;
        in_range(file, "pause_wall_s", self.pause_wall_s, 0.001, 60.0)?;
        in_range(file, "finish_wall_s", self.finish_wall_s, 0.05, 60.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_file_loads_and_ranges_are_named() {
        let mut settings = ViewerConfig::load(&crate::testing::config_folder()).unwrap();
        settings.queue.events = 0;
        let text = settings.check(Path::new("nodes/viewer.yaml")).unwrap_err().to_string();
        assert!(text.contains("viewer.yaml") && text.contains("queue.events") && text.contains('1'), "{text}");
    }
}
