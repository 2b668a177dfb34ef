//! Provider `openai`: any server that speaks the OpenAI chat protocol, with JSON-schema output.

use super::dialect::Dialect;
use super::http::{KeyHeader, Post};
use super::http_config::{OpenAiConfig, ResponseFormat, ServersConfig};
use super::http_model::{Answer, HttpModel, Wire};
use super::http_schema::{is_strict, plain};
use super::key::{ANY_KEY, Secret};
use super::retry::Clock;
use super::{ModelError, ModelRequest};
use crate::role::narrow::by_kind;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Environment variables that may hold the key, in order. A server may need none.
pub const KEY_VARIABLES: [&str; 2] = [ANY_KEY, "OPENAI_API_KEY"];

/// A client of the configured server.
///
/// # Errors
/// Words, when no client can be built.
pub fn client(config: &ServersConfig, key: Option<Secret>, clock: Arc<dyn Clock>) -> Result<HttpModel, String> {
    let wire = OpenAi { config: config.openai.clone() };
    HttpModel::new(Box::new(wire), &config.openai.server(), config, key, clock)
}

struct OpenAi {
    config: OpenAiConfig,
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
    #[serde(default)]
    prompt_tokens_details: Option<Details>,
}

#[derive(Deserialize, Default)]
struct Details {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

impl OpenAi {
    fn format(&self, request: &ModelRequest, dialect: Dialect) -> Value {
        let schema = plain(&request.schema);
        // Servers know one of two forms; which one is learnt.
        if (self.config.response_format == ResponseFormat::JsonSchema) == dialect.other_form {
            return json!({ "type": "json_object", "schema": plain(&by_kind(request)) });
        }
        let strict = is_strict(&schema);
        json!({
            "type": "json_schema",
            "json_schema": { "name": request.role.name(), "schema": schema, "strict": strict },
        })
    }
}

impl Wire for OpenAi {
    fn takes_images(&self) -> bool {
        self.config.images
    }

    fn provider(&self) -> &'static str {
        "openai"
    }

    fn hides_unknown_form(&self) -> bool {
        true
    }

    fn key_header(&self) -> KeyHeader {
        ("authorization", "Bearer ")
    }

    fn post(&self, request: &ModelRequest, dialect: Dialect) -> Post {
        let limit = request.max_tokens.saturating_add(self.config.reasoning_tokens);
        let limit_name = if dialect.completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        let mut body = json!({
            "model": self.config.model,
            "messages": [
                { "role": "system", "content": request.system },
                { "role": "user", "content": content(request) },
            ],
            limit_name: limit,
            "response_format": self.format(request, dialect),
            "stream": false,
        });
        if let Value::Object(map) = &mut body {
            if dialect.temperature {
                map.insert("temperature".into(), json!(request.temperature));
            }
            if dialect.seed {
                map.insert("seed".into(), json!(request.seed & 0x7fff_ffff));
            }
        }
        Post { path: "/v1/chat/completions".into(), headers: Vec::new(), body }
    }

    fn read(&self, body: &[u8]) -> Result<Answer, serde_json::Error> {
        let completion: Completion = serde_json::from_slice(body)?;
        let usage = completion.usage.unwrap_or_default();
        Ok(Answer {
            text: text(completion.choices.into_iter().next()),
            model: completion.model,
            tokens_in: usage.prompt_tokens,
            tokens_out: usage.completion_tokens,
            tokens_cached: usage.prompt_tokens_details.and_then(|d| d.cached_tokens).unwrap_or_default(),
        })
    }
}

/// Words alone as older servers want them, or parts when there are images.
fn content(request: &ModelRequest) -> Value {
    if request.images.is_empty() {
        return json!(request.prompt);
    }
    let images = request.images.iter().flat_map(|image| {
        [
            json!({ "type": "text", "text": image.caption }),
            json!({ "type": "image_url", "image_url": { "url": image.data_url() } }),
        ]
    });
    images.chain([json!({ "type": "text", "text": request.prompt })]).collect()
}

fn text(choice: Option<Choice>) -> Result<String, ModelError> {
    let choice = choice.ok_or_else(|| ModelError::Transport("the completion has no choice".into()))?;
    match choice.finish_reason.as_deref() {
        Some("length") => return Err(ModelError::Truncated),
        Some("content_filter") => return Err(ModelError::Refused("content filter".into())),
        _ => {}
    }
    if let Some(refusal) = choice.message.refusal.filter(|r| !r.is_empty()) {
        return Err(ModelError::Refused(refusal));
    }
    choice.message.content.ok_or_else(|| ModelError::Transport("the choice has no content".into()))
}

#[cfg(test)]
#[path = "openai_tests.rs"]
mod tests;
