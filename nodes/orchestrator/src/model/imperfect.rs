//! Provider `imperfect`: the rules of `builtin` with seeded errors, so that what verifier, typed revision and
//! memory contribute can be measured with a proposer whose mistakes are known. No language model.
//!
//! It is a stated model of a learner in context, not a claim about any language model. Per question:
//!
//! 1. The answer of `builtin` for the same context.
//! 2. *Misconceptions*: drawn once a run from its seed for each (phase class, kind, objective), for example
//!    "steps here may be as long as possible". One acts whenever its situation arises, unless what the prompt
//!    shows speaks against it: a rejection or refusal at this checkpoint, a retrieved strategy record of this
//!    phase, kind and objective with a matching failure, an exemplar (whose scale it imitates), or a reflection.
//!    The table in `seen.rs` says what counts. Nothing is remembered beyond the prompt, so it forgets when the
//!    checkpoint changes and nothing that is retrieved reminds it.
//! 3. *Slips*: independent from answer to answer, at the level's rates; at most one an answer.
//!
//! Every draw is SHA-256 of the run's seed (the sampling seed of its first question), role, number of the call
//! and prompt hash: the same questions get the same answers, and runs of one seed share their misconceptions
//! whatever the method. It does not know which method runs: it reads the context and the prompt, and of the
//! context only what the role's prompt shows. The one exception is a slip on purpose: `stale_context` repeats
//! the role's own answer of an earlier checkpoint. `docs/imperfect.md` says what this can and cannot show.

mod answer;
mod draw;
mod error;
mod misconception;
mod numbers;
mod recall;
mod seen;
pub mod level;
#[cfg(test)]
mod tests;

pub use error::ErrorKind;
pub use level::ErrorLevel;

use super::{LanguageModel, ModelError, ModelReply, ModelRequest, prompt_hash};
use crate::config::BuiltinConfig;
use crate::role::context::RoleContext;
use answer::Answer;
use draw::Draw;
use recall::Recall;
use seen::Seen;

/// Level when none is named.
pub const DEFAULT_LEVEL: &str = "mild";

/// The rule-based planner with seeded errors.
#[derive(Clone, Debug)]
pub struct Imperfect {
    builtin: BuiltinConfig,
    level: ErrorLevel,
    /// Sampling seed of the first question.
    seed: Option<u64>,
    calls: u64,
    recall: Recall,
}

impl Imperfect {
    /// A planner that errs at this level.
    #[must_use]
    pub fn new(builtin: BuiltinConfig, level: ErrorLevel) -> Self {
        Self { builtin, level, seed: None, calls: 0, recall: Recall::default() }
    }
}

impl LanguageModel for Imperfect {
    fn provider(&self) -> &str {
        "imperfect"
    }

    fn complete(&mut self, request: &ModelRequest) -> Result<ModelReply, ModelError> {
        let context: RoleContext = serde_json::from_value(request.context.clone())
            .map_err(|e| ModelError::Refused(format!("the rules cannot read the observation: {e}")))?;
        let seed = self.seed.get_or_insert(request.seed).to_string();
        self.calls += 1;
        let slips = Draw::new(&["slip", &seed, request.role.name(), &self.calls.to_string(), &prompt_hash(request)]);
        let beliefs = Draw::new(&["misconception", &seed]);
        let seen = Seen::new(request.role, &context, &request.prompt);
        let refused = |e: serde_json::Error| ModelError::Refused(e.to_string());

        let mut answer = Answer::of(request.role, &context, &self.builtin).map_err(refused)?;
        misconception::act(&mut answer, &seen, &self.level, &beliefs, &slips);
        let mut text = answer.text(&context).map_err(refused)?;
        self.recall.at(&context);
        for kind in ErrorKind::ALL {
            if slips.of(kind.name()) >= self.level.slip(*kind) {
                continue;
            }
            let slipped = match kind {
                ErrorKind::StaleContext => self.recall.earlier(request.role, &text),
                ErrorKind::InvalidJson => Some(answer::broken(&text, &slips)),
                other => {
                    let mut wrong = answer.clone();
                    let changed = error::err(*other, &mut wrong, &seen, &slips);
                    changed.then(|| wrong.text(&context)).transpose().map_err(refused)?
                }
            };
            if let Some(slipped) = slipped.filter(|s| *s != text) {
                if *kind != ErrorKind::InvalidJson {
                    self.recall.gave(request.role, &slipped);
                }
                text = slipped;
                return Ok(self.reply(text));
            }
        }
        self.recall.gave(request.role, &text);
        Ok(self.reply(text))
    }
}

impl Imperfect {
    fn reply(&self, text: String) -> ModelReply {
        ModelReply { text, model: format!("imperfect-{}", self.level.name), ..ModelReply::default() }
    }
}
