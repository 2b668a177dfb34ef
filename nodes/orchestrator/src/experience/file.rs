//! Versioned bank files: pretty JSON in a fixed order, so that two versions compare line by line.

use super::ExperienceError;
use serde::{Deserialize, Serialize};
use std::path::Path;
use troupe_coordination::experience::{Bank, lint};

/// Version of the file's layout.
pub const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BankFile {
    format: u32,
    /// Identity of the bank; a changed file does not pass for the one that a study named.
    identity: String,
    bank: Bank,
}

/// Writes a bank.
///
/// # Errors
/// [`ExperienceError`].
pub fn write_bank(file: &Path, bank: &Bank) -> Result<(), ExperienceError> {
    let content = BankFile { format: FORMAT, identity: bank.identity()?, bank: bank.clone() };
    let text = serde_json::to_string_pretty(&content)? + "\n";
    std::fs::write(file, text).map_err(|e| ExperienceError::File { file: file.to_owned(), reason: e.to_string() })
}

/// Reads a bank and checks format, identity and the texts' lint.
///
/// # Errors
/// [`ExperienceError`] naming file, field, value and what is allowed.
pub fn read_bank(file: &Path) -> Result<Bank, ExperienceError> {
    let text = std::fs::read_to_string(file)
        .map_err(|e| ExperienceError::File { file: file.to_owned(), reason: e.to_string() })?;
    let bad = |reason: String| ExperienceError::Content { file: file.to_owned(), reason };
    let content: BankFile = serde_json::from_str(&text).map_err(|e| bad(e.to_string()))?;
    if content.format != FORMAT {
        return Err(bad(format!("format = {}; allowed: {FORMAT}", content.format)));
    }
    let identity = content.bank.identity()?;
    if identity != content.identity {
        return Err(bad(format!("identity = `{}`; the content's is `{identity}`", content.identity)));
    }
    for record in &content.bank.strategies {
        for (field, text) in record.texts() {
            lint(field, text).map_err(|e| bad(format!("record {}: {e}", record.id)))?;
        }
    }
    Ok(content.bank)
}
