//! What may be trusted about the world at one control tick; mirrors `troupe_msgs/TeamState`.

use crate::frames::{Pose, Twist};
use crate::route::RouteReference;
use serde::{Deserialize, Serialize};

/// What a robot is doing, as it reports it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RobotMode {
    /// Standing, no goal.
    #[default]
    Idle,
    /// Executing a skill or a velocity command.
    Moving,
    /// Holding a posture on purpose.
    Holding,
    /// Stopped by `team/stop`, a lost heartbeat or stale state.
    Stopped,
    /// Fallen, or its state is not finite.
    Fault,
}

/// One robot seen from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotState {
    /// Namespace, for example `g1_0`.
    pub robot: String,
    /// `g1`, `go2`, `alohamini2` or `droid`.
    pub kind: String,
    /// Base link (pelvis) in the world frame.
    pub base: Pose,
    /// Of the base, in the world frame.
    pub twist: Twist,
    /// Angle between the torso's up axis and world up, rad.
    pub torso_tilt_rad: f64,
    /// As reported by the robot.
    pub mode: RobotMode,
    /// Rises with every re-initialisation of the robot's controller.
    pub controller_epoch: u32,
    /// True for simulation ground truth.
    pub privileged: bool,
    /// Standard deviation of the position, m.
    pub pose_std_m: f64,
}

/// The carried object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PayloadState {
    /// Entity name.
    pub name: String,
    /// Centre in the world frame.
    pub pose: Pose,
    /// In the world frame.
    pub twist: Twist,
    /// Along the object's own axes, m.
    pub half_extents_m: [f64; 3],
    /// Height of the lowest point, m (CE-009).
    pub z_min_m: f64,
    /// Angle between the object's up axis and world up, rad.
    pub tilt_rad: f64,
    /// kg; NaN when unknown.
    pub mass_kg: f64,
    /// True while a hoist or an operator holds it.
    pub held: bool,
}

/// What two bodies did to each other during one control tick.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    /// `payload` or `<robot>/<part>`.
    pub body_a: String,
    /// `<robot>/<part>`, `wall`, `stand` or `floor`.
    pub body_b: String,
    /// Mean normal force over the tick, N.
    pub force_n: f64,
    /// Normal impulse over the tick, N s.
    pub impulse_ns: f64,
}

/// Everything trusted at one tick.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TeamState {
    /// Control ticks since the world started; never falls.
    pub tick: u64,
    /// Simulated time, s; `tick` × 20 ms in simulation.
    pub stamp_s: f64,
    /// Resets, restores, recoveries and policy changes so far.
    pub context_epoch: u32,
    /// In team order.
    pub robots: Vec<RobotState>,
    /// Carried objects.
    pub payloads: Vec<PayloadState>,
    /// Of this tick, sorted by `body_a`, then `body_b`.
    pub contacts: Vec<Contact>,
    /// The segment the payload is in.
    pub route: RouteReference,
}

impl TeamState {
    /// The robot with this namespace.
    #[must_use]
    pub fn robot(&self, name: &str) -> Option<&RobotState> {
        self.robots.iter().find(|r| r.robot == name)
    }

    /// The first payload: the one that the transport task carries.
    #[must_use]
    pub fn payload(&self) -> Option<&PayloadState> {
        self.payloads.first()
    }

    /// True when `robot` touches the payload in this tick with any arm part.
    #[must_use]
    pub fn supports(&self, robot: &str) -> bool {
        self.contacts.iter().any(|c| {
            c.body_a == "payload"
                && c.body_b
                    .strip_prefix(robot)
                    .and_then(|rest| rest.strip_prefix('/'))
                    .is_some_and(|part| part.ends_with("forearm") || part.ends_with("palm"))
        })
    }

    /// True when every number is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        let pose = |p: &Pose| p.position.iter().chain(&p.orientation).all(|v| v.is_finite());
        let twist = |t: &Twist| t.linear.iter().chain(&t.angular).all(|v| v.is_finite());
        self.stamp_s.is_finite()
            && self.robots.iter().all(|r| pose(&r.base) && twist(&r.twist) && r.torso_tilt_rad.is_finite())
            && self.payloads.iter().all(|p| pose(&p.pose) && twist(&p.twist) && p.tilt_rad.is_finite())
    }
}
