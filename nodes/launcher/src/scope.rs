//! What is set at one point of a launch file, and the values substitutions take there.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::Problem;
use crate::packages::Packages;
use crate::parameter::yaml_bool;
use crate::template::{self, Part};

/// Settings in force at one point. A group works on a copy; included files share it.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Launch arguments and `<let>` variables.
    pub variables: BTreeMap<String, String>,
    /// Changes to the environment of processes: a value, or `None` for removed.
    pub environment: BTreeMap<String, Option<String>>,
    /// Pushed namespace, absolute.
    pub namespace: Option<String>,
    /// `name:=value` rules for every node.
    pub parameters: Vec<String>,
    /// `from:=to` rules for every node.
    pub remaps: Vec<String>,
}

/// What substitutions read: the settings, the file they stand in and the surroundings.
pub struct Reader<'a> {
    /// Settings in force.
    pub scope: &'a Scope,
    /// The launch file being read.
    pub file: &'a Path,
    /// The launcher's own environment.
    pub environment: &'a BTreeMap<String, String>,
    /// Where packages are.
    pub packages: &'a Packages,
}

impl Reader<'_> {
    /// The value of an attribute's text.
    ///
    /// # Errors
    /// A [`Problem`] when the text is not well-formed or names something that does not exist.
    pub fn text(&self, text: &str) -> Result<String, Problem> {
        self.template(&template::parse(text)?)
    }

    /// The value of a condition (`if`, `unless`): true, false, 1 or 0 in any case.
    ///
    /// # Errors
    /// As [`Reader::text`], and for any other value.
    pub fn condition(&self, text: &str) -> Result<bool, Problem> {
        let value = self.text(text)?;
        match value.trim().to_ascii_lowercase().as_str() {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(Problem::with_allowed(
                format!("`{value}` is not a condition"),
                ["true", "false", "1", "0"],
            )),
        }
    }

    fn template(&self, template: &[Part]) -> Result<String, Problem> {
        template.iter().map(|part| self.part(part)).collect()
    }

    /// The value of one piece of an attribute.
    ///
    /// # Errors
    /// As [`Reader::text`].
    pub fn part(&self, part: &Part) -> Result<String, Problem> {
        let (name, arguments) = match part {
            Part::Text(text) => return Ok(text.clone()),
            Part::Call { name, arguments } => (name.as_str(), arguments),
        };
        if name == "if" {
            return self.if_else(arguments);
        }
        let values: Vec<String> = arguments
            .iter()
            .map(|a| self.template(a))
            .collect::<Result<_, _>>()?;
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let truth = |value: &str| truth(value);
        match (name, values.as_slice()) {
            ("var", [variable]) => self.variable(variable, None),
            ("var", [variable, default]) => self.variable(variable, Some(default)),
            ("env", [variable]) => self.variable_of_environment(variable, None),
            ("env", [variable, default]) => self.variable_of_environment(variable, Some(default)),
            ("find-pkg-share", [package]) => self.packages.share(package).map(path_text),
            ("find-pkg-prefix", [package]) => self.packages.prefix(package).map(path_text),
            ("exec-in-pkg", [exec, package]) => {
                self.packages.executable(package, exec).map(path_text)
            }
            ("dirname", []) => Ok(path_text(self.file.parent().unwrap_or(Path::new("")))),
            ("filename", []) => Ok(path_text(self.file)),
            ("not", [value]) => Ok((!truth(value)?).to_string()),
            ("and" | "all", values) => all(values).map(|b| b.to_string()),
            ("or" | "any", values) => any(values).map(|b| b.to_string()),
            ("equals", [a, b]) => Ok(equal(a, b).to_string()),
            ("not-equals", [a, b]) => Ok((!equal(a, b)).to_string()),
            _ => Err(Problem::new(format!(
                "`$({name} …)` cannot be used like this"
            ))),
        }
    }

    fn if_else(&self, arguments: &[Vec<Part>]) -> Result<String, Problem> {
        let condition = truth(&self.template(arguments.first().map_or(&[], Vec::as_slice))?)?;
        let chosen = arguments.get(if condition { 1 } else { 2 });
        chosen.map_or_else(|| Ok(String::new()), |template| self.template(template))
    }

    fn variable(&self, name: &str, default: Option<&str>) -> Result<String, Problem> {
        match (self.scope.variables.get(name), default) {
            (Some(value), _) => Ok(value.clone()),
            (None, Some(default)) => Ok(default.to_owned()),
            (None, None) => Err(Problem::with_allowed(
                format!("no argument or variable `{name}`"),
                self.scope.variables.keys(),
            )),
        }
    }

    fn variable_of_environment(
        &self,
        name: &str,
        default: Option<&str>,
    ) -> Result<String, Problem> {
        let value = match self.scope.environment.get(name) {
            Some(change) => change.as_ref(),
            None => self.environment.get(name),
        };
        value
            .cloned()
            .or(default.map(str::to_owned))
            .ok_or_else(|| {
                Problem::new(format!(
                    "environment variable `{name}` is not set and has no default"
                ))
            })
    }
}

