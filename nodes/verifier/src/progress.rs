//! The progress rule: PROGRESS, SETUP or neither (CE-072).

use crate::errors::{Errors, Scene, progress_m};
use crate::measure::Window;
use troupe_coordination::predicate;
use troupe_core::decision::Decision;
use troupe_core::evidence::{Comparator, FailureType, Predicate, VerdictKind};
use troupe_core::skill::SkillCall;

/// What a transport transaction achieved.
pub(crate) struct Advance {
    /// Kind of the verdict.
    pub kind: VerdictKind,
    /// The predicates that it rests on; all pass exactly when something was achieved.
    pub predicates: Vec<Predicate>,
    /// A better name for the failure than the predicates give.
    pub failure: Option<FailureType>,
}

/// Mean translation that the calls ask for, m.
fn commanded_m(calls: &[SkillCall]) -> f64 {
    let lengths = calls.iter().map(SkillCall::intended).map(|p| p.x.hypot(p.y));
    lengths.sum::<f64>() / calls.len().max(1) as f64
}

/// Largest turn that a call asks for, rad.
fn commanded_yaw(calls: &[SkillCall]) -> f64 {
    calls.iter().map(|c| c.intended().yaw.abs()).fold(0.0, f64::max)
}

/// Judges what a transport decision achieved.
pub(crate) fn advance(scene: &Scene, decision: &Decision, calls: &[SkillCall], window: &Window) -> Advance {
    let limits = scene.task.transition;
    let (Some(start), Some(end)) = (window.start(), window.end()) else {
        return Advance { kind: VerdictKind::Progress, predicates: vec![], failure: Some(FailureType::Sensor) };
    };
    let way_m = progress_m(scene, start, end);
    let least_m = limits.progress_min_m.max(limits.progress_share * commanded_m(calls));
    let progress = Predicate::measured(predicate::PROGRESS, way_m, Comparator::Ge, least_m, "m");

    let (before, after) = (Errors::of(scene, start, &window.lead), Errors::of(scene, end, &window.tail));
    let yaw = commanded_yaw(calls);
    let turned = before.heading_rad - after.heading_rad;
    let corner = (yaw > 0.0).then(|| {
        Predicate::measured(predicate::CORNER_ERROR_FALL, turned, Comparator::Ge, limits.corner_share * yaw, "rad")
    });
    let setup = Errors::change(&before, &after, decision.objective, scene.config).map(|(fall, growth)| {
        vec![
            Predicate::measured(predicate::SETUP_FALL, fall, Comparator::Ge, limits.setup_fall, "1"),
            Predicate::measured(predicate::SETUP_GROWTH, growth, Comparator::Le, limits.setup_growth, "1"),
        ]
    });

    let computed: Vec<Predicate> =
        [progress.clone()].into_iter().chain(corner.clone()).chain(setup.iter().flatten().cloned()).collect();
    let turned_well = corner.as_ref().is_some_and(|p| p.passed);
    let set_up = setup.as_ref().is_some_and(|s| s.iter().all(|p| p.passed));
    let (kind, mut predicates) = match (corner, setup) {
        _ if progress.passed => (VerdictKind::Progress, vec![progress]),
        (Some(corner), _) if turned_well => (VerdictKind::Progress, vec![corner]),
        (_, Some(setup)) if set_up => (VerdictKind::Setup, setup),
        (Some(corner), _) => (VerdictKind::Progress, vec![corner]),
        (None, Some(setup)) => (VerdictKind::Setup, setup),
        (None, None) => (VerdictKind::Progress, vec![progress]),
    };
    // A decision may insist on one of the ways to achieve something.
    for wanted in computed {
        if decision.evidence_required.contains(&wanted.name) && !predicates.iter().any(|p| p.name == wanted.name) {
            predicates.push(wanted);
        }
    }
    let achieved = predicates.iter().all(|p| p.passed);
    let backward = way_m < -limits.progress_min_m && yaw <= 0.0;
    let wrong = backward || (yaw > 0.0 && turned < -limits.corner_share * yaw);
    Advance { kind, predicates, failure: (!achieved && wrong).then_some(FailureType::WrongDirection) }
}
