//! Provider `replay`: the answers recorded in a ledger, in order, for the same questions.

use super::accounts::Accounts;
use super::{LanguageModel, ModelError, ModelReply, ModelRequest, NAMES, text_hash};
use serde_json::Value;
use std::collections::VecDeque;
use std::path::Path;
use troupe_core::ledger::{LedgerError, Record, read};

#[derive(Clone, Debug)]
struct Recorded {
    prompt_hash: String,
    outcome: Result<ModelReply, ModelError>,
    failed: Accounts,
}

/// Replays the `model_call` records of a run.
#[derive(Clone, Debug)]
pub struct Replay {
    calls: VecDeque<Recorded>,
    given: usize,
    failed: Accounts,
}

impl Replay {
    /// From the records of a verified ledger.
    #[must_use]
    pub fn new(records: &[Record]) -> Self {
        let calls = records.iter().filter(|r| r.event == "model_call").map(|r| recorded(&r.data)).collect();
        Self { calls, given: 0, failed: Accounts::default() }
    }

    /// From a ledger file, whose chain is checked.
    ///
    /// # Errors
    /// When the file cannot be read or its chain is broken.
    pub fn from_file(path: &Path) -> Result<Self, LedgerError> {
        let file = std::fs::File::open(path)?;
        Ok(Self::new(&read(std::io::BufReader::new(file))?.0))
    }
}

fn recorded(data: &Value) -> Recorded {
    let text = |key: &str| data.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let number = |key: &str| data.get(key).and_then(Value::as_u64).unwrap_or_default();
    // A failed call has no text; it is replayed as the failure that it was.
    let outcome = match data.get("text").and_then(Value::as_str) {
        Some(answer) => Ok(ModelReply {
            text: answer.to_owned(),
            tokens_in: number("tokens_in"),
            tokens_out: number("tokens_out"),
            tokens_cached: number("tokens_cached"),
            model: text("model"),
            ..ModelReply::default()
        }),
        None => Err(failure(&text("outcome"), text("error"))),
    };
    let failed = match outcome {
        Ok(_) => Accounts::default(),
        Err(_) => Accounts {
            tokens_in: number("tokens_in"),
            tokens_out: number("tokens_out"),
            tokens_cached: number("tokens_cached"),
            ..Accounts::default()
        },
    };
    Recorded { prompt_hash: Some(text("text_hash")).filter(|h| !h.is_empty()).unwrap_or_else(|| text("prompt_hash")), outcome, failed }
}

/// The recorded words go into the next prompt, which must be the same again.
fn failure(name: &str, words: String) -> ModelError {
    match NAMES.iter().find(|known| **known == name) {
        Some(&"exhausted") => ModelError::Exhausted(words.strip_prefix("no answer left: ").unwrap_or(&words).to_owned()),
        Some(name) => ModelError::Recorded { name, words },
        None => ModelError::Transport(format!("recorded failure: {name}")),
    }
}

impl LanguageModel for Replay {
    fn provider(&self) -> &str {
        "replay"
    }

    fn complete(&mut self, request: &ModelRequest) -> Result<ModelReply, ModelError> {
        let Some(call) = self.calls.pop_front() else {
            return Err(ModelError::Exhausted(format!("the recording has {} model calls", self.given)));
        };
        self.given += 1;
        // A recording of a model that saw pictures is replayed without them.
        let asked = text_hash(request);
        if call.prompt_hash != asked {
            return Err(ModelError::Exhausted(format!(
                "call {} of the recording was for another prompt (recorded {}, asked {asked})",
                self.given, call.prompt_hash
            )));
        }
        self.failed.add(call.failed);
        call.outcome
    }

    fn take_failed(&mut self) -> Accounts {
        std::mem::take(&mut self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::test_server::request;
    use serde_json::json;
    use troupe_core::ledger::Ledger;

    #[test]
    fn failures_come_again_in_the_same_words_and_with_their_tokens() {
        let question = request(1.0);
        let errors = [
            ModelError::Http { status: 503, reason: "overloaded".into() },
            ModelError::Truncated,
            ModelError::Refused("no".into()),
            ModelError::Exhausted("the script has 2 answers".into()),
        ];
        let mut bytes = Vec::new();
        let mut ledger = Ledger::new(&mut bytes);
        for error in &errors {
            let event = json!({"prompt_hash": text_hash(&question), "outcome": error.name(), "error": error.to_string(),
                               "tokens_in": 9, "tokens_out": 2, "tokens_cached": 4, "tries": 3, "waited_s": 1.5});
            ledger.append("model_call", 0.0, &event).unwrap();
        }
        let mut replay = Replay::new(&read(bytes.as_slice()).unwrap().0);
        for error in errors {
            let again = replay.complete(&question).unwrap_err();
            assert_eq!((again.name(), again.to_string()), (error.name(), error.to_string()));
            let failed = Accounts { tokens_in: 9, tokens_out: 2, tokens_cached: 4, ..Accounts::default() };
            assert_eq!(replay.take_failed(), failed);
        }
        assert_eq!(replay.complete(&question).unwrap_err().name(), "exhausted");
    }
}
