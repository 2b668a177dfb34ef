//! Opens the node: parameters, configuration, services.

use crate::ros::shell::Shell;
use crate::{Setup, Verifier};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use troupe_core::variation::{NOMINAL, Variation};
use troupe_ros::RosNode;
use troupe_ros::mode::{Mode, WORDS};
use troupe_ros::params::Declared;
use troupe_ros::settings::RosSettings;

fn parameters() -> Vec<Declared> {
    vec![
        Declared::text("config", "config", "Folder with tasks/, worlds/ and nodes/."),
        Declared::text("world", "l1", "Name of a file in worlds/, without .yaml, or sampled-<n>."),
        Declared::text("variation", NOMINAL, "Name of a file in variations/, without .yaml; given to every node of a team."),
        Declared::integer("seed", 0, [0, i64::MAX], "Seed of the run; given to every node of a team."),
        Declared::one_of("mode", "lockstep", WORDS, "How time passes; given to every node of a team."),
        Declared::text("runs", "runs", "Folder of runs; given to every node of a team."),
        Declared::text("run_id", "", "Name of the run; given to every node of a team."),
    ]
}

/// Runs the node until Ctrl-C or SIGTERM.
///
/// # Errors
/// When parameters, configuration or ROS fail at the start.
pub fn run() -> Result<()> {
    let ros = RosNode::open("verifier", "", parameters())?;
    let (config, world, mode) = {
        let p = ros.parameters();
        (PathBuf::from(p.text("config")), p.text("world"), Mode::from_word(&p.text("mode")))
    };
    let settings = RosSettings::load(&config)?;
    let tasks = tasks(&config)?;
    let names: Vec<&str> = tasks.iter().map(String::as_str).collect();
    let read = |file: &Path| std::fs::read_to_string(file);
    let variation = Variation::named(&config, &ros.parameters().text("variation"), read)?;
    let seed = u64::try_from(ros.parameters().integer("seed")).unwrap_or_default();
    let varied = variation.in_world(&config, &world, seed, read)?;
    let verifier = Verifier::new(Setup::load(&config, &names, &world)?.varied(&varied))?;
    tracing::info!(tasks = names.join(", "), %world, "ready");
    Shell::open(ros, verifier, settings, mode)?.run();
    Ok(())
}

/// Names of all task records, sorted.
fn tasks(config: &Path) -> Result<Vec<String>> {
    let folder = config.join("tasks");
    let files = std::fs::read_dir(&folder).with_context(|| format!("cannot read the folder of tasks: {}", folder.display()))?;
    let mut names: Vec<String> = files
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "yaml"))
        .filter_map(|path| path.file_stem().map(|s| s.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    Ok(names)
}
