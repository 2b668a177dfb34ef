//! The bridge's state: world, tick, epoch, held commands and checkpoints.

use crate::checkpoint::{Checkpoints, Controllers, Stored};
use crate::error::BridgeError;
use crate::route_progress::{no_reference, set_reference};
use crate::varying::Varying;
use troupe_core::TICK_S;
use troupe_core::device::{G1_JOINTS, G1_MODE_MACHINE, Imu, LowCommand, LowState, MotorState};
use troupe_core::frames::{Pose, Twist};
use troupe_core::state::{RobotMode, TeamState};
use troupe_core::team::{Capabilities, CheckpointInfo, Restored};
use troupe_core::variation::{Estimator, Variation};
use troupe_world::{World, WorldDescription};

/// Height above the forearms at which a payload that was taken up again hangs, m: clear of heads.
pub const HOIST_LIFT_M: f64 = 0.9;

/// Everything published for one control tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// In team order.
    pub low_states: Vec<LowState>,
    /// Trusted state.
    pub team: TeamState,
}

/// The simulated world as the team sees it.
#[derive(Debug)]
pub struct Bridge {
    world: World,
    names: Vec<String>,
    tick: u64,
    context_epoch: u32,
    commands: Vec<Option<LowCommand>>,
    controller_epochs: Vec<u32>,
    passed: Vec<String>,
    checkpoints: Checkpoints,
    varying: Varying,
}

impl Bridge {
    /// A bridge over a fresh world with `seed`.
    ///
    /// # Errors
    /// When MuJoCo refuses the world.
    pub fn new(description: &WorldDescription, seed: u64) -> Result<Self, BridgeError> {
        Self::varied(description, seed, &Variation::nominal())
    }

    /// The same with what `variation` draws from `seed` (CE-153), and with estimated state if it asks for
    /// that (CE-154). A planned route is part of the description.
    ///
    /// # Errors
    /// When MuJoCo refuses the world.
    pub fn varied(description: &WorldDescription, seed: u64, variation: &Variation) -> Result<Self, BridgeError> {
        let mut varying = Varying::new(description, variation);
        let world = World::new(&varying.draw(seed).0, seed)?;
        let names = description.robot_names();
        let count = names.len();
        let mut bridge = Self {
            world,
            names,
            tick: 0,
            context_epoch: 0,
            commands: vec![None; count],
            controller_epochs: vec![0; count],
            passed: Vec::new(),
            checkpoints: Checkpoints::default(),
            varying,
        };
        let truth = bridge.truth()?;
        bridge.varying.start(seed, &truth);
        Ok(bridge)
    }

