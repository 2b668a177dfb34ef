//! What must hold after any transaction that carries the payload (CE-071), and what must always hold.

use crate::errors::Scene;
use crate::measure::{Window, dropped, formation, payload_touches, pelvis_z, rest_speed, support_duty, torso_tilt, wall_impulse};
use troupe_coordination::predicate;
use troupe_core::evidence::{Comparator, Predicate};
use troupe_core::skill::SkillCode;
use troupe_core::state::TeamState;

fn flag(name: &str, count: usize) -> Predicate {
    Predicate::measured(name, count as f64, Comparator::Le, 0.0, "1")
}

/// Robots upright, nothing hit, nothing dropped, all skills done and at rest.
pub(crate) fn always(scene: &Scene, window: &Window, codes: &[SkillCode]) -> Vec<Predicate> {
    let limits = scene.task.transition;
    let tilt = window.most(|s| s.payload().map_or(f64::NAN, |p| p.tilt_rad));
    let drops = window.states.iter().filter(|s| dropped(s, limits.drop_z_m)).count();
    let failed = codes.iter().filter(|c| **c != SkillCode::None).count();
    let leaning = window.end().is_some_and(|s| payload_touches(s, "wall"));
    vec![
        flag(predicate::DROP, drops),
        Predicate::measured(predicate::PAYLOAD_TILT, tilt, Comparator::Le, limits.payload_tilt_rad, "rad"),
        Predicate::measured(predicate::TORSO_TILT, window.most(torso_tilt), Comparator::Le, limits.torso_tilt_rad, "rad"),
        Predicate::measured(predicate::PELVIS_Z, window.least(pelvis_z), Comparator::Ge, limits.pelvis_z_m, "m"),
        Predicate::measured(predicate::WALL_IMPULSE, wall_impulse(&window.states), Comparator::Le, limits.wall_impulse_ns, "N s"),
        flag(predicate::PAYLOAD_WALL_CONTACT, usize::from(leaning)),
        flag(predicate::SKILLS, failed),
        Predicate::measured(predicate::SETTLED, rest_speed(&window.tail, scene.robots), Comparator::Le, limits.rest_speed_mps, "m/s"),
    ]
}

/// Every robot supports the payload long enough.
pub(crate) fn support(scene: &Scene, tail: &[&TeamState]) -> Predicate {
    let limits = scene.task.transition;
    Predicate::measured(predicate::SUPPORT, support_duty(tail, scene.robots), Comparator::Ge, limits.support_duty, "1")
}

/// Distance and heading between the robots at the end.
pub(crate) fn in_formation(scene: &Scene, state: &TeamState) -> Vec<Predicate> {
    let (limits, wanted) = (scene.task.transition, scene.task.formation);
    let (distance_m, heading_rad) = formation(scene, state);
    let heading = (heading_rad - wanted.heading_offset_rad).abs();
    let distance = (distance_m - wanted.distance_m).abs();
    vec![
        Predicate::measured(predicate::FORMATION_DISTANCE, distance, Comparator::Le, limits.formation_distance_m, "m"),
        Predicate::measured(predicate::FORMATION_HEADING, heading, Comparator::Le, limits.formation_heading_rad, "rad"),
    ]
}

/// Predicates of a transaction in which the payload is carried on.
pub(crate) fn carried(scene: &Scene, window: &Window, codes: &[SkillCode]) -> Vec<Predicate> {
    let limits = scene.task.transition;
    let z_min = window.least(|s| s.payload().map_or(f64::NAN, |p| p.z_min_m));
    let mut all = always(scene, window, codes);
    all.push(support(scene, &window.tail));
    all.push(Predicate::measured(predicate::PAYLOAD_Z_MIN, z_min, Comparator::Ge, limits.payload_z_min_m, "m"));
    all.extend(window.end().map(|s| in_formation(scene, s)).unwrap_or_default());
    all
}
