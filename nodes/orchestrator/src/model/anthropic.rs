//! Provider `anthropic`: the Messages API. The answer is the input of a tool that the model must call; models
//! that take no forced call are asked for JSON output instead.

use super::dialect::Dialect;
use super::http::{KeyHeader, Post};
use super::http_config::{ServerConfig, ServersConfig};
use super::http_model::{Answer, HttpModel, Wire};
use super::http_schema::{plain, unbounded};
use super::key::{ANY_KEY, Secret};
use super::retry::Clock;
use super::{ModelError, ModelRequest};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Environment variables that may hold the key, in order.
pub const KEY_VARIABLES: [&str; 2] = [ANY_KEY, "ANTHROPIC_API_KEY"];

/// Version of the protocol that is spoken.
const VERSION: &str = "2023-06-01";

/// A client of the configured server.
///
/// # Errors
/// Words, when no client can be built.
pub fn client(config: &ServersConfig, key: Option<Secret>, clock: Arc<dyn Clock>) -> Result<HttpModel, String> {
    let wire = Anthropic { config: config.anthropic.clone() };
    HttpModel::new(Box::new(wire), &config.anthropic, config, key, clock)
}

struct Anthropic {
    config: ServerConfig,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    model: String,
    content: Vec<Block>,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Usage,
}

/// A block of any type; only texts and calls are read.
#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    input: Option<Value>,
}

#[derive(Deserialize, Default)]
struct Usage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    #[serde(default)]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default)]
    cache_read_input_tokens: Option<u64>,
}

impl Wire for Anthropic {
    fn provider(&self) -> &'static str {
        "anthropic"
    }

    fn key_header(&self) -> KeyHeader {
        ("x-api-key", "")
    }

    fn post(&self, request: &ModelRequest, dialect: Dialect) -> Post {
        let mut body = json!({
            "model": self.config.model,
            "max_tokens": request.max_tokens.saturating_add(self.config.reasoning_tokens),
            "system": request.system,
            "messages": [{ "role": "user", "content": content(request) }],
        });
        let mut set = |key: &str, value: Value| {
            if let Value::Object(map) = &mut body {
                map.insert(key.to_owned(), value);
            }
        };
        if dialect.temperature {
            // The protocol ends at 1.
            set("temperature", json!(request.temperature.clamp(0.0, 1.0)));
        }
        if dialect.other_form {
            let format = json!({ "type": "json_schema", "schema": unbounded(&request.schema) });
            set("output_config", json!({ "format": format }));
        } else {
            let name = request.role.name();
            let tool = json!({
                "name": name,
                "description": "Takes the answer. Call it exactly once.",
                "input_schema": plain(&request.schema),
            });
            set("tools", json!([tool]));
            set("tool_choice", json!({ "type": "tool", "name": name, "disable_parallel_tool_use": true }));
        }
        Post { path: "/v1/messages".into(), headers: vec![("anthropic-version", VERSION)], body }
    }

    fn read(&self, body: &[u8]) -> Result<Answer, serde_json::Error> {
        let Message { model, content, stop_reason, usage } = serde_json::from_slice(body)?;
        let cached = usage.cache_read_input_tokens.unwrap_or_default();
        // The protocol counts cached tokens apart from the others.
        let tokens_in = usage.input_tokens + usage.cache_creation_input_tokens.unwrap_or_default() + cached;
        Ok(Answer {
            text: text(&content, stop_reason.as_deref()),
            model,
            tokens_in,
            tokens_out: usage.output_tokens,
            tokens_cached: cached,
        })
    }
}

fn content(request: &ModelRequest) -> Value {
    let images = request.images.iter().flat_map(|image| {
        let source = json!({ "type": "base64", "media_type": "image/png", "data": image.base64() });
        [json!({ "type": "text", "text": image.caption }), json!({ "type": "image", "source": source })]
    });
    images.chain([json!({ "type": "text", "text": request.prompt })]).collect()
}

fn text(content: &[Block], stop_reason: Option<&str>) -> Result<String, ModelError> {
    let texts: String = content.iter().filter(|b| b.kind == "text").filter_map(|b| b.text.as_deref()).collect();
    match stop_reason {
        Some("max_tokens" | "model_context_window_exceeded") => return Err(ModelError::Truncated),
        Some("refusal") => {
            return Err(ModelError::Refused(if texts.is_empty() { "no reason given".into() } else { texts }));
        }
        _ => {}
    }
    match content.iter().find(|b| b.kind == "tool_use").and_then(|b| b.input.as_ref()) {
        Some(input) => Ok(input.to_string()),
        None if !texts.is_empty() => Ok(texts),
        None => Err(ModelError::Transport("the message has no content".into())),
    }
}

#[cfg(test)]
#[path = "anthropic_tests.rs"]
mod tests;
