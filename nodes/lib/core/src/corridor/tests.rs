use super::body::Start;
use super::*;
use crate::frames::{Planar, wrap};
use crate::route::{Route, SegmentKind};
use proptest::prelude::*;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn config() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../config")
}

fn text(world: &str) -> Result<WorldText, crate::config::ConfigError> {
    world_text(&config(), world, |file| std::fs::read_to_string(file))
}

fn sampler() -> SamplerConfig {
    let file = config().join("worlds/sampler.yaml");
    SamplerConfig::load(&file, std::fs::read_to_string(&file)).unwrap()
}

#[derive(Deserialize)]
struct Walls {
    thickness_m: f64,
    lines: Vec<Line>,
}

#[derive(Deserialize)]
struct Line {
    from_m: [f64; 2],
    to_m: [f64; 2],
}

/// The tightest place of a world and its route; `None` for teams that do not stand side by side.
fn tight(text: &WorldText) -> Option<(Tight, Route)> {
    let (_, body) = text.parse::<Start>().unwrap().team(sampler().clearance.robot_radius_m)?;
    let walls: Walls = text.part("walls").unwrap();
    let route: Route = text.part("route").unwrap();
    let lines: Vec<_> = walls.lines.iter().map(|l| [l.from_m, l.to_m]).collect();
    Some((least_clearance(&route.segments, &body, &lines, walls.thickness_m).unwrap(), route))
}

/// What every route must be, sampled or written by hand.
fn check_route(route: &Route) {
    let ids: BTreeSet<&str> = route.segments.iter().map(|s| s.id.as_str()).collect();
    assert_eq!(ids.len(), route.segments.len(), "{ids:?}");
    assert_eq!(route.segments.last().map(|s| s.kind), Some(SegmentKind::Approach));
    // A payload that follows the route passes the gates one after the other.
    let mut passed: Vec<String> = Vec::new();
    for (index, segment) in route.segments.iter().enumerate() {
        let corner = segment.kind == SegmentKind::Corner;
        let next = route.segments.get(index + 1);
        let [x, y] = if corner { next.unwrap().start } else { segment.end };
        passed = route.passed(&passed, Planar { x, y, yaw: segment.gate.heading_rad });
        assert_eq!(passed.len(), index + 1, "{} does not pass its gate alone", segment.id);
        if !corner {
            assert!(wrap(segment.gate.heading_rad - segment.heading_rad()).abs() < 1e-5, "{}", segment.id);
        }
        for boundary in [&segment.left_boundary, &segment.right_boundary] {
            assert!(boundary.len() >= 2, "{}", segment.id);
        }
        assert!(segment.across_m(segment.left_boundary[0]) > 0.5, "{}", segment.id);
        assert!(segment.across_m(segment.right_boundary[0]) < -0.5, "{}", segment.id);
    }
    let [tx, ty, _] = route.target.position;
    let end = route.segments.last().unwrap().end;
    assert!((tx - end[0]).hypot(ty - end[1]) < 1e-6);
}

#[test]
fn shipped_layouts_leave_room() {
    let mut seen = 0;
    for entry in std::fs::read_dir(config().join("worlds")).unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        if name == "sampler" {
            continue;
        }
        let Some((tight, route)) = tight(&text(&name).unwrap()) else { continue };
        assert!(tight.clearance_m >= sampler().clearance.least_m, "{name}: {tight:?}");
        check_route(&route);
        seen += 1;
    }
    assert!(seen >= 3, "{seen}");
}

