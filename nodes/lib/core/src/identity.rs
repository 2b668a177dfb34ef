//! Content identity: SHA-256 over canonical JSON (G-04).

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Why a record has no identity.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// The record cannot be written as JSON.
    #[error("record cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Canonical JSON: keys sorted, floats rounded to 1e-6, no white space.
///
/// # Errors
/// When the record cannot be written as JSON.
pub fn canonical(record: &impl Serialize) -> Result<String, IdentityError> {
    let mut out = String::new();
    write_value(&serde_json::to_value(record)?, &mut out)?;
    Ok(out)
}

/// 64 hex digits that name a record by its content.
///
/// # Errors
/// When the record cannot be written as JSON.
pub fn identity(record: &impl Serialize) -> Result<String, IdentityError> {
    Ok(sha256_hex(canonical(record)?.as_bytes()))
}

/// SHA-256 of bytes as 64 lower-case hex digits.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut out, byte| {
        // Writing to a String cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// `value` rounded to 1e-6; −0 becomes 0.
#[must_use]
pub fn round6(value: f64) -> f64 {
    let rounded = (value * 1e6).round() / 1e6;
    if rounded == 0.0 { 0.0 } else { rounded }
}

fn write_value(value: &Value, out: &mut String) -> Result<(), IdentityError> {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_unstable();
            out.push('{');
            for (i, key) in keys.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                out.push_str(&serde_json::to_string(key)?);
                out.push(':');
                if let Some(item) = map.get(key) {
                    write_value(item, out)?;
                }
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_value(item, out)?;
            }
            out.push(']');
        }
        Value::Number(number) if number.is_f64() => {
            let rounded = round6(number.as_f64().unwrap_or_default());
            out.push_str(&serde_json::to_string(&rounded)?);
        }
        other => out.push_str(&serde_json::to_string(other)?),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn key_order_and_tiny_float_noise_do_not_matter() {
        let a = json!({"b": 1.000_000_000_1, "a": [1, 2]});
        let b = json!({"a": [1, 2], "b": 1.0});
        assert_eq!(identity(&a).unwrap(), identity(&b).unwrap());
        assert_ne!(identity(&a).unwrap(), identity(&json!({"a": [2, 1], "b": 1.0})).unwrap());
    }
}
