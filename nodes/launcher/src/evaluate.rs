//! Carries out a launch file: arguments, variables, groups and includes, down to processes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::element::Element;
use crate::error::{LaunchError, Problem};
use crate::packages::Packages;
use crate::process_elements;
use crate::scope::{Reader, Scope};
use crate::source::{self, MAX_INCLUDES};
use crate::spec::ProcessSpec;
use crate::{names, parameter};

/// Everything around a launch file that decides what it starts.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// Values given for launch arguments.
    pub arguments: BTreeMap<String, String>,
    /// The launcher's own environment.
    pub environment: BTreeMap<String, String>,
    /// Where packages are.
    pub packages: Packages,
}

/// The processes that a launch file asks for, in order. Nothing is started.
///
/// # Errors
/// The first [`LaunchError`] met, with the file and line where it stands.
pub fn evaluate(file: &Path, around: &Surroundings) -> Result<Vec<ProcessSpec>, LaunchError> {
    let root = source::load(file)?;
    let scope = Scope {
        variables: around.arguments.clone(),
        ..Scope::default()
    };
    let mut evaluator = Evaluator {
        around,
        scope,
        depth: 0,
        processes: Vec::new(),
    };
    evaluator.all(&root.children)?;
    Ok(evaluator.processes)
}

struct Evaluator<'a> {
    around: &'a Surroundings,
    scope: Scope,
    depth: usize,
    processes: Vec<ProcessSpec>,
}

impl Evaluator<'_> {
    fn all(&mut self, elements: &[Element]) -> Result<(), LaunchError> {
        elements.iter().try_for_each(|element| self.one(element))
    }

    fn one(&mut self, element: &Element) -> Result<(), LaunchError> {
        if !self.is_wanted(element).map_err(|p| p.at(element))? {
            return Ok(());
        }
        match element.tag.as_str() {
            "group" => return self.group(element),
            "include" => return self.include(element),
            _ => {}
        }
        self.setting_or_process(element).map_err(|p| p.at(element))
    }

    fn is_wanted(&self, element: &Element) -> Result<bool, Problem> {
        match (element.attribute("if"), element.attribute("unless")) {
            (Some(_), Some(_)) => Err(Problem::new("`if` and `unless` exclude each other")),
            (Some(condition), None) => self.reader(element).condition(condition),
            (None, Some(condition)) => Ok(!self.reader(element).condition(condition)?),
            (None, None) => Ok(true),
        }
    }

    fn reader<'a>(&'a self, element: &'a Element) -> Reader<'a> {
        Reader {
            scope: &self.scope,
            file: &element.file,
            environment: &self.around.environment,
            packages: &self.around.packages,
        }
    }

    fn value(&self, element: &Element, attribute: &str) -> Result<String, Problem> {
        self.reader(element)
            .text(element.attribute(attribute).unwrap_or_default())
    }

    fn setting_or_process(&mut self, element: &Element) -> Result<(), Problem> {
        match element.tag.as_str() {
            "arg" => self.argument(element)?,
            "let" => {
                let (name, value) = (self.value(element, "name")?, self.value(element, "value")?);
                self.scope.variables.insert(name, value);
            }
            "push_ros_namespace" | "push-ros-namespace" => {
                let pushed = self.value(element, "namespace")?;
                self.scope.namespace =
                    names::join_namespace(self.scope.namespace.as_deref(), Some(&pushed))?;
            }
            "set_env" => {
                let (name, value) = (self.value(element, "name")?, self.value(element, "value")?);
                self.scope.environment.insert(name, Some(value));
            }
            "unset_env" => {
                let name = self.value(element, "name")?;
                self.scope.environment.insert(name, None);
            }
            "set_parameter" => {
                let value = parameter::typed(&self.value(element, "value")?, None)?;
                let rule = format!("{}:={value}", self.value(element, "name")?);
                self.scope.parameters.push(rule);
            }
            "set_remap" => {
                let rule = format!(
                    "{}:={}",
                    self.value(element, "from")?,
                    self.value(element, "to")?
                );
                self.scope.remaps.push(rule);
            }
            "node" | "executable" => {
                let number = self.processes.len() + 1;
                let spec = process_elements::spec(element, &self.reader(element), number)?;
                self.processes.push(spec);
            }
            tag => return Err(Problem::new(format!("<{tag}> cannot be carried out"))),
        }
        Ok(())
    }

    fn argument(&mut self, element: &Element) -> Result<(), Problem> {
        let name = element.attribute("name").unwrap_or_default();
        let value = match (self.scope.variables.get(name), element.attribute("default")) {
            (Some(given), _) => given.clone(),
            (None, Some(default)) => self.reader(element).text(default)?,
            (None, None) => {
                return Err(Problem::new(format!(
                    "argument `{name}` is required; give it as {name}:=VALUE"
                )));
            }
        };
        let choices: Vec<_> = element
            .children_named("choice")
            .filter_map(|c| c.attribute("value"))
            .collect();
        if !choices.is_empty() && !choices.contains(&value.as_str()) {
            return Err(Problem::with_allowed(
                format!("argument {name}:={value}"),
                choices,
            ));
        }
        self.scope.variables.insert(name.to_owned(), value);
        Ok(())
    }

    fn group(&mut self, element: &Element) -> Result<(), LaunchError> {
        let scoped = element.attribute("scoped").unwrap_or("true");
        let scoped = match parameter::typed(scoped, Some("bool")) {
            Ok(parameter::Value::Bool(scoped)) => scoped,
            Ok(_) | Err(_) => {
                let text = format!("attribute `scoped`: `{scoped}`");
                return Err(Problem::with_allowed(text, ["true", "false"]).at(element));
            }
        };
        let saved = scoped.then(|| self.scope.clone());
        self.all(&element.children)?;
        if let Some(saved) = saved {
            self.scope = saved;
        }
        Ok(())
    }

    fn include(&mut self, element: &Element) -> Result<(), LaunchError> {
        if self.depth >= MAX_INCLUDES {
            let text = format!("files include each other more than {MAX_INCLUDES} deep");
            return Err(Problem::new(text).at(element));
        }
        let file = PathBuf::from(self.value(element, "file").map_err(|p| p.at(element))?);
        let mut arguments = Vec::new();
        for child in element.children_named("arg") {
            let pair = self
                .value(child, "name")
                .and_then(|n| Ok((n, self.value(child, "value")?)));
            arguments.push(pair.map_err(|p| p.at(child))?);
        }
        if !file.is_file() {
            return Err(Problem::new(format!("no file `{}`", file.display())).at(element));
        }
        // An included file shares the settings of the file that includes it, in both directions.
        self.scope.variables.extend(arguments);
        let root = source::load(&file)?;
        self.depth += 1;
        self.all(&root.children)?;
        self.depth -= 1;
        Ok(())
    }
}
