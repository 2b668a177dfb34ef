use super::*;
use crate::route::SegmentKind;
use std::f64::consts::FRAC_PI_2;

const L1: &str = include_str!("../../../../../config/worlds/l1.yaml");

#[derive(serde::Deserialize)]
struct WithRoute {
    route: Route,
}

fn config() -> PlannerConfig {
    PlannerConfig {
        cell_m: 0.1,
        clearance_m: 0.15,
        body_radius_m: 0.25,
        turn_cost_m: 1.0,
        segment_m: 1.0,
        gate_before_m: 0.08,
        gate_width_m: 1.0,
        gate_tolerance_rad: 0.26,
        arrival_before_m: 0.06,
        arrival_width_m: 0.3,
    }
}

fn task(walls: &[[[f64; 2]; 2]], target: [f64; 2], heading_rad: f64) -> Task {
    let robot = |y: f64| Planar { x: 0.0, y, yaw: 0.0 };
    Task {
        walls: walls.iter().map(|line| Wall { line: *line, thickness_m: 0.05 }).collect(),
        robots: vec![robot(0.4), robot(-0.4)],
        payload: Planar { x: 0.13, y: 0.0, yaw: 0.0 },
        half_extents_m: [0.05, 0.65],
        target: Target { position: [target[0], target[1], 0.86], heading_rad, radius_m: 0.3 },
    }
}

fn near(a: [f64; 2], b: [f64; 2], within: f64) -> bool {
    (a[0] - b[0]).hypot(a[1] - b[1]) <= within
}

#[test]
fn the_shipped_layout_gives_the_route_that_was_written_by_hand() {
    let file = Path::new("worlds/l1.yaml");
    let planned = plan_world(file, Ok(L1.to_owned()), &config()).unwrap();
    let written = crate::config::parse::<WithRoute>(file, L1).unwrap().route;
    let kinds = |r: &Route| r.segments.iter().map(|s| s.kind).collect::<Vec<_>>();
    assert_eq!(kinds(&planned), kinds(&written));
    for (ours, theirs) in planned.segments.iter().zip(&written.segments) {
        assert!(near(ours.start, theirs.start, 0.06) && near(ours.end, theirs.end, 0.06), "{ours:?} {theirs:?}");
        assert!(near(ours.gate.position, theirs.gate.position, 0.08), "{ours:?} {theirs:?}");
        let middle = [0.5 * (ours.start[0] + ours.end[0]), 0.5 * (ours.start[1] + ours.end[1])];
        assert!((ours.clearance_m(middle) - theirs.clearance_m(middle)).abs() < 0.01, "{ours:?}");
    }
    assert_eq!(planned.target, written.target);
    assert_eq!(planned, plan_world(file, Ok(L1.to_owned()), &config()).unwrap());
}

#[test]
fn straight_right_and_s_ways_end_at_the_target() {
    let right = [
        [[-1.5, 1.225], [3.625, 1.225]],
        [[3.625, 1.225], [3.625, -3.4]],
        [[-1.5, -1.225], [1.175, -1.225]],
        [[1.175, -1.225], [1.175, -3.4]],
    ];
    for (walls, target, heading, corners) in [
        (&right[..0], [3.0, 0.0], 0.0, 0),
        (&right[..], [2.4, -2.03], -FRAC_PI_2, 1),
        (&right[..0], [4.0, 2.0], 0.0, 2),
    ] {
        let route = plan(&task(walls, target, heading), &config()).unwrap();
        let turns = route.segments.iter().filter(|s| s.kind == SegmentKind::Corner).count();
        assert_eq!(turns, corners, "{target:?}");
        let last = route.segments.last().unwrap();
        assert_eq!((last.kind, last.id.as_str(), last.end), (SegmentKind::Approach, "target_region", target));
        let ids: std::collections::BTreeSet<&str> = route.segments.iter().map(|s| s.id.as_str()).collect();
        assert_eq!(ids.len(), route.segments.len());
        for pair in route.segments.windows(2).filter(|p| p[0].kind == SegmentKind::Straight) {
            assert!(near(pair[0].end, pair[1].start, 1e-9));
        }
    }
}

#[test]
fn what_cannot_be_reached_is_named() {
    let closed = [[[1.5, -9.0], [1.5, 9.0]], [[-9.0, 9.0], [1.5, 9.0]], [[-9.0, -9.0], [1.5, -9.0]], [[-9.0, -9.0], [-9.0, 9.0]]];
    let error = plan(&task(&closed, [3.0, 0.0], 0.0), &config()).unwrap_err();
    assert!(matches!(error, PlanError::NoWay { .. }), "{error}");
    let error = plan(&task(&[], [3.0, 0.0], 0.5), &config()).unwrap_err();
    assert!(matches!(error, PlanError::Heading { .. }), "{error}");
    let error = plan(&task(&[[[-1.0, 0.7], [1.0, 0.7]]], [3.0, 0.0], 0.0), &config()).unwrap_err();
    assert!(matches!(error, PlanError::Start { .. }), "{error}");
    let nobody = Task { robots: vec![], ..task(&[], [3.0, 0.0], 0.0) };
    assert_eq!(plan(&nobody, &config()), Err(PlanError::NoRobots));
    let error = plan_world(Path::new("worlds/x.yaml"), Ok("robots: []\n".into()), &config()).unwrap_err().to_string();
    assert!(error.contains("worlds/x.yaml") && error.contains("payload"), "{error}");
}

#[test]
fn a_wall_in_the_way_is_walked_around() {
    let wall = [[[1.5, -1.0], [1.5, 1.0]]];
    let route = plan(&task(&wall, [4.0, 0.0], 0.0), &config()).unwrap();
    assert!(route.segments.iter().filter(|s| s.kind == SegmentKind::Corner).count() >= 4);
    for segment in &route.segments {
        for share in 0..=10 {
            let t = f64::from(share) / 10.0;
            let p = [segment.start[0] + t * (segment.end[0] - segment.start[0]), segment.start[1] + t * (segment.end[1] - segment.start[1])];
            assert!((p[0] - 1.5).abs() > 0.2 || p[1].abs() > 1.2, "{p:?}");
        }
    }
}
