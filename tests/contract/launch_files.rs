//! Launch files: the same arguments for simulation and robots, no numbers, commands off on robots.

use anyhow::{Result, ensure};
use std::collections::BTreeSet;
use std::process::Command;
use troupe_tests::{listed, paths};

/// Only a simulation can be slowed down or wait for its robots.
const SIMULATION_ONLY: [&str; 2] = ["mode", "rtf"];

fn arguments(file: &str) -> Result<BTreeSet<String>> {
    let shown = Command::new(paths::program("launcher")?)
        .arg("--show-args")
        .arg(paths::root().join("launch").join(file))
        .output()?;
    ensure!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    let text = String::from_utf8(shown.stdout)?;
    Ok(text.lines().filter_map(|l| l.strip_prefix("    '")?.strip_suffix("':")).map(str::to_owned).collect())
}

#[test]
fn simulation_and_robots_take_the_same_arguments() -> Result<()> {
    let (simulation, robots) = (arguments("transport_sim.launch.xml")?, arguments("transport_real.launch.xml")?);
    let more: Vec<&str> = simulation.difference(&robots).map(String::as_str).collect();
    assert_eq!(more, SIMULATION_ONLY);
    assert!(robots.is_subset(&simulation), "{:?}", robots.difference(&simulation));
    for name in ["config", "task", "world", "seed", "provider", "model_url", "runs", "run_id", "viewer", "orchestrator"] {
        assert!(robots.contains(name), "{name} is missing");
    }
    Ok(())
}

#[test]
fn robots_start_with_commands_off() -> Result<()> {
    let (_, text) = listed::read("launch/transport_real.launch.xml".into())?;
    assert!(text.contains(r#"<arg name="commands_enabled" value="false"/>"#));
    assert!(!text.contains("sim_bridge"));
    Ok(())
}

#[test]
fn no_launch_file_holds_a_number_of_the_robots() -> Result<()> {
    for (file, text) in listed::texts("xml")?.into_iter().filter(|(f, _)| listed::is_in(f, "launch")) {
        for value in text.split("value=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let is_number = value.parse::<f64>().is_ok();
            assert!(!is_number, "{}: {value} belongs to config/", file.display());
        }
    }
    Ok(())
}
