//! The arguments that a launch file and the files it includes declare.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use crate::element::Element;
use crate::error::{LaunchError, Problem};
use crate::evaluate::Surroundings;
use crate::scope::{Reader, Scope};
use crate::source::{self, MAX_INCLUDES};

/// One declared argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// Default as written in the file; a required argument has none.
    pub default: Option<String>,
    /// What it is for.
    pub description: String,
    /// The only values it takes; any when empty.
    pub choices: Vec<String>,
}

impl fmt::Display for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "    '{}':", self.name)?;
        writeln!(f, "        {}", self.description)?;
        if !self.choices.is_empty() {
            writeln!(f, "        Valid choices are: {}", self.choices.join(", "))?;
        }
        match &self.default {
            Some(default) => writeln!(f, "        (default: '{default}')"),
            None => writeln!(f, "        (required)"),
        }
    }
}

/// Every argument that can be given to `file`, whatever conditions around it say. An argument that
/// an include sets itself is not offered; a file whose name cannot be known yet is left out.
///
/// # Errors
/// [`LaunchError`] when a file cannot be read or breaks a rule.
pub fn declared(file: &Path, around: &Surroundings) -> Result<Vec<Declared>, LaunchError> {
    let root = source::load(file)?;
    let scope = Scope {
        variables: around.arguments.clone(),
        ..Scope::default()
    };
    let mut walk = Walk {
        around,
        scope,
        found: Vec::new(),
    };
    walk.all(&root.children, &BTreeSet::new(), 0)?;
    Ok(walk.found)
}

struct Walk<'a> {
    around: &'a Surroundings,
    scope: Scope,
    found: Vec<Declared>,
}

impl Walk<'_> {
    /// `set` holds the arguments that includes on the way here set themselves.
    fn all(
        &mut self,
        elements: &[Element],
        set: &BTreeSet<String>,
        depth: usize,
    ) -> Result<(), LaunchError> {
        for element in elements {
            match element.tag.as_str() {
                "arg" => self.argument(element, set),
                "let" => self.remember(element, "value"),
                "group" => self.all(&element.children, set, depth)?,
                "include" => self.include(element, set, depth)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn text(&self, element: &Element, attribute: &str) -> Option<String> {
        let reader = Reader {
            scope: &self.scope,
            file: &element.file,
            environment: &self.around.environment,
            packages: &self.around.packages,
        };
        reader.text(element.attribute(attribute)?).ok()
    }

    /// Keeps a value for later file names, when it can be known.
    fn remember(&mut self, element: &Element, attribute: &str) {
        let value = self.text(element, attribute);
        if let (Some(name), Some(value)) = (element.attribute("name"), value) {
            self.scope.variables.entry(name.to_owned()).or_insert(value);
        }
    }

    fn argument(&mut self, element: &Element, set: &BTreeSet<String>) {
        self.remember(element, "default");
        let name = element.attribute("name").unwrap_or_default();
        if set.contains(name) || self.found.iter().any(|d| d.name == name) {
            return;
        }
        let choices = element
            .children_named("choice")
            .filter_map(|c| c.attribute("value"));
        self.found.push(Declared {
            name: name.to_owned(),
            default: element.attribute("default").map(str::to_owned),
            description: element
                .attribute("description")
                .unwrap_or("no description given")
                .to_owned(),
            choices: choices.map(str::to_owned).collect(),
        });
    }

    fn include(
        &mut self,
        element: &Element,
        set: &BTreeSet<String>,
        depth: usize,
    ) -> Result<(), LaunchError> {
        if depth >= MAX_INCLUDES {
            let text = format!("files include each other more than {MAX_INCLUDES} deep");
            return Err(Problem::new(text).at(element));
        }
        let Some(file) = self.text(element, "file") else {
            return Ok(());
        };
        let file = Path::new(&file);
        if !file.is_file() {
            return Ok(());
        }
        let mut set = set.clone();
        for child in element.children_named("arg") {
            self.remember(child, "value");
            set.extend(self.text(child, "name"));
        }
        let root = source::load(file)?;
        self.all(&root.children, &set, depth + 1)
    }
}
