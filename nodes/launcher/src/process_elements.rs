//! `<node>` and `<executable>` elements to processes: the command line a node is started with.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::element::Element;
use crate::error::Problem;
use crate::scope::Reader;
use crate::spec::{Output, ProcessSpec, Respawn};
use crate::template::Part;
use crate::{names, parameter, template, words};

/// Pause before a restart when none is given, so that a process that fails at once cannot take a
/// whole core by being restarted.
const DEFAULT_RESPAWN_DELAY: Duration = Duration::from_millis(200);

/// The process for one element, with its `number` in the launch, from 1.
///
/// # Errors
/// A [`Problem`] with the attribute or child that is wrong, or when no executable is found.
pub fn spec(element: &Element, read: &Reader<'_>, number: usize) -> Result<ProcessSpec, Problem> {
    let (command, label) = match element.tag.as_str() {
        "node" => node(element, read)?,
        _ => executable(element, read)?,
    };
    // What the process is started by, such as `nice -n 5`.
    let command = [prefix(element, read)?, command].concat();
    let mut environment = read.scope.environment.clone();
    for child in element.children_named("env") {
        environment.insert(
            text(child, read, "name")?,
            Some(text(child, read, "value")?),
        );
    }
    Ok(ProcessSpec {
        label: format!("{label}-{number}"),
        command,
        directory: optional(element, read, "cwd")?.map(PathBuf::from),
        environment,
        output: output(element, read)?,
        respawn: respawn(element, read)?,
        ends_launch: ends_launch(element)?,
    })
}

fn text(element: &Element, read: &Reader<'_>, name: &str) -> Result<String, Problem> {
    read.text(element.attribute(name).unwrap_or_default())
}

fn optional(element: &Element, read: &Reader<'_>, name: &str) -> Result<Option<String>, Problem> {
    element
        .attribute(name)
        .map(|value| read.text(value))
        .transpose()
}

fn command_words(element: &Element, read: &Reader<'_>, name: &str) -> Result<Vec<String>, Problem> {
    let line = element.attribute(name).unwrap_or_default();
    words::split(&template::parse(line)?, |part| read.part(part))
}

/// Words of `launch-prefix`: split after substitution, other than in `cmd` and `args`, as `ros2 launch` does.
fn prefix(element: &Element, read: &Reader<'_>) -> Result<Vec<String>, Problem> {
    let text = optional(element, read, "launch-prefix")?.unwrap_or_default();
    words::split(&[Part::Text(text)], |part| read.part(part))
}

fn executable(element: &Element, read: &Reader<'_>) -> Result<(Vec<String>, String), Problem> {
    let command = command_words(element, read, "cmd")?;
    let Some(program) = command.first() else {
        return Err(Problem::new("attribute `cmd` is empty"));
    };
    let label = match optional(element, read, "name")? {
        Some(name) => name,
        None => base_name(program),
    };
    Ok((command, label))
}

fn base_name(program: &str) -> String {
    Path::new(program)
        .file_name()
        .map_or(program.to_owned(), |n| n.to_string_lossy().into_owned())
}

fn node(element: &Element, read: &Reader<'_>) -> Result<(Vec<String>, String), Problem> {
    let exec = text(element, read, "exec")?;
    let path = read
        .packages
        .executable(&text(element, read, "pkg")?, &exec)?;
    let mut command = vec![path.display().to_string()];
    command.extend(command_words(element, read, "args")?);
    command.push("--ros-args".to_owned());
    command.extend(command_words(element, read, "ros_args")?);
    let mut rule = |flag: &str, value: String| command.extend([flag.to_owned(), value]);

    if let Some(name) = optional(element, read, "name")? {
        names::check_node_name(&name)?;
        rule("-r", format!("__node:={name}"));
    }
    let namespace = optional(element, read, "namespace")?;
    let namespace = names::join_namespace(read.scope.namespace.as_deref(), namespace.as_deref())?;
    if let Some(namespace) = namespace {
        rule("-r", format!("__ns:={namespace}"));
    }
    for parameter in &read.scope.parameters {
        rule("-p", parameter.clone());
    }
    for child in element.children_named("param") {
        for (flag, value) in parameter_rules(child, read, "")? {
            rule(flag, value);
        }
    }
    for remap in &read.scope.remaps {
        rule("-r", remap.clone());
    }
    for child in element.children_named("remap") {
        rule(
            "-r",
            format!(
                "{}:={}",
                text(child, read, "from")?,
                text(child, read, "to")?
            ),
        );
    }
    let label = optional(element, read, "exec_name")?.unwrap_or(exec);
    Ok((command, label))
}

