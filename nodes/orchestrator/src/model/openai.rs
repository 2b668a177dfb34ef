//! Provider `openai`: any server that speaks the OpenAI chat protocol, with JSON-schema output.
//!
//! Every call has an end-to-end deadline that covers connecting, waiting and reading. The key comes only
//! from the environment; it is neither logged nor stored, and an answer that repeats it is masked.

use super::{LanguageModel, ModelError, ModelReply, ModelRequest};
use crate::config::{ResponseFormat, ServerConfig};
use crate::role::narrow::by_kind;
use reqwest::blocking::{Client, Response};
use serde::Deserialize;
use serde_json::json;
use std::io::Read;
use std::time::{Duration, Instant};

/// Environment variables that may hold the key, in order.
pub const KEY_VARIABLES: [&str; 2] = ["TROUPE_API_KEY", "OPENAI_API_KEY"];

/// A client of one server.
pub struct OpenAi {
    client: Client,
    config: ServerConfig,
    key: Option<String>,
    format: ResponseFormat,
    answered: bool,
}

#[derive(Deserialize)]
struct Completion {
    #[serde(default)]
    model: String,
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
}

#[derive(Deserialize, Default)]
struct Usage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

impl OpenAi {
    /// A client whose key is taken from [`KEY_VARIABLES`], if one is set.
    ///
    /// # Errors
    /// Words, when no client can be built.
    pub fn from_environment(config: ServerConfig) -> Result<Self, String> {
        let key = KEY_VARIABLES.iter().find_map(|name| std::env::var(name).ok()).filter(|k| !k.is_empty());
        Self::new(config, key)
    }

    /// A client with this key.
    ///
    /// # Errors
    /// Words, when no client can be built.
    pub fn new(config: ServerConfig, key: Option<String>) -> Result<Self, String> {
        let mut builder = Client::builder().redirect(reqwest::redirect::Policy::none());
        if is_local(&config.url) {
            // A proxy from the environment would send requests for this machine elsewhere.
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|e| e.without_url().to_string())?;
        let format = config.response_format;
        Ok(Self { client, config, key, format, answered: false })
    }

    fn post(&self, request: &ModelRequest, deadline: Instant) -> Result<Response, ModelError> {
        let limit = remaining(request, deadline)?;
        let format = match self.format {
            ResponseFormat::JsonSchema => json!({
                "type": "json_schema",
                "json_schema": { "name": request.role.name(), "schema": request.schema, "strict": true },
            }),
            ResponseFormat::JsonObject => json!({ "type": "json_object", "schema": by_kind(request) }),
        };
        let body = json!({
            "model": self.config.model,
            "messages": [
                { "role": "system", "content": request.system },
                { "role": "user", "content": request.prompt },
            ],
            "temperature": request.temperature,
            "max_tokens": request.max_tokens,
            "seed": request.seed & 0x7fff_ffff,
            "response_format": format,
            "stream": false,
        });
        let url = format!("{}/v1/chat/completions", self.config.url.trim_end_matches('/'));
        let mut post = self.client.post(url).timeout(limit).json(&body);
        if let Some(key) = &self.key {
            post = post.bearer_auth(key);
        }
        post.send().map_err(|e| failure(&e, request))
    }

    fn read(&self, response: Response, request: &ModelRequest, deadline: Instant) -> Result<Vec<u8>, ModelError> {
        let limit = self.config.body_limit_bytes;
        let too_large = ModelError::TooLarge { limit };
        if response.content_length().is_some_and(|n| n > limit as u64) {
            return Err(too_large);
        }
        let declared = response.content_length();
        let mut body = Vec::new();
        // One byte more than allowed tells a full answer from one that goes on.
        match response.take(limit as u64 + 1).read_to_end(&mut body) {
            Ok(_) if body.len() > limit => Err(too_large),
            Ok(_) if declared.is_some_and(|n| n > body.len() as u64) => Err(ModelError::Truncated),
            Ok(_) => Ok(body),
            Err(_) if Instant::now() >= deadline => Err(timeout(request)),
            Err(e) if e.kind() == std::io::ErrorKind::TimedOut => Err(timeout(request)),
            Err(_) => Err(ModelError::Truncated),
        }
    }
}

