//! Configuration files: unknown keys are errors that name file, key, value and what is allowed.

use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// A configuration file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration file: {reason}: {file}")]
    Read {
        /// Path as given.
        file: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// A key or value does not fit; `reason` names the value and what is allowed.
    #[error("{file}: key `{key}`: {reason}")]
    Key {
        /// Path as given.
        file: PathBuf,
        /// Dotted path of the key.
        key: String,
        /// What is wrong and what is allowed.
        reason: String,
    },
}

impl ConfigError {
    /// An error about one key, for checks that types cannot express.
    #[must_use]
    pub fn key(file: &Path, key: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Key { file: file.to_owned(), key: key.into(), reason: reason.into() }
    }
}

/// Parses what was read from a YAML file: `load(path, std::fs::read_to_string(path))`.
///
/// # Errors
/// [`ConfigError`] naming the file and, for content, the key.
pub fn load<T: DeserializeOwned>(
    path: &Path,
    text: std::io::Result<String>,
) -> Result<T, ConfigError> {
    let text = text.map_err(|e| ConfigError::Read { file: path.to_owned(), reason: e.to_string() })?;
    parse(path, &text)
}

/// Parses YAML text; `path` is only for messages.
///
/// # Errors
/// [`ConfigError::Key`].
pub fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, ConfigError> {
    let deserializer = serde_yaml_ng::Deserializer::from_str(text);
    serde_path_to_error::deserialize(deserializer).map_err(|e| ConfigError::Key {
        file: path.to_owned(),
        key: e.path().to_string(),
        reason: e.into_inner().to_string(),
    })
}

/// Checks that `value` lies in `low..=high`.
///
/// # Errors
/// [`ConfigError::Key`] naming the value and the range.
pub fn in_range(file: &Path, key: &str, value: f64, low: f64, high: f64) -> Result<(), ConfigError> {
    if value.is_finite() && (low..=high).contains(&value) {
        return Ok(());
    }
    Err(ConfigError::key(file, key, format!("value {value} is outside the allowed range {low} to {high}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Gait {
        speed_mps: f64,
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Robot {
        gait: Gait,
    }

    #[test]
    fn wrong_unit_names_file_key_and_what_is_allowed() {
        let error = parse::<Robot>(Path::new("robots/g1.yaml"), "gait:\n  speed_kmh: 3\n").unwrap_err().to_string();
        for part in ["robots/g1.yaml", "gait", "speed_kmh", "speed_mps"] {
            assert!(error.contains(part), "{error} lacks {part}");
        }
    }

    #[test]
    fn wrong_type_names_the_value() {
        let error = parse::<Robot>(Path::new("g1.yaml"), "gait:\n  speed_mps: fast\n").unwrap_err().to_string();
        assert!(error.contains("gait.speed_mps") && error.contains("fast"), "{error}");
    }

    #[test]
    fn out_of_range_names_the_range() {
        let error = in_range(Path::new("g1.yaml"), "gait.speed_mps", f64::NAN, 0.0, 1.0).unwrap_err().to_string();
        assert!(error.contains("NaN") && error.contains("0 to 1"), "{error}");
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = load::<Robot>(Path::new("absent.yaml"), std::fs::read_to_string("absent.yaml")).unwrap_err().to_string();
        assert!(error.contains("absent.yaml"), "{error}");
    }
}
