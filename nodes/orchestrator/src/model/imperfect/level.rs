//! How often provider `imperfect` errs: `config/imperfect/<level>.yaml`.

use super::ErrorKind;
use serde::{Deserialize, Serialize};
use std::path::Path;
use troupe_core::config::{ConfigError, in_range, load};

/// One level of error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorLevel {
    /// Name; also the file's.
    pub name: String,
    /// Every rate below is multiplied by this; the product is at most 1.
    pub scale: f64,
    /// Share of answers in which what was measured or retrieved against a misconception is heeded; a refusal
    /// always is.
    pub heed: f64,
    /// Share of answers with this slip, where the answer admits it.
    pub slips: SlipRates,
    /// Share of situations (phase class, kind, objective) with this misconception.
    pub misconceptions: MisconceptionRates,
}

/// Rates of slips, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlipRates {
    /// A field outside the scope changes, or the scope is another one.
    pub wrong_scope: f64,
    /// Rejected numbers come back nearly unchanged.
    pub near_duplicate: f64,
    /// Equal amounts where different ones are demanded.
    pub equal_amounts: f64,
    /// Mode or roles that the kind does not allow.
    pub illegal_roles: f64,
    /// A direction or a turn is reversed.
    pub sign_error: f64,
    /// A step is as long as it may be, or longer.
    pub over_long: f64,
    /// The role's answer of an earlier checkpoint comes again.
    pub stale_context: f64,
    /// The text is no JSON of the role's schema.
    pub invalid_json: f64,
}

/// Rates of misconceptions, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MisconceptionRates {
    /// What fails here is mended by another strategy.
    pub wrong_scope: f64,
    /// What fails here is mended by almost the same numbers.
    pub near_duplicate: f64,
    /// Both robots move by the same amount here.
    pub equal_amounts: f64,
    /// All robots have the same part here.
    pub illegal_roles: f64,
    /// Here it goes the other way round.
    pub sign_error: f64,
    /// Steps here may be as long as possible.
    pub over_long: f64,
}

impl ErrorLevel {
    /// Reads `imperfect/<name>.yaml` below the configuration folder.
    ///
    /// # Errors
    /// [`ConfigError`] naming file, key, value and what is allowed.
    pub fn named(config: &Path, name: &str) -> Result<Self, ConfigError> {
        let file = config.join("imperfect").join(format!("{name}.yaml"));
        if !crate::study::layout::is_name(name) {
            return Err(ConfigError::key(&file, "name", format!("`{name}` is no level's name; allowed: a file in imperfect/")));
        }
        Self::parse(&file, std::fs::read_to_string(&file))
    }

    /// Parses and checks what was read from a level's file.
    ///
    /// # Errors
    /// [`ConfigError`] naming file, key, value and what is allowed.
    pub fn parse(file: &Path, text: std::io::Result<String>) -> Result<Self, ConfigError> {
        let level: Self = load(file, text)?;
        let stem = file.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        if level.name != stem {
            return Err(ConfigError::key(file, "name", format!("is `{}`; allowed: the file's name `{stem}`", level.name)));
        }
        in_range(file, "scale", level.scale, 0.0, 10.0)?;
        in_range(file, "heed", level.heed, 0.0, 1.0)?;
        for kind in ErrorKind::ALL {
            in_range(file, &format!("slips.{}", kind.name()), level.slips.of(*kind), 0.0, 1.0)?;
            in_range(file, &format!("misconceptions.{}", kind.name()), level.misconceptions.of(*kind), 0.0, 1.0)?;
        }
        Ok(level)
    }

    /// Chance of a slip of this kind, scaled.
    #[must_use]
    pub fn slip(&self, kind: ErrorKind) -> f64 {
        (self.scale * self.slips.of(kind)).min(1.0)
    }

    /// Chance that a situation has this misconception, scaled.
    #[must_use]
    pub fn misconception(&self, kind: ErrorKind) -> f64 {
        (self.scale * self.misconceptions.of(kind)).min(1.0)
    }
}

impl SlipRates {
    fn of(&self, kind: ErrorKind) -> f64 {
        match kind {
            ErrorKind::WrongScope => self.wrong_scope,
            ErrorKind::NearDuplicate => self.near_duplicate,
            ErrorKind::EqualAmounts => self.equal_amounts,
            ErrorKind::IllegalRoles => self.illegal_roles,
            ErrorKind::SignError => self.sign_error,
            ErrorKind::OverLong => self.over_long,
            ErrorKind::StaleContext => self.stale_context,
            ErrorKind::InvalidJson => self.invalid_json,
        }
    }
}

impl MisconceptionRates {
    /// 0 for kinds that are slips only.
    fn of(&self, kind: ErrorKind) -> f64 {
        match kind {
            ErrorKind::WrongScope => self.wrong_scope,
            ErrorKind::NearDuplicate => self.near_duplicate,
            ErrorKind::EqualAmounts => self.equal_amounts,
            ErrorKind::IllegalRoles => self.illegal_roles,
            ErrorKind::SignError => self.sign_error,
            ErrorKind::OverLong => self.over_long,
            ErrorKind::StaleContext | ErrorKind::InvalidJson => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config")
    }

    #[test]
    fn shipped_levels_load_and_severe_errs_more() {
        let [mild, severe] = ["mild", "severe"].map(|name| ErrorLevel::named(&config(), name).unwrap());
        for kind in ErrorKind::ALL {
            assert!(mild.slip(*kind) < severe.slip(*kind), "{kind:?}");
            assert!(mild.misconception(*kind) <= severe.misconception(*kind), "{kind:?}");
        }
        assert!(mild.heed >= severe.heed);
    }

    #[test]
    fn bad_levels_name_file_key_and_what_is_allowed() {
        let text = std::fs::read_to_string(config().join("imperfect/mild.yaml")).unwrap();
        let refuse = |text: String| ErrorLevel::parse(Path::new("mild.yaml"), Ok(text)).unwrap_err().to_string();
        let error = refuse(text.replace("  over_long:", "  over_lang:"));
        assert!(error.contains("mild.yaml") && error.contains("over_lang") && error.contains("over_long"), "{error}");
        let error = refuse(text.replace("\nheed: ", "\nheed: 7"));
        assert!(error.contains("heed") && error.contains("0 to 1"), "{error}");
        assert!(ErrorLevel::parse(Path::new("other.yaml"), Ok(text)).unwrap_err().to_string().contains("other"));
        assert!(ErrorLevel::named(&config(), "../nodes/g1").unwrap_err().to_string().contains("level"));
        assert!(ErrorLevel::named(&config(), "wild").unwrap_err().to_string().contains("wild.yaml"));
    }
}
