//! The one interface to model roles and its providers (G-08).

pub mod builtin;
pub mod builtin_moves;
mod builtin_place;
pub mod choose;
pub mod openai;
pub mod replay;
pub mod scripted;

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
}

impl RoleId {
    /// Name as in the ledger and the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Planner => "planner",
            Self::Orchestrator => "orchestrator",
            Self::Coder => "coder",
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
    /// Model that answered, as it names itself.
    pub model: String,
    /// Wall-clock s.
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
    #[error("the server answered with status {status}")]
    Http {
        /// HTTP status.
        status: u16,
    },
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
}

impl ModelError {
    /// Short name for the ledger.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Timeout { .. } => "timeout",
            Self::Http { .. } => "http",
            Self::Truncated => "truncated",
            Self::TooLarge { .. } => "too_large",
            Self::Transport(_) => "transport",
            Self::Refused(_) => "refused",
            Self::Exhausted(_) => "exhausted",
        }
    }
}

/// Anything that answers role calls.
pub trait LanguageModel {
    /// Provider name for reports: `builtin`, `openai`, `replay` or `scripted`.
    fn provider(&self) -> &str;

    /// Answers one question within its deadline.
    ///
    /// # Errors
    /// [`ModelError`]; an answer of the wrong shape is an answer, not an error.
    fn complete(&mut self, request: &ModelRequest) -> Result<ModelReply, ModelError>;
}

/// Hash that ties an answer to its question: role, system and prompt.
#[must_use]
pub fn prompt_hash(request: &ModelRequest) -> String {
    let text = format!("{}\u{0}{}\u{0}{}", request.role.name(), request.system, request.prompt);
    troupe_core::identity::sha256_hex(text.as_bytes())
}
