//! The robot's controller: one state in, one limited command out, goals and stops in between.

use crate::accept::{self, Refusal, Standing};
use crate::active::{Active, Step};
use crate::config::{G1Config, WhenDisabled};
use crate::enforce::{self, JointTargets, LimitedJoint};
use crate::memory::{Lifecycle, Memory};
use crate::sense::{self, Body};
use crate::servo;
use crate::skills;
use crate::sport::{FSM_DAMP, FSM_WALKING, FSM_ZERO_TORQUE};
use crate::supervisor;
use troupe_core::device::{G1_JOINTS, LowCommand, LowState, MotorCommand};
use troupe_core::skill::{SkillCall, SkillCode, SkillFeedback, SkillGoal, SkillResult, SkillStage};
use troupe_core::state::{RobotMode, TeamState};
use troupe_policy::observation::gravity_in_body;
use troupe_policy::{GaitPhase, Observation, PolicyError, WalkingPolicy};

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
    pub(crate) stopped: Option<String>,
    pub(crate) fault: Option<String>,
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
            stopped: None,
            fault: None,
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
            stopped: self.stopped.clone(),
            fault: self.fault.clone(),
            finished: self.finished.clone(),
            tick: self.tick,
            body: self.body,
        }
    }

    /// Takes a goal, or says why not. From here on the robot counts as busy, and the goal gets exactly one
    /// result. A `stop` skill ends the goal that is executing, which gets [`SkillCode::Canceled`].
    ///
    /// # Errors
    /// [`Refusal`]; the robot does not move for a refused goal.
    pub fn accept(&mut self, goal_id: String, goal: SkillGoal) -> Result<(), Refusal> {
        let now = Standing {
            memory: &self.memory,
            context_epoch: self.context_epoch,
            enabled: self.enabled,
            stopped: self.stopped.as_deref(),
            fault: self.fault.as_deref(),
            tick: self.tick,
        };
        accept::check(&self.config.settings, &now, &goal)?;
        if goal.call == SkillCall::Stop {
            self.end_motion(SkillCode::Canceled, "ended by a stop skill");
        }
        self.memory.active = Some(Active::new(goal_id, goal));
        Ok(())
    }

    /// Cancels a goal; true when it was executing. Harmless at any stage and more than once. A goal that
    /// had not begun has its result at once, see [`Self::take_finished`]; others stop on the next tick and
    /// get theirs at rest.
    pub fn cancel(&mut self, goal_id: &str) -> bool {
        match self.memory.active.take_if(|a| a.goal_id == goal_id) {
            None => false,
            Some(active) if active.stage == SkillStage::Waiting => {
                self.finish(active, SkillCode::Canceled, "canceled before the start".to_owned());
                true
            }
            Some(mut active) => {
                active.canceled = true;
                self.memory.active = Some(active);
                true
            }
        }
    }

    /// Stops and latches: the executing goal ends with [`SkillCode::Stopped`], from the next tick on the
    /// velocity command is zero, and goals are refused until [`Self::clear_stop`].
    pub fn stop(&mut self, reason: &str) {
        self.end_motion(SkillCode::Stopped, reason);
        self.stopped.get_or_insert_with(|| reason.to_owned());
    }

    /// An operator's word that motion may go on: clears a stop and a fault. A fault whose cause lasts
    /// comes back on the next tick.
    pub fn clear_stop(&mut self) {
        self.stopped = None;
        self.fault = None;
    }

    /// Enables or disables commands. Disabling ends what is executing.
    pub fn enable(&mut self, enabled: bool) {
        if !enabled {
            self.end_motion(SkillCode::Disabled, "commands were disabled");
        }
        if enabled != self.enabled {
            self.restart_gait();
        }
        self.enabled = enabled;
    }

    /// Why motion is stopped, if it is.
    #[must_use]
    pub fn stopped(&self) -> Option<&str> {
        self.stopped.as_deref()
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

    /// True while a goal or a velocity command is executing.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.memory.active.is_some() || self.memory.velocity.is_some()
    }

    /// Results that are formed and not yet handed out; [`Self::tick`] hands them out as well. For results
    /// that need no tick: after a stop, a restore, or a cancel before the start.
    #[must_use]
    pub fn take_finished(&mut self) -> Vec<(String, SkillResult)> {
        std::mem::take(&mut self.finished)
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
                stopped: self.stopped.clone(),
                fault: self.fault.clone(),
            },
        }
    }

    /// A command without a policy step, for when no fresh state comes or the process ends: holds the
    /// set-points that were sent last, or damps when `low` cannot be trusted.
    #[must_use]
    pub fn hold_command(&self, low: &LowState) -> LowCommand {
        let mut targets = self.policy_targets();
        self.memory.arms.override_arms(&self.config.settings.support, &mut targets);
        let motors = if !self.enabled || self.memory.fsm == FSM_ZERO_TORQUE {
            enforce::no_torque()
        } else if self.fault.is_some() || self.memory.fsm == FSM_DAMP || sense::check_device(low).is_err() {
            enforce::damping(self.config.settings.safety.fault_damping_nms)
        } else {
            enforce::enforce(&self.config.joints, &targets, low).motors
        };
        let mut command = self.command(low, motors);
        command.flags |= LowCommand::STOPPED;
        command
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
        if !self.enabled {
            return;
        }
        let safety = &self.config.settings.safety;
        let seen = sense::check_device(low).and_then(|()| sense::body(safety, team, &self.name));
        let body = match seen {
            Ok(Some(body)) => body,
            Ok(None) => {
                let reason = format!("team/state lacks {}", self.name);
                return self.stop(&reason);
            }
            Err(fault) => return self.fail(&fault.to_string()),
        };
        self.body = Some(body);
        self.memory.mean_velocity.observe(safety, &body);
        let carrying = self.memory.lifecycle == Lifecycle::Supporting;
        let breach = self
            .memory
            .mean_velocity
            .breach(safety)
            .or_else(|| supervisor::separation_breach(safety, team, &self.name, carrying));
        if let Some(breach) = breach {
            self.stop(&breach.to_string());
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
        let steps = self.memory.continuous_gait
            && self.memory.fsm == FSM_WALKING
            && self.stopped.is_none()
            && self.fault.is_none();
        if steps { servo::step_on_the_spot(&self.config.settings.motion) } else { [0.0; 3] }
    }

    /// From the velocity command to the motors.
    fn act(&mut self, low: &LowState, velocity: [f32; 3]) -> ([MotorCommand; G1_JOINTS], Vec<LimitedJoint>) {
        self.memory.velocity_command = [0.0; 3];
        if !self.enabled || self.memory.fsm == FSM_ZERO_TORQUE {
            return (enforce::no_torque(), vec![]);
        }
        let damping = enforce::damping(self.config.settings.safety.fault_damping_nms);
        if self.fault.is_some() || self.memory.fsm == FSM_DAMP {
            return (damping, vec![]);
        }
        self.memory.velocity_command = velocity;
        match self.policy_step(low, velocity) {
            Ok(()) => {
                let mut targets = self.policy_targets();
                self.memory.arms.apply(&self.config.settings.support, &mut targets);
                let sent = enforce::enforce(&self.config.joints, &targets, low);
                (sent.motors, sent.limited)
            }
            Err(e) => {
                self.memory.velocity_command = [0.0; 3];
                self.fail(&e.to_string());
                (damping, vec![])
            }
        }
    }

    /// Gait phase, observation, action.
    fn policy_step(&mut self, low: &LowState, velocity: [f32; 3]) -> Result<(), PolicyError> {
        let gait = &self.config.settings.gait;
        self.memory.gait.advance(velocity, gait.start_phase_rad, gait.ticks_per_cycle);
        let observation = Observation {
            last_action: &self.memory.last_action,
            angular_velocity: low.imu.gyroscope,
            velocity_command: velocity,
            gait: &self.memory.gait,
            joint_position: &low.motors.map(|m| m.q),
            default_position: &self.config.joints.home,
            joint_velocity: &low.motors.map(|m| m.dq),
            gravity: gravity_in_body(low.imu.quaternion_wxyz),
            mask_arms: self.memory.arms.engaged,
        };
        let action = self.policy.infer(&observation.values())?;
        if let Some((index, value)) = action.iter().enumerate().find(|(_, v)| !v.is_finite()) {
            return Err(PolicyError::NotFinite { index, value: *value });
        }
        self.memory.last_action = action.map(|a| a.max(-gait.action_limit).min(gait.action_limit));
        Ok(())
    }

    /// Set-points and gains of the last action.
    fn policy_targets(&self) -> JointTargets {
        let joints = &self.config.joints;
        let scale = self.config.settings.gait.action_scale;
        let mut position = joints.home;
        for (target, action) in position.iter_mut().zip(self.memory.last_action) {
            *target += scale * action;
        }
        JointTargets { position, kp: joints.kp, kd: joints.kd }
    }

    fn command(&self, low: &LowState, motors: [MotorCommand; G1_JOINTS]) -> LowCommand {
        let flag = |on: bool, flag: u32| if on { flag } else { 0 };
        LowCommand {
            mode_machine: low.mode_machine,
            motors,
            answers_tick_ms: low.tick_ms,
            flags: flag(self.is_busy(), LowCommand::BUSY)
                | flag(self.stopped.is_some(), LowCommand::STOPPED)
                | flag(self.fault.is_some(), LowCommand::FAULT)
                | flag(self.memory.arms.engaged, LowCommand::HOLDING),
            controller_epoch: self.controller_epoch,
        }
    }

    fn mode(&self) -> RobotMode {
        if self.fault.is_some() {
            RobotMode::Fault
        } else if self.stopped.is_some() {
            RobotMode::Stopped
        } else if self.is_busy() {
            RobotMode::Moving
        } else if self.memory.arms.engaged {
            RobotMode::Holding
        } else {
            RobotMode::Idle
        }
    }

    fn fail(&mut self, fault: &str) {
        self.end_motion(SkillCode::Fault, fault);
        self.fault.get_or_insert_with(|| fault.to_owned());
    }

    /// Ends the executing goal with `code` and any velocity command.
    pub(crate) fn end_motion(&mut self, code: SkillCode, message: &str) {
        if self.memory.velocity.take().is_some() {
            self.memory.reference = None;
        }
        if let Some(active) = self.memory.active.take() {
            self.finish(active, code, message.to_owned());
        }
    }

    /// Forms the one result of a goal.
    pub(crate) fn finish(&mut self, active: Active, code: SkillCode, message: String) {
        let call = &active.goal.call;
        let moves_base = skills::Plan::of(call, &self.config.settings).correct_ticks > 0
            || crate::motion::Motion::of(call, 0.0, 1.0).is_some();
        if code == SkillCode::None {
            if moves_base {
                self.memory.reference = Some(active.target());
            }
            if let Some((_, after)) = skills::lifecycle(call) {
                self.memory.lifecycle = after;
            }
        } else if moves_base && active.stage != SkillStage::Waiting {
            self.memory.reference = None;
        }
        let tick = self.tick.unwrap_or_default();
        let result = active.result(&self.config.settings, code, message, tick, self.body.as_ref());
        self.finished.push((active.goal_id, result));
    }

    /// The policy starts as after a reset.
    pub(crate) fn restart_gait(&mut self) {
        self.memory.last_action = [0.0; G1_JOINTS];
        self.memory.gait = GaitPhase::starting_at(self.config.settings.gait.start_phase_rad);
    }
}
