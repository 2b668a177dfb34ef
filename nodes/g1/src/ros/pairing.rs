//! Which `lowstate` is answered with which `team/state`. No input or output.

use std::collections::VecDeque;
use troupe_core::device::LowState;
use troupe_core::state::TeamState;
use troupe_ros::mode::Mode;

/// Ticks of `team/state` that are kept for a `lowstate` still under way.
const KEEP: usize = 8;
/// One control tick on the robot's clock, ms.
const TICK_MS: u32 = 20;

/// What to do with the newest states.
#[derive(Clone, Debug, PartialEq)]
pub enum Due {
    /// One control tick with these.
    Tick(LowState, TeamState),
    /// The state was answered before: send the same answer again.
    Repeat,
    /// Nothing.
    Wait,
}

/// Pairs the two streams.
#[derive(Debug)]
pub struct Pairing {
    mode: Mode,
    low: Option<LowState>,
    teams: VecDeque<TeamState>,
    answered_ms: Option<u32>,
}

impl Pairing {
    /// Nothing has come yet.
    pub fn new(mode: Mode) -> Self {
        Self { mode, low: None, teams: VecDeque::with_capacity(KEEP + 1), answered_ms: None }
    }

    /// A `lowstate` has come.
    pub fn low(&mut self, state: LowState) {
        self.low = Some(state);
    }

    /// A `team/state` has come.
    pub fn team(&mut self, state: TeamState) {
        self.teams.push_back(state);
        if self.teams.len() > KEEP {
            self.teams.pop_front();
        }
    }

    /// In lockstep a `lowstate` is answered once, with the `team/state` of the same tick. Otherwise it is
    /// answered with the newest one, at most once in 20 ms of the robot's clock. A state that comes again was sent
    /// again because its answer was lost, as before both ends have found each other: the answer is sent again.
    pub fn due(&mut self) -> Due {
        let Some(low) = &self.low else { return Due::Wait };
        if self.answered_ms == Some(low.tick_ms) {
            self.low = None;
            return Due::Repeat;
        }
        let team = match self.mode {
            Mode::Lockstep => self.teams.iter().rev().find(|t| tick_ms(t.tick) == low.tick_ms),
            Mode::Realtime if self.answered_ms.is_some_and(|ms| low.tick_ms.wrapping_sub(ms) < TICK_MS) => None,
            Mode::Realtime => self.teams.back(),
        };
        let Some(team) = team.cloned() else { return Due::Wait };
        match self.low.take() {
            Some(low) => {
                self.answered_ms = Some(low.tick_ms);
                Due::Tick(low, team)
            }
            None => Due::Wait,
        }
    }
}

/// The robot's clock at a control tick, ms, as simulation sends it.
pub fn tick_ms(tick: u64) -> u32 {
    (tick.wrapping_mul(u64::from(TICK_MS)) & u64::from(u32::MAX)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use troupe_core::device::{G1_JOINTS, Imu, MotorState};
    use troupe_core::route::{Gate, RouteReference};

    fn low(tick_ms: u32) -> LowState {
        LowState { mode_machine: 5, tick_ms, imu: Imu::default(), motors: [MotorState::default(); G1_JOINTS] }
    }

    fn team(tick: u64) -> TeamState {
        let gate = Gate { position: [0.0; 2], heading_rad: 0.0, width_m: 1.0, heading_tolerance_rad: 0.1 };
        let route = RouteReference { segment_id: String::new(), direction: [1.0, 0.0], local_target: [0.0; 2], left_boundary: vec![], right_boundary: vec![], gate };
        TeamState { tick, stamp_s: tick as f64 * 0.02, context_epoch: 0, robots: vec![], payloads: vec![], contacts: vec![], route }
    }

    #[test]
    fn lockstep_waits_for_the_same_tick_and_answers_once() {
        let mut pairing = Pairing::new(Mode::Lockstep);
        pairing.low(low(60));
        pairing.team(team(2));
        assert_eq!(pairing.due(), Due::Wait);
        pairing.team(team(3));
        assert_eq!(pairing.due(), Due::Tick(low(60), team(3)));
        assert_eq!(pairing.due(), Due::Wait);
        pairing.team(team(4));
        assert_eq!(pairing.due(), Due::Wait, "a team state alone moves nothing");
        pairing.low(low(60));
        assert_eq!(pairing.due(), Due::Repeat);
    }

    #[test]
    fn the_robots_clock_wraps() {
        let tick = (1_u64 << 32) / 20 + 1;
        let mut pairing = Pairing::new(Mode::Lockstep);
        pairing.team(team(tick));
        pairing.low(low(tick_ms(tick)));
        assert!(matches!(pairing.due(), Due::Tick(..)));
    }

    /// CE-011.
    #[test]
    fn real_time_ticks_at_50_hz_with_the_newest() {
        let mut pairing = Pairing::new(Mode::Realtime);
        pairing.team(team(1));
        let mut ticks = 0;
        for ms in (0..200).step_by(2) {
            pairing.low(low((u32::MAX - 50).wrapping_add(ms)));
            ticks += u32::from(matches!(pairing.due(), Due::Tick(..)));
        }
        assert_eq!(ticks, 10);
        let again = low((u32::MAX - 50).wrapping_add(180));
        pairing.low(again);
        assert_eq!(pairing.due(), Due::Repeat, "its answer was lost");
    }
}
