//! Opens the node, listens until it is told to end, and completes the recording.

use crate::config::ViewerConfig;
use crate::event::Event;
use crate::meter::Meter;
use crate::outlet::Outlet;
use crate::recorder::{Look, Recorder};
use crate::ros::hear::Ear;
use crate::ros::links::Links;
use crate::ros::live::connect;
use crate::run_file::RunFile;
use crate::scene::Scene;
use anyhow::{Context, Result};
use rerun::RecordingStreamBuilder;
use rerun::log::ChunkBatcherConfig;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use troupe_core::config::ConfigError;
use troupe_ros::node::IDLE;
use troupe_ros::params::Declared;
use troupe_ros::settings::wall;
use troupe_ros::{RosNode, stamp};

/// Words of the parameter `viewer_mode`.
const MODES: &[&str] = &["record", "live"];
/// Name of the application in rerun.
const APPLICATION: &str = "troupe";

fn parameters() -> Vec<Declared> {
    vec![
        Declared::text("config", "config", "Folder with worlds/, robots/ and nodes/."),
        Declared::text("world", "l1", "Name of a file in worlds/, without .yaml, or sampled-<n>."),
        Declared::one_of("viewer_mode", "record", MODES, "record writes a file, live shows a stream as well."),
        Declared::text("url", "", "Live: rerun's address; empty: as in nodes/viewer.yaml."),
        Declared::flag("cameras", true, "Whether camera images are shown."),
        Declared::text("runs", "runs", "Folder that takes one folder for each run."),
        Declared::text("run_id", "", "Name of the run; empty: the one that team/budget tells."),
    ]
}

/// Runs the node until Ctrl-C or SIGTERM.
///
/// # Errors
/// When parameters, configuration, the recording's file or ROS fail at the start.
pub fn run() -> Result<()> {
    let mut ros = RosNode::open("viewer", "", parameters())?;
    let (config, world, live, url, cameras, runs, run_id, simulated) = {
        let p = ros.parameters();
        let live = p.text("viewer_mode") == "live";
        (PathBuf::from(p.text("config")), p.text("world"), live, p.text("url"), p.flag("cameras"), PathBuf::from(p.text("runs")), p.text("run_id"), p.flag("use_sim_time"))
    };
    let settings = ViewerConfig::load(&config)?;
    let scene = Arc::new(Scene::load(&config, &world)?);
    let cameras = if cameras { settings.cameras.clone() } else { Vec::new() };
    if let Some(unknown) = cameras.iter().find(|c| !scene.cameras.contains(c)) {
        let allowed = format!("`{unknown}` is no camera of world {world}; allowed: {}", scene.cameras.join(", "));
        return Err(ConfigError::key(&config.join("nodes/viewer.yaml"), "cameras", allowed).into());
    }
    let look = Look { arrow_m_per_n: settings.arrow_m_per_n, simulated };
    // Only a name for the folder until the run's own is known.
    let unnamed = format!("unnamed-{}-{}", stamp::now().sec, std::process::id());
    let file = RunFile::create(&runs, &run_id, &unnamed).with_context(|| format!("cannot make a folder for the recording: {}", runs.display()))?;
    let stream = builder(&settings, settings.flush_wall_s.file).save(file.path()).with_context(|| format!("cannot write the recording: {}", file.path().display()))?;
    let mut outlets = vec![Outlet::open("file", settings.queue, Recorder::new(stream, Arc::clone(&scene), look)?)?];
    if live {
        let url = if url.is_empty() { settings.live.url.as_str() } else { url.as_str() };
        let stream = connect(|| builder(&settings, settings.flush_wall_s.live), url)?;
        outlets.push(Outlet::open("live", settings.queue, Recorder::new(stream, Arc::clone(&scene), look)?)?);
    }
    let robots: Vec<String> = scene.robots.iter().map(|r| r.name.clone()).collect();
    let links = Links::open(&mut ros, &robots, &cameras)?;
    tracing::info!(file = %file.path().display(), live, "recording");
    let ear = Ear::new(links, Meter::new(settings.pause_wall_s), settings.state_every_ticks);
    listen(&mut ros, ear, file, outlets, wall(settings.finish_wall_s));
    Ok(())
}

/// A recording that gathers log for `flush_s` wall seconds, and holds no more bytes than a queue may.
fn builder(settings: &ViewerConfig, flush_s: f64) -> RecordingStreamBuilder {
    let batches = ChunkBatcherConfig {
        flush_tick: wall(flush_s),
        max_bytes_in_flight: settings.queue.bytes as u64,
        ..ChunkBatcherConfig::DEFAULT
    };
    RecordingStreamBuilder::new(APPLICATION).enabled(true).batcher_config(batches)
}

fn listen(ros: &mut RosNode, mut ear: Ear, mut file: RunFile, outlets: Vec<Outlet>, finish: Duration) {
    while !ros.shutdown().requested() {
        ros.spin(IDLE);
        ear.hear(|event| {
            if let Event::Budget { run_id, .. } = &event {
                name(&mut file, run_id);
            }
            let event = Arc::new(event);
            for outlet in &outlets {
                outlet.offer(&event);
            }
        });
    }
    let deadline = Instant::now() + finish;
    outlets.iter().for_each(|outlet| outlet.close(finish));
    for outlet in &outlets {
        let finished = outlet.finished(deadline);
        let tally = outlet.tally();
        let dropped = tally.dropped_total();
        tracing::info!(outlet = outlet.name(), shown = tally.passed, dropped, kinds = ?tally.dropped, "ended");
        if !finished {
            tracing::warn!(outlet = outlet.name(), "it did not take everything in time");
        }
    }
    tracing::info!(file = %file.path().display(), lost_states = ear.lost(), refused = ear.refused(), "recorded");
    troupe_ros::shutdown::farewell(0);
}

fn name(file: &mut RunFile, run_id: &str) {
    match file.name(run_id) {
        Ok(true) => tracing::info!(file = %file.path().display(), "the run is named"),
        Ok(false) => {}
        Err(error) => tracing::warn!(%error, run_id, "the recording keeps its name"),
    }
}
