//! Goals, results and feedback of the skill action.

use super::SkillCall;
use crate::frames::Planar;
use serde::{Deserialize, Serialize};

/// A goal for one robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkillGoal {
    /// What to do.
    pub call: SkillCall,
    /// Transaction it belongs to; free text for operators' goals.
    pub transaction_id: String,
    /// Refused as stale when older than the robot's.
    pub context_epoch: u32,
    /// Control tick on which the gait begins; 0 = at once.
    pub start_tick: u64,
    /// Simulated seconds from the start, settling included.
    pub deadline_s: f64,
}

/// How a goal ended; the codes of `troupe_msgs/ExecuteSkill`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u16)]
pub enum SkillCode {
    /// Succeeded.
    #[default]
    None = 0,
    /// Unknown skill or missing argument.
    InvalidSkill = 100,
    /// Outside the bounds, or not finite.
    OutOfBounds = 101,
    /// Older context epoch.
    Stale = 102,
    /// Another goal is executing.
    Busy = 103,
    /// Commands are not enabled.
    Disabled = 104,
    /// `team/stop`, lost heartbeat or stale state.
    Stopped = 105,
    /// Deadline passed.
    Timeout = 106,
    /// Canceled by the client.
    Canceled = 107,
    /// Fallen, or the state is not finite.
    Fault = 108,
    /// Lifecycle skill in the wrong phase.
    WrongPhase = 109,
    /// Start tick passed.
    StartMissed = 110,
    /// A safety limit was breached (speed, turn rate, separation), or the partner on the same payload stopped.
    LimitBreached = 111,
}

impl SkillCode {
    /// The code with this number.
    #[must_use]
    pub fn from_number(number: u16) -> Option<Self> {
        [
            Self::None,
            Self::InvalidSkill,
            Self::OutOfBounds,
            Self::Stale,
            Self::Busy,
            Self::Disabled,
            Self::Stopped,
            Self::Timeout,
            Self::Canceled,
            Self::Fault,
            Self::WrongPhase,
            Self::StartMissed,
            Self::LimitBreached,
        ]
        .into_iter()
        .find(|c| *c as u16 == number)
    }
}

/// Result of a goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SkillResult {
    /// 0 = succeeded.
    pub code: SkillCode,
    /// Why, for people; empty on success.
    pub message: String,
    /// Pose change in the base frame at the start.
    pub displacement: Planar,
    /// Travelled after the stop command, m (CE-039).
    pub coast_m: f64,
    /// The robot came to rest.
    pub settled: bool,
    /// Tick on which the gait began.
    pub consumed_tick: u64,
    /// Tick on which stop was commanded.
    pub stop_tick: u64,
    /// Tick on which the result was formed.
    pub end_tick: u64,
}

/// Where a running goal stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillStage {
    /// Waiting for the start tick.
    #[default]
    Waiting,
    /// Following the reference.
    Moving,
    /// Closing in on the final pose.
    Correcting,
    /// Stop commanded, coming to rest.
    Settling,
}

/// Feedback of a running goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SkillFeedback {
    /// Stage.
    pub stage: SkillStage,
    /// m from the start pose.
    pub travelled_m: f64,
    /// rad from the start pose.
    pub turned_rad: f64,
    /// Share of the reference motion done, 0..1.
    pub progress: f64,
    /// Control tick.
    pub tick: u64,
}
