//! The loop's port over ROS: every call has a wall-clock deadline and a typed error.

use crate::experience::SharedBank;
use crate::ports::{Announcement, Team, TeamError, TeamSample};
use crate::ros::listen::Listener;
use crate::ros::notes::Notes;
use std::path::Path;
use std::time::{Duration, Instant};
use troupe_coordination::experience::BankCaps;
use troupe_coordination::recovery::Step;
use troupe_core::evidence::Verdict;
use troupe_core::recovery::{ConfirmRecovery, RecoveryKind, RecoveryReport, RecoveryRequest, RecoveryResponse};
use troupe_core::skill::SkillGoal;
use troupe_core::state::TeamState;
use troupe_core::team::{
    BeginRun, Capabilities, ConfirmRestore, Dispatched, EndpointResponse, Restored, ValidateRequest, ValidateResponse,
    VerifyRequest, VerifyResponse, WindowReason,
};
use troupe_ros::action_client::ActionCaller;
use troupe_ros::call::{CallError, Caller, Pending};
use troupe_ros::convert::{checkpoint, recovery, requests, verdict, world};
use troupe_ros::heartbeat::Heartbeat;
use troupe_ros::mode::Mode;
use troupe_ros::r2r::troupe_msgs::action::{ExecuteSkill, RunWindow};
use troupe_ros::r2r::std_srvs::srv::Trigger;
use troupe_ros::r2r::troupe_msgs::srv;
use troupe_ros::r2r::WrappedServiceTypeSupport as Service;
use troupe_ros::settings::{RosSettings, wall};
use troupe_ros::{RosError, RosNode, names};

/// One robot's skill action.
#[derive(Debug)]
pub struct RobotSkill {
    /// Namespace.
    pub name: String,
    /// Its action.
    pub action: ActionCaller<ExecuteSkill::Action>,
    /// Clears what stopped it.
    clear_stop: Caller<Trigger::Service>,
}

/// The services of world and verifier.
#[derive(Debug)]
pub struct Services {
    capabilities: Caller<srv::WorldCapabilities::Service>,
    reset: Caller<srv::ResetWorld::Service>,
    place_payload: Caller<srv::PlacePayload::Service>,
    restore: Caller<srv::RestoreCheckpoint::Service>,
    begin_run: Caller<srv::BeginRun::Service>,
    validate: Caller<srv::Validate::Service>,
    verify: Caller<srv::Verify::Service>,
    endpoint: Caller<srv::Endpoint::Service>,
    confirm: Caller<srv::ConfirmRestore::Service>,
    hoist_payload: Caller<srv::HoistPayload::Service>,
    recovery: Caller<srv::ConfirmRecovery::Service>,
}

impl Services {
    fn open(ros: &mut RosNode) -> Result<Self, RosError> {
        Ok(Self {
            capabilities: ros.caller(names::WORLD_CAPABILITIES)?,
            reset: ros.caller(names::WORLD_RESET)?,
            place_payload: ros.caller(names::WORLD_PLACE_PAYLOAD)?,
            restore: ros.caller(names::CHECKPOINT_RESTORE)?,
            begin_run: ros.caller(names::VERIFIER_BEGIN_RUN)?,
            validate: ros.caller(names::VERIFIER_VALIDATE)?,
            verify: ros.caller(names::VERIFIER_VERIFY)?,
            endpoint: ros.caller(names::VERIFIER_ENDPOINT)?,
            confirm: ros.caller(names::VERIFIER_CONFIRM_RESTORE)?,
            hoist_payload: ros.caller(names::WORLD_HOIST_PAYLOAD)?,
            recovery: ros.caller(names::VERIFIER_CONFIRM_RECOVERY)?,
        })
    }
}

/// The team over ROS.
pub struct RosTeam {
    pub settings: RosSettings,
    pub mode: Mode,
    pub robots: Vec<RobotSkill>,
    pub window: ActionCaller<RunWindow::Action>,
    pub listener: Listener,
    services: Services,
    notes: Notes,
    world: String,
    seed: u64,
    /// A cancel of the recovery under way ends the wait for its motion.
    pub interruptible: bool,
    /// False on robots: nobody resets, restores or opens windows there.
    pub simulated: bool,
    _heartbeat: Heartbeat,
}

