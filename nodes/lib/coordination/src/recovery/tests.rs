//! Every step is legal, the loop ends, and the ways back are tried from the mildest on.

use super::*;
use proptest::prelude::*;
use troupe_core::frames::{Pose, Twist};
use troupe_core::route::{Gate, RouteReference};
use troupe_core::state::{RobotMode, RobotState};

fn limits() -> RecoveryLimits {
    RecoveryLimits {
        kinds: 4,
        dispatches: 8,
        position_m: 0.05,
        yaw_rad: 0.06,
        step_m: 0.15,
        turn_rad: 0.3,
        speed_mps: 0.25,
        lateral_speed_mps: 0.2,
        speed_rps: 0.25,
        settle_s: 1.0,
        place_settle_s: 2.0,
    }
}

fn bounds() -> SkillBounds {
    SkillBounds {
        distance_m: [0.02, 0.5],
        yaw_rad: [0.0087, 0.349],
        speed_mps: [0.2, 0.5],
        speed_rps: [0.1, 0.5],
        duration_s: [0.2, 3.0],
    }
}

fn state(poses: &[Planar]) -> TeamState {
    let robots = poses.iter().enumerate().map(|(i, p)| RobotState {
        robot: format!("g1_{i}"),
        kind: "g1".into(),
        base: Pose::upright([p.x, p.y, 0.76], p.yaw),
        twist: Twist::default(),
        torso_tilt_rad: 0.0,
        mode: RobotMode::Idle,
        controller_epoch: 0,
        privileged: true,
        pose_std_m: 0.0,
    });
    TeamState {
        tick: 0,
        stamp_s: 0.0,
        context_epoch: 0,
        robots: robots.collect(),
        payloads: vec![],
        contacts: vec![],
        route: RouteReference {
            segment_id: String::new(),
            direction: [1.0, 0.0],
            local_target: [0.0, 0.0],
            left_boundary: vec![],
            right_boundary: vec![],
            gate: Gate { position: [0.0, 0.0], heading_rad: 0.0, width_m: 1.0, heading_tolerance_rad: 0.2 },
        },
    }
}

/// Robots that go exactly where they are told; returns the steps until the kind is through.
fn play(kind: RecoveryKind, poses: &mut [Planar], home: &[Planar], last: &[SkillCall]) -> Vec<Step> {
    let mut done = Vec::new();
    for _ in 0..40 {
        let state = state(poses);
        let (bounds, limits) = (bounds(), limits());
        let formation = Formation { distance_m: 0.8, heading_offset_rad: 0.0 };
        let now = Situation { state: &state, home, last, formation, bounds: &bounds, limits: &limits };
        let Some(step) = next(kind, &done, &now) else { return done };
        if let Step::Dispatch(calls) = &step {
            assert_eq!(calls.len(), poses.len());
            for (pose, call) in poses.iter_mut().zip(calls) {
                assert!(bounds.check(call).is_ok(), "{call:?}");
                *pose = pose.compose(call.intended());
            }
        }
        done.push(step);
    }
    panic!("{kind:?} does not end");
}

const HOME: [Planar; 2] = [Planar { x: 0.0, y: 0.4, yaw: 0.0 }, Planar { x: 0.0, y: -0.4, yaw: 0.0 }];

#[test]
fn backing_off_undoes_walks_turns_and_arcs() {
    let walk = SkillCall::Walk { distance_m: 0.3, direction: Direction::Left, speed_mps: 0.2 };
    let pairs = [
        vec![walk; 2],
        vec![SkillCall::Turn { yaw_rad: 0.3, speed_rps: 0.25 }, SkillCall::Arc { distance_m: 0.24, yaw_rad: 0.3, speed_mps: 0.2 }],
    ];
    for calls in pairs {
        let mut poses = HOME;
        for (pose, call) in poses.iter_mut().zip(&calls) {
            *pose = pose.compose(call.intended());
        }
        assert_eq!(play(RecoveryKind::BackOff, &mut poses, &HOME, &calls).len(), 1);
        for (pose, home) in poses.iter().zip(HOME) {
            assert!(pose.distance(&home) < 1e-9 && wrap(pose.yaw - home.yaw).abs() < 1e-9);
        }
    }
    assert_eq!(inverse(&[SkillCall::Release; 2]), None);
    assert_eq!(inverse(&[SkillCall::Hold { duration_s: 1.0 }; 2]), None);
}

#[test]
fn a_relay_is_picked_up_walked_home_raised_and_laid_on() {
    let mut poses = [Planar { x: 0.3, y: 0.2, yaw: 0.5 }, Planar { x: 0.1, y: -0.7, yaw: -0.2 }];
    let steps = play(RecoveryKind::Relay, &mut poses, &HOME, &[]);
    assert_eq!(steps.first(), Some(&Step::Hoist));
    let end = [Step::Dispatch(vec![SkillCall::InitSupport; 2]), Step::Place, Step::Wait];
    assert!(steps.ends_with(&end), "{steps:?}");
    for (pose, home) in poses.iter().zip(HOME) {
        assert!(pose.distance(&home) < 0.08 && wrap(pose.yaw - home.yaw).abs() < 0.07, "{pose:?}");
    }
}

#[test]
fn the_mildest_way_comes_first_and_an_operator_last() {
    use RecoveryKind::{BackOff, Hold, Home, Regrip, Relay};
    let walk = [SkillCall::Walk { distance_m: 0.3, direction: Direction::Left, speed_mps: 0.2 }; 2];
    let fails = |name: &str| vec![name.to_owned()];
    let mut tried = vec![];
    let drift = fails(predicate::FORMATION_HEADING);
    for kind in [Hold, BackOff, Home, Relay, Home] {
        assert_eq!(choose(&drift, &walk, &tried, false), Some(kind));
        tried.push(kind);
    }
    assert_eq!(choose(&drift, &walk, &tried, false), None);
    assert_eq!(choose(&fails(predicate::DROP), &walk, &[Hold], false), Some(Relay));
    assert_eq!(choose(&fails(predicate::PELVIS_Z), &walk, &[Hold], false), None);
    assert_eq!(choose(&[], &[SkillCall::LowerToTarget; 2], &[], false), Some(Regrip));
    assert_eq!(choose(&fails(predicate::DROP), &[SkillCall::Release; 2], &[], false), Some(Relay));
    assert_eq!(choose(&fails(predicate::SUPPORT), &[SkillCall::Hold { duration_s: 1.0 }; 2], &[Hold], false), Some(Relay));
}

proptest! {
    #[test]
    fn every_kind_ends_with_legal_calls(
        dx in -0.6f64..0.6, dy in -0.3f64..0.3, ya in -0.8f64..0.8, yb in -0.8f64..0.8, kind in 0usize..6,
    ) {
        let mut poses = [Planar { x: dx, y: 0.4 + dy, yaw: ya }, Planar { x: -dx, y: -0.45, yaw: yb }];
        let last = [SkillCall::Turn { yaw_rad: 0.2, speed_rps: 0.2 }; 2];
        let steps = play(RecoveryKind::ALL[kind], &mut poses, &HOME, &last);
        prop_assert!(steps.len() <= 8 + 4, "{:?}", steps);
    }
}