/// The rules of one `<param>`; `prefix` is the dotted name of the params around it.
fn parameter_rules(
    element: &Element,
    read: &Reader<'_>,
    prefix: &str,
) -> Result<Vec<(&'static str, String)>, Problem> {
    let attribute = |name| element.attribute(name);
    match (attribute("from"), attribute("name"), attribute("value")) {
        (Some(from), None, None) if prefix.is_empty() && element.children.is_empty() => {
            let file = read.text(from)?;
            if !Path::new(&file).is_file() {
                return Err(Problem::new(format!("param: no file `{file}`")));
            }
            Ok(vec![("--params-file", file)])
        }
        (None, Some(name), Some(value)) if element.children.is_empty() => {
            let name = format!("{prefix}{}", read.text(name)?);
            let value =
                parameter::typed(&read.text(value)?, attribute("type")).map_err(|p| Problem {
                    text: format!("param `{name}`: {}", p.text),
                    ..p
                })?;
            Ok(vec![("-p", format!("{name}:={value}"))])
        }
        (None, Some(name), None) if !element.children.is_empty() && attribute("type").is_none() => {
            let prefix = format!("{prefix}{}.", read.text(name)?);
            let rules: Result<Vec<_>, _> = element
                .children
                .iter()
                .map(|child| parameter_rules(child, read, &prefix))
                .collect();
            Ok(rules?.concat())
        }
        _ => Err(Problem::new(
            "a param takes `from`, or `name` and `value`, or `name` and params inside it",
        )),
    }
}

fn output(element: &Element, read: &Reader<'_>) -> Result<Output, Problem> {
    match optional(element, read, "output")?.as_deref() {
        None | Some("screen" | "log" | "both" | "full") => Ok(Output::Screen),
        Some("own_log") => Ok(Output::OwnLog),
        Some(other) => Err(Problem::with_allowed(
            format!("attribute `output`: `{other}`"),
            ["screen", "log", "both", "full", "own_log"],
        )),
    }
}

fn respawn(element: &Element, read: &Reader<'_>) -> Result<Option<Respawn>, Problem> {
    let respawn = optional(element, read, "respawn")?;
    match respawn
        .map(|value| parameter::typed(&value, Some("bool")))
        .transpose()
    {
        Ok(Some(parameter::Value::Bool(true))) => {}
        Ok(_) => return Ok(None),
        Err(p) => return Err(Problem::new(format!("attribute `respawn`: {}", p.text))),
    }
    let delay = match optional(element, read, "respawn_delay")? {
        None => DEFAULT_RESPAWN_DELAY,
        Some(value) => value
            .parse()
            .ok()
            .and_then(|delay_s| Duration::try_from_secs_f64(delay_s).ok())
            .ok_or_else(|| {
                Problem::new(format!("attribute `respawn_delay`: `{value}` is no time"))
            })?,
    };
    let max_retries = match optional(element, read, "respawn_max_retries")? {
        None => None,
        Some(value) => {
            let retries: i64 = value.parse().map_err(|_| {
                Problem::new(format!(
                    "attribute `respawn_max_retries`: `{value}` is no number"
                ))
            })?;
            u32::try_from(retries).ok() // a negative number stands for no end
        }
    };
    Ok(Some(Respawn { delay, max_retries }))
}

fn ends_launch(element: &Element) -> Result<bool, Problem> {
    match element.attribute("on_exit") {
        None => Ok(false),
        Some("shutdown") => Ok(true),
        Some(other) => {
            let text = format!("attribute `on_exit`: `{other}`");
            Err(Problem::with_allowed(text, ["shutdown"]))
        }
    }
}
