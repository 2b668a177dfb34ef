//! The launch file for robots, tried against a driver that offers only device topics, with an estimator's
//! `team/state`.

use anyhow::Result;
use std::time::Duration;
use troupe_tests::graph::{Graph, START};
use troupe_tests::paths;
use troupe_tests::process::Program;

/// What the simulator offers and a vendor's driver does not goes elsewhere.
const ELSEWHERE: [&str; 7] = [
    "/team/state", "/clock", "/world/reset", "/world/capabilities", "/world/run_window", "/checkpoint/save", "/checkpoint/restore",
];
const WALK: &str = r#"{"velocity":[0.25,0,0],"duration":5.0}"#;
const SOON: Duration = Duration::from_secs(20);

fn driver(graph: &Graph) -> Result<Program> {
    let mut command = graph.command("sim_bridge")?;
    command.arg("--ros-args").args(["-p", &format!("config:=\"{}\"", paths::config().display())]);
    command.args(["-p", "mode:=realtime", "-p", "cameras:=false"]);
    for name in ELSEWHERE {
        command.args(["-r", &format!("{name}:=/behind{name}")]);
    }
    Program::start(&mut command)
}

#[test]
fn robots_need_an_operator_and_stop_when_the_estimate_freezes() -> Result<()> {
    let graph = Graph::start("transport_real.launch.xml", &["orchestrator:=false", "viewer:=false"])?;
    graph.wait_for("g1-1", " ready", START)?;
    graph.wait_for("g1-2", " ready", START)?;
    let gains = graph.probe(&["gains", "g1_0"])?;
    let estimator = graph.probe(&["estimate", "/behind/team/state"])?;
    let driver = driver(&graph)?;
    driver.output.wait_for("ready driver", 0, START, |l| l.contains(" ready"))?;
    estimator.output.wait_for("estimate", 0, SOON, |l| l == "estimating")?;

    // Commands are off: set-points without torque, and requests that would move are refused.
    gains.output.wait_for("command", 0, SOON, |l| l == "gains 0.000")?;
    assert!(gains.output.lines().iter().all(|l| l == "gains 0.000"), "torque before an operator said so");
    let refused = graph.probe(&["sport", "g1_0", "7105", WALK])?;
    refused.output.wait_for("refusal", 0, SOON, |l| l.starts_with("code 7301"))?;

    // An operator enables them, and the rig lifts the robots that have sunk to the floor meanwhile.
    for robot in ["g1_0", "g1_1"] {
        graph.probe(&["enable", robot])?.output.wait_for("enabled", 0, SOON, |l| l == "enabled true")?;
    }
    let lifted = graph.probe(&["lift", "/behind/world/reset"])?;
    lifted.output.wait_for("lift", 0, SOON, |l| l == "lifted")?;
    for robot in ["g1_0", "g1_1"] {
        graph.probe(&["clear", robot])?.output.wait_for("cleared", 0, SOON, |l| l.starts_with("cleared true"))?;
    }
    let from = gains.output.count();
    gains.output.wait_for("torque", from, SOON, |l| l != "gains 0.000")?;

    let watch = graph.probe(&["watch"])?;
    let walking = graph.probe(&["sport", "g1_0", "7105", WALK])?;
    walking.output.wait_for("answer", 0, SOON, |l| l.starts_with("code 0"))?;
    watch.output.wait_for("walk", 0, SOON, |l| l.starts_with("state") && l.contains("g1_0:Moving"))?;

    // The estimate freezes: both robots stop, and say why.
    let from = graph.lines();
    estimator.signal("STOP")?;
    graph.wait_for_after(from, "g1-1", "team/state is", SOON)?;
    graph.wait_for_after(from, "g1-2", "team/state is", SOON)?;
    let refused = graph.probe(&["sport", "g1_0", "7105", WALK])?;
    refused.output.wait_for("refusal", 0, SOON, |l| l.starts_with("code 7301"))?;
    estimator.signal("CONT")?;
    Ok(())
}
