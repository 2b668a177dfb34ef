//! A model server that takes a request and never answers.

use anyhow::Result;
use std::net::TcpListener;
use std::time::{Duration, Instant};
use troupe_tests::configs::Configs;
use troupe_tests::graph::Graph;

#[test]
fn a_server_that_hangs_ends_the_run_with_a_typed_error() -> Result<()> {
    // The system accepts connections into the backlog; nobody ever reads them.
    let silent = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("model_url:=http://{}", silent.local_addr()?);
    let configs = Configs::copy()?
        .replace("nodes/orchestrator.yaml", "planner: { temperature: 0.2, timeout_s: 120.0", "planner: { temperature: 0.2, timeout_s: 1.0")?;
    let config = format!("config:={}", configs.path().display());
    let arguments = ["provider:=openai", &url, "model_name:=m", "viewer:=false", "cameras:=false", &config];
    let begin = Instant::now();
    let mut graph = Graph::start("transport_sim.launch.xml", &arguments)?;
    let status = graph.wait(Duration::from_secs(90))?;
    assert_ne!(status.code(), Some(0));
    graph.nothing_left()?;
    let ledger = graph.ledger()?;
    assert_eq!(ledger.end("label"), "G", "{}", ledger.end("reason"));
    let outcomes: Vec<_> = ledger.events("model_call").iter().map(|c| c.get("outcome").cloned().unwrap_or_default()).collect();
    assert_eq!(outcomes, ["timeout"; 3], "after {:?}", begin.elapsed());
    assert!(ledger.end("reason").contains("no complete answer within 1000 ms"), "{}", ledger.end("reason"));
    assert!(ledger.events("dispatch").is_empty());
    Ok(())
}
