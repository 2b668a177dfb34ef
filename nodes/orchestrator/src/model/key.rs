//! Keys of model servers: from the environment only, shown nowhere.

use serde::{Serialize, Serializer};
use serde_json::Value;
use std::fmt;

/// Stands wherever a key would have stood.
pub const MASK: &str = "[key]";

/// The key for any provider; it goes before the provider's own variable.
pub const ANY_KEY: &str = "TROUPE_API_KEY";

/// A key that neither `Debug`, `Display` nor `Serialize` shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A key without surrounding white space; `None` when nothing is left.
    #[must_use]
    pub fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        (!key.is_empty()).then(|| Self(key.to_owned()))
    }

    /// The first of `names` that `variable` knows.
    pub fn find(names: &[&str], variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        names.iter().find_map(|name| variable(name).and_then(|key| Self::new(&key)))
    }

    /// The key itself, for the one header that carries it.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// `text` with the key masked.
    #[must_use]
    pub fn scrub(&self, text: &str) -> String {
        text.replace(&self.0, MASK)
    }

    /// A model's answer with the key masked, also where JSON escapes hide it.
    #[must_use]
    pub fn scrub_answer(&self, text: &str) -> String {
        let plain = self.scrub(text);
        let Ok(mut value) = serde_json::from_str::<Value>(&plain) else { return plain };
        if self.mask(&mut value) { value.to_string() } else { plain }
    }

    /// Masks inside a document; true when something was masked.
    fn mask(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) if text.contains(&self.0) => {
                *text = self.scrub(text);
                true
            }
            Value::Array(items) => items.iter_mut().fold(false, |found, item| self.mask(item) || found),
            Value::Object(map) => {
                let named = map.keys().any(|name| name.contains(&self.0));
                if named {
                    *map = std::mem::take(map).into_iter().map(|(name, item)| (self.scrub(&name), item)).collect();
                }
                map.values_mut().fold(named, |found, item| self.mask(item) || found)
            }
            _ => false,
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(MASK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-not-a-real-key-222";

    #[test]
    fn nothing_shows_a_key() {
        let secret = Secret::new(&format!(" {KEY}\n")).unwrap();
        assert_eq!(secret.expose(), KEY);
        let shown = format!("{secret} {secret:?} {:#?} {}", Some(&secret), serde_json::to_string(&secret).unwrap());
        assert!(!shown.contains("real"), "{shown}");
        assert_eq!(Secret::new(" \n"), None);
    }

    #[test]
    fn the_first_variable_that_holds_something_counts() {
        let variable = |name: &str| [("A", ""), ("B", "b"), ("C", "c")].iter().find(|v| v.0 == name).map(|v| v.1.to_owned());
        assert_eq!(Secret::find(&["A", "B", "C"], variable), Secret::new("b"));
        assert_eq!(Secret::find(&["A", "D"], variable), None);
    }

    #[test]
    fn escapes_do_not_hide_a_key() {
        let secret = Secret::new(KEY).unwrap();
        let escaped = KEY.replace('-', "\\u002d");
        for text in [format!("{{\"a\": [\"x {escaped}\"]}}"), format!("{{\"{escaped}\": 1}}")] {
            let value: Value = serde_json::from_str(&secret.scrub_answer(&text)).unwrap();
            assert!(value.to_string().contains(MASK) && !value.to_string().contains(KEY), "{value}");
        }
        assert_eq!(secret.scrub_answer("{\"a\":  1.50}"), "{\"a\":  1.50}");
        assert_eq!(secret.scrub_answer(&format!("no JSON {KEY}")), "no JSON [key]");
    }
}
