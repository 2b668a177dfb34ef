//! What can be wrong with a launch file, its arguments or the packages it names.

use std::path::PathBuf;

use crate::element::Element;

/// Something wrong with one value, before it is known where the value stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, with the offending value in backquotes.
    pub text: String,
    /// What would have been right; empty when no list of choices exists.
    pub allowed: Vec<String>,
}

impl Problem {
    /// A problem for which no list of right answers exists.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            allowed: Vec::new(),
        }
    }

    /// A problem with the answers that would have been right.
    pub fn with_allowed<S: AsRef<str>>(
        text: impl Into<String>,
        allowed: impl IntoIterator<Item = S>,
    ) -> Self {
        let allowed = allowed.into_iter().map(|s| s.as_ref().to_owned()).collect();
        Self {
            text: text.into(),
            allowed,
        }
    }

    /// The same problem at the element in which it was met.
    pub fn at(self, element: &Element) -> LaunchError {
        LaunchError::File {
            file: element.file.to_path_buf(),
            line: element.line,
            tag: element.tag.clone(),
            text: self.text,
            allowed: allowed_suffix(&self.allowed),
        }
    }

    /// The same problem with a command line argument.
    pub fn in_arguments(self) -> LaunchError {
        LaunchError::Argument {
            text: self.text,
            allowed: allowed_suffix(&self.allowed),
        }
    }
}

fn allowed_suffix(allowed: &[String]) -> String {
    if allowed.is_empty() {
        String::new()
    } else {
        format!(" (allowed: {})", allowed.join(", "))
    }
}

/// Why a launch file was not started. No process exists when one of these is returned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// A launch file is wrong at one place.
    #[error("{}:{line}: <{tag}>: {text}{allowed}", file.display())]
    File {
        /// The launch file.
        file: PathBuf,
        /// Line of the element's start tag, from 1.
        line: usize,
        /// Name of the element.
        tag: String,
        /// What is wrong.
        text: String,
        /// What is allowed there, ready to print; empty when no list exists.
        allowed: String,
    },
    /// A launch file is not well-formed XML.
    #[error("{}:{line}: not well-formed XML: {text}", file.display())]
    Xml {
        /// The launch file.
        file: PathBuf,
        /// Line at which the parser stopped, from 1.
        line: usize,
        /// What the parser met.
        text: String,
    },
    /// A launch file cannot be read.
    #[error("{text}: {}", file.display())]
    Unreadable {
        /// The launch file.
        file: PathBuf,
        /// Why.
        text: String,
    },
    /// A command line argument is wrong.
    #[error("{text}{allowed}")]
    Argument {
        /// What is wrong.
        text: String,
        /// What is allowed, ready to print; empty when no list exists.
        allowed: String,
    },
}
