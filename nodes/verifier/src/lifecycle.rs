//! What must hold after lowering, release and retreat; the payload need not be on the arms any more.

use crate::errors::Scene;
use crate::measure::{Window, duty, payload_touches, robots_touch};
use crate::placement::{clearances, radius, release_gate, vertical};
use crate::transport::{always, in_formation, support};
use troupe_coordination::predicate;
use troupe_core::evidence::{Comparator, Predicate};
use troupe_core::skill::{SkillCall, SkillCode};
use troupe_core::state::TeamState;

/// Predicates of a lifecycle transaction.
pub(crate) fn predicates(scene: &Scene, window: &Window, calls: &[SkillCall], codes: &[SkillCode]) -> Vec<Predicate> {
    let mut all = always(scene, window, codes);
    let (Some(start), Some(end), Some(call)) = (window.start(), window.end(), calls.first()) else { return all };
    match call {
        // Raised from the target: on every robot's arms again.
        SkillCall::InitSupport => {
            all.push(support(scene, &window.tail));
            all.extend(in_formation(scene, end));
        }
        SkillCall::LowerToTarget => {
            all.push(radius(scene, end));
            all.push(release_gate(scene, end));
            all.push(carried_by_any(scene, &window.tail));
            all.extend(in_formation(scene, end));
        }
        SkillCall::Release => all.extend(on_target(scene, window, end)),
        SkillCall::Retreat { distance_m } => {
            all.extend(on_target(scene, window, end));
            all.push(gained(scene, start, end, *distance_m));
        }
        _ => {}
    }
    all
}

/// The target, or every robot, carries the payload long enough.
pub(crate) fn carried_by_any(scene: &Scene, tail: &[&TeamState]) -> Predicate {
    let share = duty(tail, |s| payload_touches(s, "stand") || scene.robots.iter().all(|r| s.supports(r)));
    Predicate::measured(predicate::PAYLOAD_CARRIED, share, Comparator::Ge, scene.task.transition.support_duty, "1")
}

/// The target carries the payload long enough.
pub(crate) fn carried_by_target(scene: &Scene, tail: &[&TeamState]) -> Predicate {
    let share = duty(tail, |s| payload_touches(s, "stand"));
    Predicate::measured(predicate::TARGET_SUPPORT, share, Comparator::Ge, scene.task.transition.support_duty, "1")
}

/// On the target, in place, and free of every robot throughout the tail; tilt is judged always.
fn on_target(scene: &Scene, window: &Window, end: &TeamState) -> Vec<Predicate> {
    let touched = duty(&window.tail, robots_touch);
    vec![
        radius(scene, end),
        vertical(scene, end),
        carried_by_target(scene, &window.tail),
        Predicate::measured(predicate::ROBOT_FREE, touched, Comparator::Le, 0.0, "1"),
    ]
}

/// The robot that gained least distance to the target has gained enough of what was asked.
fn gained(scene: &Scene, start: &TeamState, end: &TeamState, commanded_m: f64) -> Predicate {
    let limits = scene.task.transition;
    let gains = clearances(scene, end).into_iter().zip(clearances(scene, start)).map(|(after, before)| after - before);
    let least = gains.fold(f64::INFINITY, f64::min);
    let wanted = limits.progress_min_m.max(limits.progress_share * commanded_m);
    Predicate::measured(predicate::RETREAT_PROGRESS, least, Comparator::Ge, wanted, "m")
}
