//! Settings of the model servers: section `server` of `config/nodes/orchestrator.yaml`.

use serde::{Deserialize, Serialize};
use std::path::Path;
use troupe_core::config::{ConfigError, in_range};

/// One entry for each provider that talks to a server, and what they share. Keys come only from the environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServersConfig {
    /// Provider `openai`.
    pub openai: OpenAiConfig,
    /// Provider `anthropic`.
    pub anthropic: ServerConfig,
    /// Provider `gemini`.
    pub gemini: ServerConfig,
    /// When a failed request is sent again.
    pub retry: RetryConfig,
    /// The limit that this side keeps.
    pub rate: RateConfig,
    /// Requests of one batch that are open at the same time (CE-155).
    pub parallel: u32,
}

/// How JSON output is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseFormat {
    /// `{"type":"json_schema","json_schema":{…}}`.
    JsonSchema,
    /// `{"type":"json_object","schema":{…}}`, which older servers want.
    JsonObject,
}

/// A server that speaks the OpenAI chat protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenAiConfig {
    /// Base URL; `/v1` at its end may be left out.
    pub url: String,
    /// Model to ask for.
    pub model: String,
    /// Tried first; the other one follows when the server refuses it.
    pub response_format: ResponseFormat,
    /// Whether the model takes images; the other providers' models do.
    pub images: bool,
    /// Tokens allowed on top of the role's, for models that reason before they answer.
    pub reasoning_tokens: u32,
    /// Largest answer that is read, bytes.
    pub body_limit_bytes: usize,
}

impl OpenAiConfig {
    /// What every server has.
    #[must_use]
    pub fn server(&self) -> ServerConfig {
        ServerConfig {
            url: self.url.clone(),
            model: self.model.clone(),
            reasoning_tokens: self.reasoning_tokens,
            body_limit_bytes: self.body_limit_bytes,
        }
    }
}

/// A model server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerConfig {
    /// Base URL; the version at its end may be left out.
    pub url: String,
    /// Model to ask for.
    pub model: String,
    /// Tokens allowed on top of the role's, for models that reason before they answer.
    pub reasoning_tokens: u32,
    /// Largest answer that is read, bytes.
    pub body_limit_bytes: usize,
}

/// When a failed request is sent again; always inside the role's deadline.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetryConfig {
    /// Most failures of one call, the last one included.
    pub tries: u32,
    /// First wait, wall-clock s; each further one is twice as long.
    pub first_wait_s: f64,
    /// Longest wait, wall-clock s, unless the server asks for a longer one.
    pub max_wait_s: f64,
}

/// What may be sent within any 60 s; 0 is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateConfig {
    /// Requests.
    pub requests_per_minute: u32,
    /// Tokens in both directions; estimated before, corrected after the answer.
    pub tokens_per_minute: u64,
}

impl ServersConfig {
    /// Checks all ranges; `file` is for messages.
    ///
    /// # Errors
    /// [`ConfigError`] naming file, key, value and what is allowed.
    pub fn check(&self, file: &Path) -> Result<(), ConfigError> {
        for (name, server) in [("openai", &self.openai.server()), ("anthropic", &self.anthropic), ("gemini", &self.gemini)] {
            let key = |key: &str| format!("server.{name}.{key}");
            in_range(file, &key("body_limit_bytes"), server.body_limit_bytes as f64, 1024.0, 1e9)?;
            in_range(file, &key("reasoning_tokens"), f64::from(server.reasoning_tokens), 0.0, 1e6)?;
        }
        for (key, value, low, high) in [
            ("retry.tries", f64::from(self.retry.tries), 1.0, 20.0),
            ("retry.first_wait_s", self.retry.first_wait_s, 0.01, 60.0),
            ("retry.max_wait_s", self.retry.max_wait_s, 0.01, 600.0),
            ("rate.requests_per_minute", f64::from(self.rate.requests_per_minute), 0.0, 1e6),
            ("rate.tokens_per_minute", self.rate.tokens_per_minute as f64, 0.0, 1e12),
            ("parallel", f64::from(self.parallel), 1.0, 64.0),
        ] {
            in_range(file, &format!("server.{key}"), value, low, high)?;
        }
        Ok(())
    }
}
