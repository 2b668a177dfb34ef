//! The vendor's frozen policy on this robot's configuration.

use super::rig::{Rig, walk};
use crate::controller::G1;
use std::path::PathBuf;
use troupe_core::skill::{SkillCall, SkillCode};
use troupe_policy::WalkPolicy;

fn policy(rig: &Rig) -> WalkPolicy {
    let folder = std::env::var_os("TROUPE_ASSETS")
        .expect("TROUPE_ASSETS must name the folder of fetched assets; `./run setup` fetches them, `./run test` sets it");
    WalkPolicy::load(&PathBuf::from(folder).join(&rig.config.settings.policy)).unwrap()
}

fn rig() -> Rig {
    let mut rig = Rig::new();
    let policy = policy(&rig);
    rig.g1 = G1::new(rig.config.clone(), Box::new(policy), "g1_0");
    rig
}

#[test]
fn the_policy_was_trained_on_the_joints_and_gains_of_the_robot_file() {
    let rig = Rig::new();
    rig.config.joints.check_policy(policy(&rig).metadata()).unwrap();
    let mut other = rig.config.joints.clone();
    other.kp_exact[3] += 1.0;
    let error = other.check_policy(policy(&rig).metadata()).unwrap_err().to_string();
    assert!(error.contains("left_knee_joint"), "{error}");
}

#[test]
fn a_walk_and_the_support_stay_within_limits_and_replay_bit_for_bit() {
    let mut rig = rig();
    assert_eq!(rig.run(SkillCall::InitSupport).code, SkillCode::None);
    let goal = rig.goal(walk(0.25));
    rig.g1.accept("a".into(), goal).unwrap();
    for _ in 0..30 {
        rig.tick();
    }
    let mut twin = self::rig();
    twin.pose = rig.pose;
    twin.velocity = rig.velocity;
    twin.tick = rig.tick;
    twin.epoch = 1;
    twin.g1.restore(1, Some(&rig.g1.save()), true).unwrap();
    for _ in 0..150 {
        let (a, b) = (rig.tick().command.motors, twin.tick().command.motors);
        for (a, b) in a.iter().zip(b) {
            assert_eq!((a.q.to_bits(), a.kp.to_bits()), (b.q.to_bits(), b.kp.to_bits()));
        }
    }
}
