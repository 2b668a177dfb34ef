//! What the loop needs from the rest of the team; implemented by the ROS shell and the local graph.

use crate::experience::SharedBank;
use std::path::Path;
use troupe_coordination::experience::BankCaps;
use troupe_coordination::recovery::Step;
use troupe_core::budget::Budget;
use troupe_core::decision::{Decision, PolicyCode};
use troupe_core::evidence::{Evidence, Verdict};
use troupe_core::frames::Planar;
use troupe_core::forecast::Forecast;
use troupe_core::recovery::{ConfirmRecovery, RecoveryKind, RecoveryReport, RecoveryRequest, RecoveryResponse};
use troupe_core::skill::{SkillCall, SkillCode, SkillGoal};
use troupe_core::state::TeamState;
use troupe_core::team::{
    BeginRun, Capabilities, ConfirmRestore, Dispatched, EndpointResponse, Restored, ValidateRequest, ValidateResponse,
    VerifyRequest, VerifyResponse,
};

/// Control ticks between two samples of [`Team::path`]: 5 Hz of simulated time.
pub const PATH_SAMPLE_TICKS: u64 = 10;

/// Why the team did not answer as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TeamError {
    /// An authorised stop (`team/stop`, or the process is asked to end); the run ends with label C.
    #[error("stopped: {reason}")]
    Stopped {
        /// Who stopped it and why.
        reason: String,
    },
    /// A robot refused its goal; the others were canceled before motion (AR-102).
    #[error("{robot} refused its goal: {code:?}: {message}")]
    Refused {
        /// Namespace of the robot.
        robot: String,
        /// Its code.
        code: SkillCode,
        /// Its words.
        message: String,
    },
    /// A node did not answer within its wall-clock limit.
    #[error("{what} did not answer in time")]
    Silent {
        /// Service, action or topic.
        what: String,
    },
    /// A node answered that it cannot, or its answer makes no sense.
    #[error("{what}: {reason}")]
    Failed {
        /// Service, action or topic.
        what: String,
        /// Its words.
        reason: String,
    },
}

/// Poses of the team at one control tick, for the path in the report.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeamSample {
    /// Control tick, a multiple of [`PATH_SAMPLE_TICKS`].
    pub tick: u64,
    /// Bases in team order, world frame, m and rad.
    pub robots: Vec<Planar>,
    /// Payload centre, world frame, m and rad.
    pub payload: Planar,
    /// Payload tilt, rad.
    pub payload_tilt_rad: f64,
}

impl TeamSample {
    /// The sample of a state; `None` without a payload.
    #[must_use]
    pub fn of(state: &TeamState) -> Option<Self> {
        let payload = state.payload()?;
        Some(Self {
            tick: state.tick,
            robots: state.robots.iter().map(|r| r.base.planar()).collect(),
            payload: payload.pose.planar(),
            payload_tilt_rad: payload.tilt_rad,
        })
    }

    /// The sample of a state whose tick is a multiple of [`PATH_SAMPLE_TICKS`]; call it on every state.
    #[must_use]
    pub fn due(state: &TeamState) -> Option<Self> {
        if state.tick.is_multiple_of(PATH_SAMPLE_TICKS) { Self::of(state) } else { None }
    }
}

/// Something to show on `/team/…`; nobody answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Announcement {
    /// A decision, before its code is written.
    Decision(Decision),
    /// Policies that were validated and are about to be dispatched.
    Policies(Vec<PolicyCode>),
    /// A verdict with its evidence.
    Verdict {
        /// Judgement.
        verdict: Verdict,
        /// What it rests on.
        evidence: Evidence,
    },
    /// Counters after a change.
    Budget(Budget),
    /// The trusted checkpoint that is now in force.
    Checkpoint {
        /// Name.
        id: String,
        /// Transaction that made it; empty for the first.
        created_by: String,
    },
    /// Plan and progress in words.
    Text(String),
}

/// The team as the loop sees it. All calls block; simulated time advances only inside
/// [`dispatch`](Team::dispatch) and [`run_for`](Team::run_for).
pub trait Team {
    /// What the world offers.
    ///
    /// # Errors
    /// [`TeamError`].
    fn capabilities(&mut self) -> Result<Capabilities, TeamError>;

    /// A new episode; returns its first state.
    ///
    /// # Errors
    /// [`TeamError`].
    fn reset(&mut self, seed: u64) -> Result<TeamState, TeamError>;

    /// The newest state.
    ///
    /// # Errors
    /// [`TeamError`].
    fn state(&mut self) -> Result<TeamState, TeamError>;

    /// Tells the verifier that a run begins; returns the id of the first trusted checkpoint.
    ///
    /// # Errors
    /// [`TeamError`].
    fn begin_run(&mut self, request: &BeginRun) -> Result<String, TeamError>;

