//! What model roles and the built-in planner see: measurements and references, no trajectory.

use crate::frames::Planar;
use crate::route::{RouteReference, SegmentKind};
use crate::state::TeamState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One robot, for a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RobotView {
    /// Namespace.
    pub robot: String,
    /// World frame, m.
    pub x_m: f64,
    /// World frame, m.
    pub y_m: f64,
    /// rad.
    pub yaw_rad: f64,
    /// rad.
    pub torso_tilt_rad: f64,
    /// Touches the payload.
    pub supports_payload: bool,
}

/// The team, its payload and the active segment, for a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// Control tick it is taken at.
    pub tick: u64,
    /// Epoch.
    pub context_epoch: u32,
    /// Robots in team order.
    pub robots: Vec<RobotView>,
    /// Mean of the robots: x, y in m; heading of the team, rad.
    pub team: Planar,
    /// Payload centre and heading of its short axis, world frame.
    pub payload: Planar,
    /// m.
    pub payload_z_m: f64,
    /// rad.
    pub payload_tilt_rad: f64,
    /// Distance between the robots, m.
    pub formation_distance_m: f64,
    /// Heading of the second robot minus that of the first, rad.
    pub formation_heading_rad: f64,
    /// How the active segment is travelled.
    pub segment_kind: SegmentKind,
    /// The active segment.
    pub segment: RouteReference,
    /// Payload along the segment, m.
    pub along_m: f64,
    /// m that are left to the segment's end.
    pub remaining_m: f64,
    /// Payload left of the centre line, m.
    pub across_m: f64,
    /// Gate heading minus team heading, rad.
    pub heading_error_rad: f64,
}

/// Pose of the team: mean of the robots' places, and the heading that each robot gives it: its own less
/// what the formation asks of it, `heading_offset_rad` from one robot to the next in team order.
///
/// Side by side this is the mean heading; robots that face each other agree on that of the first.
#[must_use]
pub fn team_pose(state: &TeamState, heading_offset_rad: f64) -> Planar {
    let n = state.robots.len().max(1) as f64;
    let (mut x, mut y, mut s, mut c) = (0.0, 0.0, 0.0, 0.0);
    for (index, robot) in state.robots.iter().enumerate() {
        let p = robot.base.planar();
        let heading = p.yaw - index as f64 * heading_offset_rad;
        x += p.x / n;
        y += p.y / n;
        s += heading.sin();
        c += heading.cos();
    }
    Planar { x, y, yaw: s.atan2(c) }
}

