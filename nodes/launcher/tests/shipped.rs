//! The launch files of this repository: what they start, and with which parameters.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const NODES: [&str; 5] = ["sim_bridge", "g1", "verifier", "orchestrator", "viewer"];

fn print(file: &str, arguments: &[&str]) -> Vec<String> {
    let build = tempfile::tempdir().unwrap();
    for node in NODES {
        let path = build.path().join(node);
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let out = Command::new(env!("CARGO_BIN_EXE_launcher"))
        .arg("--print")
        .arg(root.join("launch").join(file))
        .args(arguments)
        .env("TROUPE_BUILD_DIR", build.path())
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8(out.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

fn labels(lines: &[String]) -> Vec<&str> {
    lines.iter().map(|l| l.split(' ').next().unwrap()).collect()
}

#[test]
fn simulation_starts_bridge_and_team() {
    let lines = print(
        "transport_sim.launch.xml",
        &["seed:=7", "run_id:=20260101", "rtf:=2"],
    );
    let expected = [
        "[g1-1]",
        "[g1-2]",
        "[verifier-3]",
        "[orchestrator-4]",
        "[viewer-5]",
        "[sim_bridge-6]",
    ];
    assert_eq!(labels(&lines), expected);
    for (line, parts) in [
        (
            0,
            "-r __node:=g1 -r __ns:=/g1_0 -p robot:=\"g1_0\" -p commands_enabled:=true",
        ),
        (
            1,
            "-r __node:=g1 -r __ns:=/g1_1 -p robot:=\"g1_1\" -p commands_enabled:=true",
        ),
        (2, "-r __node:=verifier -r __ns:=/team"),
        (3, "-p provider:=\"builtin\" -p model_url:=\"\""),
        (3, "-p run_id:=\"20260101\""),
        (4, "-p viewer_mode:=\"record\" -p cameras:=true"),
        (5, "-r __node:=sim_bridge -r __ns:=/ -p config:="),
        (5, "-p seed:=7 -p mode:=\"lockstep\" -p rtf:=2.0"),
    ] {
        assert!(lines[line].contains(parts), "{parts}\n{}", lines[line]);
    }
    assert!(lines[..5].iter().all(|l| l.contains("use_sim_time:=true")));
    assert!(lines[5].contains("use_sim_time:=false"));
}

#[test]
fn robots_start_without_bridge_and_with_commands_off() {
    let lines = print("transport_real.launch.xml", &["viewer:=false"]);
    assert_eq!(
        labels(&lines),
        ["[g1-1]", "[g1-2]", "[verifier-3]", "[orchestrator-4]"]
    );
    assert!(
        lines[..2]
            .iter()
            .all(|l| l.contains("-p commands_enabled:=false"))
    );
    assert!(
        lines
            .iter()
            .all(|l| l.contains("use_sim_time:=false") && l.contains("realtime"))
    );
}

#[test]
fn parts_can_be_left_out() {
    let lines = print(
        "transport_sim.launch.xml",
        &["viewer:=false", "orchestrator:=false"],
    );
    assert_eq!(
        labels(&lines),
        ["[g1-1]", "[g1-2]", "[verifier-3]", "[sim_bridge-4]"]
    );
}