fn path_text(path: impl AsRef<Path>) -> String {
    path.as_ref().display().to_string()
}

fn truth(value: &str) -> Result<bool, Problem> {
    match value {
        "1" => Ok(true),
        "0" => Ok(false),
        _ => yaml_bool(value).ok_or_else(|| {
            Problem::with_allowed(
                format!("`{value}` is neither true nor false"),
                ["true", "false"],
            )
        }),
    }
}

fn all(values: &[&str]) -> Result<bool, Problem> {
    let values: Vec<bool> = values.iter().map(|v| truth(v)).collect::<Result<_, _>>()?;
    Ok(values.into_iter().all(|v| v))
}

fn any(values: &[&str]) -> Result<bool, Problem> {
    let values: Vec<bool> = values.iter().map(|v| truth(v)).collect::<Result<_, _>>()?;
    Ok(values.into_iter().any(|v| v))
}

/// Equal as truth values, as numbers to nine digits, or as text.
fn equal(a: &str, b: &str) -> bool {
    let as_bool = |s: &str| match s.to_ascii_lowercase().as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    };
    if let (Some(a), Some(b)) = (as_bool(a), as_bool(b)) {
        return a == b;
    }
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(x), Ok(y)) => a == b || (x - y).abs() <= 1e-9 * x.abs().max(y.abs()),
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<String, Problem> {
        let pair = |k: &str, v: &str| (k.to_owned(), v.to_owned());
        let scope = Scope {
            variables: [pair("a", "x y"), pair("t", "True")].into(),
            environment: [("GONE".to_owned(), None)].into(),
            ..Scope::default()
        };
        let environment = [pair("HOME", "h"), pair("GONE", "g")].into();
        let packages = Packages::default();
        let file = Path::new("dir/f.launch.xml");
        Reader {
            scope: &scope,
            file,
            environment: &environment,
            packages: &packages,
        }
        .text(text)
    }

    #[test]
    fn values() {
        for (text, expected) in [
            ("$(var a)!", "x y!"),
            ("$(var b 'd e')", "d e"),
            ("$(env HOME)$(env GONE none)", "hnone"),
            ("$(dirname)|$(filename)", "dir|dir/f.launch.xml"),
            ("$(not $(var t))", "false"),
            (
                "$(and true 1) $(or no off) $(any 0 0 1) $(all 1)",
                "true false true true",
            ),
            (
                "$(equals $(var t) 1) $(equals 1.0 1.00) $(not-equals a b)",
                "true true true",
            ),
            ("$(if $(var t) yes no) $(if false a)", "yes "),
        ] {
            assert_eq!(value(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn problems() {
        let problem = value("$(var b)").unwrap_err();
        assert_eq!(problem.allowed, ["a", "t"]);
        assert!(value("$(env GONE)").unwrap_err().text.contains("not set"));
        assert!(value("$(not maybe)").unwrap_err().text.contains("neither"));
        assert!(
            value("$(find-pkg-share p)")
                .unwrap_err()
                .text
                .contains("not found")
        );
    }
}
