//! The command line: which file, which arguments, and what to do with them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Parser;

use crate::declared::{self, Declared};
use crate::error::{LaunchError, Problem};
use crate::evaluate::{self, Surroundings};
use crate::packages::Packages;
use crate::spec::{Output, ProcessSpec};

/// Runs a ROS 2 XML launch file, like `ros2 launch`, where that is not installed.
#[derive(Debug, Parser)]
#[command(
    name = "launcher",
    version,
    after_help = "\
Ctrl-C ends every process: SIGINT, after 2 s SIGTERM, after 4 s SIGKILL. The exit code is that of
the process with on_exit=\"shutdown\"; without one, 1 if a process died unasked, else 0."
)]
pub struct Cli {
    /// Show the arguments that the launch file takes
    #[arg(short = 's', long, visible_alias = "show-arguments")]
    pub show_args: bool,
    /// Print the command lines instead of running them
    #[arg(short = 'p', long)]
    pub print: bool,
    /// Pass the output of this executable on unchanged, without `[name-N]` before each line
    #[arg(long, value_name = "EXECUTABLE")]
    pub raw: Vec<String>,
    /// A launch file, or the name of a package followed by the name of one of its launch files
    #[arg(required = true, value_name = "FILE | PACKAGE FILE")]
    pub file: String,
    /// Arguments of the launch file, as name:=value; of two with one name the last counts
    #[arg(value_name = "NAME:=VALUE")]
    pub arguments: Vec<String>,
}

/// What a command line asks for, before anything is started.
#[derive(Debug)]
pub struct Request {
    /// The launch file.
    pub file: PathBuf,
    /// Its arguments and surroundings.
    pub around: Surroundings,
    /// The arguments that may be given.
    pub declared: Vec<Declared>,
}

/// Finds the file and checks the given arguments against those it declares.
///
/// # Errors
/// [`LaunchError`] for a file that is not there or wrong, or an argument that is not declared.
pub fn request(
    cli: &Cli,
    environment: BTreeMap<String, String>,
    launcher: Option<&Path>,
) -> Result<Request, LaunchError> {
    let mut given = cli.arguments.as_slice();
    let mut file = PathBuf::from(&cli.file);
    let mut packages = Packages::new(&environment, Some(&file), launcher);
    if !file.is_file()
        && let Some((name, rest)) = given.split_first().filter(|(name, _)| !name.contains(":="))
    {
        let share = packages.share(&cli.file).map_err(Problem::in_arguments)?;
        let places = [share.join("launch").join(name), share.join(name)];
        let found = places.into_iter().find(|path| path.is_file());
        file = found.ok_or_else(|| {
            let text = format!("package `{}` has no launch file `{name}`", cli.file);
            Problem::new(text).in_arguments()
        })?;
        packages = Packages::new(&environment, Some(&file), launcher);
        given = rest;
    }
    let arguments = parse_arguments(given).map_err(Problem::in_arguments)?;
    let around = Surroundings {
        arguments,
        environment,
        packages,
    };
    let declared = declared::declared(&file, &around)?;
    for name in around.arguments.keys() {
        if !declared.iter().any(|d| &d.name == name) {
            let names = declared.iter().map(|d| d.name.as_str());
            let text = format!("{} has no argument `{name}`", file.display());
            return Err(Problem::with_allowed(text, names).in_arguments());
        }
    }
    Ok(Request {
        file,
        around,
        declared,
    })
}

/// The processes of a request, with the output of those named in `raw` unchanged.
///
/// # Errors
/// [`LaunchError`] as [`evaluate::evaluate`], and for a name in `raw` that nothing bears.
pub fn processes(request: &Request, raw: &[String]) -> Result<Vec<ProcessSpec>, LaunchError> {
    let mut specs = evaluate::evaluate(&request.file, &request.around)?;
    let name_of = |spec: &ProcessSpec| spec.label.rsplit_once('-').map(|(n, _)| n.to_owned());
    for name in raw {
        let mut found = false;
        for spec in specs
            .iter_mut()
            .filter(|s| name_of(s).as_deref() == Some(name))
        {
            spec.output = Output::Raw;
            found = true;
        }
        if !found {
            let names: Vec<_> = specs.iter().filter_map(name_of).collect();
            let text = format!("--raw {name}: no such process in this launch");
            return Err(Problem::with_allowed(text, names).in_arguments());
        }
    }
    Ok(specs)
}

fn parse_arguments(given: &[String]) -> Result<BTreeMap<String, String>, Problem> {
    let mut arguments = BTreeMap::new();
    for argument in given {
        match argument.split_once(":=") {
            Some((name, value)) if !name.is_empty() && !value.is_empty() => {
                arguments.insert(name.to_owned(), value.to_owned());
            }
            _ => {
                return Err(Problem::new(format!(
                    "malformed argument `{argument}`; arguments are NAME:=VALUE, neither empty"
                )));
            }
        }
    }
    Ok(arguments)
}

/// Folder for logs of single processes, by the rules of ROS 2.
pub fn log_dir(environment: &BTreeMap<String, String>) -> PathBuf {
    let variable = |name| {
        environment
            .get(name)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    variable("ROS_LOG_DIR")
        .or_else(|| variable("ROS_HOME").map(|home| home.join("log")))
        .or_else(|| variable("HOME").map(|home| home.join(".ros/log")))
        .unwrap_or_else(|| PathBuf::from("log"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_name_value_and_the_last_counts() {
        let parse = |given: &[&str]| {
            parse_arguments(&given.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>())
        };
        let arguments = parse(&["a:=1", "b:=x:=y", "a:=2"]).unwrap();
        assert_eq!(arguments["a"], "2");
        assert_eq!(arguments["b"], "x:=y");
        for bad in ["a", ":=1", "a:=", "a=1"] {
            assert!(parse(&[bad]).unwrap_err().text.contains(bad), "{bad}");
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
