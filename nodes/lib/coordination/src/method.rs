//! How a study's method runs the loop: one record, one flag per difference (CE-130 to CE-135, CE-150 to CE-155).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;
use troupe_core::config::{ConfigError, in_range, load};
use troupe_core::closed_set;

closed_set! {
    /// What follows a rejected transaction.
    Revision {
        /// A typed child of the decision constrains the next one (CE-080).
        Typed = "typed",
        /// The whole decision is made anew from the verifier's words (CE-135).
        Flat = "flat",
    }
}

closed_set! {
    /// What a run remembers beyond the present checkpoint.
    Memory {
        /// Nothing.
        Off = "off",
        /// Strategy records and action exemplars (CE-090).
        Experience = "experience",
        /// The words of every failed check of this run, newest first (REMAC, CE-131).
        Reflections = "reflections",
        /// Accepted programs only (CaP-Agent0, CE-133; ASPIRE, CE-134).
        Library = "library",
    }
}

closed_set! {
    /// How the team gets back after a rejected transaction.
    Recovery {
        /// The simulator brings the trusted checkpoint back (CE-052).
        Restore = "restore",
        /// The robots walk back or go on from where they stand (CE-150).
        Executable = "executable",
    }
}

closed_set! {
    /// How one of several candidates of the coder is chosen.
    Selection {
        /// The first that is valid.
        First = "first",
        /// The one most candidates agree on (CaP-Agent0, CE-133).
        Vote = "vote",
        /// The best one in a forked copy of the world (CE-155).
        Forecast = "forecast",
    }
}

closed_set! {
    /// Which arguments a coder may choose.
    Arguments {
        /// Any inside the bounds.
        Free = "free",
        /// A fixed grid of options (COHERENT, CE-132).
        Grid = "grid",
    }
}

/// One method of a study.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Method {
    /// Name; also the file's.
    pub name: String,
    /// Name in tables, with the source of an adapted method.
    pub title: String,
    /// After a rejection.
    pub revision: Revision,
    /// What is remembered.
    pub memory: Memory,
    /// How the team gets back.
    pub recovery: Recovery,
    /// Arguments of the coder.
    pub arguments: Arguments,
    /// A yes or no of the evaluator before each dispatch (REMAC, CE-131).
    pub precondition: bool,
    /// Whether the evaluator comments each transaction (CE-R4).
    pub evaluator: bool,
    /// Answers asked of the coder for each decision.
    pub candidates: u32,
    /// How one of them is chosen.
    pub selection: Selection,
    /// Acceptance looks one primitive ahead (CE-151).
    pub look_ahead: bool,
    /// Accepted set-ups per phase without a milestone before a change of strategy is forced; 0: no limit (CE-151).
    pub setup_quota: u32,
    /// Displacement models learnt in the run are given to coder and pair check (CE-152).
    pub response_model: bool,
}

impl Default for Method {
    /// The full method: the paper's, with a quota of set-ups (CE-141, CE-151).
    fn default() -> Self {
        Self {
            name: "full".into(),
            title: "Full".into(),
            revision: Revision::Typed,
            memory: Memory::Experience,
            recovery: Recovery::Restore,
            arguments: Arguments::Free,
            precondition: false,
            evaluator: true,
            candidates: 1,
            selection: Selection::First,
            look_ahead: false,
            setup_quota: 5,
            response_model: false,
        }
    }
}

impl Method {
    /// Parses and checks what was read from a method's file.
    ///
    /// # Errors
    /// [`ConfigError`] naming file, key, value and what is allowed.
    pub fn load(file: &Path, text: std::io::Result<String>) -> Result<Self, ConfigError> {
        let method: Self = load(file, text)?;
        let stem = file.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        if method.name != stem {
            return Err(ConfigError::key(file, "name", format!("is `{}`; allowed: the file's name `{stem}`", method.name)));
        }
        in_range(file, "candidates", f64::from(method.candidates), 1.0, 8.0)?;
        in_range(file, "setup_quota", f64::from(method.setup_quota), 0.0, 1000.0)?;
        Ok(method)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_names_its_errors() {
        let text = serde_json::to_string(&Method::default()).unwrap();
        let read = |name: &str, text: &str| Method::load(Path::new(name), Ok(text.to_owned()));
        assert_eq!(read("full.yaml", &text).unwrap(), Method::default());
        assert!(read("other.yaml", &text).unwrap_err().to_string().contains("other"));
        let error = read("full.yaml", &text.replace("\"typed\"", "\"loose\"")).unwrap_err().to_string();
        assert!(error.contains("full.yaml") && error.contains("revision") && error.contains("flat"), "{error}");
        let error = read("full.yaml", &text.replace("\"candidates\":1", "\"candidates\":0")).unwrap_err().to_string();
        assert!(error.contains("candidates"), "{error}");
    }
}
