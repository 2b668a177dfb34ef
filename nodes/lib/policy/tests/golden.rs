//! The shipped policies against the reference runtime, and what they say about themselves.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test may fail by panicking

use std::path::PathBuf;
use troupe_policy::{ACTIONS, OBSERVATIONS, WalkPolicy, WalkingPolicy};

/// Path of a fetched asset.
fn asset(path: &str) -> PathBuf {
    let folder = std::env::var_os("TROUPE_ASSETS")
        .expect("TROUPE_ASSETS must name the folder of fetched assets; `./run setup` fetches them, `./run test` sets it");
    PathBuf::from(folder).join(path)
}

fn load(file: &str) -> WalkPolicy {
    WalkPolicy::load(&asset(file)).unwrap()
}

/// Exact in binary: 100 values between −0.5 and 0.5.
fn observation() -> [f32; OBSERVATIONS] {
    std::array::from_fn(|i| ((i * 37 % 41) as f32 - 20.0) / 40.0)
}

fn assert_close(action: [f32; ACTIONS], golden: [f32; ACTIONS]) {
    for (i, (a, g)) in action.iter().zip(golden).enumerate() {
        assert!((a - g).abs() < 1e-4, "action {i}: {a} is not {g}");
    }
}

// Golden values: onnxruntime 1.32 on the same file.
#[rustfmt::skip]
const FASTSAC: [f32; ACTIONS] = [
    -2.372853, 0.4612458, -2.027853, 1.317737, -0.2563904, -0.1636232, -3.03023, 3.528956, 2.894906, 3.973369,
    -0.9946092, -0.04983364, 1.241832, 0.7944682, -0.1287001, 0.159009, -1.569979, -0.1145106, 0.0560348, -0.1233731,
    -0.4822837, 0.7600527, -0.8578535, -0.2412878, 1.520127, -0.9646596, -0.9552553, -0.5523043, -0.1960192,
];
#[rustfmt::skip]
const PPO: [f32; ACTIONS] = [
    -0.7963675, 0.8032393, -0.3301854, 0.3551111, -0.08767921, -1.682686, 1.454545, -1.084723, 1.614657, -2.52606,
    0.1623321, 0.956156, 0.5937952, 2.791802, 1.977584, 0.1288988, 0.2105759, -0.1724026, -0.271065, -0.2138548,
    -0.1148171, 0.009473184, 0.4030139, -0.02621083, 0.4668267, -0.3617383, -0.1209118, -0.1860176, -0.2412702,
];

#[test]
fn fastsac_matches_the_reference_runtime() {
    assert_close(load("g1/fastsac_g1_29dof.onnx").infer(&observation()).unwrap(), FASTSAC);
}

#[test]
fn ppo_matches_the_reference_runtime() {
    assert_close(load("g1/ppo_g1_29dof.onnx").infer(&observation()).unwrap(), PPO);
}

#[test]
fn equal_observations_give_equal_bytes_also_in_another_instance() {
    let (mut first, mut second) = (load("g1/fastsac_g1_29dof.onnx"), load("g1/fastsac_g1_29dof.onnx"));
    let bits = |action: [f32; ACTIONS]| action.map(f32::to_bits);
    let expected = bits(first.infer(&observation()).unwrap());
    first.infer(&[0.25; OBSERVATIONS]).unwrap();
    assert_eq!(bits(first.infer(&observation()).unwrap()), expected);
    assert_eq!(bits(second.infer(&observation()).unwrap()), expected);
    assert_eq!(bits(first.clone().infer(&observation()).unwrap()), expected);
}

#[test]
fn the_metadata_names_the_joints_and_gains() {
    let policy = load("g1/fastsac_g1_29dof.onnx");
    let metadata = policy.metadata();
    assert_eq!(metadata.joint_names[0], "left_hip_pitch_joint");
    assert_eq!(metadata.joint_names[28], "right_wrist_yaw_joint");
    assert!((metadata.kp[3] - 99.098427777).abs() < 1e-9 && (metadata.kd[28] - 1.068141502).abs() < 1e-9);
}

#[test]
fn a_missing_file_and_a_file_that_is_no_model_are_named() {
    let missing = WalkPolicy::load(&asset("g1/absent.onnx")).err().unwrap().to_string();
    assert!(missing.contains("absent.onnx"), "{missing}");
    let junk = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let error = WalkPolicy::load(&junk).err().unwrap().to_string();
    assert!(error.contains("Cargo.toml") && error.contains("ONNX"), "{error}");
}
