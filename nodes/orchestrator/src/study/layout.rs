//! Where a run of a study lies: `<method>/<provider>[-<level>]/<world>/<seed>/ledger.jsonl`.

use crate::files::LEDGER;
use std::path::{Path, PathBuf};
use troupe_coordination::metrics::RunFacts;

/// One run's place in a study.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// World.
    pub world: String,
    /// Provider with its level, as in [`provider_label`].
    pub provider: String,
    /// Method with its bank or variation, as in [`condition`].
    pub method: String,
    /// Seed.
    pub seed: u64,
}

/// A ledger that says something else than its folder.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the ledger is of {what} `{ledger}`, its folder of `{folder}`")]
pub struct PlaceError {
    /// World, provider, method or seed.
    pub what: &'static str,
    /// As in the ledger.
    pub ledger: String,
    /// As in the path.
    pub folder: String,
}

/// `imperfect-low`, or `builtin` without a level.
#[must_use]
pub fn provider_label(provider: &str, level: &str) -> String {
    if level.is_empty() { provider.to_owned() } else { format!("{provider}-{level}") }
}

/// `full.low` for a method that starts from the bank `low` or runs under the variation `low`; `full` without.
#[must_use]
pub fn condition(method: &str, change: &str) -> String {
    if change.is_empty() { method.to_owned() } else { format!("{method}.{change}") }
}

/// Whether a name may be part of a path: letters, digits, `_`, `-` and inner dots.
#[must_use]
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
}

impl Place {
    /// Folder of the run.
    #[must_use]
    pub fn folder(&self, study: &Path) -> PathBuf {
        study.join(&self.method).join(&self.provider).join(&self.world).join(self.seed.to_string())
    }

    /// Holds a run against its folder.
    ///
    /// # Errors
    /// [`PlaceError`] when a run was moved.
    pub fn check(&self, facts: &RunFacts) -> Result<(), PlaceError> {
        let pairs = [
            ("world", facts.world.clone(), self.world.clone()),
            ("provider", provider_label(&facts.provider, &facts.level), self.provider.clone()),
            ("method", facts.method.clone(), self.method.clone()),
            ("seed", facts.seed.to_string(), self.seed.to_string()),
        ];
        match pairs.into_iter().find(|(_, ledger, folder)| ledger != folder) {
            Some((what, ledger, folder)) => Err(PlaceError { what, ledger, folder }),
            None => Ok(()),
        }
    }
}

/// Every place below a study's folder that holds a ledger, in order. Folders of other names, such as runs
/// that were moved aside, are no places.
///
/// # Errors
/// The system's, when a folder cannot be read.
pub fn scan(study: &Path) -> std::io::Result<Vec<Place>> {
    let mut places = Vec::new();
    for method in folders(study)? {
        for provider in folders(&study.join(&method))? {
            for world in folders(&study.join(&method).join(&provider))? {
                for seed in folders(&study.join(&method).join(&provider).join(&world))? {
                    let Ok(seed) = seed.parse() else { continue };
                    let (method, provider, world) = (method.clone(), provider.clone(), world.clone());
                    let place = Place { world, provider, method, seed };
                    if place.folder(study).join(LEDGER).is_file() {
                        places.push(place);
                    }
                }
            }
        }
    }
    places.sort();
    Ok(places)
}

fn folders(parent: &Path) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(parent)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}
