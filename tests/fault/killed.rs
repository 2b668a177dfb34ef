//! Nodes killed in mid-stride.

use anyhow::{Context, Result};
use std::time::Duration;
use troupe_tests::graph::Graph;
use troupe_tests::paths;
use troupe_tests::process::{Program, signal};

const RUN: [&str; 2] = ["viewer:=false", "cameras:=false"];
const SOON: Duration = Duration::from_secs(30);

/// CE-012.
#[test]
fn a_killed_robot_node_ends_the_run_as_an_infrastructure_failure() -> Result<()> {
    let mut graph = Graph::start("transport_sim.launch.xml", &RUN)?;
    graph.wait_for_event("dispatch", 2, Duration::from_secs(90))?;
    signal(graph.pid("g1-2")?, "KILL")?;
    let status = graph.wait(Duration::from_secs(60))?;
    assert_ne!(status.code(), Some(0));
    graph.nothing_left()?;
    let ledger = graph.ledger()?;
    assert_eq!(ledger.end("label"), "I", "{}", ledger.end("reason"));
    assert!(ledger.end("reason").contains("g1_1"), "the reason does not name the robot: {}", ledger.end("reason"));
    Ok(())
}

#[test]
fn a_killed_orchestrator_leaves_a_sound_ledger_and_robots_that_stop() -> Result<()> {
    let arguments = [RUN.as_slice(), &["orchestrator:=false", "mode:=realtime", "rtf:=2.0"]].concat();
    let graph = Graph::start("transport_sim.launch.xml", &arguments)?;
    graph.ready()?;
    let runs = tempfile::tempdir()?;
    let mut command = graph.command("orchestrator")?;
    command.args(["--ros-args", "-p", "mode:=realtime", "-p", "cameras:=false", "-p", "run_id:=killed"]);
    command.args(["-p", &format!("config:=\"{}\"", paths::config().display())]);
    command.args(["-p", &format!("runs:=\"{}\"", runs.path().display())]);
    // Watches before anything moves: the kill must come early in a skill, since robots at rest wait for nobody.
    let watch = graph.probe(&["watch"])?;
    watch.output.wait_for("the first state", 0, SOON, |l| l.contains("g1_0:"))?;
    let mut orchestrator = Program::start(&mut command)?;
    let folder = runs.path().join("killed");
    let dispatched = || {
        let ledger = troupe_tests::ledgers::of_run(&folder).ok();
        Ok(ledger.filter(|l| !l.events("dispatch").is_empty()).map(|_| ()))
    };
    troupe_tests::process::until("dispatch", Duration::from_secs(90), dispatched)
        .with_context(|| format!("the orchestrator said:\n{}", orchestrator.output.lines().join("\n")))?;
    let dispatched_at = watch.output.count();
    watch.output.wait_for("moving robots", dispatched_at, SOON, |l| l.contains("g1_0:Moving") && l.contains("g1_1:Moving"))?;

    let (lines, states) = (graph.lines(), watch.output.count());
    orchestrator.signal("KILL")?;
    orchestrator.wait(SOON)?;
    for robot in ["g1-1", "g1-2"] {
        graph.wait_for_after(lines, robot, "heartbeat is lost", SOON)?;
    }
    let stopped = |l: &str| l.contains("g1_0:Stopped") && l.contains("g1_1:Stopped");
    watch.output.wait_for("stopped robots", states, SOON, stopped)?;

    let ledger = troupe_tests::ledgers::of_run(&folder)?;
    assert!(ledger.verified.records > 3 && ledger.events("end").is_empty());
    Ok(())
}

#[test]
fn a_killed_launcher_leaves_no_node() -> Result<()> {
    let mut graph = Graph::start("transport_sim.launch.xml", &RUN)?;
    graph.wait_for_event("dispatch", 1, Duration::from_secs(90))?;
    graph.launcher().signal("KILL")?;
    graph.wait(SOON)?;
    graph.all_dead(SOON)?;
    let ledger = graph.ledger()?;
    assert!(ledger.verified.records > 0 && ledger.events("end").is_empty());
    Ok(())
}
