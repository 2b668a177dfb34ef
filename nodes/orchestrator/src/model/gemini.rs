//! Provider `gemini`: `generateContent` with a response schema.

use super::dialect::Dialect;
use super::http::{KeyHeader, Post};
use super::http_config::{ServerConfig, ServersConfig};
use super::http_model::{Answer, HttpModel, Wire};
use super::http_schema::{inlined, plain};
use super::key::{ANY_KEY, Secret};
use super::retry::Clock;
use super::{ModelError, ModelRequest};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Environment variables that may hold the key, in order.
pub const KEY_VARIABLES: [&str; 3] = [ANY_KEY, "GEMINI_API_KEY", "GOOGLE_API_KEY"];

/// A client of the configured server.
///
/// # Errors
/// Words, when no client can be built.
pub fn client(config: &ServersConfig, key: Option<Secret>, clock: Arc<dyn Clock>) -> Result<HttpModel, String> {
    let mut server = config.gemini.clone();
    let name = server.model.strip_prefix("models/").unwrap_or(&server.model).to_owned();
    // The name stands in the path of the URL.
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) {
        return Err(format!("`{name}` cannot be the name of a model"));
    }
    server.model = name;
    HttpModel::new(Box::new(Gemini { config: server.clone() }), &server, config, key, clock)
}

struct Gemini {
    config: ServerConfig,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Generated {
    #[serde(default)]
    candidates: Vec<Candidate>,
    #[serde(default)]
    prompt_feedback: Option<Feedback>,
    #[serde(default)]
    usage_metadata: Usage,
    #[serde(default)]
    model_version: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: Option<String>,
    /// A summary of the model's reasoning, not its answer.
    #[serde(default)]
    thought: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    #[serde(default)]
    block_reason: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Usage {
    prompt_token_count: u64,
    cached_content_token_count: u64,
    candidates_token_count: u64,
    thoughts_token_count: u64,
}

impl Wire for Gemini {
    fn provider(&self) -> &'static str {
        "gemini"
    }

    fn key_header(&self) -> KeyHeader {
        ("x-goog-api-key", "")
    }

    fn post(&self, request: &ModelRequest, dialect: Dialect) -> Post {
        // Older versions of the protocol know only the narrower kind of schema.
        let (schema_key, schema) = match dialect.other_form {
            false => ("responseJsonSchema", plain(&request.schema)),
            true => ("responseSchema", inlined(&request.schema)),
        };
        let mut generation = json!({
            "maxOutputTokens": request.max_tokens.saturating_add(self.config.reasoning_tokens),
            "responseMimeType": "application/json",
            schema_key: schema,
        });
        if let Value::Object(map) = &mut generation {
            if dialect.temperature {
                map.insert("temperature".into(), json!(request.temperature));
            }
            if dialect.seed {
                map.insert("seed".into(), json!(request.seed & 0x7fff_ffff));
            }
        }
        let body = json!({
            "systemInstruction": { "parts": [{ "text": request.system }] },
            "contents": [{ "role": "user", "parts": parts(request) }],
            "generationConfig": generation,
        });
        Post { path: format!("/v1beta/models/{}:generateContent", self.config.model), headers: Vec::new(), body }
    }

    fn read(&self, body: &[u8]) -> Result<Answer, serde_json::Error> {
        let Generated { candidates, prompt_feedback, usage_metadata: usage, model_version } = serde_json::from_slice(body)?;
        let blocked = prompt_feedback.and_then(|f| f.block_reason);
        Ok(Answer {
            text: match blocked {
                Some(reason) => Err(ModelError::Refused(format!("the prompt is blocked: {reason}"))),
                None => text(candidates.into_iter().next()),
            },
            model: model_version,
            tokens_in: usage.prompt_token_count,
            tokens_out: usage.candidates_token_count + usage.thoughts_token_count,
            tokens_cached: usage.cached_content_token_count,
        })
    }
}

fn parts(request: &ModelRequest) -> Value {
    let images = request.images.iter().flat_map(|image| {
        let data = json!({ "mimeType": "image/png", "data": image.base64() });
        [json!({ "text": image.caption }), json!({ "inlineData": data })]
    });
    images.chain([json!({ "text": request.prompt })]).collect()
}

fn text(candidate: Option<Candidate>) -> Result<String, ModelError> {
    let candidate = candidate.ok_or_else(|| ModelError::Transport("the response has no candidate".into()))?;
    match candidate.finish_reason.as_deref() {
        Some("STOP" | "FINISH_REASON_UNSPECIFIED") | None => {}
        Some("MAX_TOKENS") => return Err(ModelError::Truncated),
        Some(reason) => return Err(ModelError::Refused(format!("finished for {reason}"))),
    }
    let parts = candidate.content.map(|c| c.parts).unwrap_or_default();
    let text: String = parts.into_iter().filter(|p| !p.thought).filter_map(|p| p.text).collect();
    if text.is_empty() { Err(ModelError::Transport("the candidate has no text".into())) } else { Ok(text) }
}

#[cfg(test)]
#[path = "gemini_tests.rs"]
mod tests;
