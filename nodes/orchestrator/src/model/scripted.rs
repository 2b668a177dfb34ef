//! Provider `scripted`: a list of answers, for tests.

use super::{LanguageModel, ModelError, ModelReply, ModelRequest};
use std::collections::VecDeque;
use std::path::Path;

/// Gives its answers in order, whatever is asked.
#[derive(Clone, Debug, Default)]
pub struct Scripted {
    answers: VecDeque<Result<String, ModelError>>,
    given: usize,
}

impl Scripted {
    /// Answers in order.
    pub fn new(answers: impl IntoIterator<Item = String>) -> Self {
        Self { answers: answers.into_iter().map(Ok).collect(), given: 0 }
    }

    /// Answers and failures in order.
    pub fn with_errors(answers: impl IntoIterator<Item = Result<String, ModelError>>) -> Self {
        Self { answers: answers.into_iter().collect(), given: 0 }
    }

    /// Answers from a file, one JSON document a line; empty lines are skipped.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn from_file(path: &Path) -> std::io::Result<Self> {
        let text = std::fs::read_to_string(path)?;
        Ok(Self::new(text.lines().filter(|l| !l.trim().is_empty()).map(str::to_owned)))
    }
}

impl LanguageModel for Scripted {
    fn provider(&self) -> &str {
        "scripted"
    }

    fn complete(&mut self, _: &ModelRequest) -> Result<ModelReply, ModelError> {
        let next = self.answers.pop_front();
        let answer = next.ok_or_else(|| ModelError::Exhausted(format!("the script has {} answers", self.given)))?;
        self.given += 1;
        Ok(ModelReply { text: answer?, model: "scripted".into(), ..ModelReply::default() })
    }
}
