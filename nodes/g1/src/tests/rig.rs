//! A robot that moves exactly as it is told: the velocity command, one tick later.

use crate::config::G1Config;
use crate::config::tests_support::config;
use crate::controller::{G1, Output};
use crate::sense::tests_support::{low_state, team_state};
use std::collections::BTreeMap;
use troupe_core::TICK_S;
use troupe_core::device::LowState;
use troupe_core::frames::Planar;
use troupe_core::skill::{Direction, SkillCall, SkillGoal, SkillResult};
use troupe_core::state::TeamState;
use troupe_policy::{ACTIONS, OBSERVATIONS, PolicyError, WalkingPolicy};

/// Answers with a small function of the observation and keeps the last one.
pub struct Simple {
    pub seen: std::sync::Arc<std::sync::Mutex<[f32; OBSERVATIONS]>>,
}

impl WalkingPolicy for Simple {
    fn infer(&mut self, observation: &[f32; OBSERVATIONS]) -> Result<[f32; ACTIONS], PolicyError> {
        *self.seen.lock().unwrap() = *observation;
        Ok(std::array::from_fn(|i| 0.5 * (observation[i] + observation[35]).sin() + 0.3 * observation[33]))
    }
}

pub struct Rig {
    pub g1: G1,
    pub config: G1Config,
    pub pose: Planar,
    pub velocity: [f32; 3],
    pub tick: u64,
    pub epoch: u32,
    pub seen: std::sync::Arc<std::sync::Mutex<[f32; OBSERVATIONS]>>,
    pub results: BTreeMap<String, Vec<SkillResult>>,
}

impl Rig {
    pub fn new() -> Self {
        let config = config();
        let seen = std::sync::Arc::new(std::sync::Mutex::new([0.0; OBSERVATIONS]));
        Self {
            g1: G1::new(config.clone(), Box::new(Simple { seen: seen.clone() }), "g1_0"),
            config,
            pose: Planar::default(),
            velocity: [0.0; 3],
            tick: 0,
            epoch: 0,
            seen,
            results: BTreeMap::new(),
        }
    }

    /// The states that the next tick sees.
    pub fn states(&self) -> (LowState, TeamState) {
        let mut team = team_state(self.tick + 1, self.epoch, self.pose);
        let in_world = Planar { yaw: self.pose.yaw, ..Planar::default() }.compose(Planar {
            x: f64::from(self.velocity[0]),
            y: f64::from(self.velocity[1]),
            yaw: 0.0,
        });
        team.robots[0].twist.linear = [in_world.x, in_world.y, 0.0];
        team.robots[0].twist.angular = [0.0, 0.0, f64::from(self.velocity[2])];
        (low_state(&self.config.joints, self.tick + 1), team)
    }

    pub fn tick_with(&mut self, low: &LowState, team: &TeamState) -> Output {
        self.tick += 1;
        let output = self.g1.tick(low, team);
        assert!(output.command.is_sound());
        assert_eq!(output.command.answers_tick_ms, low.tick_ms);
        self.velocity = output.report.velocity_command;
        let [vx, vy, yaw_rate] = self.velocity.map(|v| f64::from(v) * TICK_S);
        self.pose = self.pose.compose(Planar { x: vx, y: vy, yaw: yaw_rate });
        self.collect(output.finished.clone());
        output
    }

    pub fn tick(&mut self) -> Output {
        let (low, team) = self.states();
        self.tick_with(&low, &team)
    }

    pub fn collect(&mut self, finished: Vec<(String, SkillResult)>) {
        for (id, result) in finished {
            self.results.entry(id).or_default().push(result);
        }
    }

    /// Ticks until the goal has its result.
    pub fn finish(&mut self, id: &str) -> SkillResult {
        for _ in 0..2000 {
            if let Some(result) = self.result(id) {
                return result;
            }
            self.tick();
        }
        panic!("{id} has no result");
    }

    /// The one result of a goal, if it has one.
    pub fn result(&self, id: &str) -> Option<SkillResult> {
        let all = self.results.get(id)?;
        assert_eq!(all.len(), 1, "{id} has {} results", all.len());
        all.first().cloned()
    }

    /// Accepts and finishes a goal that must succeed.
    pub fn run(&mut self, call: SkillCall) -> SkillResult {
        let id = format!("{}-{}", call.name(), self.tick);
        self.g1.accept(id.clone(), self.goal(call)).unwrap();
        self.finish(&id)
    }

    pub fn goal(&self, call: SkillCall) -> SkillGoal {
        SkillGoal { call, transaction_id: "t".into(), context_epoch: self.epoch, start_tick: 0, deadline_s: 30.0 }
    }
}

pub fn walk(distance_m: f64) -> SkillCall {
    SkillCall::Walk { distance_m, direction: Direction::Forward, speed_mps: 0.25 }
}
