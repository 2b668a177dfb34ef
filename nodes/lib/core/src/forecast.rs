//! What a rollout in a copy of the world shows before anything real moves (CE-074, CE-151, CE-155).

use crate::decision::Formation;
use crate::frames::{Planar, rotation, wrap};
use crate::observation::team_pose;
use crate::route::RouteReference;
use crate::skill::SkillCall;
use crate::state::{PayloadState, TeamState};
use crate::task::Task;
use crate::{TICK_S, ticks};
use serde::{Deserialize, Serialize};

/// What a forecast is measured by; the same numbers as the verdict it foresees.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForecastRules {
    /// Window over which support is measured, s.
    pub support_window_s: f64,
    /// Payload height that counts as a drop, m.
    pub drop_z_m: f64,
    /// Pelvis height below which a robot has fallen, m.
    pub pelvis_z_m: f64,
    /// Torso tilt beyond which a robot has fallen, rad.
    pub torso_tilt_rad: f64,
    /// Wanted formation.
    pub formation: Formation,
    /// Half width of a robot for the clearance to walls, m.
    pub robot_radius_m: f64,
}

impl ForecastRules {
    /// The rules of a task.
    #[must_use]
    pub fn of(task: &Task, robot_radius_m: f64) -> Self {
        let limits = task.transition;
        Self {
            support_window_s: limits.support_window_s,
            drop_z_m: limits.drop_z_m,
            pelvis_z_m: limits.pelvis_z_m,
            torso_tilt_rad: limits.torso_tilt_rad,
            formation: task.formation,
            robot_radius_m,
        }
    }
}

/// The outcome of one candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    /// What was rolled out, in team order.
    pub calls: Vec<SkillCall>,
    /// Share of the last window in which the worst robot touched the payload.
    pub support_duty: f64,
    /// Largest payload tilt, rad.
    pub payload_tilt_rad: f64,
    /// Lowest point of the payload, m.
    pub payload_z_min_m: f64,
    /// Largest torso tilt, rad.
    pub torso_tilt_rad: f64,
    /// Smallest distance of payload and robots to the corridor's boundaries, m; none without boundaries.
    pub clearance_m: Option<f64>,
    /// Error of the robots' distance at the end, m.
    pub formation_distance_m: f64,
    /// Error of the heading between the robots at the end, rad.
    pub formation_heading_rad: f64,
    /// Way of the payload along the reference, m.
    pub progress_m: f64,
    /// Fall of the heading error to the gate, rad.
    pub heading_gain_rad: f64,
    /// Payload below the drop height, or on the floor.
    pub dropped: bool,
    /// A robot fell.
    pub fell: bool,
    /// The target carries the payload at the end.
    pub on_target: bool,
    /// Every skill ended without error and every robot came to rest.
    pub settled: bool,
    /// Why it could not be rolled out to its end; empty otherwise.
    pub refused: String,
    /// Simulated time, s.
    pub sim_s: f64,
}

impl Forecast {
    /// The forecast of a candidate that could not be rolled out.
    #[must_use]
    pub fn refused(calls: &[SkillCall], reason: &str) -> Self {
        Self {
            calls: calls.to_vec(),
            support_duty: 0.0,
            payload_tilt_rad: 0.0,
            payload_z_min_m: 0.0,
            torso_tilt_rad: 0.0,
            clearance_m: None,
            formation_distance_m: 0.0,
            formation_heading_rad: 0.0,
            progress_m: 0.0,
            heading_gain_rad: 0.0,
            dropped: false,
            fell: false,
            on_target: false,
            settled: false,
            refused: reason.to_owned(),
            sim_s: 0.0,
        }
    }

