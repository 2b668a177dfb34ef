//! The bridge and the robots in one process: what DDS does between them, done by function calls.

use std::path::Path;
use troupe_core::skill::{SkillGoal, SkillResult};
use troupe_core::state::TeamState;
use troupe_core::variation::Variation;
use troupe_core::team::{CheckpointInfo, Dispatched, Restored, WindowReason};
use troupe_g1::{G1, G1Config, Refusal};
use troupe_policy::WalkPolicy;
use troupe_sim_bridge::{Bridge, BridgeError, HOIST_LIFT_M, Window, WindowStep};
use troupe_world::WorldDescription;

/// Why the crew cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum CrewError {
    /// A configuration file does not fit.
    #[error(transparent)]
    Config(#[from] troupe_core::config::ConfigError),
    /// The walking policy cannot be loaded or fails.
    #[error(transparent)]
    Policy(#[from] troupe_policy::PolicyError),
    /// The world cannot be loaded or stepped.
    #[error(transparent)]
    World(#[from] troupe_world::WorldError),
    /// The bridge refused.
    #[error(transparent)]
    Bridge(#[from] BridgeError),
    /// A robot refused its goal before motion.
    #[error("{robot} refused its goal: {code:?}: {message}", code = refusal.code, message = refusal.message)]
    Refused {
        /// Namespace.
        robot: String,
        /// Code and reason.
        refusal: Refusal,
    },
    /// A robot's controller cannot be restored.
    #[error("{robot}: {reason}")]
    Controller {
        /// Namespace.
        robot: String,
        /// Its words.
        reason: String,
    },
    /// A request that makes no sense in this state.
    #[error("{0}")]
    Request(String),
}

/// Who is told about every state, in order.
pub type Observer<'a> = &'a mut dyn FnMut(&TeamState);

/// Bridge and robots.
pub struct Crew {
    bridge: Bridge,
    robots: Vec<G1>,
    policy: WalkPolicy,
    finished: Vec<(String, SkillResult)>,
    goals: u64,
}

impl Crew {
    /// Loads a named world and the robots from a configuration folder, the policy from the
    /// folder of fetched assets, and starts the world with `seed`.
    ///
    /// # Errors
    /// [`CrewError`] naming what does not fit.
    pub fn load(config: &Path, assets: &Path, world: &str, seed: u64) -> Result<Self, CrewError> {
        Self::varied(config, assets, world, seed, &Variation::nominal())
    }

    /// The same under a variation (CE-153, CE-154).
    ///
    /// # Errors
    /// [`CrewError`] naming what does not fit.
    pub fn varied(
        config: &Path,
        assets: &Path,
        world: &str,
        seed: u64,
        variation: &Variation,
    ) -> Result<Self, CrewError> {
        let mut description = WorldDescription::named(config, world)?;
        let g1 = G1Config::load(&config.join("nodes/g1.yaml"), &config.join("robots/g1.yaml"))?;
        let policy = WalkPolicy::load(&assets.join(&g1.settings.policy))?;
        if let Some(route) = variation.in_world(config, world, seed, |file| std::fs::read_to_string(file))?.route {
            description.config.route = route;
        }
        let bridge = Bridge::varied(&description, seed, variation)?;
        let robots = description
            .config
            .robots
            .iter()
            .map(|own| {
                let placed = g1.clone().placed(&description.file, &own.support, own.start_phase_rad)?;
                Ok(G1::new(placed, Box::new(policy.clone()), &own.name))
            })
            .collect::<Result<_, CrewError>>()?;
        let mut crew = Self { bridge, robots, policy, finished: Vec::new(), goals: 0 };
        crew.answer(&mut |_| {})?;
        Ok(crew)
    }

    /// A crew of its own in a copy of the world at this very state, in the same epochs: it goes on from
    /// here exactly as this one would, and may be thrown away. It knows no checkpoints.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            bridge: self.bridge.fork(),
            robots: self.robots.iter().map(|robot| robot.fork(Box::new(self.policy.clone()))).collect(),
            policy: self.policy.clone(),
            finished: self.finished.clone(),
            goals: self.goals,
        }
    }

    /// The simulated world.
    pub fn bridge(&mut self) -> &mut Bridge {
        &mut self.bridge
    }

    /// The robots in team order.
    pub fn robots(&mut self) -> &mut [G1] {
        &mut self.robots
    }

    /// Publishes the current state to robots and observer and takes the robots' commands for it.
    fn answer(&mut self, observer: Observer<'_>) -> Result<(), CrewError> {
        let frame = self.bridge.frame()?;
        observer(&frame.team);
        for (index, (robot, low)) in self.robots.iter_mut().zip(&frame.low_states).enumerate() {
            let output = robot.tick(low, &frame.team);
            self.finished.extend(output.finished);
            self.bridge.accept(index, output.command)?;
        }
        Ok(())
    }

    /// Publishes a state that the robots do not answer: no time passes for them.
    fn show(&mut self, observer: Observer<'_>) -> Result<TeamState, CrewError> {
        let state = self.bridge.team_state()?;
        observer(&state);
        Ok(state)
    }

    /// Lets time pass until every robot is idle (or exactly `max_ticks`); returns tick and reason.
    ///
    /// # Errors
    /// When physics or a policy fails, or no ticks are asked for.
    pub fn window(&mut self, max_ticks: u64, until_idle: bool, observer: Observer<'_>) -> Result<(u64, WindowReason), CrewError> {
        let Some(mut window) = Window::open(self.bridge.tick(), max_ticks, until_idle) else {
            return Err(CrewError::Request("a window needs at least one tick".into()));
        };
        loop {
            self.bridge.step()?;
            window.stepped();
            self.answer(observer)?;
            if let WindowStep::Close(reason) = window.answered(self.bridge.any_busy()) {
                return Ok((self.bridge.tick(), reason));
            }
        }
    }

    /// Sends one goal to each robot, all or none accepted, and lets time pass until all are idle.
    ///
    /// # Errors
    /// [`CrewError::Refused`] before motion; else when physics or a policy fails.
    pub fn dispatch(&mut self, goals: &[SkillGoal], max_ticks: u64, observer: Observer<'_>) -> Result<Dispatched, CrewError> {
        if goals.len() != self.robots.len() {
            let (given, needed) = (goals.len(), self.robots.len());
            return Err(CrewError::Request(format!("{given} goals for {needed} robots")));
        }
        let ids: Vec<String> = goals.iter().enumerate().map(|(i, _)| format!("goal-{}-{i}", self.goals)).collect();
        self.goals += 1;
        for (index, (goal, id)) in goals.iter().zip(&ids).enumerate() {
            let Some(robot) = self.robots.get_mut(index) else { continue };
            if let Err(refusal) = robot.accept(id.clone(), goal.clone()) {
                for (earlier, id) in self.robots.iter_mut().zip(&ids).take(index) {
                    earlier.cancel(id);
                    let _canceled = earlier.take_finished();
                }
                let robot = self.bridge.robots().get(index).cloned().unwrap_or_default();
                return Err(CrewError::Refused { robot, refusal });
            }
        }
        let start_tick = self.bridge.tick();
        self.finished.clear();
        let (closed_tick, reason) = self.window(max_ticks, true, observer)?;
        let results = ids
            .iter()
            .map(|id| {
                let found = self.finished.iter().find(|(goal, _)| goal == id).map(|(_, result)| result.clone());
                found.ok_or_else(|| CrewError::Request(format!("{id} has no result after {max_ticks} ticks")))
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Dispatched { start_tick, closed_tick, reason, results })
    }

    /// A fresh episode.
    ///
    /// # Errors
    /// When the world's start is not finite or a policy fails.
    pub fn reset(&mut self, seed: u64, observer: Observer<'_>) -> Result<(), CrewError> {
        self.bridge.reset(seed)?;
        let epoch = self.bridge.context_epoch();
        for (index, robot) in self.robots.iter_mut().enumerate() {
            let acknowledged = robot.restore(epoch, None, false).map_err(|e| controller(&self.bridge, index, &e))?;
            self.bridge.acknowledged(index, acknowledged, false);
        }
        self.finished.clear();
        self.answer(observer)
    }

    /// Lays the payload on the robots' forearms.
    ///
    /// # Errors
    /// When it is free already.
    pub fn place_payload(&mut self, observer: Observer<'_>) -> Result<(), CrewError> {
        self.bridge.place_payload()?;
        self.show(observer).map(|_| ())
    }

    /// Takes the payload up and holds it above the robots' forearms, to be laid on anew.
    ///
    /// # Errors
    /// When the world cannot.
    pub fn hoist_payload(&mut self, observer: Observer<'_>) -> Result<(), CrewError> {
        self.bridge.hoist_payload(HOIST_LIFT_M)?;
        self.show(observer).map(|_| ())
    }

    /// Stores world and controllers.
    ///
    /// # Errors
    /// When the name is taken.
    pub fn save(&mut self, id: &str, created_by: &str) -> Result<CheckpointInfo, CrewError> {
        let controllers = self.robots.iter().map(G1::save).collect();
        Ok(self.bridge.save(id, created_by, controllers)?)
    }

    /// Brings a stored state back; with `resume` skills and velocity commands go on as stored.
    ///
    /// # Errors
    /// For an unknown name, or when a controller cannot be restored.
    pub fn restore(&mut self, id: &str, resume: bool, observer: Observer<'_>) -> Result<Restored, CrewError> {
        let (mut restored, controllers) = self.bridge.restore(id)?;
        for (index, (robot, memory)) in self.robots.iter_mut().zip(&controllers).enumerate() {
            let epoch = restored.context_epoch;
            let acknowledged =
                robot.restore(epoch, Some(memory), resume).map_err(|e| controller(&self.bridge, index, &e))?;
            self.bridge.acknowledged(index, acknowledged, resume);
            restored.controller_epochs.push(acknowledged);
        }
        self.finished.clear();
        self.show(observer)?;
        Ok(restored)
    }
}

fn controller(bridge: &Bridge, index: usize, error: &impl std::fmt::Display) -> CrewError {
    let robot = bridge.robots().get(index).cloned().unwrap_or_default();
    CrewError::Controller { robot, reason: error.to_string() }
}
