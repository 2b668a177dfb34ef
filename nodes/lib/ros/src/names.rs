//! Every topic, service and action name, once. All are absolute, so that a node's own namespace does
//! not matter.

/// Simulated time.
pub const CLOCK: &str = "/clock";
/// Transforms that move.
pub const TF: &str = "/tf";
/// Health of every node.
pub const DIAGNOSTICS: &str = "/diagnostics";

/// Trusted state, every tick.
pub const TEAM_STATE: &str = "/team/state";
/// Decision before dispatch.
pub const TEAM_DECISION: &str = "/team/decision";
/// Verdict after a transaction.
pub const TEAM_VERDICT: &str = "/team/verdict";
/// Evidence that a verdict rests on.
pub const TEAM_EVIDENCE: &str = "/team/evidence";
/// Trusted checkpoint in force.
pub const TEAM_CHECKPOINT: &str = "/team/checkpoint";
/// Counters of the run.
pub const TEAM_BUDGET: &str = "/team/budget";
/// Stop for every robot.
pub const TEAM_STOP: &str = "/team/stop";
/// The orchestrator's sign of life.
pub const TEAM_HEARTBEAT: &str = "/team/heartbeat";
/// Plan and progress in words.
pub const TEAM_TEXT: &str = "/team/text";

/// Back to a trusted state by moving.
pub const TEAM_RECOVER: &str = "/team/recover";

/// What the world can do.
pub const WORLD_CAPABILITIES: &str = "/world/capabilities";
/// A new episode.
pub const WORLD_RESET: &str = "/world/reset";
/// The operator's part.
pub const WORLD_PLACE_PAYLOAD: &str = "/world/place_payload";
/// The operator's part of a relay.
pub const WORLD_HOIST_PAYLOAD: &str = "/world/hoist_payload";
/// Lets simulated time pass.
pub const WORLD_RUN_WINDOW: &str = "/world/run_window";
/// Stores world and controllers.
pub const CHECKPOINT_SAVE: &str = "/checkpoint/save";
/// Brings them back.
pub const CHECKPOINT_RESTORE: &str = "/checkpoint/restore";

/// Starts judging a run.
pub const VERIFIER_BEGIN_RUN: &str = "/verifier/begin_run";
/// Checks before dispatch.
pub const VERIFIER_VALIDATE: &str = "/verifier/validate";
/// Judges a transaction.
pub const VERIFIER_VERIFY: &str = "/verifier/verify";
/// Judges the task.
pub const VERIFIER_ENDPOINT: &str = "/verifier/endpoint";
/// Judges a restore.
pub const VERIFIER_CONFIRM_RESTORE: &str = "/verifier/confirm_restore";
/// Judges a recovery by motion.
pub const VERIFIER_CONFIRM_RECOVERY: &str = "/verifier/confirm_recovery";

/// What a run would retrieve from its experience.
pub const EXPERIENCE_RETRIEVE: &str = "/experience/retrieve";
/// Adds a reviewed record to a run's experience.
pub const EXPERIENCE_PROMOTE: &str = "/experience/promote";

/// Name under a robot's namespace: `robot("g1_0", "lowstate")` is `/g1_0/lowstate`.
#[must_use]
pub fn robot(robot: &str, leaf: &str) -> String {
    format!("/{robot}/{leaf}")
}

/// Name of the bridge's standard simulation services: `simulation("get_entities")`.
#[must_use]
pub fn simulation(leaf: &str) -> String {
    format!("/sim_bridge/{leaf}")
}

/// Image topic of a camera.
#[must_use]
pub fn camera(camera: &str) -> String {
    format!("/sim_bridge/camera/{camera}/image")
}
