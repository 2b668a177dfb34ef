//! How the payload lies at the target in one state (CE-004, CE-006).

use crate::errors::Scene;
use crate::measure::{payload_touches, robots_touch};
use troupe_coordination::predicate;
use troupe_core::evidence::{Comparator, Predicate};
use troupe_core::frames::Planar;
use troupe_core::state::TeamState;

/// Payload centre to target centre in the plane, m.
pub(crate) fn radius_m(scene: &Scene, state: &TeamState) -> f64 {
    let [tx, ty, _] = scene.route.target.position;
    state.payload().map_or(f64::NAN, |p| (p.pose.position[0] - tx).hypot(p.pose.position[1] - ty))
}

/// Payload centre above the target surface, m.
pub(crate) fn height_m(scene: &Scene, state: &TeamState) -> f64 {
    state.payload().map_or(f64::NAN, |p| p.pose.position[2] - scene.route.target.position[2])
}

/// Payload within the target's radius.
pub(crate) fn radius(scene: &Scene, state: &TeamState) -> Predicate {
    Predicate::measured(predicate::PLACEMENT_RADIUS, radius_m(scene, state), Comparator::Le, scene.task.placement.radius_m, "m")
}

/// Payload centre against its height when it lies flat on the target.
pub(crate) fn vertical(scene: &Scene, state: &TeamState) -> Predicate {
    let half = state.payload().map_or(f64::NAN, |p| p.half_extents_m[2]);
    let error = (height_m(scene, state) - half).abs();
    Predicate::measured(predicate::PLACEMENT_VERTICAL, error, Comparator::Le, scene.task.placement.vertical_m, "m")
}

/// Payload tilt of one state.
pub(crate) fn tilt(scene: &Scene, state: &TeamState) -> Predicate {
    let tilt = state.payload().map_or(f64::NAN, |p| p.tilt_rad);
    Predicate::measured(predicate::PAYLOAD_TILT, tilt, Comparator::Le, scene.task.placement.tilt_rad, "rad")
}

/// Low enough over the target that support may be withdrawn. Not the placement tolerance (CE-006).
pub(crate) fn release_gate(scene: &Scene, state: &TeamState) -> Predicate {
    let limit = scene.task.placement.release_gate_m;
    Predicate::measured(predicate::RELEASE_GATE, height_m(scene, state), Comparator::Le, limit, "m")
}

/// Text of a refusal at the release gate, with all that CE-006 asks for.
pub(crate) fn gate_refusal(stage: &str, gate: &Predicate) -> String {
    format!(
        "stage={stage}: predicate `{}`: measured {:.3} m over the target, limit {:.3} m, withdrawal_started=false",
        gate.name, gate.value, gate.limit
    )
}

/// Supported by the target and by nothing else, near its centre, level: one state of CE-004.
pub(crate) fn resting(scene: &Scene, state: &TeamState) -> Vec<Predicate> {
    let held = usize::from(robots_touch(state)) as f64;
    let carried = f64::from(u8::from(payload_touches(state, "stand")));
    vec![
        radius(scene, state),
        vertical(scene, state),
        tilt(scene, state),
        Predicate::measured(predicate::TARGET_SUPPORT, carried, Comparator::Ge, 1.0, "1"),
        Predicate::measured(predicate::ROBOT_FREE, held, Comparator::Le, 0.0, "1"),
    ]
}

/// Robots clear of the target and upright: one state of CE-005.
pub(crate) fn retreated(scene: &Scene, state: &TeamState) -> Vec<Predicate> {
    let limits = scene.task.retreat;
    let clearance = clearances(scene, state).into_iter().fold(f64::INFINITY, f64::min);
    let tilt = crate::measure::torso_tilt(state);
    vec![
        Predicate::measured(predicate::CLEARANCE, clearance, Comparator::Ge, limits.clearance_m, "m"),
        Predicate::measured(predicate::TORSO_TILT, tilt, Comparator::Le, limits.torso_tilt_rad, "rad"),
        Predicate::measured(predicate::PELVIS_Z, crate::measure::pelvis_z(state), Comparator::Ge, limits.pelvis_z_m, "m"),
    ]
}

/// Distance of each robot's pelvis to the target centre in the plane, m, in team order.
pub(crate) fn clearances(scene: &Scene, state: &TeamState) -> Vec<f64> {
    let [x, y, _] = scene.route.target.position;
    let target = Planar { x, y, yaw: 0.0 };
    let of = |name: &String| state.robot(name).map_or(f64::NAN, |r| r.base.planar().distance(&target));
    scene.robots.iter().map(of).collect()
}
