//! Skill calls over the wire, in JSON, within bounds, and where arcs end.

use super::*;

fn bounds() -> SkillBounds {
    SkillBounds {
        distance_m: [0.02, 0.5],
        yaw_rad: [0.0087, 0.35],
        speed_mps: [0.2, 0.5],
        speed_rps: [0.1, 0.5],
        duration_s: [0.2, 3.0],
    }
}

/// CE-035.
#[test]
fn every_skill_survives_the_wire() {
    let calls = [
        SkillCall::Walk { distance_m: 0.25, direction: Direction::Left, speed_mps: 0.2 },
        SkillCall::Turn { yaw_rad: -0.2, speed_rps: 0.25 },
        SkillCall::Arc { distance_m: 0.2, yaw_rad: 0.26, speed_mps: 0.2 },
        SkillCall::Hold { duration_s: 1.0 },
        SkillCall::Stop,
        SkillCall::InitSupport,
        SkillCall::LowerToTarget,
        SkillCall::Release,
        SkillCall::Retreat { distance_m: 0.4 },
    ];
    for call in calls {
        let arguments: Vec<(String, f64)> = call.arguments().into_iter().map(|(n, v)| (n.to_owned(), v)).collect();
        let direction = call.direction().map_or("", Direction::name);
        assert_eq!(SkillCall::from_parts(call.name(), direction, &arguments), Ok(call));
        assert_eq!(bounds().check(&call), Ok(()));
        let text = serde_json::to_string(&call).unwrap();
        assert!(text.starts_with(&format!("{{\"skill\":\"{}\"", call.name())), "{text}");
        assert_eq!(serde_json::from_str::<SkillCall>(&text).unwrap(), call);
    }
    assert_eq!(SkillCall::NAMES.len(), calls.len());
}

/// CE-035, CE-036.
#[test]
fn refusals_name_what_is_allowed() {
    let text = |r: Result<SkillCall, SkillError>| r.unwrap_err().to_string();
    assert!(text(SkillCall::from_parts("fly", "", &[])).contains("walk"));
    assert!(text(SkillCall::from_parts("walk", "up", &[("distance_m".into(), 0.2), ("speed_mps".into(), 0.2)])).contains("forward"));
    assert!(text(SkillCall::from_parts("hold", "", &[])).contains("duration_s"));
    assert!(text(SkillCall::from_parts("stop", "", &[("distance_m".into(), 0.2)])).contains("no arguments"));
    let far = SkillCall::Walk { distance_m: 0.6, direction: Direction::Forward, speed_mps: 0.3 };
    assert!(bounds().check(&far).unwrap_err().to_string().contains("0.02 to 0.5"));
    let nan = SkillCall::Hold { duration_s: f64::NAN };
    assert!(matches!(bounds().check(&nan), Err(SkillError::NotFinite { .. })));
    let negative = SkillCall::Walk { distance_m: -0.2, direction: Direction::Forward, speed_mps: 0.3 };
    assert!(bounds().check(&negative).is_err());
}

#[test]
fn an_arc_ends_on_its_circle() {
    let quarter = SkillCall::Arc { distance_m: std::f64::consts::FRAC_PI_2, yaw_rad: std::f64::consts::FRAC_PI_2, speed_mps: 0.2 };
    let end = quarter.intended();
    assert!((end.x - 1.0).abs() < 1e-12 && (end.y - 1.0).abs() < 1e-12);
}

#[test]
fn an_arc_around_a_neighbour_keeps_it_where_it_was() {
    use crate::frames::Planar;
    for centre in [Direction::Forward, Direction::Back, Direction::Left, Direction::Right] {
        for yaw_rad in [-0.3, 0.05, 0.3] {
            let call = SkillCall::around(centre, 1.5, yaw_rad, 0.2);
            let end = call.intended();
            let [x, y] = centre.unit().map(|u| 1.5 * u);
            let seen = end.inverse_of(Planar { x, y, yaw: 0.0 });
            assert!((seen.x - x).abs() < 1e-9 && (seen.y - y).abs() < 1e-9, "{call:?} {seen:?}");
            assert!((end.yaw - yaw_rad).abs() < 1e-12 && call.name() == "arc");
            let parts: Vec<(String, f64)> = call.arguments().into_iter().map(|(n, v)| (n.to_owned(), v)).collect();
            let direction = call.direction().map_or("", Direction::name);
            assert_eq!(SkillCall::from_parts("arc", direction, &parts), Ok(call));
        }
    }
}