impl LanguageModel for OpenAi {
    fn provider(&self) -> &str {
        "openai"
    }

    fn complete(&mut self, request: &ModelRequest) -> Result<ModelReply, ModelError> {
        let start = Instant::now();
        let deadline = start + Duration::try_from_secs_f64(request.timeout_s).unwrap_or_default();
        let mut response = self.post(request, deadline)?;
        if self.may_be_the_form(response.status().as_u16()) {
            // Servers know one of two forms; what works is kept.
            let before = self.format;
            self.format = match before {
                ResponseFormat::JsonSchema => ResponseFormat::JsonObject,
                ResponseFormat::JsonObject => ResponseFormat::JsonSchema,
            };
            let second = self.post(request, deadline);
            if !second.as_ref().is_ok_and(|r| r.status().is_success()) {
                self.format = before;
            }
            response = second?;
        }
        if !response.status().is_success() {
            return Err(ModelError::Http { status: response.status().as_u16() });
        }
        let body = self.read(response, request, deadline)?;
        let completion: Completion = serde_json::from_slice(&body).map_err(|e| {
            if e.is_eof() { ModelError::Truncated } else { ModelError::Transport(format!("not a completion: {e}")) }
        })?;
        let choice = completion.choices.into_iter().next();
        let choice = choice.ok_or_else(|| ModelError::Transport("the completion has no choice".into()))?;
        if choice.finish_reason.as_deref() == Some("length") {
            return Err(ModelError::Truncated);
        }
        if let Some(refusal) = choice.message.refusal.filter(|r| !r.is_empty()) {
            return Err(ModelError::Refused(self.masked(&refusal)));
        }
        let text = choice.message.content.ok_or_else(|| ModelError::Transport("the choice has no content".into()))?;
        let usage = completion.usage.unwrap_or_default();
        self.answered = true;
        Ok(ModelReply {
            text: self.masked(&text),
            tokens_in: usage.prompt_tokens,
            tokens_out: usage.completion_tokens,
            model: self.masked(&completion.model),
            latency_s: start.elapsed().as_secs_f64(),
        })
    }
}

impl OpenAi {
    /// Whether a status may mean that the server does not know the form of output asked for. Some servers
    /// answer it with an internal error, which means that only as long as none was answered.
    fn may_be_the_form(&self, status: u16) -> bool {
        matches!(status, 400 | 422) || (status == 500 && !self.answered)
    }

    fn masked(&self, text: &str) -> String {
        match &self.key {
            Some(key) => text.replace(key.as_str(), "[key]"),
            None => text.to_owned(),
        }
    }
}

fn remaining(request: &ModelRequest, deadline: Instant) -> Result<Duration, ModelError> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(timeout(request)) } else { Ok(left) }
}

fn timeout(request: &ModelRequest) -> ModelError {
    ModelError::Timeout { limit_ms: (request.timeout_s.clamp(0.0, 1e9) * 1e3) as u64 }
}

fn failure(error: &reqwest::Error, request: &ModelRequest) -> ModelError {
    if error.is_timeout() {
        return timeout(request);
    }
    // The URL is left out: it may carry credentials.
    let kind = if error.is_connect() { "cannot connect" } else { "the exchange failed" };
    ModelError::Transport(kind.to_owned())
}

fn is_local(url: &str) -> bool {
    let host = url.split("://").nth(1).unwrap_or(url);
    ["localhost", "127.", "[::1]", "0.0.0.0"].iter().any(|local| host.starts_with(local))
}

#[cfg(test)]
#[path = "openai_tests.rs"]
mod tests;
