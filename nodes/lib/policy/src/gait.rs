//! Phase of the two legs, as the walking policies were trained with it.

use serde::{Deserialize, Serialize};
use std::f64::consts::{PI, TAU};

/// Below this, commanded speed (m/s) and turn rate (rad/s) mean "stand".
pub const STAND_BELOW: f64 = 0.01;

/// Phase of both legs; moves on once per control tick, before the observation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GaitPhase {
    /// Left, right, rad in [−π, π].
    pub legs_rad: [f64; 2],
    /// True while the policy is told to stand: both phases are π.
    pub standing: bool,
}

impl GaitPhase {
    /// Phase at the first step: usually `[0, π]`; `[π, 0]` starts with the other foot.
    #[must_use]
    pub fn starting_at(start_rad: [f64; 2]) -> Self {
        Self { legs_rad: start_rad, standing: false }
    }

    /// Moves on by one tick under `velocity` (vx, vy in m/s, yaw rate in rad/s).
    ///
    /// `ticks_per_cycle` is 50 for the G1's policies at 50 Hz; `start_rad` is taken on leaving stand, so
    /// two robots that get their commands on one tick step together.
    pub fn advance(&mut self, velocity: [f32; 3], start_rad: [f64; 2], ticks_per_cycle: f64) {
        let [vx, vy, yaw_rate] = velocity.map(f64::from);
        if vx.hypot(vy) < STAND_BELOW && yaw_rate.abs() < STAND_BELOW {
            *self = Self { legs_rad: [PI, PI], standing: true };
        } else if self.standing {
            *self = Self::starting_at(start_rad);
        } else {
            self.legs_rad = self.legs_rad.map(|phase| (phase + TAU / ticks_per_cycle + PI) % TAU - PI);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: [f64; 2] = [0.0, PI];

    #[test]
    fn a_cycle_takes_fifty_ticks_and_keeps_the_legs_opposed() {
        let mut gait = GaitPhase::starting_at(START);
        for _ in 0..50 {
            gait.advance([0.3, 0.0, 0.0], START, 50.0);
            let apart = (gait.legs_rad[0] - gait.legs_rad[1]).rem_euclid(TAU);
            assert!((apart - PI).abs() < 1e-9);
            assert!(gait.legs_rad.iter().all(|p| p.abs() <= PI + 1e-12));
        }
        assert!(gait.legs_rad[0].abs() < 1e-9, "{gait:?}");
    }

    #[test]
    fn the_first_walking_tick_from_the_start_has_moved_on_once() {
        let mut gait = GaitPhase::starting_at(START);
        gait.advance([0.0, 0.0, 0.2], START, 50.0);
        assert!((gait.legs_rad[0] - TAU / 50.0).abs() < 1e-12);
    }

    #[test]
    fn a_zero_command_stands_and_leaving_stand_starts_over() {
        let mut gait = GaitPhase::starting_at(START);
        gait.advance([0.009, 0.0, -0.009], START, 50.0);
        assert_eq!(gait, GaitPhase { legs_rad: [PI, PI], standing: true });
        gait.advance([0.012, 0.0, 0.0], START, 50.0);
        assert_eq!(gait, GaitPhase { legs_rad: START, standing: false });
    }

    #[test]
    fn two_robots_started_on_one_tick_stay_in_phase() {
        let mut first = GaitPhase::starting_at(START);
        let mut second = GaitPhase { legs_rad: [PI, PI], standing: true };
        first.advance([0.0; 3], START, 50.0);
        for _ in 0..1000 {
            first.advance([0.25, 0.0, 0.0], START, 50.0);
            second.advance([0.0, 0.0, 0.25], START, 50.0);
            assert_eq!(first, second);
        }
    }
}
