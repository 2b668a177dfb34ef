//! A run over ROS in lockstep and a run in one process write the same ledger, byte for byte.

use anyhow::Result;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use troupe_tests::configs::Configs;
use troupe_tests::graph::Graph;
use troupe_tests::ledgers::{self, Read, first_difference};
use troupe_tests::paths;

/// The same run on the local graph.
fn local(config: &Path, seed: u64) -> Result<Read> {
    let runs = tempfile::tempdir()?;
    let seed = seed.to_string();
    let ended = Command::new(paths::program("local_graph")?)
        .args(["run", "--seed", &seed, "--run-id", "r", "--config"])
        .arg(config)
        .arg("--runs")
        .arg(runs.path())
        .arg("--assets")
        .arg(paths::assets()?)
        .output()?;
    let read = ledgers::of_run(&runs.path().join("r"));
    read.map_err(|e| e.context(String::from_utf8_lossy(&ended.stderr).into_owned()))
}

fn assert_equal(ros: &Read, local: &Read) -> Result<()> {
    assert_eq!(first_difference(&ros.stable()?, &local.stable()?), None, "ROS above, one process below");
    assert_eq!(ros.digest()?, local.digest()?);
    Ok(())
}

#[test]
fn a_whole_carry_over_ros_equals_the_local_graph() -> Result<()> {
    let mut graph = Graph::start("transport_sim.launch.xml", &["seed:=0", "viewer:=false", "cameras:=false"])?;
    let status = graph.wait(Duration::from_secs(240))?;
    assert_eq!(status.code(), Some(0), "{:?}", graph.launcher().output.lines());
    graph.nothing_left()?;
    let ros = graph.ledger()?;
    assert_eq!(ros.end("label"), "S", "{}", ros.end("reason"));
    assert!(graph.run_folder().join("report.json").is_file());
    assert_equal(&ros, &local(&paths::config(), 0)?)
}

#[test]
fn the_same_seed_twice_over_ros_is_the_same_run() -> Result<()> {
    let configs = Configs::copy()?.replace("tasks/transport.yaml", "budget_transactions: 80", "budget_transactions: 3")?;
    let config = format!("config:={}", configs.path().display());
    let run = || -> Result<Read> {
        let mut graph = Graph::start("transport_sim.launch.xml", &["seed:=7", "viewer:=false", "cameras:=false", &config])?;
        let status = graph.wait(Duration::from_secs(120))?;
        assert_eq!(status.code(), Some(1), "three transactions carry nothing to its place");
        graph.ledger()
    };
    let (first, second) = (run()?, run()?);
    assert_eq!(first.end("label"), "B");
    assert_equal(&first, &second)?;
    assert_equal(&first, &local(&configs.path(), 7)?)
}
