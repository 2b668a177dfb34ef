//! What clients ask of the robot: goals, cancels, enabling; and the one result of every goal.

use crate::accept::{self, Refusal, Standing};
use crate::active::Active;
use crate::controller::G1;
use crate::skills;
use troupe_core::skill::{SkillCall, SkillCode, SkillGoal, SkillResult, SkillStage};

impl G1 {
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
            latches: &self.latches,
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
}
