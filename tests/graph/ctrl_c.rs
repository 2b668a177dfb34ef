//! Ctrl-C ends every process within the launcher's promise, whatever the team is doing.

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