    /// A bridge of its own over a copy of the world at this very tick, in the same epoch. It knows no
    /// checkpoints and may be thrown away.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            world: self.world.clone(),
            names: self.names.clone(),
            tick: self.tick,
            context_epoch: self.context_epoch,
            commands: self.commands.clone(),
            controller_epochs: self.controller_epochs.clone(),
            passed: self.passed.clone(),
            checkpoints: Checkpoints::default(),
            varying: self.varying.clone(),
        }
    }

    /// Control ticks since the bridge started; never falls.
    #[must_use]
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Simulated time of `/clock`, s.
    #[must_use]
    pub fn stamp_s(&self) -> f64 {
        self.tick as f64 * TICK_S
    }

    /// Resets and restores so far.
    #[must_use]
    pub fn context_epoch(&self) -> u32 {
        self.context_epoch
    }

    /// Namespaces in team order.
    #[must_use]
    pub fn robots(&self) -> &[String] {
        &self.names
    }

    /// The world, for cameras and entity requests.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// What this world can do.
    #[must_use]
    pub fn capabilities(&self, lockstep: bool) -> Capabilities {
        Capabilities {
            lockstep,
            checkpoint: true,
            place_payload: true,
            privileged_state: self.varying.estimator.is_none(),
            world: self.world.description().config.name.clone(),
            robots: self.names.clone(),
            seed: self.world.seed(),
        }
    }

    /// What to publish for the current tick.
    ///
    /// # Errors
    /// When the world lacks a robot.
    pub fn frame(&mut self) -> Result<Frame, BridgeError> {
        let low_states = (0..self.names.len()).map(|i| self.low_state(i)).collect::<Result<_, _>>()?;
        Ok(Frame { low_states, team: self.team_state()? })
    }

    fn low_state(&self, index: usize) -> Result<LowState, BridgeError> {
        let imu: Imu = self.world.imu(index)?;
        let motors: [MotorState; G1_JOINTS] = self.world.motors(index)?;
        Ok(LowState { mode_machine: G1_MODE_MACHINE, tick_ms: tick_ms(self.tick), imu, motors })
    }

    /// Trusted state of the current tick: ground truth, or an estimate of it.
    ///
    /// # Errors
    /// When the world lacks a robot.
    pub fn team_state(&mut self) -> Result<TeamState, BridgeError> {
        let mut state = self.truth()?;
        if let Some(estimator) = &self.varying.estimator {
            estimator.apply(&mut state);
        }
        let config = &self.world.description().config;
        set_reference(&config.route, &mut self.passed, &mut state, config.heading_offset_rad());
        Ok(state)
    }

    /// Ground truth of the current tick, whatever is published; for statistics, never for the team.
    ///
    /// # Errors
    /// When the world lacks a robot.
    pub fn true_state(&self) -> Result<TeamState, BridgeError> {
        let mut state = self.truth()?;
        let config = &self.world.description().config;
        set_reference(&config.route, &mut self.passed.clone(), &mut state, config.heading_offset_rad());
        Ok(state)
    }

    /// Ground truth without a route reference.
    fn truth(&self) -> Result<TeamState, BridgeError> {
        let mut robots = Vec::with_capacity(self.names.len());
        for index in 0..self.names.len() {
            let mut robot = self.world.robot_state(index)?;
            robot.mode = self.commands.get(index).and_then(Option::as_ref).map_or(RobotMode::Idle, mode_of);
            robot.controller_epoch = self.controller_epochs.get(index).copied().unwrap_or_default();
            robots.push(robot);
        }
        Ok(TeamState {
            tick: self.tick,
            stamp_s: self.stamp_s(),
            context_epoch: self.context_epoch,
            robots,
            payloads: vec![self.world.payload_state()],
            contacts: self.world.contacts().to_vec(),
            route: no_reference(),
        })
    }

    /// Tells the estimator, if there is one, what is true now and how that came about.
    fn tell_estimator(&mut self, tell: fn(&mut Estimator, &TeamState)) -> Result<(), BridgeError> {
        if self.varying.estimator.is_some() {
            let truth = self.truth()?;
            self.varying.estimator.iter_mut().for_each(|e| tell(e, &truth));
        }
        Ok(())
    }

    /// Takes a robot's command for the current tick; it is in force from the next step on.
    ///
    /// # Errors
    /// [`BridgeError::Robot`]; [`BridgeError::Command`] for NaN, infinity or a negative gain.
    pub fn accept(&mut self, index: usize, command: LowCommand) -> Result<(), BridgeError> {
        let last = self.names.len().saturating_sub(1);
        let name = self.names.get(index).ok_or(BridgeError::Robot { index, last })?;
        if !command.is_sound() {
            let bad = command.motors.iter().position(|m| {
                ![m.q, m.dq, m.tau, m.kp, m.kd].iter().all(|v| v.is_finite()) || m.kp < 0.0 || m.kd < 0.0
            });
            let motor = bad.unwrap_or_default();
            let value = command.motors.get(motor).map(|m| format!("{m:?}")).unwrap_or_default();
            return Err(BridgeError::Command { robot: name.clone(), motor, value });
        }
        if let Some(epoch) = self.controller_epochs.get_mut(index) {
            *epoch = command.controller_epoch;
        }
        if let Some(held) = self.commands.get_mut(index) {
            *held = Some(command);
        }
        Ok(())
    }

    /// True when every robot has answered the current tick.
    #[must_use]
    pub fn all_answered(&self) -> bool {
        let now = tick_ms(self.tick);
        self.commands.iter().all(|c| c.as_ref().is_some_and(|c| c.answers_tick_ms == now))
    }

    /// Robots that have not answered the current tick.
    #[must_use]
    pub fn silent(&self) -> Vec<String> {
        let now = tick_ms(self.tick);
        let answered = |c: &Option<LowCommand>| c.as_ref().is_some_and(|c| c.answers_tick_ms == now);
        self.names.iter().zip(&self.commands).filter(|(_, c)| !answered(c)).map(|(n, _)| n.clone()).collect()
    }

    /// True when any robot's last command says busy.
    #[must_use]
    pub fn any_busy(&self) -> bool {
        self.commands.iter().flatten().any(|c| c.flags & LowCommand::BUSY != 0)
    }

    /// Applies the held commands and advances one control tick.
    ///
    /// # Errors
    /// When the physics diverges.
    pub fn step(&mut self) -> Result<(), BridgeError> {
        for (index, command) in self.commands.iter().enumerate() {
            if let Some(command) = command {
                self.world.set_command(index, &command.motors)?;
            }
        }
        self.world.step_tick()?;
        self.tick += 1;
        self.tell_estimator(Estimator::observe)
    }

    /// Starts the world afresh; checkpoints are forgotten, the tick and the epoch rise.
    ///
    /// # Errors
    /// When the start is not finite.
    pub fn reset(&mut self, seed: u64) -> Result<(), BridgeError> {
        match self.varying.draw(seed) {
            // Friction and mass are part of the model, which is compiled once.
            (varied, true) => self.world = World::new(&varied, seed)?,
            (_, false) => self.world.reset(seed)?,
        }
        self.commands.iter_mut().for_each(|c| *c = None);
        self.passed.clear();
        self.checkpoints.clear();
        self.tick += 1;
        self.context_epoch += 1;
        let truth = self.truth()?;
        self.varying.start(seed, &truth);
        Ok(())
    }

    /// Stores the world with the controllers' memories under a name.
    ///
    /// # Errors
    /// [`BridgeError::CheckpointExists`], [`BridgeError::Controllers`].
    pub fn save(&mut self, id: &str, created_by: &str, controllers: Controllers) -> Result<CheckpointInfo, BridgeError> {
        let (given, needed) = (controllers.len(), self.names.len());
        if given != needed {
            return Err(BridgeError::Controllers { id: id.to_owned(), given, needed });
        }
        self.checkpoints.insert(Stored {
            world: self.world.snapshot(),
            commands: self.commands.clone(),
            controllers,
            passed: self.passed.clone(),
            estimator: self.varying.estimator.clone(),
            info: CheckpointInfo {
                id: id.to_owned(),
                parent: String::new(),
                trusted: true,
                digest: String::new(),
                tick: self.tick,
                context_epoch: self.context_epoch,
                created_by: created_by.to_owned(),
            },
        })
    }

    /// Returns the world to a stored state; tick and epoch rise. The caller hands the controllers'
    /// memories back to the robots with the new epoch and reports what they acknowledge.
    ///
    /// # Errors
    /// [`BridgeError::UnknownCheckpoint`]; nothing changes then.
    pub fn restore(&mut self, id: &str) -> Result<(Restored, Controllers), BridgeError> {
        let stored = self.checkpoints.get(id)?.clone();
        self.world.restore(&stored.world)?;
        self.commands = stored.commands;
        self.passed = stored.passed;
        self.varying.estimator = stored.estimator;
        self.checkpoints.set_latest(id);
        self.tick += 1;
        self.context_epoch += 1;
        let kept = self.world.snapshot();
        let max_error = kept
            .integration
            .iter()
            .zip(&stored.world.integration)
            .fold(0.0_f64, |worst, (now, then)| worst.max((now - then).abs()));
        let restored = Restored { max_error, context_epoch: self.context_epoch, controller_epochs: Vec::new() };
        Ok((restored, stored.controllers))
    }

    /// Notes the epoch that a robot's controller acknowledged after a reset or restore. Without
    /// `resume` its held command no longer counts as busy.
    pub fn acknowledged(&mut self, index: usize, controller_epoch: u32, resume: bool) {
        if let Some(epoch) = self.controller_epochs.get_mut(index) {
            *epoch = controller_epoch;
        }
        if let Some(Some(command)) = self.commands.get_mut(index) {
            command.controller_epoch = controller_epoch;
            if !resume {
                command.flags &= !LowCommand::BUSY;
            }
        }
    }

    /// Checkpoint that the world last wrote or came from; empty before the first.
    #[must_use]
    pub fn latest_checkpoint(&self) -> &str {
        self.checkpoints.latest()
    }

    /// Lays the hoisted payload on the robots' forearms. The tick rises, so that the new state has a
    /// stamp of its own; no time passes for the robots.
    ///
    /// # Errors
    /// When the payload is free already.
    pub fn place_payload(&mut self) -> Result<(), BridgeError> {
        self.world.place_payload()?;
        self.tick += 1;
        self.tell_estimator(Estimator::restart_payloads)
    }

    /// Takes the payload up and holds it `lift_m` above the robots' forearms, so that it can be laid on
    /// anew. The tick rises as for a placement.
    ///
    /// # Errors
    /// When the world lacks forearms.
    pub fn hoist_payload(&mut self, lift_m: f64) -> Result<(), BridgeError> {
        self.world.hoist_payload(lift_m)?;
        self.tick += 1;
        self.tell_estimator(Estimator::restart_payloads)
    }

    /// Moves an entity, and its velocity when given. The tick rises as for a placement.
    ///
    /// # Errors
    /// For an unknown entity or numbers that are not finite.
    pub fn set_entity(&mut self, name: &str, pose: Option<&Pose>, twist: Option<&Twist>) -> Result<(), BridgeError> {
        if let Some(pose) = pose {
            self.world.set_entity_pose(name, pose)?;
        }
        if let Some(twist) = twist {
            self.world.set_entity_twist(name, twist)?;
        }
        self.tick += 1;
        self.tell_estimator(Estimator::restart)
    }
}

/// The robot's own clock at a control tick, ms; wraps as the vendor's does.
fn tick_ms(tick: u64) -> u32 {
    (tick.wrapping_mul(20) & 0xFFFF_FFFF) as u32
}

fn mode_of(command: &LowCommand) -> RobotMode {
    let has = |flag: u32| command.flags & flag != 0;
    if has(LowCommand::FAULT) {
        RobotMode::Fault
    } else if has(LowCommand::STOPPED) {
        RobotMode::Stopped
    } else if has(LowCommand::BUSY) {
        RobotMode::Moving
    } else if has(LowCommand::HOLDING) {
        RobotMode::Holding
    } else {
        RobotMode::Idle
    }
}

#[cfg(test)]
mod tests;
