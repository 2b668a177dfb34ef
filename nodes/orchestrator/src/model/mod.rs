//! The one interface to model roles and its providers (G-08).

pub mod accounts;
pub mod anthropic;
pub mod builtin;
pub mod builtin_moves;
mod builtin_words;
mod builtin_place;
pub mod choose;
pub mod dialect;
pub mod gemini;
pub mod http;
pub mod http_config;
pub mod http_error;
pub mod http_model;
pub mod http_schema;
pub mod image;
pub mod imperfect;
pub mod key;
pub mod openai;
pub mod rate;
pub mod replay;
pub mod retry;
pub mod scripted;

use accounts::Accounts;
use image::ImagePart;
use serde_json::Value;

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoleId {
    /// Proposes phase statuses (CE-R1).
    Planner,
    /// Proposes the decision (CE-R2).
    Orchestrator,
    /// Writes the policies (CE-R3).
    Coder,
    /// Comments what was executed, from images and measurements (CE-R4).
    Evaluator,
    /// Revises what was rejected (CE-R5).
    Reviser,
    /// Puts experience into words (CE-R6).
    Writer,
}

impl RoleId {
    /// Every role.
    pub const ALL: [Self; 6] = [Self::Planner, Self::Orchestrator, Self::Coder, Self::Evaluator, Self::Reviser, Self::Writer];

    /// Name as in the ledger and the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Planner => "planner",
            Self::Orchestrator => "orchestrator",
            Self::Coder => "coder",
            Self::Evaluator => "evaluator",
            Self::Reviser => "reviser",
            Self::Writer => "writer",
        }
    }
}

/// One question to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    /// Who is asked.
    pub role: RoleId,
    /// What the role is and may not.
    pub system: String,
    /// The question, with the refusals of earlier attempts.
    pub prompt: String,
    /// What the prompt says, structured; the rule-based provider reads this instead of the prose.
    pub context: Value,
    /// JSON schema of the answer.
    pub schema: Value,
    /// 1-based attempt of this role call.
    pub attempt: u32,
    /// Sampling seed, where the server supports one.
    pub seed: u64,
    /// Sampling temperature.
    pub temperature: f64,
    /// End-to-end limit of the call, wall-clock s.
    pub timeout_s: f64,
    /// Largest answer, tokens.
    pub max_tokens: u32,
    /// What the model sees besides the words, in order.
    pub images: Vec<ImagePart>,
}

/// A model's answer; untrusted text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelReply {
    /// Should be one JSON object of the role's schema.
    pub text: String,
    /// As billed; 0 when the server does not say.
    pub tokens_in: u64,
    /// As billed; 0 when the server does not say.
    pub tokens_out: u64,
    /// Part of `tokens_in` that the server had cached; 0 when it does not say.
    pub tokens_cached: u64,
    /// Model that answered, as it names itself.
    pub model: String,
    /// Requests sent; 0 for a provider that sends none.
    pub tries: u32,
    /// Wall-clock s waited between tries and for the rate limit.
    pub waited_s: f64,
    /// Wall-clock s of the whole call, waits included.
    pub latency_s: f64,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// No complete answer inside the deadline.
    #[error("no complete answer within {limit_ms} ms")]
    Timeout {
        /// Limit of the call, ms.
        limit_ms: u64,
    },
    /// The server answered with an error status.
    #[error("the server answered with status {status}{}", after_colon(reason))]
    Http {
        /// HTTP status.
        status: u16,
        /// The server's words, one short line; may be empty.
        reason: String,
    },
    /// The limit that this side keeps leaves no time within the deadline.
    #[error("the configured rate limit leaves no time for the call")]
    RateLimit,
    /// The answer ended early, at the server's token limit or in mid-transfer.
    #[error("the answer was cut off")]
    Truncated,
    /// The answer is larger than allowed.
    #[error("the answer is larger than {limit} bytes")]
    TooLarge {
        /// Largest allowed body, bytes.
        limit: usize,
    },
    /// The server cannot be reached or does not speak the protocol.
    #[error("transport: {0}")]
    Transport(String),
    /// The model declined to answer.
    #[error("the model declined: {0}")]
    Refused(String),
    /// A recording or script has no fitting answer left.
    #[error("no answer left: {0}")]
    Exhausted(String),
    /// A failure of a recorded run, in its own words, so that what follows is the same.
    #[error("{words}")]
    Recorded {
        /// Its name.
        name: &'static str,
        /// Its text.
        words: String,
    },
}

/// Names of failures as in the ledger.
const NAMES: [&str; 8] = ["timeout", "http", "rate_limit", "truncated", "too_large", "transport", "refused", "exhausted"];

fn after_colon(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(": {reason}") }
}

impl ModelError {
    /// Short name for the ledger.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Timeout { .. } => "timeout",
            Self::Http { .. } => "http",
            Self::RateLimit => "rate_limit",
            Self::Truncated => "truncated",
            Self::TooLarge { .. } => "too_large",
            Self::Transport(_) => "transport",
            Self::Refused(_) => "refused",
            Self::Exhausted(_) => "exhausted",
            Self::Recorded { name, .. } => name,
        }
    }
}

/// Anything that answers role calls.
pub trait LanguageModel {
    /// Provider name for reports, one of [`choose::PROVIDERS`].
    fn provider(&self) -> &str;

    /// Whether it looks at images.
    fn sees(&self) -> bool {
        false
    }

    /// Answers one question within its deadline.
    ///
    /// # Errors
    /// [`ModelError`]; an answer of the wrong shape is an answer, not an error.
    fn complete(&mut self, request: &ModelRequest) -> Result<ModelReply, ModelError>;

    /// Answers several questions, in their order. Providers that ask a server do so side by side (CE-155).
    fn complete_many(&mut self, requests: &[ModelRequest]) -> Vec<Result<ModelReply, ModelError>> {
        requests.iter().map(|request| self.complete(request)).collect()
    }

    /// Accounts of the calls that failed since this was last asked: a failed call costs too (G-07).
    fn take_failed(&mut self) -> Accounts {
        Accounts::default()
    }
}

/// The hash of a question without its images, by which a recording without pictures is replayed.
#[must_use]
pub fn text_hash(request: &ModelRequest) -> String {
    prompt_hash(&ModelRequest { images: Vec::new(), ..request.clone() })
}

/// Hash that ties an answer to its question: role, system, prompt and images.
#[must_use]
pub fn prompt_hash(request: &ModelRequest) -> String {
    let mut text = format!("{}\u{0}{}\u{0}{}", request.role.name(), request.system, request.prompt);
    for image in &request.images {
        text.extend(["\u{0}", &image.caption, "\u{0}", &image.sha256()]);
    }
    troupe_core::identity::sha256_hex(text.as_bytes())
}

#[cfg(test)]
mod http_tests;
#[cfg(test)]
pub(crate) mod test_server;
#[cfg(test)]
mod facing_tests;
