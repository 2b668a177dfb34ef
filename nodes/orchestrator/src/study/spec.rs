//! A study's registered conditions: `config/studies/<name>.yaml`, fixed before its runs (CE-156).

use super::bank::BankSpec;
use super::layout::{Place, condition, is_name, provider_label};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use troupe_core::config::{ConfigError, in_range, load};
use troupe_core::variation::NOMINAL;

/// One study.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudySpec {
    /// Name; also the file's.
    pub name: String,
    /// What the study asks and what would answer it.
    pub question: String,
    /// Worlds, each with its task record.
    pub worlds: Vec<WorldSpec>,
    /// Method that the others are compared with.
    pub reference: String,
    /// Methods, names in `config/methods`; the reference is one of them.
    pub methods: Vec<String>,
    /// Providers.
    pub providers: Vec<ProviderSpec>,
    /// Seeds that every condition shares: `0..19` (both ends included), `3`, or a list with commas.
    pub seeds: String,
    /// Banks to start from; each makes a condition `<method>.<bank>` of every method, beside the one that starts
    /// with empty experience (CE-123, CE-125).
    #[serde(default)]
    pub banks: Vec<BankSpec>,
    /// Departures from the world files, names in `config/variations`; each makes a condition `<method>.<variation>`
    /// of every method, beside the nominal one (CE-153, CE-154).
    #[serde(default)]
    pub variations: Vec<String>,
    /// Transactions allowed instead of the task record's (CE-101).
    #[serde(default)]
    pub budget_transactions: Option<u32>,
    /// B of PAUC@B instead of the budget (CE-101).
    #[serde(default)]
    pub horizon: Option<u32>,
}

/// A world and what is to be done in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorldSpec {
    /// Name in `config/worlds`.
    pub world: String,
    /// Name in `config/tasks`.
    pub task: String,
}

/// A provider of the model roles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderSpec {
    /// Name.
    pub provider: String,
    /// Error level of `imperfect`; empty for others.
    #[serde(default)]
    pub level: String,
}

/// One run to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Episode {
    /// Where it belongs.
    pub place: Place,
    /// Task record.
    pub task: String,
    /// Method without its bank or variation.
    pub method: String,
    /// Name of the bank it starts from; empty for none.
    pub bank: String,
    /// Departure from the world file.
    pub variation: String,
    /// Provider without its level.
    pub provider: ProviderSpec,
}

impl StudySpec {
    /// Parses and checks what was read from a study's file.
    ///
    /// # Errors
    /// [`ConfigError`] naming file, key, value and what is allowed.
    pub fn load(file: &Path, text: std::io::Result<String>) -> Result<Self, ConfigError> {
        let spec: Self = load(file, text)?;
        let stem = file.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        let bad = |key: &str, reason: String| Err(ConfigError::key(file, key, reason));
        if spec.name != stem {
            return bad("name", format!("is `{}`; allowed: the file's name `{stem}`", spec.name));
        }
        let worlds = spec.worlds.iter().map(|w| w.world.as_str());
        let labels: Vec<String> = spec.providers.iter().map(|p| provider_label(&p.provider, &p.level)).collect();
        once(file, "worlds", worlds)?;
        once(file, "methods", spec.methods.iter().map(String::as_str))?;
        once(file, "providers", labels.iter().map(String::as_str))?;
        if !spec.methods.contains(&spec.reference) {
            return bad("reference", format!("is `{}`; allowed: one of methods: {}", spec.reference, spec.methods.join(", ")));
        }
        for bank in &spec.banks {
            bank.check(file)?;
        }
        let banks: BTreeSet<&str> = spec.banks.iter().map(|b| b.name.as_str()).collect();
        if banks.len() != spec.banks.len() {
            return bad("banks", "names a bank twice".into());
        }
        if !spec.variations.is_empty() {
            once(file, "variations", spec.variations.iter().map(String::as_str))?;
        }
        if let Some(bad_name) = spec.variations.iter().find(|v| v.contains('.') || *v == NOMINAL) {
            return bad("variations", format!("names `{bad_name}`; allowed: files in variations/ without dots; `{NOMINAL}` always runs"));
        }
        if !spec.variations.is_empty() && !spec.banks.is_empty() {
            return bad("variations", "stand beside `banks`; allowed: one of both, so that a pair differs in one thing".into());
        }
        for (key, value) in [("budget_transactions", spec.budget_transactions), ("horizon", spec.horizon)] {
            in_range(file, key, value.map_or(1.0, f64::from), 1.0, 10_000.0)?;
        }
        Ok(spec)
    }

    /// Every run of the study for these methods and seeds. Seeds come first, so that a study that is cut short
    /// has whole pairs.
    #[must_use]
    pub fn episodes(&self, methods: &[String], seeds: &[u64]) -> Vec<Episode> {
        let banks = self.banks.iter().map(|b| (b.name.as_str(), NOMINAL));
        let variations = self.variations.iter().map(|v| ("", v.as_str()));
        let changes: Vec<(&str, &str)> = [("", NOMINAL)].into_iter().chain(banks).chain(variations).collect();
        let mut all = Vec::new();
        for seed in seeds {
            for WorldSpec { world, task } in &self.worlds {
                for provider in &self.providers {
                    for (method, (bank, variation)) in methods.iter().flat_map(|m| changes.iter().map(move |c| (m, *c))) {
                        let varied = if variation == NOMINAL { "" } else { variation };
                        let place = Place {
                            world: world.clone(),
                            provider: provider_label(&provider.provider, &provider.level),
                            method: condition(&condition(method, bank), varied),
                            seed: *seed,
                        };
                        all.push(Episode {
                            place,
                            task: task.clone(),
                            method: method.clone(),
                            bank: bank.to_owned(),
                            variation: variation.to_owned(),
                            provider: provider.clone(),
                        });
                    }
                }
            }
        }
        all
    }
}

/// Names that are not empty, fit a path and stand once.
fn once<'a>(file: &Path, key: &str, names: impl Iterator<Item = &'a str>) -> Result<(), ConfigError> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !is_name(name) {
            let reason = format!("`{name}` is no name; allowed: letters, digits, `_`, `-` and inner dots");
            return Err(ConfigError::key(file, key, reason));
        }
        if !seen.insert(name.to_owned()) {
            return Err(ConfigError::key(file, key, format!("`{name}` stands twice")));
        }
    }
    if seen.is_empty() {
        return Err(ConfigError::key(file, key, "is empty; allowed: one or more"));
    }
    Ok(())
}
