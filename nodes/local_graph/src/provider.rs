//! Providers that need no server: `builtin`, and `imperfect` with a level.

use anyhow::bail;
use troupe_orchestrator::model::LanguageModel;
use troupe_orchestrator::model::choose::choose;
use troupe_orchestrator::model::imperfect::DEFAULT_LEVEL;
use troupe_orchestrator::setup::Setup;

/// Who answers the model roles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// `builtin` or `imperfect`.
    pub name: String,
    /// A file in config/imperfect; empty for `builtin`.
    pub level: String,
}

impl Provider {
    /// A provider and its level, `mild` when none is named.
    ///
    /// # Errors
    /// For another provider, and for a level of one that has none.
    pub fn new(name: &str, level: &str) -> anyhow::Result<Self> {
        let level = match (name, level) {
            ("builtin", "") => "",
            ("builtin", _) => bail!("provider `builtin` has no error level"),
            ("imperfect", "") => DEFAULT_LEVEL,
            ("imperfect", level) => level,
            (other, _) => bail!("provider `{other}` is not one of builtin, imperfect"),
        };
        Ok(Self { name: name.into(), level: level.into() })
    }

    /// From `builtin`, `imperfect` or `imperfect:severe`.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let (name, level) = text.split_once(':').unwrap_or((text, ""));
        Self::new(name, level)
    }

    /// The model, for settings that [`Setup::with_provider`] has seen.
    ///
    /// # Errors
    /// When the settings are of another level.
    pub fn model(&self, setup: &Setup) -> anyhow::Result<Box<dyn LanguageModel>> {
        Ok(choose(&self.name, "", &self.level, &setup.config)?)
    }

    /// For tables; never a language model's name.
    #[must_use]
    pub fn title(&self) -> String {
        match self.name.as_str() {
            "builtin" => "builtin (rule-based planner)".into(),
            _ => format!("imperfect, level {} (rule-based planner with seeded errors)", self.level),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_provider_and_level() {
        let level = |text: &str| Provider::parse(text).map(|p| p.level).map_err(|e| e.to_string());
        assert_eq!(level("builtin").unwrap(), "");
        assert_eq!(level("imperfect").unwrap(), "mild");
        assert_eq!(level("imperfect:severe").unwrap(), "severe");
        assert!(level("builtin:mild").unwrap_err().contains("no error level"));
        assert!(level("gpt").unwrap_err().contains("builtin, imperfect"));
    }
}