impl RosTeam {
    /// Opens everything and starts to spin and to beat.
    pub fn open(mut ros: RosNode, settings: RosSettings, mode: Mode, robots: &[String], world: &str, seed: u64, run_id: &str) -> Result<Self, RosError> {
        let robots = robots
            .iter()
            .map(|name| {
                Ok(RobotSkill {
                    name: name.clone(),
                    action: ActionCaller::open(&mut ros, &names::robot(name, "skill"))?,
                    clear_stop: ros.caller(&names::robot(name, "clear_stop"))?,
                })
            })
            .collect::<Result<_, RosError>>()?;
        Ok(Self {
            robots,
            window: ActionCaller::open(&mut ros, names::WORLD_RUN_WINDOW)?,
            services: Services::open(&mut ros)?,
            notes: Notes::open(&mut ros, run_id)?,
            _heartbeat: Heartbeat::start(&mut ros, "orchestrator", wall(settings.heartbeat_period_wall_s))?,
            listener: Listener::start(ros)?,
            settings,
            mode,
            world: world.to_owned(),
            seed,
            interruptible: false,
            simulated: true,
        })
    }

    /// Quick answers.
    pub fn quick(&self) -> Duration {
        wall(self.settings.calls.quick_wall_s)
    }

    /// Waits for an answer; a stop ends the wait.
    pub fn wait<T>(&self, pending: Pending<T>) -> Result<T, TeamError> {
        self.wait_unless(pending, &|| false)
    }

    /// Waits for an answer while simulated time passes; a stop ends the wait, and so does a world that has
    /// fallen silent.
    pub fn wait_while_time_passes<T>(&self, pending: Pending<T>) -> Result<T, TeamError> {
        let (begun, limit) = (Instant::now(), wall(self.settings.calls.silence_wall_s));
        self.wait_unless(pending, &|| self.listener.silence(begun) > limit)
    }

    fn wait_unless<T>(&self, pending: Pending<T>, silent: &dyn Fn() -> bool) -> Result<T, TeamError> {
        let interrupted = || self.interruptible && self.listener.recoveries.is_canceled();
        pending.wait(&|| self.listener.stop_reason().is_some() || interrupted() || silent()).map_err(|error| match error {
            CallError::Silent { what, .. } => TeamError::Silent { what },
            CallError::Ending { .. } => match self.listener.stop_reason() {
                Some(reason) => TeamError::Stopped { reason },
                None if interrupted() => failed("recovery", "canceled"),
                None => TeamError::Silent { what: names::TEAM_STATE.to_owned() },
            },
            CallError::Ros { what, reason } => TeamError::Failed { what, reason },
            other => TeamError::Failed { what: "call".to_owned(), reason: other.to_string() },
        })
    }

    fn call<S: Service>(&self, service: &Caller<S>, request: S::Request, limit: Duration) -> Result<S::Response, TeamError>
    where
        S::Request: Send + Sync,
        S::Response: Send,
    {
        self.wait(service.start(request, limit))
    }

    fn need_world(&self, what: &str) -> Result<(), TeamError> {
        if self.simulated { Ok(()) } else { Err(failed(what, "robots cannot do this; only a simulated world can")) }
    }
}

/// A node answered that it cannot.
pub fn failed(what: &str, reason: impl ToString) -> TeamError {
    TeamError::Failed { what: what.to_owned(), reason: reason.to_string() }
}

/// An answer with an error text is a failure.
fn checked(what: &str, error: &str) -> Result<(), TeamError> {
    if error.is_empty() { Ok(()) } else { Err(failed(what, error)) }
}

