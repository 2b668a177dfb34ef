//! The node's one loop: every state is observed, requests are answered one after the other.

use crate::Verifier;
use std::time::{Duration, Instant};
use troupe_core::team::CheckpointInfo;
use troupe_ros::call::{CallError, Caller};
use troupe_ros::convert::{checkpoint, team_state};
use troupe_ros::diagnostics::{Diagnostics, Level, Status};
use troupe_ros::inbox::Inbox;
use troupe_ros::mode::Mode;
use troupe_ros::node::IDLE;
use troupe_ros::r2r::ServiceRequest;
use troupe_ros::r2r::troupe_msgs::msg::TeamState;
use troupe_ros::r2r::troupe_msgs::srv;
use troupe_ros::settings::{RosSettings, wall};
use troupe_ros::{RosError, RosNode, names, qos, stamp};

type Requests<S> = Inbox<ServiceRequest<S>>;

/// Who stores checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Storage {
    /// Nobody was asked yet.
    Unknown,
    /// The simulated world.
    World,
    /// Nobody: there are robots.
    None,
}

/// The verifier on the graph.
pub struct Shell {
    ros: RosNode,
    pub verifier: Verifier,
    settings: RosSettings,
    states: Inbox<TeamState>,
    save: Caller<srv::SaveCheckpoint::Service>,
    mode: Mode,
    storage: Storage,
    pub begin_run: Requests<srv::BeginRun::Service>,
    pub validate: Requests<srv::Validate::Service>,
    pub verify: Requests<srv::Verify::Service>,
    pub endpoint: Requests<srv::Endpoint::Service>,
    pub confirm: Requests<srv::ConfirmRestore::Service>,
    pub recovery: Requests<srv::ConfirmRecovery::Service>,
    diagnostics: Diagnostics,
    told: Instant,
    newest: Option<u64>,
    missing: u64,
    rejected: u64,
}

impl Shell {
    /// Opens topics and services.
    pub fn open(mut ros: RosNode, verifier: Verifier, settings: RosSettings, mode: Mode) -> Result<Self, RosError> {
        Ok(Self {
            states: ros.subscribe(names::TEAM_STATE, qos::TEAM_STATE_STREAM)?,
            save: ros.caller(names::CHECKPOINT_SAVE)?,
            mode,
            storage: Storage::Unknown,
            begin_run: ros.serve(names::VERIFIER_BEGIN_RUN)?,
            validate: ros.serve(names::VERIFIER_VALIDATE)?,
            verify: ros.serve(names::VERIFIER_VERIFY)?,
            endpoint: ros.serve(names::VERIFIER_ENDPOINT)?,
            confirm: ros.serve(names::VERIFIER_CONFIRM_RESTORE)?,
            recovery: ros.serve(names::VERIFIER_CONFIRM_RECOVERY)?,
            diagnostics: Diagnostics::open(&mut ros, "verifier", "")?,
            told: Instant::now(),
            newest: None,
            missing: 0,
            rejected: 0,
            ros,
            verifier,
            settings,
        })
    }

    /// Runs until the process is asked to end.
    pub fn run(mut self) {
        while !self.ending() {
            self.spin(IDLE);
            self.answer_requests();
            self.tell();
        }
        tracing::info!("ended");
        troupe_ros::shutdown::farewell(0);
    }

    fn ending(&self) -> bool {
        self.ros.shutdown().requested()
    }

    fn spin(&mut self, wait: Duration) {
        self.ros.spin(wait);
        while let Some(message) = self.states.take() {
            match team_state::from_wire(&message) {
                // A state may be sent again for a robot that came late.
                Ok(state) if self.newest == Some(state.tick) => {}
                Ok(state) => {
                    let expected = self.newest.map(|tick| tick + 1);
                    self.missing += expected.map_or(0, |tick| state.tick.saturating_sub(tick));
                    self.newest = Some(state.tick);
                    self.verifier.observe(state);
                }
                Err(error) => {
                    self.rejected += 1;
                    if self.rejected == 1 {
                        tracing::warn!(%error, "team/state dropped");
                    }
                }
            }
        }
    }

    /// Waits until the state of `tick` was seen.
    pub fn await_tick(&mut self, tick: u64) -> Result<(), String> {
        let until = Instant::now() + wall(self.settings.calls.quick_wall_s);
        while !self.verifier.has_tick(tick) {
            if self.ending() || Instant::now() > until {
                return Err(format!("team/state of tick {tick} has not come; newest: {:?}", self.newest));
            }
            self.spin(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Stores a checkpoint; states are observed meanwhile. Robots have no storage: their checkpoints are
    /// names for a trusted state, to which nothing can return.
    pub fn store(&mut self, id: &str, created_by: &str) -> Result<CheckpointInfo, String> {
        if self.storage == Storage::None {
            return Ok(self.name_only(id, created_by));
        }
        let request = srv::SaveCheckpoint::Request { id: id.to_owned(), created_by: created_by.to_owned() };
        let mut pending = self.save.start(request, wall(self.settings.calls.quick_wall_s));
        loop {
            match pending.poll() {
                Some(Ok(response)) => {
                    self.storage = Storage::World;
                    return if response.ok { Ok(checkpoint::from_wire(&response.info)) } else { Err(response.error_msg) };
                }
                Some(Err(CallError::Silent { .. })) if self.storage == Storage::Unknown && self.mode == Mode::Realtime => {
                    tracing::info!("no simulated world: checkpoints are names only");
                    self.storage = Storage::None;
                    return Ok(self.name_only(id, created_by));
                }
                Some(Err(error)) => return Err(error.to_string()),
                None if self.ending() => return Err("the verifier ends".to_owned()),
                None => self.spin(Duration::from_millis(2)),
            }
        }
    }

    fn name_only(&self, id: &str, created_by: &str) -> CheckpointInfo {
        CheckpointInfo {
            id: id.to_owned(),
            parent: self.verifier.checkpoint_id().to_owned(),
            trusted: true,
            digest: String::new(),
            tick: self.newest.unwrap_or_default(),
            context_epoch: 0,
            created_by: created_by.to_owned(),
        }
    }

    fn tell(&mut self) {
        if self.told.elapsed() < wall(self.settings.tell.diagnostics_wall_s) {
            return;
        }
        self.told = Instant::now();
        let mut status = Status::default();
        if !self.verifier.is_sensing() {
            status.finding(Level::Stale, "no complete team/state has come");
        }
        if self.missing > 0 {
            status.finding(Level::Warn, format!("{} ticks of team/state are missing", self.missing));
        }
        if self.rejected > 0 {
            status.finding(Level::Warn, format!("{} messages of team/state were dropped", self.rejected));
        }
        status.value("tick", self.newest.map_or("none".to_owned(), |t| t.to_string()));
        status.value("checkpoint", self.verifier.checkpoint_id());
        status.value("milestones", self.verifier.milestones().join(", "));
        self.diagnostics.report(stamp::now(), status);
    }
}