impl Observation {
    /// Observation of `state` in `segment` by a team with this heading offset between its robots, rad;
    /// `None` without a payload.
    #[must_use]
    pub fn new(state: &TeamState, segment: &crate::route::Segment, heading_offset_rad: f64) -> Option<Self> {
        let payload = state.payload()?;
        let team = team_pose(state, heading_offset_rad);
        let centre = [payload.pose.position[0], payload.pose.position[1]];
        let poses: Vec<Planar> = state.robots.iter().map(|r| r.base.planar()).collect();
        let (distance, heading) = match poses.as_slice() {
            [a, b, ..] => (a.distance(b), crate::frames::wrap(b.yaw - a.yaw)),
            _ => (0.0, 0.0),
        };
        Some(Self {
            tick: state.tick,
            context_epoch: state.context_epoch,
            robots: state
                .robots
                .iter()
                .map(|r| {
                    let p = r.base.planar();
                    RobotView {
                        robot: r.robot.clone(),
                        x_m: p.x,
                        y_m: p.y,
                        yaw_rad: p.yaw,
                        torso_tilt_rad: r.torso_tilt_rad,
                        supports_payload: state.supports(&r.robot),
                    }
                })
                .collect(),
            team,
            payload: payload.pose.planar(),
            payload_z_m: payload.pose.position[2],
            payload_tilt_rad: payload.tilt_rad,
            formation_distance_m: distance,
            formation_heading_rad: heading,
            segment_kind: segment.kind,
            segment: segment.reference(),
            along_m: segment.along_m(centre),
            remaining_m: segment.along_m(segment.end) - segment.along_m(centre),
            across_m: segment.across_m(centre),
            heading_error_rad: segment.heading_error_rad(team.yaw),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::{Pose, Twist, wrap};
    use crate::route::Gate;
    use crate::state::{RobotMode, RobotState};
    use proptest::prelude::*;
    use std::f64::consts::PI;

    fn state(poses: &[Planar]) -> TeamState {
        let robot = |(index, p): (usize, &Planar)| RobotState {
            robot: format!("g1_{index}"),
            kind: "g1".into(),
            base: Pose::upright([p.x, p.y, 0.76], p.yaw),
            twist: Twist::default(),
            torso_tilt_rad: 0.0,
            mode: RobotMode::Idle,
            controller_epoch: 0,
            privileged: true,
            pose_std_m: 0.0,
        };
        TeamState {
            tick: 0,
            stamp_s: 0.0,
            context_epoch: 0,
            robots: poses.iter().enumerate().map(robot).collect(),
            payloads: vec![],
            contacts: vec![],
            route: RouteReference {
                segment_id: String::new(),
                direction: [1.0, 0.0],
                local_target: [0.0, 0.0],
                left_boundary: vec![],
                right_boundary: vec![],
                gate: Gate { position: [0.0, 0.0], heading_rad: 0.0, width_m: 1.0, heading_tolerance_rad: 0.2 },
            },
        }
    }

    proptest! {
        /// Placed exactly in formation, the team's pose is the one it was placed at.
        #[test]
        fn the_team_has_the_pose_its_formation_was_placed_at(x in -3.0f64..3.0, y in -3.0f64..3.0, yaw in -3.1f64..3.1) {
            let team = Planar { x, y, yaw };
            let beside = [Planar { y: 0.4, ..Planar::default() }, Planar { y: -0.4, ..Planar::default() }];
            let facing = [Planar { x: -0.75, ..Planar::default() }, Planar { x: 0.75, y: 0.0, yaw: PI }];
            for (places, offset) in [(beside, 0.0), (facing, PI)] {
                let seen = team_pose(&state(&places.map(|p| team.compose(p))), offset);
                prop_assert!(seen.distance(&team) < 1e-9 && wrap(seen.yaw - team.yaw).abs() < 1e-9, "{:?}", seen);
            }
        }
    }

    #[test]
    fn a_twist_of_one_robot_turns_the_team_by_half_of_it() {
        for (second, offset) in [(0.2, 0.0), (PI + 0.2, PI), (-PI + 0.2, PI)] {
            let poses = [Planar::default(), Planar { x: 1.5, y: 0.0, yaw: second }];
            assert!((team_pose(&state(&poses), offset).yaw - 0.1).abs() < 1e-9, "{second}");
        }
    }

    /// One target and one gate of the active segment; the boundaries are walls, not places to be.
    #[test]
    fn ce_007_no_field_lists_future_poses() {
        let state = TeamState {
            payloads: vec![crate::state::PayloadState {
                name: "payload".into(),
                pose: Pose::upright([0.1, 0.0, 0.9], 0.0),
                twist: Twist::default(),
                half_extents_m: [0.05, 0.65, 0.015],
                z_min_m: 0.9,
                tilt_rad: 0.0,
                mass_kg: 0.5,
                held: false,
            }],
            ..state(&[Planar::default(), Planar { x: 0.0, y: -0.8, yaw: 0.0 }])
        };
        let segment = crate::route::Segment {
            id: "a".into(),
            kind: SegmentKind::Straight,
            start: [0.0, 0.0],
            end: [1.0, 0.0],
            gate: Gate { position: [1.0, 0.0], heading_rad: 0.0, width_m: 1.0, heading_tolerance_rad: 0.2 },
            left_boundary: vec![[0.0, 1.2], [1.0, 1.2]],
            right_boundary: vec![[0.0, -1.2], [1.0, -1.2]],
        };
        fn lists(name: &str, value: &serde_json::Value, found: &mut Vec<String>) {
            match value {
                serde_json::Value::Array(items) => {
                    if items.iter().any(|v| v.is_array() || v.is_object()) {
                        found.push(name.to_owned());
                    }
                    items.iter().for_each(|v| lists(name, v, found));
                }
                serde_json::Value::Object(map) => map.iter().for_each(|(key, v)| lists(key, v, found)),
                _ => {}
            }
        }
        let seen = Observation::new(&state, &segment, 0.0).unwrap();
        let mut found = Vec::new();
        lists("", &serde_json::to_value(&seen).unwrap(), &mut found);
        found.sort();
        assert_eq!(found, ["left_boundary", "right_boundary", "robots"]);
    }
}
