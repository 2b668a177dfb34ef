//! Which provider answers, by name.

use super::builtin::Builtin;
use super::imperfect::Imperfect;
use super::key::Secret;
use super::replay::Replay;
use super::retry::{Clock, SystemClock};
use super::scripted::Scripted;
use super::{LanguageModel, anthropic, gemini, openai};
use crate::config::OrchestratorConfig;
use std::path::Path;
use std::sync::Arc;

/// Provider names that [`choose`] knows.
pub const PROVIDERS: [&str; 7] = ["anthropic", "builtin", "gemini", "imperfect", "openai", "replay", "scripted"];

/// Why there is no provider.
#[derive(Debug, thiserror::Error)]
pub enum ChooseError {
    /// No such provider.
    #[error("provider `{0}` is not one of {names}", names = PROVIDERS.join(", "))]
    Unknown(String),
    /// The settings of the run were loaded for another provider or level.
    #[error("provider `imperfect`: level `{0}` is not loaded; allowed: the level of the run's settings")]
    Level(String),
    /// The recording or script cannot be used.
    #[error("provider `{provider}`: {reason}: {file}")]
    File {
        /// Provider.
        provider: &'static str,
        /// What is wrong.
        reason: String,
        /// File.
        file: String,
    },
    /// The client cannot be built.
    #[error("provider `{provider}`: {reason}")]
    Client {
        /// Provider.
        provider: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// The provider does not answer without a key.
    #[error("provider `{provider}` needs a key in the environment: set {names}", names = variables.join(" or "))]
    Key {
        /// Provider.
        provider: &'static str,
        /// Variables that may hold it.
        variables: Vec<&'static str>,
    },
}

/// Builds a provider; keys are looked up in the environment.
///
/// `location` is the server's base URL for `openai`, `anthropic` and `gemini` (the configured one when empty),
/// the ledger for `replay`, the list of answers for `scripted`. `model` is the model to ask for (the configured
/// one when empty), for `imperfect` its level, which [`crate::setup::Setup::with_provider`] loads.
///
/// # Errors
/// [`ChooseError`].
pub fn choose(
    provider: &str,
    location: &str,
    model: &str,
    config: &OrchestratorConfig,
) -> Result<Box<dyn LanguageModel>, ChooseError> {
    choose_with(provider, location, model, config, &|name| std::env::var(name).ok())
}

/// [`choose`] with another environment.
///
/// # Errors
/// [`ChooseError`].
pub fn choose_with(
    provider: &str,
    location: &str,
    model: &str,
    config: &OrchestratorConfig,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Box<dyn LanguageModel>, ChooseError> {
    let in_file = |provider, reason: String| ChooseError::File { provider, reason, file: location.to_owned() };
    let in_client = |provider| move |reason| ChooseError::Client { provider, reason };
    let needed = |provider, variables: &[&'static str]| {
        Secret::find(variables, variable).ok_or_else(|| ChooseError::Key { provider, variables: variables.to_vec() })
    };
    let mut servers = config.server.clone();
    let set = |url: &mut String, name: &mut String| {
        if !location.is_empty() {
            location.clone_into(url);
        }
        if !model.is_empty() {
            model.clone_into(name);
        }
    };
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    Ok(match provider {
        "builtin" => Box::new(Builtin::new(config.builtin)),
        "imperfect" => {
            let level = config.imperfect.clone().filter(|l| model.is_empty() || l.name == model);
            let level = level.ok_or_else(|| ChooseError::Level(model.to_owned()))?;
            Box::new(Imperfect::new(config.builtin, level))
        }
        "openai" => {
            set(&mut servers.openai.url, &mut servers.openai.model);
            let key = Secret::find(&openai::KEY_VARIABLES, variable);
            Box::new(openai::client(&servers, key, clock).map_err(in_client("openai"))?)
        }
        "anthropic" => {
            set(&mut servers.anthropic.url, &mut servers.anthropic.model);
            let key = needed("anthropic", &anthropic::KEY_VARIABLES)?;
            Box::new(anthropic::client(&servers, Some(key), clock).map_err(in_client("anthropic"))?)
        }
        "gemini" => {
            set(&mut servers.gemini.url, &mut servers.gemini.model);
            let key = needed("gemini", &gemini::KEY_VARIABLES)?;
            Box::new(gemini::client(&servers, Some(key), clock).map_err(in_client("gemini"))?)
        }
        "replay" => Box::new(Replay::from_file(Path::new(location)).map_err(|e| in_file("replay", e.to_string()))?),
        "scripted" => {
            Box::new(Scripted::from_file(Path::new(location)).map_err(|e| in_file("scripted", e.to_string()))?)
        }
        other => return Err(ChooseError::Unknown(other.to_owned())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHIPPED: &str = include_str!("../../../../config/nodes/orchestrator.yaml");

    fn chosen(provider: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
        let config = OrchestratorConfig::parse(Path::new("o.yaml"), Ok(SHIPPED.to_owned())).unwrap();
        let model = choose_with(provider, "", "", &config, variable);
        model.map(|m| m.provider().to_owned()).map_err(|e| e.to_string())
    }

    #[test]
    fn a_missing_key_is_one_clear_error() {
        assert_eq!(
            chosen("anthropic", &|_| None).unwrap_err(),
            "provider `anthropic` needs a key in the environment: set TROUPE_API_KEY or ANTHROPIC_API_KEY"
        );
        let error = chosen("gemini", &|_| Some(" ".into())).unwrap_err();
        assert!(error.ends_with("set TROUPE_API_KEY or GEMINI_API_KEY or GOOGLE_API_KEY"), "{error}");
        assert_eq!(chosen("openai", &|_| None).as_deref(), Ok("openai"));
    }

    #[test]
    fn one_variable_serves_all_and_each_has_its_own() {
        for provider in ["anthropic", "gemini", "openai"] {
            assert_eq!(chosen(provider, &|name| (name == "TROUPE_API_KEY").then(|| "k".into())).as_deref(), Ok(provider));
        }
        for (provider, own) in [("anthropic", "ANTHROPIC_API_KEY"), ("gemini", "GEMINI_API_KEY"), ("gemini", "GOOGLE_API_KEY")] {
            assert_eq!(chosen(provider, &|name| (name == own).then(|| "k".into())).as_deref(), Ok(provider));
        }
    }

    #[test]
    fn foreign_names_and_bad_locations_are_named() {
        let error = chosen("nobody", &|_| None).unwrap_err();
        assert!(error.contains("nobody") && error.contains("anthropic, builtin, gemini"), "{error}");
        let config = OrchestratorConfig::parse(Path::new("o.yaml"), Ok(SHIPPED.to_owned())).unwrap();
        let error = choose_with("openai", "nowhere", "", &config, &|_| None).err().unwrap().to_string();
        assert!(error.contains("openai") && error.contains("http://"), "{error}");
        let error = choose_with("gemini", "", "a/../b", &config, &|_| Some("k".into())).err().unwrap().to_string();
        assert!(error.contains("a/../b"), "{error}");
    }
}