    /// Measures a rollout: states from before motion to the closing tick. `settled` as the skills report it.
    #[must_use]
    pub fn of(calls: &[SkillCall], states: &[TeamState], settled: bool, rules: &ForecastRules) -> Self {
        let (Some(start), Some(end)) = (states.first(), states.last()) else {
            return Self::refused(calls, "no state was seen");
        };
        if !states.iter().all(|s| s.is_finite() && s.payload().is_some()) {
            return Self::refused(calls, "a state without payload, or with numbers that are not finite");
        }
        let window = usize::try_from(ticks(rules.support_window_s)).unwrap_or(usize::MAX).saturating_add(1);
        let tail = states.get(states.len().saturating_sub(window)..).unwrap_or(states);
        let most = |value: &dyn Fn(&TeamState) -> f64| states.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
        let least = |value: &dyn Fn(&TeamState) -> f64| states.iter().map(value).fold(f64::INFINITY, f64::min);
        let of_payload = |s: &TeamState, value: &dyn Fn(&PayloadState) -> f64| s.payload().map_or(f64::NAN, value);
        let pelvis = least(&|s| s.robots.iter().map(|r| r.base.position[2]).fold(f64::INFINITY, f64::min));
        let torso_tilt_rad = most(&|s| s.robots.iter().map(|r| r.torso_tilt_rad).fold(0.0, f64::max));
        let clearance = least(&|s| clearance_m(s, rules.robot_radius_m));
        let (distance, heading) = formation_error(end, rules.formation);
        let error = |s: &TeamState| wrap(start.route.gate.heading_rad - team_pose(s, rules.formation.heading_offset_rad).yaw).abs();
        let touches = |s: &TeamState, what: &str| s.contacts.iter().any(|c| c.body_a == "payload" && c.body_b == what);
        Self {
            calls: calls.to_vec(),
            support_duty: support_duty(tail),
            payload_tilt_rad: most(&|s| of_payload(s, &|p| p.tilt_rad)),
            payload_z_min_m: least(&|s| of_payload(s, &|p| p.z_min_m)),
            torso_tilt_rad,
            clearance_m: clearance.is_finite().then_some(clearance),
            formation_distance_m: distance,
            formation_heading_rad: heading,
            progress_m: progress_m(&start.route, start, end),
            heading_gain_rad: error(start) - error(end),
            dropped: states.iter().any(|s| touches(s, "floor") || of_payload(s, &|p| p.z_min_m) < rules.drop_z_m),
            fell: pelvis < rules.pelvis_z_m || torso_tilt_rad > rules.torso_tilt_rad,
            on_target: touches(end, "stand"),
            settled,
            refused: String::new(),
            sim_s: end.tick.saturating_sub(start.tick) as f64 * TICK_S,
        }
    }
}

/// Least share of `states` in which a robot touches the payload.
fn support_duty(states: &[TeamState]) -> f64 {
    let Some(first) = states.first() else { return 0.0 };
    let share = |robot: &str| states.iter().filter(|s| s.supports(robot)).count() as f64 / states.len() as f64;
    first.robots.iter().map(|r| share(&r.robot)).fold(1.0, f64::min)
}

/// Errors of distance (m) and heading (rad) of the pair of neighbours that is worst off.
fn formation_error(state: &TeamState, wanted: Formation) -> (f64, f64) {
    let poses: Vec<Planar> = state.robots.iter().map(|r| r.base.planar()).collect();
    poses.windows(2).fold((0.0, 0.0), |(distance, heading), pair| match pair {
        [a, b] => (
            f64::max(distance, (a.distance(b) - wanted.distance_m).abs()),
            f64::max(heading, wrap(b.yaw - a.yaw - wanted.heading_offset_rad).abs()),
        ),
        _ => (distance, heading),
    })
}

/// Way of the payload along a reference, m; where it bends, the larger of before and after the bend counts.
fn progress_m(route: &RouteReference, from: &TeamState, to: &TeamState) -> f64 {
    let at = |s: &TeamState| s.payload().map_or(Planar::default(), |p| p.pose.planar());
    let (a, b) = (at(from), at(to));
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    let [ux, uy] = route.direction;
    let (vy, vx) = route.gate.heading_rad.sin_cos();
    (dx * ux + dy * uy).max(dx * vx + dy * vy)
}

/// Smallest distance of the payload's long axis and of the robots to the boundaries, m.
fn clearance_m(state: &TeamState, robot_radius_m: f64) -> f64 {
    let ends = state.payload().map(ends).into_iter().flatten();
    let payload = ends.map(|p| state.route.clearance_m(p)).fold(f64::INFINITY, f64::min);
    let robot = |p: Planar| state.route.clearance_m([p.x, p.y]) - robot_radius_m;
    state.robots.iter().map(|r| robot(r.base.planar())).fold(payload, f64::min)
}

