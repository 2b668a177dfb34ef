//! Limits on measured motion that end it (AR-107): mean speed, mean turn rate, separation while carrying.

use crate::config::SafetySettings;
use crate::sense::Body;
use serde::{Deserialize, Serialize};
use troupe_core::TICK_S;
use troupe_core::state::{RobotMode, RobotState, TeamState};

/// First-order means of the base's velocity; the sway of the gait averages out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeanVelocity {
    /// vx, vy in m/s, yaw rate in rad/s; world frame.
    pub mean: [f64; 3],
}

/// A breached limit.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Breach {
    /// Too fast.
    #[error("mean speed {0:.2} m/s is above {1} m/s")]
    Speed(f64, f64),
    /// Turns too fast.
    #[error("mean turn rate {0:.2} rad/s is above {1} rad/s")]
    Turn(f64, f64),
    /// Too near or too far while carrying.
    #[error("separation {0:.2} m is outside {1} to {2} m while carrying")]
    Separation(f64, f64, f64),
}

impl MeanVelocity {
    /// Takes in one tick.
    pub fn observe(&mut self, safety: &SafetySettings, body: &Body) {
        let share = TICK_S / safety.mean_s;
        for (mean, value) in self.mean.iter_mut().zip(body.velocity) {
            *mean += share * (value - *mean);
        }
    }

    /// The breached limit of speed or turn rate.
    #[must_use]
    pub fn breach(&self, safety: &SafetySettings) -> Option<Breach> {
        let [vx, vy, yaw_rate] = self.mean;
        let speed = vx.hypot(vy);
        if speed > safety.speed_mps {
            return Some(Breach::Speed(speed, safety.speed_mps));
        }
        (yaw_rate.abs() > safety.turn_rps).then(|| Breach::Turn(yaw_rate.abs(), safety.turn_rps))
    }
}

/// True while the payload lies on the robots' arms.
#[must_use]
pub fn lies_on_arms(team: &TeamState) -> bool {
    team.payload().is_some_and(|p| !p.held)
}

/// The breached separation between `name` and any other robot, while they carry.
#[must_use]
pub fn separation_breach(safety: &SafetySettings, team: &TeamState, name: &str, carrying: bool) -> Option<Breach> {
    let [near, far] = safety.separation_m;
    if !carrying {
        return None;
    }
    let own = team.robot(name)?.base.planar();
    team.robots
        .iter()
        .filter(|r| r.robot != name)
        .map(|r| r.base.planar().distance(&own))
        .find(|d| !(near..=far).contains(d))
        .map(|d| Breach::Separation(d, near, far))
}

/// A robot that stopped or fell while `name` carries with it: walking on would tear the payload away.
#[must_use]
pub fn halted_partner<'a>(team: &'a TeamState, name: &str, carrying: bool) -> Option<&'a RobotState> {
    let halted = |r: &&RobotState| r.robot != name && matches!(r.mode, RobotMode::Stopped | RobotMode::Fault);
    team.robots.iter().find(|r| carrying && halted(r))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests_support::config;
    use crate::sense::tests_support::team_state;
    use troupe_core::frames::{Planar, Pose, Twist};
    use troupe_core::state::PayloadState;

    #[test]
    fn sway_passes_and_a_run_is_a_breach() {
        let safety = config().settings.safety;
        let mut mean = MeanVelocity::default();
        for tick in 0..500 {
            let sway = 0.4 * (f64::from(tick) * 0.25).sin();
            let body = Body { pose: Planar::default(), velocity: [0.4, sway, sway] };
            mean.observe(&safety, &body);
            assert_eq!(mean.breach(&safety), None, "{tick} {mean:?}");
        }
        for _ in 0..200 {
            mean.observe(&safety, &Body { pose: Planar::default(), velocity: [0.7, 0.0, 0.0] });
        }
        assert!(mean.breach(&safety).unwrap().to_string().contains("speed"));
        let mut turning = MeanVelocity::default();
        for _ in 0..200 {
            turning.observe(&safety, &Body { pose: Planar::default(), velocity: [0.0, 0.0, -0.7] });
        }
        assert!(matches!(turning.breach(&safety), Some(Breach::Turn(..))));
    }

    #[test]
    fn separation_matters_only_while_carrying() {
        let safety = config().settings.safety;
        let mut team = team_state(1, 0, Planar::default());
        let mut other = team.robots[0].clone();
        other.robot = "g1_1".into();
        other.base = Pose::upright([0.0, -0.5, 0.78], 0.0);
        team.robots.push(other);
        assert!(!lies_on_arms(&team));
        team.payloads.push(PayloadState {
            name: "payload".into(),
            pose: Pose::default(),
            twist: Twist::default(),
            half_extents_m: [0.05, 0.65, 0.015],
            z_min_m: 0.9,
            tilt_rad: 0.0,
            mass_kg: 0.5,
            held: false,
        });
        assert!(separation_breach(&safety, &team, "g1_0", true).unwrap().to_string().contains("0.50 m"));
        assert_eq!(separation_breach(&safety, &team, "g1_0", false), None);
        assert!(lies_on_arms(&team));
        team.payloads[0].held = true;
        assert!(!lies_on_arms(&team));
        assert!(halted_partner(&team, "g1_0", true).is_none());
        team.robots[1].mode = RobotMode::Stopped;
        assert_eq!(halted_partner(&team, "g1_0", true).map(|r| r.robot.as_str()), Some("g1_1"));
        assert!(halted_partner(&team, "g1_1", true).is_none() && halted_partner(&team, "g1_0", false).is_none());
    }
}