/// L1 is what its own numbers lay.
#[test]
fn the_base_layout_is_laid_again_from_its_lengths() {
    let l1 = text("l1").unwrap();
    let (start, body) = l1.parse::<Start>().unwrap().team(0.3).unwrap();
    let straight = |length_m| Straight { length_m, width_m: 2.4, narrowing: None };
    let corridor =
        Corridor { start, straights: vec![straight(2.27), straight(2.03)], turns: vec![Turn::Left], behind_m: 1.63, beyond_m: 1.37 };
    let route: Route = l1.part("route").unwrap();
    let target = corridor.target();
    assert!((target.x - route.target.position[0]).hypot(target.y - route.target.position[1]) < 1e-9);
    let walls: Walls = l1.part("walls").unwrap();
    for line in &walls.lines {
        let same = |[a, b]: &[[f64; 2]; 2]| {
            let apart = |p: [f64; 2], q: [f64; 2]| (p[0] - q[0]).hypot(p[1] - q[1]);
            let (from, to) = (line.from_m, line.to_m);
            (apart(*a, from) + apart(*b, to)).min(apart(*a, to) + apart(*b, from)) < 1e-3
        };
        assert!(corridor.walls(walls.thickness_m).iter().any(same), "{:?}", line.from_m);
    }
    let config = MilestoneConfig { every_m: 0.9, early_m: 0.08, width_m: 1.0, target_width_m: 0.3, heading_tolerance_rad: 0.26 };
    let laid = corridor.segments(&body, &config);
    assert_eq!(laid.len(), route.segments.len());
    for (laid, written) in laid.iter().zip(&route.segments) {
        assert_eq!(laid.kind, written.kind);
        assert!((laid.end[0] - written.end[0]).hypot(laid.end[1] - written.end[1]) < 0.02, "{}", written.id);
    }
}

#[test]
fn a_turn_to_the_right_mirrors_one_to_the_left() {
    let straights = vec![Straight { length_m: 2.0, width_m: 2.0, narrowing: None }; 2];
    let corridor = |turn| Corridor {
        start: Planar::default(),
        straights: straights.clone(),
        turns: vec![turn],
        behind_m: 1.0,
        beyond_m: 1.0,
    };
    let (left, right) = (corridor(Turn::Left), corridor(Turn::Right));
    assert!((left.target().y - 2.0).abs() < 1e-12 && (right.target().y + 2.0).abs() < 1e-12);
    let mirrored: Vec<[f64; 2]> = left.boundary(1, Side::Left, 0.0).into_iter().map(|[x, y]| [x, -y]).collect();
    for (a, b) in mirrored.iter().zip(right.boundary(1, Side::Right, 0.0)) {
        assert!((a[0] - b[0]).hypot(a[1] - b[1]) < 1e-9);
    }
}

#[test]
fn a_wall_in_the_way_is_found() {
    let (_, body) = text("l1").unwrap().parse::<Start>().unwrap().team(0.3).unwrap();
    let route: Route = text("l1").unwrap().part("route").unwrap();
    let tight = least_clearance(&route.segments, &body, &[[[1.0, 0.5], [1.0, 2.0]]], 0.05).unwrap();
    assert!(tight.clearance_m < 0.0 && tight.segment == "straight_a_middle", "{tight:?}");
    assert_eq!(least_clearance(&route.segments, &body, &[], 0.05), None);
}

