//! The robot's controller: one state in, one limited command out.

use crate::active::Step;
use crate::config::{G1Config, WhenDisabled};
use crate::enforce::LimitedJoint;
use crate::latches::Latches;
use crate::memory::{Lifecycle, Memory};
use crate::sense::{self, Body};
use crate::servo;
use crate::sport::FSM_WALKING;
use crate::supervisor;
use troupe_core::device::{LowCommand, LowState};
use troupe_core::skill::{SkillCode, SkillFeedback, SkillResult};
use troupe_core::state::{RobotMode, TeamState};
use troupe_policy::WalkingPolicy;

/// What one tick brings forth.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The enforced command that answers the state.
    pub command: LowCommand,
    /// False: do not send the command (not enabled, and configured to be silent).
    pub send: bool,
    /// Goal id and feedback of the executing goal.
    pub feedback: Option<(String, SkillFeedback)>,
    /// Goal ids and results formed since the last tick.
    pub finished: Vec<(String, SkillResult)>,
    /// For people and diagnostics.
    pub report: Report,
}

/// What the robot did in a tick, for people and diagnostics.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// What the robot is doing.
    pub mode: RobotMode,
    /// Joints whose command was changed to keep limits.
    pub limited: Vec<LimitedJoint>,
    /// Given to the policy: vx, vy in m/s, yaw rate in rad/s; base frame.
    pub velocity_command: [f32; 3],
    /// How far the carrying has come.
    pub lifecycle: Lifecycle,
    /// Why motion is stopped.
    pub stopped: Option<String>,
    /// What is wrong with the robot.
    pub fault: Option<String>,
}

/// The controller of one G1.
pub struct G1 {
    pub(crate) config: G1Config,
    pub(crate) policy: Box<dyn WalkingPolicy>,
    pub(crate) name: String,
    pub(crate) memory: Memory,
    pub(crate) context_epoch: u32,
    pub(crate) controller_epoch: u32,
    pub(crate) enabled: bool,
    pub(crate) latches: Latches,
    /// Cause of a fault, as of the newest state.
    pub(crate) lasting_fault: Option<String>,
    pub(crate) finished: Vec<(String, SkillResult)>,
    pub(crate) tick: Option<u64>,
    pub(crate) body: Option<Body>,
}

impl G1 {
    /// A robot that stands, enabled, in context epoch 0. `name` is its namespace in `team/state`.
    #[must_use]
    pub fn new(config: G1Config, policy: Box<dyn WalkingPolicy>, name: &str) -> Self {
        Self {
            memory: Memory::fresh(&config),
            config,
            policy,
            name: name.to_owned(),
            context_epoch: 0,
            controller_epoch: 0,
            enabled: true,
            latches: Latches::default(),
            lasting_fault: None,
            finished: Vec::new(),
            tick: None,
            body: None,
        }
    }

    /// A controller of its own with the same memory, in the same epochs, for a copy of the world. `policy`
    /// must be the same network; it has no memory of its own.
    #[must_use]
    pub fn fork(&self, policy: Box<dyn WalkingPolicy>) -> Self {
        Self {
            config: self.config.clone(),
            policy,
            name: self.name.clone(),
            memory: self.memory.clone(),
            context_epoch: self.context_epoch,
            controller_epoch: self.controller_epoch,
            enabled: self.enabled,
            latches: self.latches.clone(),
            lasting_fault: self.lasting_fault.clone(),
            finished: self.finished.clone(),
            tick: self.tick,
            body: self.body,
        }
    }

    /// Context epoch of the newest restore or team state.
    #[must_use]
    pub fn context_epoch(&self) -> u32 {
        self.context_epoch
    }

    /// Rises with every restore.
    #[must_use]
    pub fn controller_epoch(&self) -> u32 {
        self.controller_epoch
    }

