//! Device commands that make no sense are dropped and counted, and change nothing.

use anyhow::Result;
use std::time::Duration;
use troupe_tests::graph::Graph;

const SOON: Duration = Duration::from_secs(30);
const EACH: usize = 40;

#[test]
fn commands_with_nan_negative_gains_or_a_wrong_checksum_are_dropped() -> Result<()> {
    let arguments = ["orchestrator:=false", "viewer:=false", "cameras:=false", "mode:=realtime"];
    let graph = Graph::start("transport_sim.launch.xml", &arguments)?;
    graph.ready()?;
    let watch = graph.probe(&["watch"])?;
    watch.output.wait_for("state", 0, SOON, |l| l.starts_with("state"))?;
    for fault in ["nan", "gain", "crc"] {
        let mut probe = graph.probe(&["command", "g1_0", fault, &EACH.to_string()])?;
        probe.output.wait_for("commands", 0, SOON, |l| l.starts_with("sent"))?;
        assert!(probe.wait(SOON)?.success());
    }
    let all = format!("g1_0_dropped_commands={}", 3 * EACH);
    let (_, line) = watch.output.wait_for(&all, 0, SOON, |l| l.starts_with("diagnostics sim_bridge") && l.contains(&all))?;
    assert!(line.contains("g1_1_dropped_commands=0"), "{line}");

    // The robot still stands, and the bridge told of a second publisher while there was one.
    let from = watch.output.count();
    let (_, state) = watch.output.wait_for("state", from, SOON, |l| l.starts_with("state"))?;
    let height = state.split(' ').find_map(|w| w.strip_prefix("g1_0:")?.split(':').nth(1)?.parse::<f64>().ok());
    assert!(height.is_some_and(|h| h > 0.65), "{state}");
    let told = watch.output.lines().iter().any(|l| l.contains("2 publishers on g1_0's lowcmd"));
    assert!(told, "nobody told of two publishers on one lowcmd");
    Ok(())
}