impl Team for RosTeam {
    fn capabilities(&mut self) -> Result<Capabilities, TeamError> {
        let limit = match self.mode {
            Mode::Lockstep => wall(self.settings.calls.appear_wall_s),
            Mode::Realtime => self.quick(),
        };
        match self.call(&self.services.capabilities, srv::WorldCapabilities::Request::default(), limit) {
            Ok(response) => Ok(world::capabilities_from_wire(&response)),
            Err(TeamError::Silent { .. }) if self.mode == Mode::Realtime => {
                self.simulated = false;
                let state = self.listener.await_state(wall(self.settings.calls.appear_wall_s), |_| true)?;
                tracing::info!("no simulated world: robots");
                Ok(Capabilities {
                    lockstep: false,
                    checkpoint: false,
                    place_payload: false,
                    privileged_state: state.robots.iter().all(|r| r.privileged),
                    world: self.world.clone(),
                    robots: self.robots.iter().map(|r| r.name.clone()).collect(),
                    seed: self.seed,
                })
            }
            Err(error) => Err(error),
        }
    }

    fn reset(&mut self, seed: u64) -> Result<TeamState, TeamError> {
        if !self.simulated {
            return self.listener.await_state(self.quick(), |_| true);
        }
        let response = self.call(&self.services.reset, srv::ResetWorld::Request { seed }, self.quick())?;
        if !response.ok {
            return Err(failed(names::WORLD_RESET, response.error_msg));
        }
        let state = self.listener.await_state(self.quick(), |s| s.tick >= response.tick && s.context_epoch >= response.context_epoch)?;
        self.listener.forget_before(response.tick);
        Ok(state)
    }

    fn state(&mut self) -> Result<TeamState, TeamError> {
        self.listener.newest().ok_or_else(|| TeamError::Silent { what: names::TEAM_STATE.to_owned() })
    }

    fn begin_run(&mut self, request: &BeginRun) -> Result<String, TeamError> {
        let limit = wall(self.settings.calls.verify_wall_s);
        let response = self.call(&self.services.begin_run, requests::begin_run_to_wire(request), limit)?;
        if !response.ok {
            return Err(failed(names::VERIFIER_BEGIN_RUN, response.error_msg));
        }
        self.listener.recoveries.run_begins();
        Ok(response.checkpoint_id)
    }

    fn validate(&mut self, request: &ValidateRequest) -> Result<ValidateResponse, TeamError> {
        let response = self.call(&self.services.validate, requests::validate_to_wire(request), self.quick())?;
        checked(names::VERIFIER_VALIDATE, &response.error_msg)?;
        requests::validated_from_wire(&response).map_err(|e| failed(names::VERIFIER_VALIDATE, e))
    }

    fn dispatch(&mut self, goals: &[SkillGoal]) -> Result<Dispatched, TeamError> {
        self.dispatch_goals(goals)
    }

    fn run_for(&mut self, ticks: u64) -> Result<u64, TeamError> {
        if !self.simulated {
            let start = self.state()?.tick;
            let limit = wall(self.settings.calls.window_wall_s);
            return self.listener.await_state(limit, |s| s.tick >= start + ticks).map(|s| s.tick);
        }
        let closed = self.run_window("", ticks, false)?;
        match closed.reason {
            WindowReason::Limit => Ok(closed.closed_tick),
            other => Err(failed(names::WORLD_RUN_WINDOW, format!("closed as {other:?}: {}", closed.message))),
        }
    }

    fn place_payload(&mut self) -> Result<(), TeamError> {
        self.need_world(names::WORLD_PLACE_PAYLOAD)?;
        let before = self.state()?.tick;
        let request = srv::PlacePayload::Request { payload: String::new() };
        let response = self.call(&self.services.place_payload, request, self.quick())?;
        if !response.ok {
            return Err(failed(names::WORLD_PLACE_PAYLOAD, response.error_msg));
        }
        self.listener.await_state(self.quick(), |s| s.tick > before).map(|_| ())
    }

    fn verify(&mut self, request: &VerifyRequest) -> Result<VerifyResponse, TeamError> {
        let limit = wall(self.settings.calls.verify_wall_s);
        let response = self.call(&self.services.verify, requests::verify_to_wire(request), limit)?;
        checked(names::VERIFIER_VERIFY, &response.error_msg)?;
        requests::verified_from_wire(&response).map_err(|e| failed(names::VERIFIER_VERIFY, e))
    }

    fn endpoint(&mut self, closed_tick: u64) -> Result<EndpointResponse, TeamError> {
        let request = srv::Endpoint::Request { task_id: String::new(), closed_tick };
        let limit = wall(self.settings.calls.verify_wall_s);
        let response = self.call(&self.services.endpoint, request, limit)?;
        checked(names::VERIFIER_ENDPOINT, &response.error_msg)?;
        requests::endpoint_from_wire(&response).map_err(|e| failed(names::VERIFIER_ENDPOINT, e))
    }

