//! From a world's name to its text: a file of the folder `worlds`, or one drawn by the sampler.

use super::sampler::SamplerConfig;
use super::world::sampled;
use crate::config::{ConfigError, parse};
use serde::de::DeserializeOwned;
use serde_yaml_ng::Value;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Names of sampled worlds begin so; a number follows.
pub const SAMPLED: &str = "sampled-";
/// Name of the sampler's file, which is no world.
const SAMPLER: &str = "sampler";

/// A world's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldText {
    /// The file, or where the file of a sampled world would lie: paths in the text are relative to it.
    pub file: PathBuf,
    /// YAML.
    pub text: String,
}

impl WorldText {
    /// The whole world.
    ///
    /// # Errors
    /// [`ConfigError::Key`] naming file and key.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        parse(&self.file, &self.text)
    }

    /// One top-level key; the others belong to other nodes, which check them.
    ///
    /// # Errors
    /// [`ConfigError::Key`] when it is missing or does not fit.
    pub fn part<T: DeserializeOwned>(&self, key: &str) -> Result<T, ConfigError> {
        self.optional(key)?.ok_or_else(|| ConfigError::key(&self.file, key, "is missing"))
    }

    /// One top-level key that need not be there.
    ///
    /// # Errors
    /// [`ConfigError::Key`] when it does not fit.
    pub fn optional<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, ConfigError> {
        let mut all: BTreeMap<String, Value> = self.parse()?;
        let value = all.remove(key).map(serde_yaml_ng::from_value).transpose();
        value.map_err(|e| ConfigError::key(&self.file, key, e.to_string()))
    }
}

/// The text of a world: `worlds/<world>.yaml` below the configuration folder `config`, or for
/// `sampled-<n>` what `worlds/sampler.yaml` and its base world make of n (CE-008). `read` reads a file.
///
/// # Errors
/// [`ConfigError`] for a name that is neither, saying what is allowed; or for files that do not fit.
pub fn world_text(config: &Path, world: &str, read: impl Fn(&Path) -> io::Result<String>) -> Result<WorldText, ConfigError> {
    let folder = config.join("worlds");
    let file_of = |name: &str| folder.join(format!("{name}.yaml"));
    let file = file_of(world);
    let unknown = |why: &str| {
        let reason = format!(
            "`{world}` {why}; allowed: the name of a file in {} without .yaml, or {SAMPLED}<n> with a whole number n",
            folder.display()
        );
        ConfigError::key(&file, "world", reason)
    };
    let sound = !world.is_empty() && world.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if !sound || world == SAMPLER {
        return Err(unknown("names no world"));
    }
    let from_file = |file: &Path| read(file).map_err(|e| unknown(&format!("cannot be read ({e})")));
    let Some(number) = world.strip_prefix(SAMPLED) else {
        let text = from_file(&file)?;
        return Ok(WorldText { file, text });
    };
    let plain = number.parse::<u64>().ok().filter(|n| n.to_string() == number);
    let number = plain.ok_or_else(|| unknown("names no sampled world"))?;
    let sampler_file = file_of(SAMPLER);
    let sampler = SamplerConfig::load(&sampler_file, read(&sampler_file))?;
    let base_file = file_of(&sampler.base);
    let base = read(&base_file).map_err(|e| ConfigError::Read { file: base_file, reason: e.to_string() })?;
    let text = sampled(&file, &sampler, &base, world, number)?;
    Ok(WorldText { file, text })
}
