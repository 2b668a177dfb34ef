//! Which provider answers, by name.

use super::LanguageModel;
use super::builtin::Builtin;
use super::openai::OpenAi;
use super::replay::Replay;
use super::scripted::Scripted;
use crate::config::OrchestratorConfig;
use std::path::Path;

/// Provider names that [`choose`] knows.
pub const PROVIDERS: [&str; 4] = ["builtin", "openai", "replay", "scripted"];

/// Why there is no provider.
#[derive(Debug, thiserror::Error)]
pub enum ChooseError {
    /// No such provider.
    #[error("provider `{0}` is not one of {names}", names = PROVIDERS.join(", "))]
    Unknown(String),
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
    #[error("provider `openai`: {0}")]
    Client(String),
}

/// Builds a provider.
///
/// `location` is the server's base URL for `openai` (the configured one when empty), the ledger for
/// `replay`, the list of answers for `scripted`. `model` is the model to ask for (the configured one when empty).
///
/// # Errors
/// [`ChooseError`].
pub fn choose(
    provider: &str,
    location: &str,
    model: &str,
    config: &OrchestratorConfig,
) -> Result<Box<dyn LanguageModel>, ChooseError> {
    let in_file = |provider, reason: String| ChooseError::File { provider, reason, file: location.to_owned() };
    Ok(match provider {
        "builtin" => Box::new(Builtin::new(config.builtin)),
        "openai" => {
            let mut server = config.server.clone();
            if !location.is_empty() {
                location.clone_into(&mut server.url);
            }
            if !model.is_empty() {
                model.clone_into(&mut server.model);
            }
            Box::new(OpenAi::from_environment(server).map_err(ChooseError::Client)?)
        }
        "replay" => Box::new(Replay::from_file(Path::new(location)).map_err(|e| in_file("replay", e.to_string()))?),
        "scripted" => {
            Box::new(Scripted::from_file(Path::new(location)).map_err(|e| in_file("scripted", e.to_string()))?)
        }
        other => return Err(ChooseError::Unknown(other.to_owned())),
    })
}
