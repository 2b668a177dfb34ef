//! A frozen viewer changes nothing.

use anyhow::Result;
use std::time::Duration;
use troupe_tests::configs::Configs;
use troupe_tests::graph::{Graph, SHUTDOWN};
use troupe_tests::process::signal;

#[test]
fn a_frozen_viewer_does_not_hold_up_the_run() -> Result<()> {
    let configs = Configs::copy()?.replace("tasks/transport.yaml", "budget_transactions: 80", "budget_transactions: 2")?;
    let config = format!("config:={}", configs.path().display());
    let run = |viewer: bool| -> Result<String> {
        let arguments = ["seed:=3", "cameras:=false", &config, if viewer { "viewer:=true" } else { "viewer:=false" }];
        let mut graph = Graph::start("transport_sim.launch.xml", &arguments)?;
        if viewer {
            let pid = graph.pid("viewer-5")?;
            graph.ready()?;
            signal(pid, "STOP")?;
        }
        graph.wait_for_event("end", 1, Duration::from_secs(90))?;
        // A frozen process hears no signal but the last.
        let status = graph.wait(2 * SHUTDOWN)?;
        assert_eq!(status.code(), Some(1));
        graph.nothing_left()?;
        graph.ledger()?.digest()
    };
    assert_eq!(run(true)?, run(false)?);
    Ok(())
}
