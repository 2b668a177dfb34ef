//! Which goals are taken, and why the others are not.

use crate::config::Settings;
use crate::latches::Latches;
use crate::memory::Memory;
use crate::skills::lifecycle;
use crate::sport::FSM_WALKING;
use troupe_core::skill::{SkillCall, SkillCode, SkillGoal};

/// A goal that is not taken; the robot does not move for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// Never [`SkillCode::None`].
    pub code: SkillCode,
    /// Why, and what is allowed.
    pub message: String,
}

/// What a refusal may depend on besides the settings.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    /// The controller's memory.
    pub memory: &'a Memory,
    /// Newest epoch known.
    pub context_epoch: u32,
    /// Commands are enabled.
    pub enabled: bool,
    /// What keeps the robot from moving.
    pub latches: &'a Latches,
    /// Newest tick seen.
    pub tick: Option<u64>,
}

/// Checks a goal.
///
/// # Errors
/// [`Refusal`] with the code of the first reason.
pub fn check(settings: &Settings, now: &Standing, goal: &SkillGoal) -> Result<(), Refusal> {
    let refuse = |code, message: String| Err(Refusal { code, message });
    if let Some(refusal) = now.latches.refusal() {
        return Err(refusal);
    }
    if !now.enabled {
        return refuse(SkillCode::Disabled, "commands are not enabled".to_owned());
    }
    if now.memory.fsm != FSM_WALKING {
        let text = format!("the robot is in state {}, skills need {FSM_WALKING} (api 7101)", now.memory.fsm);
        return refuse(SkillCode::Disabled, text);
    }
    if goal.context_epoch < now.context_epoch {
        let text = format!("the goal's epoch {} is older than the robot's {}", goal.context_epoch, now.context_epoch);
        return refuse(SkillCode::Stale, text);
    }
    // A stop skill ends whatever is executing.
    if goal.call != SkillCall::Stop {
        if let Some(active) = &now.memory.active {
            return refuse(SkillCode::Busy, format!("executing `{}`", active.goal.call.name()));
        }
        if now.memory.velocity.is_some() {
            return refuse(SkillCode::Busy, "executing a velocity command".to_owned());
        }
    }
    if let Err(e) = settings.bounds.check(&goal.call) {
        return refuse(SkillCode::OutOfBounds, e.to_string());
    }
    if !(goal.deadline_s.is_finite() && goal.deadline_s > 0.0) {
        return refuse(SkillCode::OutOfBounds, format!("deadline_s = {} is not finite and positive", goal.deadline_s));
    }
    if let Some(tick) = now.tick {
        let ahead = settings.motion.start_ahead_ticks;
        if goal.start_tick > tick.saturating_add(ahead) {
            let text = format!("start tick {} is more than {ahead} ticks after {tick}", goal.start_tick);
            return refuse(SkillCode::OutOfBounds, text);
        }
    }
    match lifecycle(&goal.call) {
        Some((Some(needed), _)) if needed != now.memory.lifecycle => {
            let text = format!("`{}` needs phase {needed:?}, the robot is in {:?}", goal.call.name(), now.memory.lifecycle);
            refuse(SkillCode::WrongPhase, text)
        }
        _ => Ok(()),
    }
}