#[test]
fn unknown_names_say_what_is_allowed() {
    for name in ["l99", "", "sampler", "../tasks/transport", "sampled-", "sampled-x", "sampled--1", "sampled-007", "sampled-1.5"] {
        let error = text(name).unwrap_err().to_string();
        for words in ["sampled-<n>", "worlds", "world", "allowed"] {
            assert!(error.contains(words), "{error} lacks {words}");
        }
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    assert!(text("sampled-18446744073709551615").is_ok());
}

#[test]
fn bad_samplers_name_file_and_key() {
    let file = config().join("worlds/sampler.yaml");
    let shipped = std::fs::read_to_string(&file).unwrap();
    for (from, to, key) in [
        ("width_m: [1.8, 2.6]", "width_m: [1.2, 2.6]", "width_m[0]"),
        ("share: 0.5", "share: 1.5", "narrowing.share"),
        ("[left]", "[up]", "shapes"),
        ("base: l1", "basis: l1", "basis"),
    ] {
        let text = shipped.replacen(from, to, 1);
        assert_ne!(text, shipped, "{from}");
        let error = SamplerConfig::load(&file, Ok(text)).unwrap_err().to_string();
        assert!(error.contains("sampler.yaml") && error.contains(key), "{error}");
    }
}

#[test]
fn every_shape_and_narrowings_are_drawn() {
    let (start, body) = text("l1").unwrap().parse::<Start>().unwrap().team(0.3).unwrap();
    let corridors: Vec<Corridor> = (0..200).map(|n| sampler().corridor(n, start, &body)).collect();
    for shape in &sampler().shapes {
        assert!(corridors.iter().filter(|c| &c.turns == shape).count() > 20, "{shape:?}");
    }
    let narrow = corridors.iter().filter(|c| c.straights.iter().any(|s| s.narrowing.is_some())).count();
    assert!((60..140).contains(&narrow), "{narrow}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn sampled_worlds_fit_their_team(number in any::<u64>()) {
        let name = format!("{SAMPLED}{number}");
        let world = text(&name).unwrap();
        prop_assert_eq!(&world, &text(&name).unwrap());
        let (tight, route) = tight(&world).unwrap();
        prop_assert!(tight.clearance_m >= sampler().clearance.least_m, "{:?}", tight);
        check_route(&route);
        prop_assert_eq!(world.part::<String>("name").unwrap(), name);
    }

    #[test]
    fn numbers_stay_in_their_ranges(number in any::<u64>()) {
        let (start, body) = text("l1").unwrap().parse::<Start>().unwrap().team(0.3).unwrap();
        let config = sampler();
        let corridor = config.corridor(number, start, &body);
        prop_assert_eq!(corridor.straights.len(), corridor.turns.len() + 1);
        for straight in &corridor.straights {
            prop_assert!((config.width_m[0]..=config.width_m[1]).contains(&straight.width_m));
            if let Some(n) = straight.narrowing {
                prop_assert!(n.width_m >= config.narrowing.width_m[0] && n.width_m <= straight.width_m);
                prop_assert!(n.along_m[0] - n.taper_m > 0.0 && n.along_m[1] + n.taper_m < straight.length_m);
            }
        }
    }

    #[test]
    fn names_never_panic(name in "\\PC{0,40}") {
        let _ = text(&name);
    }

    /// Inside a corridor, boundaries are as far from the centre line as its width says.
    #[test]
    fn boundaries_keep_the_width(number in any::<u64>(), share in 0.0f64..1.0) {
        let (start, body) = text("l1").unwrap().parse::<Start>().unwrap().team(0.3).unwrap();
        let corridor = sampler().corridor(number, start, &body);
        let lines = corridor.walls(0.0);
        for (frame, straight) in corridor.frames().iter().zip(&corridor.straights) {
            let point = frame.compose(Planar { x: share * straight.length_m, y: 0.0, yaw: 0.0 });
            let narrowest = straight.narrowing.map_or(straight.width_m, |n| n.width_m);
            let least = narrowest.min(corridor.straights.iter().map(|s| s.width_m).fold(f64::INFINITY, f64::min));
            let slim = Body { lead_m: 0.0, distance_m: 0.0, half_extents_m: [0.0, 0.0], robot_radius_m: 0.0 };
            let here = crate::route::Segment {
                id: "here".into(), kind: SegmentKind::Straight, start: [point.x, point.y],
                end: [point.x + 1e-3 * frame.yaw.cos(), point.y + 1e-3 * frame.yaw.sin()],
                gate: crate::route::Gate { position: [0.0; 2], heading_rad: 0.0, width_m: 1.0, heading_tolerance_rad: 0.1 },
                left_boundary: vec![], right_boundary: vec![],
            };
            let tight = least_clearance(&[here], &slim, &lines, 0.0).unwrap();
            // A slope's face is nearer to a point beside it than its narrow end by the slope's angle only.
            prop_assert!(tight.clearance_m >= 0.5 * least - 0.02, "{} of {}", tight.clearance_m, least);
        }
    }
}
