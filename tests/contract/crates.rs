//! Which crate may depend on what (DESIGN: layout, dependencies).

use crate::manifests::{closure, crates};
use anyhow::Result;
use std::collections::BTreeSet;

/// No ROS, physics, network, GPU, threads, databases or runtime in what these are built from.
const PURE: [&str; 3] = ["troupe_core", "troupe_coordination", "troupe_guard"];
const NEVER_IN_PURE: [&str; 19] = [
    "r2r", "mujoco-rs", "glutin", "tract-onnx", "ort", "reqwest", "hyper", "rerun", "tokio", "async-std", "zenoh", "tch",
    "rusqlite", "wgpu", "rayon", "quick-xml", "urdf-rs", "plotters", "tiny_http",
];
/// What a pure crate may not name itself either.
const NEVER_NAMED_IN_PURE: [&str; 10] =
    ["libc", "starlark", "futures", "signal-hook", "tracing", "tracing-subscriber", "indicatif", "clap", "png", "anyhow"];

/// The one crate that may name each of these.
const HOMES: [(&str, &str); 17] = [
    ("r2r", "troupe_ros"),
    ("crc", "troupe_ros"),
    ("mujoco-rs", "troupe_world"),
    ("glutin", "troupe_world"),
    ("png", "troupe_world"),
    ("urdf-rs", "troupe_world"),
    ("tract-onnx", "troupe_policy"),
    ("starlark", "troupe_guard"),
    ("reqwest", "troupe_orchestrator"),
    ("plotters", "troupe_orchestrator"),
    ("rusqlite", "troupe_orchestrator"),
    ("base64", "troupe_orchestrator"),
    ("csv", "troupe_orchestrator"),
    ("rerun", "troupe_viewer"),
    ("regex-lite", "troupe_sim_bridge"),
    ("quick-xml", "troupe_launcher"),
    ("libc", "troupe_launcher"),
];

/// Nodes know the libraries, never each other; the local graph and the tests wire them together.
const WIRE: [&str; 2] = ["troupe_local_graph", "troupe_tests"];
const NODES: [&str; 6] =
    ["troupe_sim_bridge", "troupe_g1", "troupe_verifier", "troupe_orchestrator", "troupe_viewer", "troupe_launcher"];

#[test]
fn pure_crates_are_pure() -> Result<()> {
    let all = crates()?;
    for name in PURE {
        let Some(manifest) = all.iter().find(|m| m.name == name) else { anyhow::bail!("no crate {name}") };
        let shipped = manifest.shipped();
        let development: BTreeSet<String> =
            manifest.named().difference(&shipped).map(|n| (*n).to_owned()).collect();
        let built_from = closure(name, &development)?;
        for bad in NEVER_IN_PURE {
            assert!(!built_from.contains(bad), "{name} is built from {bad}");
        }
        for bad in NEVER_NAMED_IN_PURE.iter().filter(|b| !(name == "troupe_guard" && **b == "starlark")) {
            assert!(!shipped.contains(bad), "{}: {name} is pure and may not name {bad}", manifest.file.display());
        }
        let ours: Vec<&&str> = shipped.iter().filter(|n| n.starts_with("troupe_") && !PURE.contains(n)).collect();
        assert!(ours.is_empty(), "{name} is pure and depends on {ours:?}");
    }
    Ok(())
}

#[test]
fn every_outside_dependency_has_one_home() -> Result<()> {
    for manifest in crates()? {
        for (dependency, home) in HOMES {
            let named = manifest.named().contains(dependency);
            assert!(!named || manifest.name == home, "{}: {dependency} belongs to {home}", manifest.file.display());
        }
    }
    Ok(())
}

#[test]
fn nodes_do_not_depend_on_nodes() -> Result<()> {
    let all = crates()?;
    for manifest in all.iter().filter(|m| !WIRE.contains(&m.name.as_str())) {
        let known: Vec<&str> = manifest.shipped().into_iter().filter(|n| NODES.contains(n) || WIRE.contains(n)).collect();
        assert!(known.is_empty(), "{} depends on {known:?}", manifest.name);
    }
    let low = ["troupe_world", "troupe_policy", "troupe_ros", "troupe_core", "troupe_coordination", "troupe_guard"];
    for manifest in all.iter().filter(|m| ["troupe_world", "troupe_policy", "troupe_ros"].contains(&m.name.as_str())) {
        let upward: Vec<&str> =
            manifest.shipped().into_iter().filter(|n| n.starts_with("troupe_") && !low.contains(n)).collect();
        assert!(upward.is_empty(), "{} depends on {upward:?}", manifest.name);
    }
    Ok(())
}

#[test]
fn versions_and_lints_stand_in_the_workspace() -> Result<()> {
    for manifest in crates()? {
        let file = manifest.file.display();
        for (name, line) in manifest.dependencies.values().flatten() {
            assert!(line.contains("workspace = true"), "{file}: {name} has a version of its own: {line}");
        }
        assert!(manifest.text.contains("[lints]\nworkspace = true"), "{file} takes no part in the workspace's lints");
        assert!(manifest.text.contains("license.workspace = true"), "{file} names no licence");
    }
    Ok(())
}
