//! Numbers taken from states; no limits here (CE-028).

use crate::errors::{Errors, Scene, progress_m};
use troupe_core::TICK_S;
use troupe_core::evidence::Measured;
use troupe_core::frames::{Planar, rotation, wrap};
use troupe_core::observation::team_pose;
use troupe_core::state::{Contact, PayloadState, TeamState};
use troupe_core::task::Task;

/// States of one transaction. All are complete and finite, and none of the lists is empty.
pub(crate) struct Window<'a> {
    /// From before motion to the closing tick.
    pub states: Vec<&'a TeamState>,
    /// The last `support_window_s`, ending at the closing tick.
    pub tail: Vec<&'a TeamState>,
    /// The same length, ending before motion; empty when that was not seen.
    pub lead: Vec<&'a TeamState>,
}

impl Window<'_> {
    /// Before motion.
    pub(crate) fn start(&self) -> Option<&TeamState> {
        self.states.first().copied()
    }

    /// At the closing tick.
    pub(crate) fn end(&self) -> Option<&TeamState> {
        self.states.last().copied()
    }

    /// Largest value over the transaction.
    pub(crate) fn most(&self, value: impl Fn(&TeamState) -> f64) -> f64 {
        self.states.iter().map(|s| value(s)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Smallest value over the transaction.
    pub(crate) fn least(&self, value: impl Fn(&TeamState) -> f64) -> f64 {
        self.states.iter().map(|s| value(s)).fold(f64::INFINITY, f64::min)
    }
}

/// Share of states in which something holds; 0 without states.
pub(crate) fn duty(states: &[&TeamState], holds: impl Fn(&TeamState) -> bool) -> f64 {
    let count = states.iter().filter(|s| holds(s)).count();
    count as f64 / states.len().max(1) as f64
}

/// Least share of `states` in which a robot touches the payload.
pub(crate) fn support_duty(states: &[&TeamState], robots: &[String]) -> f64 {
    robots.iter().map(|r| duty(states, |s| s.supports(r))).fold(1.0, f64::min)
}

/// The payload touches `other`, a name without `/`.
pub(crate) fn payload_touches(state: &TeamState, other: &str) -> bool {
    state.contacts.iter().any(|c| c.body_a == "payload" && c.body_b == other)
}

/// Any part of any robot touches the payload.
pub(crate) fn robots_touch(state: &TeamState) -> bool {
    state.contacts.iter().any(|c| c.body_a == "payload" && c.body_b.contains('/'))
}

/// A dropped payload: too low, or on the floor (CE-075).
pub(crate) fn dropped(state: &TeamState, drop_z_m: f64) -> bool {
    payload_touches(state, "floor") || state.payload().is_none_or(|p| p.z_min_m < drop_z_m)
}

fn against_wall(contact: &&Contact) -> bool {
    contact.body_b == "wall"
}

/// Sum of impulses against walls, N s.
pub(crate) fn wall_impulse(states: &[&TeamState]) -> f64 {
    states.iter().flat_map(|s| s.contacts.iter().filter(against_wall)).map(|c| c.impulse_ns).sum()
}

/// Largest mean speed of a robot over the tail, m/s: the standing sway averages out.
pub(crate) fn rest_speed(tail: &[&TeamState], robots: &[String]) -> f64 {
    let (Some(first), Some(last)) = (tail.first(), tail.last()) else { return f64::INFINITY };
    let seconds = last.tick.saturating_sub(first.tick) as f64 * TICK_S;
    let speed = |name: &String| match (first.robot(name), last.robot(name)) {
        (Some(a), Some(b)) if seconds > 0.0 => a.base.planar().distance(&b.base.planar()) / seconds,
        _ => f64::INFINITY,
    };
    robots.iter().map(speed).fold(0.0, f64::max)
}

/// Largest torso tilt, rad.
pub(crate) fn torso_tilt(state: &TeamState) -> f64 {
    state.robots.iter().map(|r| r.torso_tilt_rad).fold(0.0, f64::max)
}

/// Lowest pelvis, m.
pub(crate) fn pelvis_z(state: &TeamState) -> f64 {
    state.robots.iter().map(|r| r.base.position[2]).fold(f64::INFINITY, f64::min)
}

/// Payload centre in the plane; its heading is that of the team, for the bar is symmetric.
pub(crate) fn payload_planar(task: &Task, state: &TeamState) -> Planar {
    let at = state.payload().map_or([f64::NAN; 3], |p| p.pose.position);
    Planar { x: at[0], y: at[1], yaw: team_yaw(task, state) }
}

/// Heading of the team in the task's formation, rad.
pub(crate) fn team_yaw(task: &Task, state: &TeamState) -> f64 {
    team_pose(state, task.formation.heading_offset_rad).yaw
}

/// Heading of the payload against the team's, rad, folded into (−π/2, π/2]: the bar looks the same
/// from both sides. Its y axis lies from robot to robot.
pub(crate) fn payload_yaw_offset(task: &Task, state: &TeamState) -> f64 {
    let straight = team_yaw(task, state) + (task.neighbour_bearing_rad - std::f64::consts::FRAC_PI_2);
    let offset = wrap(state.payload().map_or(f64::NAN, |p| p.pose.yaw()) - straight);
    if offset > std::f64::consts::FRAC_PI_2 {
        offset - std::f64::consts::PI
    } else if offset <= -std::f64::consts::FRAC_PI_2 {
        offset + std::f64::consts::PI
    } else {
        offset
    }
}

/// Smallest distance of the payload's centre line to the corridor's boundaries, m.
fn corridor_margin(scene: &Scene, state: &TeamState) -> f64 {
    let (Some(segment), Some(p)) = (scene.segment(), state.payload()) else { return f64::INFINITY };
    ends(p).into_iter().map(|point| segment.clearance_m(point)).fold(f64::INFINITY, f64::min)
}

/// Both ends and the centre of the payload's long axis in the plane.
fn ends(payload: &PayloadState) -> [[f64; 2]; 3] {
    let [hx, hy, _] = payload.half_extents_m;
    let axis = if hy >= hx { nalgebra::Vector3::y() * hy } else { nalgebra::Vector3::x() * hx };
    let reach = rotation(payload.pose.orientation) * axis;
    let [x, y, _] = payload.pose.position;
    [[x + reach.x, y + reach.y], [x, y], [x - reach.x, y - reach.y]]
}

/// Lengths that are measured at the payload.
const OF_PAYLOAD: [&str; 4] = ["progress_along_ref_m", "corridor_margin_m", "across_m", "target_distance_m"];

/// Standard deviation of a measured coordinate or angle; 0 for ground truth and for what is not estimated.
fn std_of(scene: &Scene, end: &TeamState, name: &str, unit: &str) -> f64 {
    let robots_m = end.robots.iter().filter(|r| !r.privileged).map(|r| r.pose_std_m).fold(0.0, f64::max);
    match (scene.estimate, unit) {
        (Some(of), "m") if name.starts_with("payload_") || OF_PAYLOAD.contains(&name) => of.payload_position_m,
        (_, "m") => robots_m,
        (Some(of), "rad") if name.starts_with("payload_tilt") => of.payload_tilt_rad,
        // The torso's tilt is the robot's own measurement.
        (Some(_), "rad") if name.contains("torso_tilt") => 0.0,
        (Some(of), "rad") => of.yaw_rad,
        (Some(of), "m/s") => of.velocity_mps,
        _ => 0.0,
    }
}

/// Everything of CE-028 that states can tell, for people, models and the ledger.
pub(crate) fn measured(scene: &Scene, window: &Window) -> Vec<Measured> {
    let (Some(start), Some(end)) = (window.start(), window.end()) else { return vec![] };
    let mut all = Vec::new();
    let mut put = |name: &str, value: f64, unit: &str| {
        // Not finite means not measured, for example a clearance where there are no walls.
        if value.is_finite() {
            all.push(Measured { name: name.into(), value, unit: unit.into(), std: std_of(scene, end, name, unit) });
        }
    };
    if let Some(p) = end.payload() {
        let [x, y, z] = p.pose.position;
        let [vx, vy, vz] = p.twist.linear;
        put("payload_x_m", x, "m");
        put("payload_y_m", y, "m");
        put("payload_z_m", z, "m");
        put("payload_yaw_offset_rad", payload_yaw_offset(scene.task, end), "rad");
        put("payload_tilt_rad", p.tilt_rad, "rad");
        put("payload_speed_mps", (vx * vx + vy * vy + vz * vz).sqrt(), "m/s");
    }
    put("payload_tilt_max_rad", window.most(|s| s.payload().map_or(f64::NAN, |p| p.tilt_rad)), "rad");
    put("payload_z_min_m", window.least(|s| s.payload().map_or(f64::NAN, |p| p.z_min_m)), "m");
    put("wall_impulse_ns", wall_impulse(&window.states), "N s");
    put("target_support_duty", duty(&window.tail, |s| payload_touches(s, "stand")), "1");
    put("robot_contact_duty", duty(&window.tail, robots_touch), "1");
    let moved: Vec<f64> = scene.robots.iter().map(|name| displacement(start, end, name)).collect();
    for (name, moved_m) in scene.robots.iter().zip(&moved) {
        let of = |s: &TeamState| s.robot(name).map_or((f64::NAN, f64::NAN), |r| (r.torso_tilt_rad, r.base.position[2]));
        put(&format!("{name}/support_duty"), duty(&window.tail, |s| s.supports(name)), "1");
        put(&format!("{name}/torso_tilt_max_rad"), window.most(|s| of(s).0), "rad");
        put(&format!("{name}/pelvis_z_min_m"), window.least(|s| of(s).1), "m");
        put(&format!("{name}/displacement_m"), *moved_m, "m");
        if let (Some(a), Some(b)) = (start.robot(name), end.robot(name)) {
            put(&format!("{name}/yaw_change_rad"), wrap(b.base.yaw() - a.base.yaw()), "rad");
        }
    }
    put("displacement_difference_m", spread(&moved), "m");
    put("robot_rest_speed_mps", rest_speed(&window.tail, scene.robots), "m/s");
    put("formation_distance_m", formation(scene, end).0, "m");
    put("formation_heading_rad", formation(scene, end).1, "rad");
    put("progress_along_ref_m", progress_m(scene, start, end), "m");
    put("corridor_margin_m", window.least(|s| corridor_margin(scene, s)), "m");
    let (before, after) = (Errors::of(scene, start, &window.lead), Errors::of(scene, end, &window.tail));
    put("across_before_m", before.across_m, "m");
    put("across_m", after.across_m, "m");
    put("corner_error_before_rad", before.heading_rad, "rad");
    put("corner_error_rad", after.heading_rad, "rad");
    put("target_distance_m", after.target_m, "m");
    all
}

/// Distance in the plane between two states of a robot, m.
pub(crate) fn displacement(start: &TeamState, end: &TeamState, robot: &str) -> f64 {
    match (start.robot(robot), end.robot(robot)) {
        (Some(a), Some(b)) => a.base.planar().distance(&b.base.planar()),
        _ => f64::NAN,
    }
}

/// Largest minus smallest.
pub(crate) fn spread(values: &[f64]) -> f64 {
    let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    high - low
}

/// Distance (m) and heading offset (rad) of neighbours in team order: of the pair that is worst off.
pub(crate) fn formation(scene: &Scene, state: &TeamState) -> (f64, f64) {
    let wanted = scene.task.formation;
    let poses: Vec<Planar> = scene.robots.iter().filter_map(|n| state.robot(n)).map(|r| r.base.planar()).collect();
    let worst = |values: Vec<f64>, wanted: f64| {
        values.into_iter().max_by(|a, b| (a - wanted).abs().total_cmp(&(b - wanted).abs())).unwrap_or(wanted)
    };
    let pairs = |f: &dyn Fn(&Planar, &Planar) -> f64| {
        poses.windows(2).filter_map(|p| if let [a, b] = p { Some(f(a, b)) } else { None }).collect::<Vec<f64>>()
    };
    let offset = wanted.heading_offset_rad;
    let offsets = pairs(&|a, b| offset + wrap(b.yaw - a.yaw - offset));
    (
        worst(pairs(&Planar::distance), wanted.distance_m),
        // Near the wanted offset, so that half a turn does not jump.
        worst(offsets, wanted.heading_offset_rad),
    )
}

#[cfg(test)]
#[allow(clippy::float_cmp)]
mod tests {
    use super::*;
    use crate::testing::{carrying, robots};
    use std::f64::consts::PI;
    use troupe_core::frames::Pose;

    #[test]
    fn the_bar_turned_around_is_the_same_bar() {
        let mut state = carrying(0.3);
        let task = crate::testing::setup().tasks.remove(0);
        for (yaw, offset) in [(0.0, 0.0), (PI, 0.0), (-PI + 0.1, 0.1), (0.1, 0.1), (-0.1, -0.1)] {
            let position = state.payloads[0].pose.position;
            state.payloads[0].pose = Pose::upright(position, yaw);
            assert!((payload_yaw_offset(&task, &state) - offset).abs() < 1e-9, "{yaw}");
        }
    }

    #[test]
    fn duties_and_contacts() {
        let held = carrying(0.0);
        let mut lost = carrying(0.0);
        lost.contacts.retain(|c| !c.body_b.starts_with("g1_1"));
        let states = [&held, &held, &held, &held, &lost];
        assert_eq!(support_duty(&states, &robots()), 0.8);
        assert_eq!(support_duty(&[], &robots()), 0.0);
        assert!(robots_touch(&lost) && !payload_touches(&lost, "stand"));
        assert_eq!(wall_impulse(&states), 0.0);
    }

    #[test]
    fn low_or_on_the_floor_is_a_drop() {
        let mut state = carrying(0.0);
        assert!(!dropped(&state, 0.3));
        state.payloads[0].z_min_m = 0.3;
        assert!(!dropped(&state, 0.3));
        state.payloads[0].z_min_m = 0.2999;
        assert!(dropped(&state, 0.3));
        state = carrying(0.0);
        state.contacts[0].body_b = "floor".into();
        assert!(dropped(&state, 0.3));
    }
}
