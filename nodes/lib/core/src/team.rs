//! Requests and answers between the orchestrator and the rest of the team; mirrors the services
//! and actions in `troupe_msgs`.

use crate::decision::{Decision, PolicyCode};
use crate::evidence::{Evidence, Verdict};
use crate::skill::{SkillCall, SkillCode, SkillResult};
use serde::{Deserialize, Serialize};

/// One reason for a refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// `E_SYNTAX`, `E_BOUNDS`, …
    pub code: String,
    /// Robot it concerns; empty for the pair.
    pub robot: String,
    /// Names the field, the value and what is allowed.
    pub message: String,
}

/// `verifier/validate`, request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValidateRequest {
    /// What shall be done.
    pub decision: Decision,
    /// How, one per robot.
    pub policies: Vec<PolicyCode>,
}

/// `verifier/validate`, answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ValidateResponse {
    /// May be dispatched.
    pub ok: bool,
    /// Why not.
    pub findings: Vec<Finding>,
    /// Parsed calls in team order; empty unless `ok`.
    pub calls: Vec<SkillCall>,
    /// Of checkpoint, normalised policies and effective arguments (CE-030).
    pub fingerprint: String,
}

/// `verifier/verify`, request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerifyRequest {
    /// Transaction to judge.
    pub transaction_id: String,
    /// Its decision.
    pub decision: Decision,
    /// As validated.
    pub fingerprint: String,
    /// As validated, in team order.
    pub calls: Vec<SkillCall>,
    /// Tick before motion.
    pub start_tick: u64,
    /// Tick on which the window closed.
    pub closed_tick: u64,
    /// Codes of the skill results in team order.
    pub robot_codes: Vec<SkillCode>,
}

/// `verifier/verify`, answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerifyResponse {
    /// What was measured.
    pub evidence: Evidence,
    /// Judgement.
    pub verdict: Verdict,
    /// The payload was dropped.
    pub drop: bool,
    /// New trusted checkpoint on acceptance, else the one to restore.
    pub checkpoint_id: String,
}

/// `verifier/begin_run`, request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BeginRun {
    /// Run.
    pub run_id: String,
    /// Task record to judge by.
    pub task_id: String,
    /// Tick of the state that becomes the first trusted checkpoint.
    pub tick: u64,
}

/// `verifier/endpoint`, answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EndpointResponse {
    /// Judgement of the whole task.
    pub verdict: Verdict,
    /// What it rests on.
    pub evidence: Evidence,
    /// Further simulated seconds that the verdict needs; 0 when final.
    pub observe_s: f64,
}

/// A stored state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointInfo {
    /// Name.
    pub id: String,
    /// Checkpoint it followed.
    pub parent: String,
    /// Only after an accepted verdict.
    pub trusted: bool,
    /// SHA-256 of the stored state.
    pub digest: String,
    /// Tick at which it was stored.
    pub tick: u64,
    /// Epoch in which it was stored.
    pub context_epoch: u32,
    /// Transaction, or empty for the first.
    pub created_by: String,
}

/// Result of a restore.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Restored {
    /// Largest |qpos − stored qpos|.
    pub max_error: f64,
    /// New epoch.
    pub context_epoch: u32,
    /// As acknowledged, in team order.
    pub controller_epochs: Vec<u32>,
}

/// `world/capabilities`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Capabilities {
    /// Simulated time advances only in windows.
    pub lockstep: bool,
    /// Save and restore are available.
    pub checkpoint: bool,
    /// A hoist stands in for the operator.
    pub place_payload: bool,
    /// State is ground truth.
    pub privileged_state: bool,
    /// Name of the world.
    pub world: String,
    /// Namespaces in team order.
    pub robots: Vec<String>,
    /// Seed of the world.
    pub seed: u64,
}

/// Why a window closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum WindowReason {
    /// Every robot is idle.
    Idle = 0,
    /// The tick limit was reached.
    Limit = 1,
    /// `team/stop`, or canceled.
    Stopped = 2,
    /// A robot did not answer in time.
    RobotSilent = 3,
    /// Another window is open, or no ticks were asked for.
    Refused = 4,
}

/// What came of sending calls to all robots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dispatched {
    /// Tick before motion.
    pub start_tick: u64,
    /// Tick on which the window closed.
    pub closed_tick: u64,
    /// Why it closed.
    pub reason: WindowReason,
    /// Results in team order.
    pub results: Vec<SkillResult>,
}

/// `verifier/confirm_restore`, request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfirmRestore {
    /// Restored checkpoint.
    pub checkpoint_id: String,
    /// As reported by the restore.
    pub restored: Restored,
    /// End of the settling window.
    pub closed_tick: u64,
}
