//! The world's process dies, or stops in mid-window, and the verifier's does.

use anyhow::Result;
use std::time::Duration;
use troupe_tests::configs::Configs;
use troupe_tests::graph::Graph;
use troupe_tests::process::signal;

const RUN: [&str; 2] = ["viewer:=false", "cameras:=false"];
/// From the fault to the end of the run.
const LIMIT: Duration = Duration::from_secs(45);

fn run_without(label: &str, how: &str, more: &[&str]) -> Result<()> {
    let mut graph = Graph::start("transport_sim.launch.xml", &[RUN.as_slice(), more].concat())?;
    graph.wait_for_event("dispatch", 2, Duration::from_secs(90))?;
    signal(graph.pid(label)?, how)?;
    let status = graph.wait(LIMIT)?;
    assert_ne!(status.code(), Some(0));
    graph.nothing_left()?;
    let ledger = graph.ledger()?;
    assert_eq!(ledger.end("label"), "I", "{}", ledger.end("reason"));
    assert!(!ledger.end("reason").is_empty());
    Ok(())
}

#[test]
fn a_killed_bridge_ends_the_run() -> Result<()> {
    run_without("sim_bridge-5", "KILL", &[])
}

#[test]
fn a_frozen_bridge_ends_the_run() -> Result<()> {
    run_without("sim_bridge-5", "STOP", &[])
}

#[test]
fn a_killed_verifier_ends_the_run() -> Result<()> {
    let configs = Configs::copy()?.replace("nodes/ros.yaml", "verify_wall_s: 15.0", "verify_wall_s: 5.0")?;
    run_without("verifier-3", "KILL", &[&format!("config:={}", configs.path().display())])
}
