//! Where a study's banks come from (CE-123, CE-125).

use super::layout::is_name;
use crate::experience::{ExperienceError, SqliteBank, Experience, read_bank};
use serde::{Deserialize, Serialize};
use std::path::Path;
use troupe_coordination::experience::{Bank, BankCaps};
use troupe_core::config::ConfigError;

/// A bank that runs of a study start from: a shipped file, or what another study's runs have learnt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BankSpec {
    /// Name inside the study.
    pub name: String,
    /// Bank file below `config/banks`, without `.json`.
    #[serde(default)]
    pub file: Option<String>,
    /// Study whose finished runs' experience is pooled.
    #[serde(default)]
    pub from_study: Option<String>,
    /// Method of those runs.
    #[serde(default)]
    pub method: Option<String>,
    /// Provider of those runs, with its level: `imperfect-low`.
    #[serde(default)]
    pub provider: Option<String>,
    /// Best records of each store that are taken; all of them when not given.
    #[serde(default)]
    pub bank_size: Option<usize>,
}

impl BankSpec {
    /// Checks that the bank has one source and names that fit a path.
    ///
    /// # Errors
    /// [`ConfigError`] naming file, key, value and what is allowed.
    pub fn check(&self, file: &Path) -> Result<(), ConfigError> {
        let bad = |key: &str, reason: String| Err(ConfigError::key(file, &format!("banks.{key}"), reason));
        // A dot parts method and bank in the names of folders.
        if !is_name(&self.name) || self.name.contains('.') {
            return bad("name", format!("is `{}`; allowed: letters, digits, `_` and `-`", self.name));
        }
        let parts = [("file", &self.file), ("from_study", &self.from_study), ("method", &self.method), ("provider", &self.provider)];
        for (key, value) in parts {
            if let Some(value) = value.as_deref().filter(|v| !is_name(v)) {
                return bad(key, format!("is `{value}`; allowed: letters, digits, `_`, `-` and inner dots"));
            }
        }
        let others = [&self.method, &self.provider];
        match (&self.file, &self.from_study) {
            (Some(_), None) if others.iter().all(|o| o.is_none()) => {}
            (None, Some(_)) if others.iter().all(|o| o.is_some()) => {}
            _ => return bad("file", format!("bank `{}`: allowed: `file` alone, or `from_study` with `method` and `provider`", self.name)),
        }
        if self.bank_size == Some(0) {
            return bad("bank_size", "is 0; allowed: 1 or more".into());
        }
        Ok(())
    }

    /// The bank itself from a bank file or from the databases of runs, cut to size.
    ///
    /// # Errors
    /// When one cannot be read, or there are fewer records than the size asks for.
    pub fn gather(&self, sources: &[impl AsRef<Path>], caps: &BankCaps) -> Result<Bank, ExperienceError> {
        let mut bank = Bank::default();
        for source in sources {
            let source = source.as_ref();
            if self.file.is_some() {
                bank = read_bank(source)?;
            } else {
                bank.merge(SqliteBank::open(source)?.bank(), caps);
            }
        }
        let Some(size) = self.bank_size else { return Ok(bank) };
        bank.best(size).map_err(|error| ExperienceError::Small { file: self.name.clone().into(), error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::spec::StudySpec;

    const STUDY: &str = "name: tiny\nquestion: why\nworlds: [{ world: l1, task: transport }]\nreference: full\n\
        methods: [full, flat]\nproviders: [{ provider: builtin }]\nseeds: 0..2\nbanks:\n\
        - { name: low, from_study: gather, method: full, provider: imperfect-low, bank_size: 4 }\n\
        - { name: shipped, file: base }\n";

    /// Every bank has the empty one beside it, on the same seeds.
    #[test]
    fn ce_123_each_bank_is_a_condition_beside_the_empty_one() {
        let read = |text: &str| StudySpec::load(Path::new("tiny.yaml"), Ok(text.to_owned()));
        let spec = read(STUDY).unwrap();
        let episodes = spec.episodes(&spec.methods, &[0, 1]);
        let seed_0: Vec<&str> = episodes.iter().take(6).map(|e| e.place.method.as_str()).collect();
        assert_eq!((episodes.len(), seed_0), (12, vec!["full", "full.low", "full.shipped", "flat", "flat.low", "flat.shipped"]));
        for (from, to, expect) in [
            ("name: low", "name: lo.w", "banks.name"),
            ("name: low", "name: shipped", "twice"),
            ("file: base", "file: ../base", "banks.file"),
            ("file: base", "file: base, method: full", "from_study"),
            ("method: full, ", "", "from_study"),
            ("bank_size: 4", "bank_size: 0", "bank_size"),
            ("bank_size: 4", "size: 4", "size"),
        ] {
            let error = read(&STUDY.replace(from, to)).unwrap_err().to_string();
            assert!(error.contains("tiny.yaml") && error.contains(expect), "{error} lacks {expect}");
        }
    }

    #[test]
    fn shipped_studies_load() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/studies");
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&folder).unwrap() {
            let file = entry.unwrap().path();
            names.push(StudySpec::load(&file, std::fs::read_to_string(&file)).unwrap().name);
        }
        assert!(names.contains(&"transfer".to_owned()) && names.contains(&"gather".to_owned()), "{names:?}");
    }
}
