//! A real HTTP server on this machine for the providers' tests, and a clock that need not wait.

use super::http_config::{OpenAiConfig, RateConfig, ResponseFormat, RetryConfig, ServerConfig, ServersConfig};
use super::http_model::HttpModel;
use super::image::ImagePart;
use super::key::Secret;
use super::retry::Clock;
use super::{ModelRequest, RoleId, anthropic, gemini, openai};
use crate::role::answers::DecisionProposal;
use crate::role::ask::schema_of;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub const KEY: &str = "sk-not-a-real-key-000";
pub const PROVIDERS: [&str; 3] = ["openai", "anthropic", "gemini"];
pub const UNIX_S: u64 = 784_111_770;

/// A request as the server got it; header names in lower case.
#[derive(Clone, Debug)]
pub struct Seen {
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub body: Value,
}

/// What the server says.
#[derive(Clone, Debug)]
pub struct Said {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

pub fn said(status: u16, body: impl Into<Vec<u8>>) -> Said {
    Said { status, headers: Vec::new(), body: body.into() }
}

/// Starts a server with four threads; `answer` gets the number of the request. Returns its URL and what it sees.
pub fn serve(answer: impl Fn(usize, &Seen) -> Said + Send + Sync + 'static) -> (String, Receiver<Seen>) {
    let server = Arc::new(tiny_http::Server::http("127.0.0.1:0").unwrap());
    let url = format!("http://{}", server.server_addr().to_ip().unwrap());
    let (send, receive) = channel();
    let (answer, count) = (Arc::new(answer), Arc::new(AtomicUsize::new(0)));
    for _ in 0..4 {
        let (server, send, answer, count) = (server.clone(), send.clone(), answer.clone(), count.clone());
        std::thread::spawn(move || {
            for mut request in server.incoming_requests() {
                let mut text = String::new();
                request.as_reader().read_to_string(&mut text).unwrap();
                let headers = request.headers().iter();
                let seen = Seen {
                    path: request.url().to_owned(),
                    headers: headers.map(|h| (h.field.to_string().to_lowercase(), h.value.to_string())).collect(),
                    body: serde_json::from_str(&text).unwrap_or_default(),
                };
                let _ = send.send(seen.clone());
                let said = answer(count.fetch_add(1, Ordering::SeqCst), &seen);
                let headers = said.headers.iter();
                let headers = headers.map(|(n, v)| tiny_http::Header::from_bytes(n.as_bytes(), v.as_bytes()).unwrap());
                let length = said.body.len();
                let status = tiny_http::StatusCode(said.status);
                let response =
                    tiny_http::Response::new(status, headers.collect(), Cursor::new(said.body), Some(length), None);
                let _ = request.respond(response);
            }
        });
    }
    (url, receive)
}

/// Listens without HTTP: `speak` gets each connection after the head of its request.
pub fn raw(speak: impl Fn(usize, std::net::TcpStream) + Send + 'static) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for (n, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let mut head = Vec::new();
            let mut chunk = [0; 4096];
            while !head.windows(4).any(|w| w == b"\r\n\r\n") {
                match stream.read(&mut chunk) {
                    Ok(n) if n > 0 => head.extend_from_slice(&chunk[..n]),
                    _ => break,
                }
            }
            speak(n, stream);
        }
    });
    url
}

/// Real time plus what was slept, which costs none.
pub struct JumpClock {
    start: Instant,
    slept: Mutex<Vec<Duration>>,
}

impl JumpClock {
    pub fn start() -> Arc<Self> {
        Arc::new(Self { start: Instant::now(), slept: Mutex::new(Vec::new()) })
    }

    pub fn slept(&self) -> Vec<Duration> {
        self.slept.lock().unwrap().clone()
    }
}

impl Clock for JumpClock {
    fn now(&self) -> Duration {
        self.start.elapsed() + self.slept.lock().unwrap().iter().sum::<Duration>()
    }

    fn unix_s(&self) -> u64 {
        UNIX_S
    }

    fn sleep(&self, time: Duration) {
        self.slept.lock().unwrap().push(time);
    }
}

pub fn servers(url: &str) -> ServersConfig {
    let server = ServerConfig { url: url.into(), model: "tiny".into(), reasoning_tokens: 36, body_limit_bytes: 1 << 20 };
    ServersConfig {
        openai: OpenAiConfig {
            images: true,
            url: url.into(),
            model: "tiny".into(),
            response_format: ResponseFormat::JsonSchema,
            reasoning_tokens: 36,
            body_limit_bytes: 1 << 20,
        },
        anthropic: server.clone(),
        gemini: server,
        retry: RetryConfig { tries: 3, first_wait_s: 1.0, max_wait_s: 20.0 },
        rate: RateConfig { requests_per_minute: 0, tokens_per_minute: 0 },
        parallel: 4,
    }
}

pub fn client_with(provider: &str, config: &ServersConfig, clock: Arc<JumpClock>) -> HttpModel {
    let key = Secret::new(KEY);
    match provider {
        "openai" => openai::client(config, key, clock).unwrap(),
        "anthropic" => anthropic::client(config, key, clock).unwrap(),
        _ => gemini::client(config, key, clock).unwrap(),
    }
}

pub fn client(provider: &str, url: &str) -> HttpModel {
    client_with(provider, &servers(url), JumpClock::start())
}

pub fn request(timeout_s: f64) -> ModelRequest {
    ModelRequest {
        role: RoleId::Orchestrator,
        system: "You decide.".into(),
        prompt: "What next?".into(),
        context: Value::Null,
        schema: schema_of::<DecisionProposal>(),
        attempt: 1,
        seed: 3,
        temperature: 0.2,
        timeout_s,
        max_tokens: 64,
        images: Vec::new(),
    }
}

/// Every byte value, so that no encoding passes by luck.
pub fn images() -> Vec<ImagePart> {
    let png = |last: u8| b"\x89PNG\r\n\x1a\n".iter().copied().chain(0..=last).collect();
    vec![
        ImagePart { png: png(255), caption: "before".into() },
        ImagePart { png: png(99), caption: "after".into() },
    ]
}

pub fn decision() -> Value {
    json!({"kind": "coordinated_linear_transport", "objective": "advance_segment", "mode": "sync",
           "roles": ["peer", "peer"], "formation": {"distance_m": 0.8, "heading_offset_rad": 0.0},
           "evidence_required": []})
}

/// A success of each wire format: 11 tokens sent, 4 of them cached, 7 got.
pub fn good(provider: &str, answer: &Value) -> Vec<u8> {
    let text = answer.to_string();
    let body = match provider {
        "openai" => json!({
            "model": "tiny-1", "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 11, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 4}}
        }),
        "anthropic" => json!({
            "type": "message", "role": "assistant", "model": "tiny-1", "stop_reason": "tool_use",
            "content": [{"type": "text", "text": "I call it."},
                        {"type": "tool_use", "id": "t", "name": "orchestrator", "input": answer}],
            "usage": {"input_tokens": 5, "cache_creation_input_tokens": 2, "cache_read_input_tokens": 4, "output_tokens": 7}
        }),
        _ => json!({
            "modelVersion": "tiny-1",
            "candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [
                {"text": "thinking", "thought": true}, {"text": text}]}}],
            "usageMetadata": {"promptTokenCount": 11, "cachedContentTokenCount": 4, "candidatesTokenCount": 5, "thoughtsTokenCount": 2}
        }),
    };
    body.to_string().into_bytes()
}
