//! What stops a robot from outside its controller: stale state and a lost orchestrator. Times are arguments.

use std::time::Instant;
use troupe_ros::heartbeat::Watch;
use troupe_ros::mode::Mode;
use troupe_ros::settings::{self, wall};

/// Watches the streams that a moving robot depends on.
#[derive(Debug)]
pub struct Watchdog {
    simulated: bool,
    state_ticks: u64,
    low: Watch,
    team: Watch,
    heartbeat: Watch,
    low_ms: Option<u32>,
    team_tick: Option<u64>,
    lag: u64,
}

impl Watchdog {
    /// With the limits of `config/nodes/ros.yaml`. In simulation a pause is not staleness, so that only
    /// the lag between the two states counts there.
    pub fn new(limits: &settings::Watchdog, mode: Mode, simulated: bool) -> Self {
        let state = wall(limits.state_wall_s);
        let heartbeat = match mode {
            Mode::Lockstep => limits.heartbeat_lockstep_wall_s,
            Mode::Realtime => limits.heartbeat_wall_s,
        };
        Self {
            simulated,
            state_ticks: limits.state_ticks,
            low: Watch::new(state),
            team: Watch::new(state),
            heartbeat: Watch::new(wall(heartbeat)),
            low_ms: None,
            team_tick: None,
            lag: 0,
        }
    }

    /// A `lowstate` has come; the same one again is no news.
    pub fn low(&mut self, tick_ms: u32, now: Instant) {
        if self.low_ms.replace(tick_ms) != Some(tick_ms) {
            self.low.seen(now);
            self.lag += 1;
        }
    }

    /// A `team/state` has come; the same one again is no news.
    pub fn team(&mut self, tick: u64, now: Instant) {
        if self.team_tick.replace(tick) != Some(tick) {
            self.team.seen(now);
            self.lag = 0;
        }
    }

    /// A heartbeat has come.
    pub fn heartbeat(&mut self, now: Instant) {
        self.heartbeat.seen(now);
    }

    /// Ages of lowstate and team/state in s.
    pub fn ages_s(&self, now: Instant) -> [Option<f64>; 2] {
        [self.low, self.team].map(|watch| watch.age(now).map(|age| age.as_secs_f64()))
    }

    /// Why the robot must stop, if it must. `skill` is true while a skill goal is executing.
    pub fn check(&mut self, skill: bool, now: Instant) -> Option<String> {
        if !skill && self.heartbeat.lost(now) {
            // Whoever sends the next goal may have no heartbeat at all.
            self.heartbeat.forget();
        }
        if skill && self.heartbeat.lost(now) {
            return Some("the orchestrator's heartbeat is lost".to_owned());
        }
        if self.simulated {
            return (self.lag > self.state_ticks).then(|| format!("team/state is {} ticks behind lowstate", self.lag));
        }
        let stale = |watch: &Watch, what: &str| {
            watch.lost(now).then(|| format!("{what} is {:.3} s old", watch.age(now).unwrap_or_default().as_secs_f64()))
        };
        stale(&self.low, "lowstate").or_else(|| stale(&self.team, "team/state"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn limits() -> settings::Watchdog {
        settings::Watchdog { state_wall_s: 0.2, state_ticks: 3, heartbeat_wall_s: 0.5, heartbeat_lockstep_wall_s: 2.0 }
    }

    #[test]
    fn a_paused_simulation_is_not_stale_but_a_lagging_state_is() {
        let now = Instant::now();
        let mut dog = Watchdog::new(&limits(), Mode::Realtime, true);
        dog.low(20, now);
        dog.team(1, now);
        assert_eq!(dog.check(true, now + Duration::from_secs(60)), None);
        for ms in [40, 60, 80, 100] {
            dog.low(ms, now);
        }
        assert!(dog.check(false, now).unwrap().contains("4 ticks"));
    }

    #[test]
    fn on_a_robot_old_and_frozen_states_are_stale() {
        let now = Instant::now();
        let mut dog = Watchdog::new(&limits(), Mode::Realtime, false);
        dog.low(20, now);
        dog.team(1, now);
        assert_eq!(dog.check(false, now + Duration::from_millis(200)), None);
        dog.team(2, now + Duration::from_millis(200));
        dog.low(20, now + Duration::from_millis(200));
        assert!(dog.check(false, now + Duration::from_millis(201)).unwrap().contains("lowstate"));
    }

    #[test]
    fn a_heartbeat_counts_only_while_a_skill_runs() {
        let now = Instant::now();
        let mut dog = Watchdog::new(&limits(), Mode::Realtime, true);
        assert_eq!(dog.check(true, now), None, "a client without heartbeat may send goals");
        dog.heartbeat(now);
        assert!(dog.check(true, now + Duration::from_millis(501)).is_some());
        assert_eq!(dog.check(false, now + Duration::from_secs(2)), None);
        assert_eq!(dog.check(true, now + Duration::from_secs(3)), None, "a dead orchestrator is forgotten");
    }
}