    fn restore(&mut self, checkpoint_id: &str) -> Result<Restored, TeamError> {
        self.need_world(names::CHECKPOINT_RESTORE)?;
        let request = srv::RestoreCheckpoint::Request { id: checkpoint_id.to_owned(), resume: false };
        let response = self.call(&self.services.restore, request, self.quick())?;
        if !response.ok {
            return Err(failed(names::CHECKPOINT_RESTORE, response.error_msg));
        }
        self.listener.await_state(self.quick(), |s| s.context_epoch >= response.context_epoch)?;
        Ok(checkpoint::restored_from_wire(&response))
    }

    fn confirm_restore(&mut self, request: &ConfirmRestore) -> Result<Verdict, TeamError> {
        let limit = wall(self.settings.calls.verify_wall_s);
        let response = self.call(&self.services.confirm, requests::confirm_to_wire(request), limit)?;
        checked(names::VERIFIER_CONFIRM_RESTORE, &response.error_msg)?;
        verdict::from_wire(&response.verdict).map_err(|e| failed(names::VERIFIER_CONFIRM_RESTORE, e))
    }

    fn hoist_payload(&mut self) -> Result<(), TeamError> {
        self.need_world(names::WORLD_HOIST_PAYLOAD)?;
        // The operator who picks the payload up also clears what stopped the robots.
        for robot in &self.robots {
            let response = self.call(&robot.clear_stop, Trigger::Request::default(), self.quick())?;
            if !response.success {
                return Err(failed(&names::robot(&robot.name, "clear_stop"), response.message));
            }
        }
        let before = self.state()?.tick;
        let request = srv::HoistPayload::Request { payload: String::new() };
        let response = self.call(&self.services.hoist_payload, request, self.quick())?;
        if !response.ok {
            return Err(failed(names::WORLD_HOIST_PAYLOAD, response.error_msg));
        }
        self.listener.await_state(self.quick(), |s| s.tick > before).map(|_| ())
    }

    fn confirm_recovery(&mut self, request: &ConfirmRecovery) -> Result<RecoveryResponse, TeamError> {
        let limit = wall(self.settings.calls.verify_wall_s);
        let response = self.call(&self.services.recovery, recovery::to_wire(request), limit)?;
        checked(names::VERIFIER_CONFIRM_RECOVERY, &response.error_msg)?;
        recovery::response_from_wire(&response).map_err(|e| failed(names::VERIFIER_CONFIRM_RECOVERY, e))
    }

    fn path(&mut self) -> Vec<TeamSample> {
        self.listener.take_samples()
    }

    fn announce(&mut self, announcement: &Announcement) {
        self.notes.tell(announcement);
    }

    fn still(&mut self, camera: &str, file: &Path) -> Result<(), TeamError> {
        self.need_world("camera")?;
        let png = self.listener.picture(camera, self.quick())?;
        std::fs::write(file, png).map_err(|e| failed(&names::camera(camera), format!("{e}: {}", file.display())))
    }

    fn share_experience(&mut self, bank: &SharedBank, caps: BankCaps) {
        self.listener.share(bank.clone(), caps);
    }

    fn recovery_wanted(&mut self) -> Option<RecoveryRequest> {
        self.listener.recoveries.take()
    }

    fn recovery_step(&mut self, kind: RecoveryKind, step: &Step, steps: usize) {
        let tick = self.listener.newest().map_or(0, |s| s.tick);
        self.listener.recoveries.step(kind, step, steps, tick);
        // Only steps are cut short: what was reached is judged without being disturbed.
        self.interruptible = true;
    }

    fn recovery_canceled(&mut self) -> bool {
        self.interruptible = false;
        self.listener.recoveries.canceled()
    }

    fn recovery_ended(&mut self, report: &RecoveryReport) {
        self.interruptible = false;
        self.listener.recoveries.end(report);
    }

    fn stop_requested(&mut self) -> Option<String> {
        self.listener.stop_reason()
    }
}
