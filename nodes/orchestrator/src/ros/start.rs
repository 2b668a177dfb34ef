//! Opens the node, runs one episode, and ends with what came of it.

use crate::files::run_to_folder;
use crate::model::choose::{PROVIDERS, choose};
use crate::progress::Terminal;
use crate::report::markdown::markdown;
use crate::ros::team::RosTeam;
use crate::setup::Setup;
use anyhow::Result;
use serde::Deserialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};
use troupe_core::corridor::world_text;
use troupe_core::variation::{NOMINAL, Variation};
use troupe_ros::RosNode;
use troupe_ros::mode::{Mode, WORDS};
use troupe_ros::params::Declared;
use troupe_ros::settings::RosSettings;

fn parameters() -> Vec<Declared> {
    vec![
        Declared::text("config", "config", "Folder with tasks/, worlds/ and nodes/."),
        Declared::text("task", "transport", "Name of a file in tasks/, without .yaml."),
        Declared::text("method", "full", "Name of a file in methods/, without .yaml."),
        Declared::text("world", "l1", "Name of a file in worlds/, without .yaml, or sampled-<n>."),
        Declared::text("variation", NOMINAL, "Name of a file in variations/, without .yaml; given to every node of a team."),
        Declared::integer("seed", 0, [0, i64::MAX], "Seed of everything random in the run."),
        Declared::one_of("mode", "lockstep", WORDS, "Whether simulated time waits for the robots."),
        Declared::one_of("provider", "builtin", &PROVIDERS, "Where the model roles' answers come from."),
        Declared::text("model_url", "", "Base URL of an OpenAI-compatible server, or the file to replay."),
        Declared::text("model_name", "", "Model to ask that server for."),
        Declared::text("runs", "runs", "Folder that takes one folder for each run."),
        Declared::text("run_id", "", "Name of this run; one is chosen when empty."),
        Declared::flag("cameras", true, "Whether camera stills are kept."),
    ]
}

#[derive(Deserialize)]
struct WorldRobot {
    name: String,
}

/// Runs one episode. Success only for an accepted endpoint.
///
/// # Errors
/// When parameters, configuration, provider, ROS or the files of the run fail.
pub fn run() -> Result<ExitCode> {
    let ros = RosNode::open("orchestrator", "", parameters())?;
    let text = |name: &str| ros.parameters().text(name);
    let config = PathBuf::from(text("config"));
    let (task, world) = (text("task"), text("world"));
    let seed = u64::try_from(ros.parameters().integer("seed")).unwrap_or_default();
    let mode = Mode::from_word(&text("mode"));
    let stills = ros.parameters().flag("cameras");
    let settings = RosSettings::load(&config)?;
    let read = |file: &Path| std::fs::read_to_string(file);
    let variation = Variation::named(&config, &text("variation"), read)?;
    let setup = Setup::load(&config, &task, &world, seed)?.with_method(&config, &text("method"))?;
    let setup = setup.with_provider(&config, &text("provider"), &text("model_name"))?.varied(variation.in_world(&config, &world, seed, read)?);
    let mut model = choose(&text("provider"), &text("model_url"), &text("model_name"), &setup.config)?;
    let robots: Vec<WorldRobot> = world_text(&config, &world, |file| std::fs::read_to_string(file))?.part("robots")?;
    let robots: Vec<String> = robots.into_iter().map(|r| r.name).collect();
    let run_id = Some(text("run_id")).filter(|id| !id.is_empty()).unwrap_or_else(|| default_id(&task, &world, seed));
    let folder = PathBuf::from(text("runs")).join(&run_id);

    let shutdown = ros.shutdown().clone();
    let mut team = RosTeam::open(ros, settings, mode, &robots, &world, seed, &run_id)?;
    let report = run_to_folder(&mut team, model.as_mut(), &setup, &folder, &mut Terminal::new(), stills);
    // Stopped, or a node failed: nobody watches the robots any more.
    let unwatched = report.as_ref().map_or(true, |r| matches!(r.outcome.as_str(), "C" | "I" | "incomplete"));
    if shutdown.requested() || unwatched {
        team.listener.stop_team();
    }
    let accepted = report.as_ref().is_ok_and(|r| r.accepted_endpoint);
    if let Ok(report) = &report {
        writeln!(std::io::stdout(), "{}\nfiles: {}", markdown(report), folder.display())?;
    }
    troupe_ros::shutdown::farewell(i32::from(!accepted));
    drop(team);
    report?;
    Ok(if accepted { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A folder name that sorts by time.
fn default_id(task: &str, world: &str, seed: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    format!("{task}-{world}-{seed}-{now}")
}
