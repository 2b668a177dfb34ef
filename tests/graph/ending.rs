//! Ctrl-C ends every process within the launcher's promise, whatever the team is doing; an operator's stop
//! ends the run.

use anyhow::Result;
use std::time::Duration;
use troupe_tests::graph::{Graph, SHUTDOWN};

fn ended(graph: &mut Graph) -> Result<()> {
    let (_, took) = graph.interrupt()?;
    assert!(took < SHUTDOWN, "{took:?}");
    assert!(graph.pids().len() >= 4, "{:?}", graph.pids());
    graph.nothing_left()
}

#[test]
fn while_the_team_waits_for_goals() -> Result<()> {
    let arguments = ["orchestrator:=false", "viewer:=false", "cameras:=false", "mode:=realtime"];
    let mut graph = Graph::start("transport_sim.launch.xml", &arguments)?;
    graph.ready()?;
    ended(&mut graph)
}

#[test]
fn in_the_middle_of_a_run() -> Result<()> {
    let mut graph = Graph::start("transport_sim.launch.xml", &["viewer:=false", "cameras:=false"])?;
    graph.wait_for_event("dispatch", 2, Duration::from_secs(90))?;
    ended(&mut graph)?;
    let ledger = graph.ledger()?;
    assert_eq!(ledger.end("label"), "C", "{}", ledger.end("reason"));
    Ok(())
}

#[test]
fn an_operators_stop_ends_the_run_and_stops_the_robots() -> Result<()> {
    let mut graph = Graph::start("transport_sim.launch.xml", &["viewer:=false", "cameras:=false"])?;
    graph.wait_for_event("dispatch", 2, Duration::from_secs(90))?;
    let _operator = graph.probe(&["stop"])?;
    for robot in ["g1-1", "g1-2"] {
        graph.wait_for(robot, "team/stop", Duration::from_secs(20))?;
    }
    let status = graph.wait(Duration::from_secs(30))?;
    assert_ne!(status.code(), Some(0));
    graph.nothing_left()?;
    assert_eq!(graph.ledger()?.end("label"), "C");
    Ok(())
}