    /// Checks a decision and its policies before dispatch.
    ///
    /// # Errors
    /// [`TeamError`]; a refusal is an answer, not an error.
    fn validate(&mut self, request: &ValidateRequest) -> Result<ValidateResponse, TeamError>;

    /// Sends one goal to each robot in team order, all or none accepted, opens a window and waits until
    /// every robot is idle.
    ///
    /// # Errors
    /// [`TeamError::Refused`] when a robot refused before motion, else [`TeamError`].
    fn dispatch(&mut self, goals: &[SkillGoal]) -> Result<Dispatched, TeamError>;

    /// Lets exactly `ticks` control ticks pass; returns the closed tick.
    ///
    /// # Errors
    /// [`TeamError`].
    fn run_for(&mut self, ticks: u64) -> Result<u64, TeamError>;

    /// Lays the payload on the robots' forearms (the operator's part).
    ///
    /// # Errors
    /// [`TeamError`].
    fn place_payload(&mut self) -> Result<(), TeamError>;

    /// Judges one transaction; on acceptance a checkpoint has been stored.
    ///
    /// # Errors
    /// [`TeamError`].
    fn verify(&mut self, request: &VerifyRequest) -> Result<VerifyResponse, TeamError>;

    /// Judges the whole task at `closed_tick`.
    ///
    /// # Errors
    /// [`TeamError`].
    fn endpoint(&mut self, closed_tick: u64) -> Result<EndpointResponse, TeamError>;

    /// Brings a checkpoint back.
    ///
    /// # Errors
    /// [`TeamError`].
    fn restore(&mut self, checkpoint_id: &str) -> Result<Restored, TeamError>;

    /// Judges a restore after the settling window.
    ///
    /// # Errors
    /// [`TeamError`].
    fn confirm_restore(&mut self, request: &ConfirmRestore) -> Result<Verdict, TeamError>;

    /// Rolls out candidates, each one call for every robot, in copies of the world (CE-151, CE-155). Nothing
    /// real moves and no time passes.
    ///
    /// # Errors
    /// [`TeamError::Failed`] where the world cannot be copied.
    fn forecast(&mut self, candidates: &[Vec<SkillCall>]) -> Result<Vec<Forecast>, TeamError> {
        let reason = format!("the world offers no forecast of {} candidates", candidates.len());
        Err(TeamError::Failed { what: "forecast".into(), reason })
    }

    /// Has the payload picked up and held clear of the robots (the operator's part of a relay, CE-150), and
    /// what stopped the robots cleared.
    ///
    /// # Errors
    /// [`TeamError::Failed`] where nobody can.
    fn hoist_payload(&mut self) -> Result<(), TeamError> {
        Err(TeamError::Failed { what: "world/hoist_payload".into(), reason: "the world has no hoist".into() })
    }

    /// Judges whether the team may be trusted again after a recovery by motion; on acceptance the trusted
    /// checkpoint has a new name and nothing was stored (CE-150).
    ///
    /// # Errors
    /// [`TeamError`].
    fn confirm_recovery(&mut self, request: &ConfirmRecovery) -> Result<RecoveryResponse, TeamError> {
        let reason = format!("nobody judges recovery {}", request.recovery_id);
        Err(TeamError::Failed { what: "verifier/confirm_recovery".into(), reason })
    }

    /// Samples ([`TeamSample::due`]) of every state since the last call, in order of ticks. A sample is due
    /// on each tick that is a multiple of [`PATH_SAMPLE_TICKS`], so that every implementation returns the
    /// same ones.
    fn path(&mut self) -> Vec<TeamSample>;

    /// Shows something to viewers.
    fn announce(&mut self, announcement: &Announcement);

    /// Lets others look into the run's experience and add to it, where there are others.
    fn share_experience(&mut self, _bank: &SharedBank, _caps: BankCaps) {}

    /// Stores a still of a camera as PNG.
    ///
    /// # Errors
    /// [`TeamError`]; the loop goes on without the picture.
    fn still(&mut self, camera: &str, file: &Path) -> Result<(), TeamError>;

    /// Ground truth, where a simulation has it and the team does not see it: only for the record of how good
    /// verdicts over estimated state are (CE-154).
    fn hidden_truth(&mut self) -> Option<TeamState> {
        None
    }

    /// A recovery that somebody outside asks for (`team/recover`); taken between two transactions.
    fn recovery_wanted(&mut self) -> Option<RecoveryRequest> {
        None
    }

    /// A recovery is about to take a step, after `steps` others.
    fn recovery_step(&mut self, _kind: RecoveryKind, _step: &Step, _steps: usize) {}

    /// After each step: whether whoever asked for the recovery has taken it back.
    fn recovery_canceled(&mut self) -> bool {
        false
    }

    /// The recovery that was asked for has ended.
    fn recovery_ended(&mut self, _report: &RecoveryReport) {}

    /// The reason of an authorised stop that has come in, if any; asked between the steps of the loop.
    fn stop_requested(&mut self) -> Option<String> {
        None
    }
}
