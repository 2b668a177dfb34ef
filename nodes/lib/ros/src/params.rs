//! Declared parameters: type, default, range, description and whether they may change at run time.
//! r2r's own derive sets descriptions only; the checks are here.

use crate::error::RosError;
use r2r::indexmap::IndexMap;
use r2r::{Parameter, ParameterValue, RosParams};
use std::collections::BTreeMap;

/// What values a parameter takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Allowed {
    /// true or false.
    Bool,
    /// Whole numbers in this range.
    Integer(i64, i64),
    /// Numbers in this range.
    Number(f64, f64),
    /// Any text.
    Text,
    /// One of these words.
    OneOf(&'static [&'static str]),
}

/// One parameter of a node.
#[derive(Clone, Debug)]
pub struct Declared {
    name: &'static str,
    default: ParameterValue,
    allowed: Allowed,
    description: &'static str,
    live: bool,
}

impl Declared {
    /// A switch.
    #[must_use]
    pub fn flag(name: &'static str, default: bool, description: &'static str) -> Self {
        Self::new(name, ParameterValue::Bool(default), Allowed::Bool, description)
    }

    /// A whole number.
    #[must_use]
    pub fn integer(name: &'static str, default: i64, range: [i64; 2], description: &'static str) -> Self {
        Self::new(name, ParameterValue::Integer(default), Allowed::Integer(range[0], range[1]), description)
    }

    /// A number.
    #[must_use]
    pub fn number(name: &'static str, default: f64, range: [f64; 2], description: &'static str) -> Self {
        Self::new(name, ParameterValue::Double(default), Allowed::Number(range[0], range[1]), description)
    }

    /// Free text.
    #[must_use]
    pub fn text(name: &'static str, default: &str, description: &'static str) -> Self {
        Self::new(name, ParameterValue::String(default.to_owned()), Allowed::Text, description)
    }

    /// One word of a set.
    #[must_use]
    pub fn one_of(name: &'static str, default: &str, words: &'static [&'static str], description: &'static str) -> Self {
        Self::new(name, ParameterValue::String(default.to_owned()), Allowed::OneOf(words), description)
    }

    fn new(name: &'static str, default: ParameterValue, allowed: Allowed, description: &'static str) -> Self {
        Self { name, default, allowed, description, live: false }
    }

    /// May be set while the node runs.
    #[must_use]
    pub fn live(mut self) -> Self {
        self.live = true;
        self
    }

    /// The value as the declared type, or why not.
    fn check(&self, value: &ParameterValue) -> Result<ParameterValue, String> {
        match (&self.allowed, value) {
            (Allowed::Bool, ParameterValue::Bool(_)) | (Allowed::Text, ParameterValue::String(_)) => Ok(value.clone()),
            (Allowed::Integer(low, high), ParameterValue::Integer(v)) if (*low..=*high).contains(v) => Ok(value.clone()),
            (Allowed::Number(low, high), ParameterValue::Double(v)) if (*low..=*high).contains(v) => Ok(value.clone()),
            // `rtf:=5` is written as a whole number.
            (Allowed::Number(low, high), ParameterValue::Integer(v)) if (*low..=*high).contains(&(*v as f64)) => {
                Ok(ParameterValue::Double(*v as f64))
            }
            (Allowed::OneOf(words), ParameterValue::String(v)) if words.contains(&v.as_str()) => Ok(value.clone()),
            _ => Err(format!("allowed: {}", self.allowed_text())),
        }
    }

    fn allowed_text(&self) -> String {
        match &self.allowed {
            Allowed::Bool => "true, false".to_owned(),
            Allowed::Integer(low, high) => format!("a whole number from {low} to {high}"),
            Allowed::Number(low, high) => format!("a number from {low} to {high}"),
            Allowed::Text => "text".to_owned(),
            Allowed::OneOf(words) => words.join(", "),
        }
    }
}

/// A value for people.
#[must_use]
pub fn shown(value: &ParameterValue) -> String {
    match value {
        ParameterValue::NotSet => "(not set)".to_owned(),
        ParameterValue::Bool(v) => v.to_string(),
        ParameterValue::Integer(v) => v.to_string(),
        ParameterValue::Double(v) => v.to_string(),
        ParameterValue::String(v) => format!("\"{v}\""),
        other => format!("{other:?}"),
    }
}

/// The parameters of a running node.
#[derive(Debug)]
pub struct Parameters {
    declared: Vec<Declared>,
    values: BTreeMap<&'static str, ParameterValue>,
    running: bool,
}

impl Parameters {
    /// All at their defaults, plus `use_sim_time`, which every node has.
    #[must_use]
    pub fn new(mut declared: Vec<Declared>) -> Self {
        declared.push(Declared::flag("use_sim_time", false, "Whether stamps follow /clock."));
        let values = declared.iter().map(|d| (d.name, d.default.clone())).collect();
        Self { declared, values, running: false }
    }

    /// Takes the values given at the start.
    ///
    /// # Errors
    /// [`RosError::UnknownParameter`], [`RosError::Parameter`].
    pub fn apply<'a>(
        &mut self,
        given: impl IntoIterator<Item = (&'a String, &'a ParameterValue)>,
    ) -> Result<(), RosError> {
        for (name, value) in given {
            // Names that rcl itself gives a meaning to.
            if name.starts_with("qos_overrides.") || name == "start_type_description_service" {
                continue;
            }
            self.set(name, value)?;
        }
        self.running = true;
        Ok(())
    }

