//! Files that do not fit are refused with file, key, value and what is allowed.
#![allow(clippy::unwrap_used, clippy::panic, clippy::float_cmp)]

mod support;

use std::path::PathBuf;
use troupe_world::WorldDescription;

/// A copy of the checkout's files in which `from` is replaced by `to` in the named file.
fn changed(file: &str, from: &str, to: &str) -> (tempfile::TempDir, PathBuf) {
    let root = support::world_file().parent().unwrap().join("../..").canonicalize().unwrap();
    let folder = tempfile::tempdir().unwrap();
    for name in ["config/worlds/l1.yaml", "config/robots/g1.yaml", "urdf/g1/g1.urdf"] {
        let target = folder.path().join(name);
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        let mut text = std::fs::read_to_string(root.join(name)).unwrap();
        if name.ends_with(file) {
            assert!(text.contains(from), "{from} is not in {name}");
            text = text.replacen(from, to, 1);
        }
        std::fs::write(target, text).unwrap();
    }
    let world = folder.path().join("config/worlds/l1.yaml");
    (folder, world)
}

fn refusal(file: &str, from: &str, to: &str) -> String {
    let (_folder, world) = changed(file, from, to);
    WorldDescription::load(&world).map(|_| "accepted").unwrap_err().to_string()
}

fn assert_words(message: &str, words: &[&str]) {
    for word in words {
        assert!(message.contains(word), "`{message}` lacks `{word}`");
    }
}

#[test]
fn unknown_keys_and_wrong_values() {
    assert_words(&refusal("l1.yaml", "  impratio: 10.0", "  imp_ratio: 10.0"), &["l1.yaml", "physics", "imp_ratio"]);
    assert_words(&refusal("l1.yaml", "timestep_s: 0.005", "timestep_s: 0.004"), &["l1.yaml", "physics.substeps", "0.016", "0.02"]);
    assert_words(&refusal("l1.yaml", "mass_kg: 0.5", "mass_kg: -0.5"), &["payload.mass_kg", "-0.5", "allowed"]);
    assert_words(&refusal("l1.yaml", "condim: 3", "condim: 5"), &["floor.contact.condim", "5", "1, 3, 4, 6"]);
    assert_words(&refusal("l1.yaml", "name: g1_1,", "name: g1_0,"), &["robots[1].name", "g1_0", "taken"]);
    let (as_is, other) = ("[0.0, -0.4], yaw_rad: 0.0", "[0.0, -0.4], yaw_rad: 0.0, support: upside_down");
    assert_words(&refusal("l1.yaml", as_is, other), &["robots[1].support", "upside_down", "transverse", "facing"]);
    assert_words(&refusal("l1.yaml", "robot: g1_1", "robot: g1_9"), &["cameras[3]", "g1_9", "g1_0, g1_1"]);
}

#[test]
fn joints_that_the_urdf_lacks_and_limits_it_does_not_allow() {
    assert_words(&refusal("g1.yaml", "name: left_knee_joint", "name: left_gnee_joint"), &["g1.yaml", "joints[3].name", "left_gnee_joint", "g1.urdf"]);
    assert_words(&refusal("g1.yaml", "effort_nm: 88", "effort_nm: 890"), &["joints[0].effort_nm", "left_hip_pitch_joint", "890", "88"]);
    assert_words(&refusal("g1.yaml", "torso_link: torso_link", "torso_link: chest"), &["torso_link", "chest"]);
}

#[test]
fn missing_files_are_named() {
    assert_words(&refusal("l1.yaml", "../robots/g1.yaml", "../robots/g9.yaml"), &["g9.yaml"]);
    assert_words(&refusal("g1.yaml", "../../urdf/g1/g1.urdf", "../../urdf/g1/g9.urdf"), &["g9.urdf"]);
}
