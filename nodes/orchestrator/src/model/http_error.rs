//! What a server says in the body of an error.

use serde_json::Value;
use std::time::Duration;

/// Words and wishes of an error body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Complaint {
    /// The server's words; empty when there are none. Not yet scrubbed of the key.
    pub message: String,
    /// How long it asks to wait, where the body says so (`retryDelay`).
    pub retry_after: Option<Duration>,
}

impl Complaint {
    /// Reads `{"error": {"message": …, "details": [{"retryDelay": "3s"}]}}` and its looser relatives.
    #[must_use]
    pub fn read(body: &[u8]) -> Self {
        let Ok(value) = serde_json::from_slice::<Value>(body) else { return Self::default() };
        // Some servers wrap the object in a list.
        let value = value.get(0).unwrap_or(&value);
        let error = value.get("error").unwrap_or(value);
        let text = |v: &Value, key: &str| v.get(key).and_then(Value::as_str).map(str::to_owned);
        let message = error.as_str().map(str::to_owned).or_else(|| text(error, "message")).or_else(|| text(error, "detail"));
        let details = error.get("details").and_then(Value::as_array).into_iter().flatten();
        let delay = details.filter_map(|d| d.get("retryDelay")?.as_str()?.strip_suffix('s')?.parse().ok()).next();
        Self {
            message: message.unwrap_or_default(),
            retry_after: delay.and_then(|seconds: f64| Duration::try_from_secs_f64(seconds).ok()),
        }
    }
}

/// One short line of a server's text, for a message.
#[must_use]
pub fn one_line(text: &str) -> String {
    const LIMIT: usize = 300;
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LIMIT + 1).collect();
    if line.chars().count() > LIMIT { line.chars().take(LIMIT).chain("…".chars()).collect() } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_usual_bodies_are_read() {
        for body in [
            json!({"error": {"message": "no", "type": "x"}}),
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "no"}}),
            json!({"error": "no"}),
            json!({"object": "error", "message": "no"}),
            json!([{"error": {"message": "no"}}]),
            json!({"detail": "no"}),
        ] {
            assert_eq!(Complaint::read(body.to_string().as_bytes()).message, "no", "{body}");
        }
        assert_eq!(Complaint::read(b"<html>"), Complaint::default());
    }

    #[test]
    fn a_delay_in_the_body_counts() {
        let body = json!({"error": {"message": "slow", "details": [{"@type": "q"}, {"retryDelay": "2.5s"}]}});
        assert_eq!(Complaint::read(body.to_string().as_bytes()).retry_after, Some(Duration::from_millis(2500)));
        let body = json!({"error": {"details": [{"retryDelay": "-1s"}]}});
        assert_eq!(Complaint::read(body.to_string().as_bytes()).retry_after, None);
    }

    #[test]
    fn lines_are_short() {
        assert_eq!(one_line("a\nb"), "a b");
        assert_eq!(one_line(&"é".repeat(999)).chars().count(), 301);
    }
}
