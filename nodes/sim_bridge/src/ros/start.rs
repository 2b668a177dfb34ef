//! Opens the node: parameters, world, topics.

use crate::Bridge;
use crate::ros::cameras::Cameras;
use crate::ros::links::Links;
use crate::ros::pace::Pace;
use crate::ros::robots::Robot;
use crate::ros::shell::Shell;
use crate::ros::told::Told;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::time::Instant;
use troupe_core::variation::{NOMINAL, Variation};
use troupe_ros::RosNode;
use troupe_ros::diagnostics::Diagnostics;
use troupe_ros::mode::{Mode, WORDS};
use troupe_ros::params::Declared;
use troupe_ros::settings::{RosSettings, wall};
use troupe_world::WorldDescription;

/// Names the folder of fetched assets; without it cameras draw primitives.
const ASSETS: &str = "TROUPE_ASSETS";

fn parameters() -> Vec<Declared> {
    vec![
        Declared::text("config", "config", "Folder with worlds/, robots/ and nodes/."),
        Declared::text("world", "l1", "Name of a file in worlds/, without .yaml, or sampled-<n>."),
        Declared::text("variation", NOMINAL, "Name of a file in variations/, without .yaml; given to every node of a team."),
        Declared::integer("seed", 0, [0, i64::MAX], "Seed of everything random in the world."),
        Declared::one_of("mode", "lockstep", WORDS, "Whether simulated time waits for the robots."),
        Declared::number("rtf", 1.0, [0.01, 100.0], "Simulated seconds in one second, in mode realtime."),
        Declared::flag("cameras", true, "Whether camera images are drawn for who subscribes."),
    ]
}

/// Runs the node until Ctrl-C or SIGTERM.
///
/// # Errors
/// When parameters, configuration, world or ROS fail at the start.
pub fn run() -> Result<()> {
    let mut ros = RosNode::open("sim_bridge", "", parameters())?;
    let (config, world, seed, mode, rtf, with_cameras) = {
        let p = ros.parameters();
        let seed = u64::try_from(p.integer("seed")).unwrap_or_default();
        (PathBuf::from(p.text("config")), p.text("world"), seed, Mode::from_word(&p.text("mode")), p.number("rtf"), p.flag("cameras"))
    };
    let settings = RosSettings::load(&config)?;
    let mut description = WorldDescription::named(&config, &world)?;
    let read = |file: &Path| std::fs::read_to_string(file);
    let variation = Variation::named(&config, &ros.parameters().text("variation"), read)?;
    if let Some(route) = variation.in_world(&config, &world, seed, read)?.route {
        description.config.route = route;
    }
    let bridge = Bridge::varied(&description, seed, &variation)?;
    let links = Links::open(&mut ros)?;
    let robots = bridge.robots().iter().map(|name| Robot::open(&mut ros, name)).collect::<Result<Vec<_>, _>>()?;
    let cameras = if with_cameras {
        let assets = std::env::var_os(ASSETS).map(PathBuf::from);
        Some(Cameras::open(&mut ros, &description, assets, &settings.camera)?)
    } else {
        None
    };
    let diagnostics = Diagnostics::open(&mut ros, "sim_bridge", "")?;
    let told = Told::new(diagnostics, wall(settings.tell.diagnostics_wall_s));
    tracing::info!(%world, variation = %variation.name, seed, ?mode, "waiting for the robots");
    Shell {
        ros,
        bridge,
        settings,
        mode,
        links,
        robots,
        cameras,
        told,
        pace: Pace::new(rtf),
        playing: false,
        open: None,
        awaiting: None,
        sent: Instant::now(),
        ready: false,
    }
    .run();
    Ok(())
}