/// Both ends and the centre of the payload's long axis in the plane.
fn ends(payload: &PayloadState) -> [[f64; 2]; 3] {
    let [hx, hy, _] = payload.half_extents_m;
    let axis = if hy >= hx { nalgebra::Vector3::y() * hy } else { nalgebra::Vector3::x() * hx };
    let reach = rotation(payload.pose.orientation) * axis;
    let [x, y, _] = payload.pose.position;
    [[x + reach.x, y + reach.y], [x, y], [x - reach.x, y - reach.y]]
}

#[cfg(test)]
#[allow(clippy::float_cmp)]
mod tests {
    use super::*;
    use crate::frames::{Pose, Twist};
    use crate::route::Gate;
    use crate::state::{Contact, RobotMode, RobotState};

    fn state(tick: u64, x: f64) -> TeamState {
        let robot = |name: &str, y: f64| RobotState {
            robot: name.into(),
            kind: "g1".into(),
            base: Pose::upright([x, y, 0.76], 0.0),
            twist: Twist::default(),
            torso_tilt_rad: 0.02,
            mode: RobotMode::Idle,
            controller_epoch: 0,
            privileged: true,
            pose_std_m: 0.0,
        };
        let touch = |robot: &str| Contact {
            body_a: "payload".into(),
            body_b: format!("{robot}/left_forearm"),
            force_n: 2.0,
            impulse_ns: 0.04,
        };
        TeamState {
            tick,
            stamp_s: tick as f64 * TICK_S,
            context_epoch: 0,
            robots: vec![robot("a", 0.4), robot("b", -0.42)],
            payloads: vec![PayloadState {
                name: "payload".into(),
                pose: Pose::upright([x + 0.13, 0.0, 0.92], 0.0),
                twist: Twist::default(),
                half_extents_m: [0.05, 0.65, 0.015],
                z_min_m: 0.9,
                tilt_rad: 0.03,
                mass_kg: 0.5,
                held: false,
            }],
            contacts: vec![touch("a"), touch("b")],
            route: RouteReference {
                segment_id: "s".into(),
                direction: [1.0, 0.0],
                local_target: [2.0, 0.0],
                left_boundary: vec![[-1.0, 1.2], [5.0, 1.2]],
                right_boundary: vec![[-1.0, -1.2], [5.0, -1.2]],
                gate: Gate { position: [2.0, 0.0], heading_rad: 0.0, width_m: 1.0, heading_tolerance_rad: 0.26 },
            },
        }
    }

    fn rules() -> ForecastRules {
        ForecastRules {
            support_window_s: 0.1,
            drop_z_m: 0.3,
            pelvis_z_m: 0.55,
            torso_tilt_rad: 0.52,
            formation: Formation { distance_m: 0.8, heading_offset_rad: 0.0 },
            robot_radius_m: 0.3,
        }
    }

    #[test]
    fn a_good_walk_is_measured() {
        let states: Vec<TeamState> = (0..10).map(|i| state(i, 0.03 * i as f64)).collect();
        let f = Forecast::of(&[], &states, true, &rules());
        assert!((f.progress_m - 0.27).abs() < 1e-9 && (f.sim_s - 0.18).abs() < 1e-9);
        assert!((f.clearance_m.unwrap() - 0.48).abs() < 1e-9, "{f:?}");
        assert!((f.formation_distance_m - 0.02).abs() < 1e-9);
        assert_eq!((f.support_duty, f.dropped, f.fell, f.settled), (1.0, false, false, true));
    }

    #[test]
    fn lost_support_a_drop_and_a_fall_show() {
        let mut states: Vec<TeamState> = (0..10).map(|i| state(i, 0.0)).collect();
        for s in states.iter_mut().skip(7) {
            s.contacts.pop();
        }
        states[3].payloads[0].z_min_m = 0.2;
        states[4].robots[0].base.position[2] = 0.3;
        let f = Forecast::of(&[], &states, true, &rules());
        assert!((f.support_duty - 0.5).abs() < 1e-9 && f.dropped && f.fell, "{f:?}");
        assert!(!Forecast::of(&[], &[], true, &rules()).refused.is_empty());
    }
}