    /// One control tick of 20 ms: exactly one call per state.
    pub fn tick(&mut self, low: &LowState, team: &TeamState) -> Output {
        self.tick = Some(team.tick);
        self.follow_epoch(team.context_epoch);
        self.look(low, team);
        let (velocity, feedback) = self.decide(team.tick);
        let (motors, limited) = self.act(low, velocity);
        Output {
            command: self.command(low, motors),
            send: self.enabled || self.config.settings.when_disabled == WhenDisabled::ZeroGain,
            feedback,
            finished: self.take_finished(),
            report: Report {
                mode: self.mode(),
                limited,
                velocity_command: self.memory.velocity_command,
                lifecycle: self.memory.lifecycle,
                stopped: self.stopped().map(str::to_owned),
                fault: self.latches.fault.clone(),
            },
        }
    }

    fn follow_epoch(&mut self, epoch: u32) {
        if epoch <= self.context_epoch {
            return;
        }
        self.context_epoch = epoch;
        if let Some(active) = self.memory.active.take_if(|a| a.goal.context_epoch < epoch) {
            self.finish(active, SkillCode::Stale, format!("context epoch is now {epoch}"));
        }
    }

    /// Takes in the state; what cannot be trusted or must not go on ends motion here.
    fn look(&mut self, low: &LowState, team: &TeamState) {
        self.body = None;
        let safety = &self.config.settings.safety;
        let seen = sense::check_device(low).and_then(|()| sense::body(safety, team, &self.name));
        self.lasting_fault = seen.as_ref().err().map(ToString::to_string);
        if !self.enabled {
            return;
        }
        match seen {
            Ok(Some(body)) => self.supervise(body, team),
            Ok(None) => {
                let reason = format!("team/state lacks {}", self.name);
                self.stop(&reason);
            }
            Err(fault) => self.fail(&fault.to_string()),
        }
    }

    /// Ends motion that breaches a limit, and motion that a partner on the same payload cannot follow.
    fn supervise(&mut self, body: Body, team: &TeamState) {
        let safety = &self.config.settings.safety;
        self.body = Some(body);
        self.memory.mean_velocity.observe(safety, &body);
        let carrying = self.memory.lifecycle == Lifecycle::Supporting && supervisor::lies_on_arms(team);
        let own = self.memory.mean_velocity.breach(safety);
        if let Some(breach) = own.or_else(|| supervisor::separation_breach(safety, team, &self.name, carrying)) {
            self.breach(&breach.to_string());
        } else if let Some(partner) = supervisor::halted_partner(team, &self.name, carrying) {
            // Nothing to latch: the partner is, and this robot may go on when it is cleared.
            let reason = format!("{} stopped ({:?}) while both carry", partner.robot, partner.mode);
            self.end_motion(SkillCode::LimitBreached, &reason);
        }
    }

    /// The velocity command of this tick, and the feedback of the executing goal.
    fn decide(&mut self, tick: u64) -> ([f32; 3], Option<(String, SkillFeedback)>) {
        let Some(body) = self.body else { return ([0.0; 3], None) };
        let settings = &self.config.settings;
        if let Some(mut active) = self.memory.active.take() {
            let step = active.step(settings, &mut self.memory.arms, self.memory.reference, tick, &body);
            match step {
                Step::Go(velocity) => {
                    let feedback = active.feedback(settings, tick, &body);
                    let id = active.goal_id.clone();
                    self.memory.active = Some(active);
                    return (velocity, Some((id, feedback)));
                }
                Step::End(code, message) => self.finish(active, code, message),
            }
        }
        (self.idle_velocity(), None)
    }

    /// The velocity command without a goal.
    fn idle_velocity(&mut self) -> [f32; 3] {
        if let Some(command) = &mut self.memory.velocity {
            if command.ticks > 0 {
                command.ticks -= 1;
                return command.velocity;
            }
            self.memory.velocity = None;
        }
        let steps = self.memory.continuous_gait && self.memory.fsm == FSM_WALKING && self.latches.are_open();
        if steps { servo::step_on_the_spot(&self.config.settings.motion) } else { [0.0; 3] }
    }

    fn mode(&self) -> RobotMode {
        if self.latches.fault.is_some() {
            RobotMode::Fault
        } else if self.stopped().is_some() {
            RobotMode::Stopped
        } else if self.is_busy() {
            RobotMode::Moving
        } else if self.memory.arms.engaged {
            RobotMode::Holding
        } else {
            RobotMode::Idle
        }
    }
}
