//! Moves are legal, margins are kept, and the best candidate is the one that breaks least.

use super::*;
use crate::pairing;
use proptest::prelude::*;
use troupe_core::decision::{Mode, Role};
use troupe_core::observation::RobotView;
use troupe_core::route::{Gate, RouteReference};

fn bounds() -> SkillBounds {
    SkillBounds {
        distance_m: [0.02, 0.5],
        yaw_rad: [0.0087, 0.349],
        speed_mps: [0.2, 0.5],
        speed_rps: [0.1, 0.5],
        duration_s: [0.2, 3.0],
    }
}

fn observation(kind: SegmentKind, across_m: f64, heading_error_rad: f64, yaw: f64) -> Observation {
    let robot = |name: &str, left_m: f64| RobotView {
        robot: name.into(),
        x_m: -left_m * yaw.sin(),
        y_m: left_m * yaw.cos(),
        yaw_rad: yaw,
        torso_tilt_rad: 0.0,
        supports_payload: true,
    };
    let gate = Gate { position: [2.0, 0.0], heading_rad: 0.0, width_m: 1.0, heading_tolerance_rad: 0.26 };
    Observation {
        tick: 0,
        context_epoch: 0,
        robots: vec![robot("a", 0.4), robot("b", -0.4)],
        team: Planar { x: 0.0, y: 0.0, yaw },
        payload: Planar { x: 0.13, y: 0.0, yaw },
        payload_z_m: 0.9,
        payload_tilt_rad: 0.0,
        formation_distance_m: 0.8,
        formation_heading_rad: 0.0,
        segment_kind: kind,
        segment: RouteReference {
            segment_id: "s".into(),
            direction: [1.0, 0.0],
            local_target: [2.0, 0.0],
            left_boundary: vec![],
            right_boundary: vec![],
            gate,
        },
        along_m: 0.0,
        remaining_m: 1.0,
        across_m,
        heading_error_rad,
    }
}

fn moves(observation: &Observation, placing: bool, stage: Stage) -> Vec<Vec<SkillCall>> {
    let target = Target { position: [0.15, 0.02, 0.86], heading_rad: 0.0, radius_m: 0.3 };
    let formation = Formation { distance_m: 0.8, heading_offset_rad: 0.0 };
    primitives(&Outlook { observation, stage, placing, target, formation, bounds: &bounds() })
}

fn forecast(support_duty: f64, tilt: f64, clearance: f64) -> Forecast {
    Forecast {
        support_duty,
        payload_tilt_rad: tilt,
        clearance_m: Some(clearance),
        payload_z_min_m: 0.9,
        settled: true,
        progress_m: 0.2,
        refused: String::new(),
        ..Forecast::refused(&[], "")
    }
}

const LIMITS: LookAheadLimits = LookAheadLimits { support_duty: 0.9, tilt_rad: 0.26, clearance_m: 0.05, robot_radius_m: 0.25 };

#[test]
fn the_likeliest_move_comes_first() {
    let straight = moves(&observation(SegmentKind::Straight, 0.2, 0.0, 0.0), false, Stage::Carrying);
    assert_eq!(straight[0][0].direction(), Some(Direction::Forward));
    assert_eq!(straight[1][0].direction(), Some(Direction::Right));
    let corner = moves(&observation(SegmentKind::Corner, 0.0, 1.5, 0.0), false, Stage::Carrying);
    assert_eq!((corner[0][0].name(), corner[0][1].name()), ("turn", "arc"));
    let right = moves(&observation(SegmentKind::Corner, 0.0, -1.5, 0.0), false, Stage::Carrying);
    assert_eq!((right[0][0].name(), right[0][1].name()), ("arc", "turn"));
    let target = moves(&observation(SegmentKind::Approach, 0.0, 0.0, 0.0), true, Stage::Carrying);
    assert_eq!(target[0][0], SkillCall::LowerToTarget);
    assert!(moves(&observation(SegmentKind::Approach, 0.0, 0.0, 0.0), true, Stage::Lowered).is_empty());
}

#[test]
fn one_safe_move_is_enough_and_none_is_a_failure() {
    let bad = forecast(0.5, 0.1, 0.5);
    let (predicate, _, _) = judge(&[bad.clone(), forecast(1.0, 0.1, 0.5)], &LIMITS).unwrap();
    assert!(predicate.passed);
    let (predicate, failure, words) = judge(&[bad], &LIMITS).unwrap();
    assert!(!predicate.passed && failure == Some(FailureType::SupportLost) && words.contains("0.50"), "{words}");
    let (_, failure, _) = judge(&[forecast(1.0, 0.1, 0.01)], &LIMITS).unwrap();
    assert_eq!(failure, Some(FailureType::WallContact));
    let (predicate, ..) = judge(&[Forecast::refused(&[], "stopped")], &LIMITS).unwrap();
    assert!(!predicate.passed);
    assert!(judge(&[], &LIMITS).is_none());
}

#[test]
fn the_best_candidate_breaks_least_then_goes_furthest() {
    let limits = TransitionLimits {
        support_window_s: 0.5,
        support_duty: 0.8,
        payload_tilt_rad: 0.35,
        payload_z_min_m: 0.45,
        torso_tilt_rad: 0.52,
        pelvis_z_m: 0.55,
        wall_impulse_ns: 2.0,
        formation_distance_m: 0.15,
        formation_heading_rad: 0.26,
        rest_speed_mps: 0.05,
        progress_min_m: 0.02,
        progress_share: 0.4,
        corner_share: 0.3,
        setup_fall: 0.2,
        setup_growth: 0.1,
        drop_z_m: 0.3,
    };
    let pairs = PairLimits { distance_m: 0.02, yaw_rad: 0.02 };
    let mut far = forecast(0.2, 0.1, 0.5);
    far.progress_m = 0.5;
    let mut near = forecast(1.0, 0.1, 0.5);
    near.progress_m = 0.1;
    let middle = forecast(1.0, 0.1, 0.5);
    let refused = Forecast::refused(&[], "no");
    assert_eq!(best(&[refused.clone(), far, near, middle.clone(), middle], &limits, &pairs), Some(3));
    assert_eq!(best(&[refused], &limits, &pairs), None);
}

proptest! {
    #[test]
    fn every_move_is_inside_the_bounds_and_pairs(
        across in -0.6f64..0.6, error in -3.0f64..3.0, yaw in -3.0f64..3.0, remaining in -0.5f64..2.0, kind in 0u8..3,
    ) {
        let kind = [SegmentKind::Straight, SegmentKind::Corner, SegmentKind::Approach][usize::from(kind)];
        let mut o = observation(kind, across, error, yaw);
        o.remaining_m = remaining;
        let pairs = PairLimits { distance_m: 0.02, yaw_rad: 0.02 };
        let all = moves(&o, false, Stage::Carrying);
        prop_assert!(!all.is_empty());
        for calls in all {
            prop_assert_eq!(calls.len(), 2);
            for call in &calls {
                prop_assert!(bounds().check(call).is_ok(), "{:?}", call);
            }
            let roles = match calls[0].name() {
                "turn" => [Role::InnerSupport, Role::OuterMover],
                "arc" => [Role::OuterMover, Role::InnerSupport],
                _ => [Role::Peer; 2],
            };
            let mode = if roles[0] == Role::Peer { Mode::Sync } else { Mode::Asym };
            prop_assert!(pairing::check(mode, &roles, &calls, &pairs, 0.0).is_empty());
        }
    }
}
