//! Values of ROS parameters: typed by YAML rules or by a `type` attribute, as `ros2 launch` does.

use std::fmt;

use serde_yaml_ng::Value as Yaml;

use crate::error::Problem;

/// A parameter's value. `Display` writes it so that a node's `-p name:=value` reads this very type.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// true or false
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text, always written in quotes.
    Text(String),
    /// Values of one type.
    List(Vec<Value>),
}

const TYPES: &[&str] = &[
    "str",
    "bool",
    "float",
    "int",
    "list_of_str",
    "list_of_bool",
    "list_of_float",
    "list_of_int",
    "yaml",
];

/// The value of `text`. `kind` is the `type` attribute; without one YAML rules decide.
///
/// # Errors
/// A [`Problem`] when the text is not of the type, or the type is unknown.
pub fn typed(text: &str, kind: Option<&str>) -> Result<Value, Problem> {
    let wrong = |kind: &str| Problem::new(format!("`{text}` is not of type {kind}"));
    match kind.unwrap_or("yaml") {
        "str" => Ok(Value::Text(text.to_owned())),
        "int" => text
            .trim()
            .parse()
            .map(Value::Int)
            .map_err(|_| wrong("int")),
        "float" => text
            .trim()
            .parse()
            .map(Value::Float)
            .map_err(|_| wrong("float")),
        "bool" => match text.trim() {
            "1" => Ok(Value::Bool(true)),
            "0" => Ok(Value::Bool(false)),
            other => yaml_bool(other)
                .map(Value::Bool)
                .ok_or_else(|| wrong("bool")),
        },
        "yaml" => from_yaml(text),
        kind => {
            let Some(item) = kind
                .strip_prefix("list_of_")
                .filter(|_| TYPES.contains(&kind))
            else {
                return Err(Problem::with_allowed(
                    format!("unknown type `{kind}`"),
                    TYPES,
                ));
            };
            match from_yaml(text)? {
                Value::List(items) if items.iter().all(|v| v.kind() == item) => {
                    Ok(Value::List(items))
                }
                _ => Err(wrong(kind)),
            }
        }
    }
}

impl Value {
    fn kind(&self) -> &'static str {
        match self {
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Text(_) => "str",
            Self::List(_) => "list",
        }
    }
}

fn from_yaml(text: &str) -> Result<Value, Problem> {
    if text.is_empty() {
        return Ok(Value::Text(String::new()));
    }
    if let Some(value) = yaml_bool(text.trim()) {
        return Ok(Value::Bool(value));
    }
    let no_parameter = |what: &str| {
        Problem::new(format!(
            "`{text}` is {what}, not a parameter's value; type=\"str\" keeps text"
        ))
    };
    let yaml: Yaml = serde_yaml_ng::from_str(text).map_err(|_| no_parameter("not YAML"))?;
    match yaml {
        Yaml::Sequence(items) => {
            let items: Option<Vec<_>> = items.into_iter().map(scalar).collect();
            let items = items.ok_or_else(|| no_parameter("a list of other things than scalars"))?;
            let kinds_agree = items.windows(2).all(|w| match w {
                [a, b] => a.kind() == b.kind(),
                _ => true,
            });
            match kinds_agree && !items.is_empty() {
                true => Ok(Value::List(items)),
                false => Err(no_parameter("an empty list or one of several types")),
            }
        }
        Yaml::Null => Err(no_parameter("null")),
        other => scalar(other).ok_or_else(|| no_parameter("a mapping")),
    }
}

fn scalar(yaml: Yaml) -> Option<Value> {
    match yaml {
        Yaml::Bool(b) => Some(Value::Bool(b)),
        Yaml::Number(n) => n
            .as_i64()
            .map(Value::Int)
            .or_else(|| n.as_f64().map(Value::Float)),
        Yaml::String(s) => Some(Value::Text(s)),
        Yaml::Null | Yaml::Sequence(_) | Yaml::Mapping(_) | Yaml::Tagged(_) => None,
    }
}

/// Truth values of YAML 1.1, which ROS 2 reads.
pub(crate) fn yaml_bool(text: &str) -> Option<bool> {
    let lower = text.to_ascii_lowercase();
    let one_case = text == lower || text == text.to_ascii_uppercase() || {
        let mut chars = text.chars();
        let first_upper = chars.next().is_some_and(|c| c.is_ascii_uppercase());
        first_upper && chars.all(|c| c.is_ascii_lowercase())
    };
    match (one_case, lower.as_str()) {
        (true, "true" | "yes" | "on") => Some(true),
        (true, "false" | "no" | "off") => Some(false),
        _ => None,
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(b) => write!(f, "{b}"),
            Self::Int(i) => write!(f, "{i}"),
            Self::Float(x) if x.is_nan() => f.write_str(".nan"),
            Self::Float(x) if x.is_infinite() => {
                f.write_str(if *x > 0.0 { ".inf" } else { "-.inf" })
            }
            Self::Float(x) => write!(f, "{x:?}"),
            Self::Text(text) => quoted(text, f),
            Self::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
        }
    }
}

fn quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            c if c.is_control() => write!(f, "\\u{:04x}", u32::from(c))?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(text: &str, kind: Option<&str>) -> String {
        typed(text, kind).map_or_else(|p| format!("error: {}", p.text), |v| v.to_string())
    }

    #[test]
    fn yaml_rules() {
        for (text, expected) in [
            ("l1", "\"l1\""),
            ("", "\"\""),
            ("0", "0"),
            ("1.5", "1.5"),
            ("1.0", "1.0"),
            ("true", "true"),
            ("off", "false"),
            ("'5'", "\"5\""),
            ("[1, 2]", "[1, 2]"),
            ("[a, 'b']", "[\"a\", \"b\"]"),
            ("http://localhost:8000/v1", "\"http://localhost:8000/v1\""),
        ] {
            assert_eq!(written(text, None), expected, "{text}");
        }
        for bad in ["null", "a: b", "[]", "[1, a]", "{", "[[1]]"] {
            assert!(written(bad, None).starts_with("error: "), "{bad}");
        }
    }

    #[test]
    fn stated_types() {
        for (text, kind, expected) in [
            ("20260101", "str", "\"20260101\""),
            ("1", "float", "1.0"),
            ("1e300", "float", "1e300"),
            ("1", "bool", "true"),
            ("7", "int", "7"),
            ("[1, 2]", "list_of_int", "[1, 2]"),
            ("a\"b\\", "str", "\"a\\\"b\\\\\""),
        ] {
            assert_eq!(written(text, Some(kind)), expected, "{text}");
        }
        for (text, kind) in [
            ("x", "int"),
            ("2", "bool"),
            ("[1.5]", "list_of_int"),
            ("", "float"),
        ] {
            assert!(
                written(text, Some(kind)).contains("is not of type"),
                "{text}"
            );
        }
        assert_eq!(
            typed("1", Some("integer")).unwrap_err().allowed.len(),
            TYPES.len()
        );
    }

    proptest! {
        #[test]
        fn text_comes_back_unchanged(text in any::<String>()) {
            let yaml = written(&text, Some("str"));
            let back: String = serde_yaml_ng::from_str(&yaml).unwrap();
            prop_assert_eq!(back, text);
        }
    }
}