    fn set(&mut self, name: &str, value: &ParameterValue) -> Result<(), RosError> {
        let checked = self.checked(name, value)?;
        if let Some(declared) = self.declared.iter().find(|d| d.name == name) {
            self.values.insert(declared.name, checked);
        }
        Ok(())
    }

    fn checked(&self, name: &str, value: &ParameterValue) -> Result<ParameterValue, RosError> {
        let Some(declared) = self.declared.iter().find(|d| d.name == name) else {
            let names: Vec<&str> = self.declared.iter().map(|d| d.name).collect();
            return Err(RosError::UnknownParameter { name: name.to_owned(), value: shown(value), allowed: names.join(", ") });
        };
        let refuse = |reason: String| RosError::Parameter { name: name.to_owned(), value: shown(value), reason };
        if self.running && !declared.live {
            return Err(refuse("it cannot change while the node runs".to_owned()));
        }
        declared.check(value).map_err(refuse)
    }

    /// Notes that the node itself has changed a switch, so that whoever asks is told the truth.
    pub fn note_flag(&mut self, name: &'static str, value: bool) {
        if matches!(self.values.get(name), Some(ParameterValue::Bool(_))) {
            self.values.insert(name, ParameterValue::Bool(value));
        }
    }

    /// A text parameter; empty when it is not declared as text.
    #[must_use]
    pub fn text(&self, name: &str) -> String {
        match self.values.get(name) {
            Some(ParameterValue::String(v)) => v.clone(),
            _ => String::new(),
        }
    }

    /// A switch; false when it is not declared as one.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.values.get(name), Some(ParameterValue::Bool(true)))
    }

    /// A whole number; 0 when it is not declared as one.
    #[must_use]
    pub fn integer(&self, name: &str) -> i64 {
        match self.values.get(name) {
            Some(ParameterValue::Integer(v)) => *v,
            _ => 0,
        }
    }

    /// A number; 0 when it is not declared as one.
    #[must_use]
    pub fn number(&self, name: &str) -> f64 {
        match self.values.get(name) {
            Some(ParameterValue::Double(v)) => *v,
            _ => 0.0,
        }
    }
}

/// rcl's error for a refusal; its text reaches whoever sets the parameter.
fn as_rcl(error: &RosError, name: &str) -> r2r::Error {
    r2r::Error::ParameterValueConv { name: name.to_owned(), msg: error.to_string() }
}

impl RosParams for Parameters {
    fn register_parameters(
        &mut self,
        _prefix: &str,
        _parameter: Option<Parameter>,
        shown: &mut IndexMap<String, Parameter>,
    ) -> r2r::Result<()> {
        shown.clear();
        for declared in &self.declared {
            let value = self.values.get(declared.name).cloned().unwrap_or(ParameterValue::NotSet);
            shown.insert(declared.name.to_owned(), Parameter { value, description: declared.description });
        }
        Ok(())
    }

    fn get_parameter(&mut self, name: &str) -> r2r::Result<ParameterValue> {
        self.values.get(name).cloned().ok_or_else(|| r2r::Error::InvalidParameterName { name: name.to_owned() })
    }

    fn set_parameter(&mut self, name: &str, value: &ParameterValue) -> r2r::Result<()> {
        self.set(name, value).map_err(|e| as_rcl(&e, name))
    }

    fn check_parameter(&self, name: &str, value: &ParameterValue) -> r2r::Result<()> {
        self.checked(name, value).map(|_| ()).map_err(|e| as_rcl(&e, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters() -> Parameters {
        Parameters::new(vec![
            Declared::text("robot", "g1_0", "Namespace."),
            Declared::number("rtf", 1.0, [0.01, 100.0], "Real-time factor."),
            Declared::one_of("mode", "lockstep", &["lockstep", "realtime"], "Mode."),
            Declared::flag("commands_enabled", false, "Moves.").live(),
            Declared::integer("seed", 0, [0, i64::MAX], "Seed."),
        ])
    }

    fn given(name: &str, value: ParameterValue) -> Result<Parameters, RosError> {
        let mut parameters = parameters();
        parameters.apply([(&name.to_owned(), &value)])?;
        Ok(parameters)
    }

    #[test]
    fn an_unknown_name_lists_what_is_allowed() {
        let text = given("robots", ParameterValue::Bool(true)).unwrap_err().to_string();
        for part in ["robots", "true", "robot", "mode", "use_sim_time"] {
            assert!(text.contains(part), "{text} lacks {part}");
        }
    }

    #[test]
    fn types_ranges_and_words_are_checked() {
        for (name, value) in [
            ("rtf", ParameterValue::Double(f64::NAN)),
            ("rtf", ParameterValue::Double(0.0)),
            ("rtf", ParameterValue::String("fast".into())),
            ("mode", ParameterValue::String("fast".into())),
            ("seed", ParameterValue::Integer(-1)),
            ("commands_enabled", ParameterValue::Integer(1)),
        ] {
            let text = given(name, value).unwrap_err().to_string();
            assert!(text.contains(name) && text.contains("allowed"), "{text}");
        }
        assert_eq!(given("rtf", ParameterValue::Integer(5)).unwrap().number("rtf"), 5.0);
    }

    #[test]
    fn only_live_parameters_change_while_the_node_runs() {
        let mut parameters = given("mode", ParameterValue::String("realtime".into())).unwrap();
        assert!(parameters.set_parameter("mode", &ParameterValue::String("lockstep".into())).is_err());
        parameters.set_parameter("commands_enabled", &ParameterValue::Bool(true)).unwrap();
        assert!(parameters.flag("commands_enabled"));
        assert_eq!(parameters.text("mode"), "realtime");
    }
}
