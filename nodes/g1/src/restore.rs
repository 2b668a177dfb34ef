//! Saving the controller for a checkpoint and setting it back.

use crate::controller::G1;
use crate::memory::Memory;
use serde::{Deserialize, Serialize};
use troupe_core::skill::SkillCode;

/// Layout of the saved bytes.
const VERSION: u32 = 1;

/// JSON with floats that read back to the same bits.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    version: u32,
    memory: Memory,
}

/// Saved bytes that cannot be restored; the controller is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// Not what [`G1::save`] wrote.
    #[error("the saved controller cannot be read: {0}")]
    Malformed(String),
    /// Written by another version.
    #[error("the saved controller has layout {found}, this one reads {VERSION}")]
    Version {
        /// Layout of the bytes.
        found: u32,
    },
}

impl G1 {
    /// All of the controller's memory, as bytes: last action, gait, command, reference, arms, the executing
    /// skill. Not the stop latch and not whether commands are enabled: these belong to the operator.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let saved = Saved { version: VERSION, memory: self.memory.clone() };
        // Plain records of finite numbers always serialise.
        serde_json::to_vec(&saved).unwrap_or_default()
    }

    /// Sets the controller back to `saved`, or to its start when `None`, in a new context epoch; returns the
    /// new controller epoch. A goal that was executing ends with [`SkillCode::Stale`]. Clears a breach and a
    /// fault, not a stop.
    ///
    /// `resume` false: what was executing when saved does not go on; the robot stands with its policy
    /// memory, arms and reference as saved. True: goes on exactly as it would have.
    ///
    /// # Errors
    /// [`RestoreError`]; nothing has changed then.
    pub fn restore(&mut self, context_epoch: u32, saved: Option<&[u8]>, resume: bool) -> Result<u32, RestoreError> {
        let mut memory = match saved {
            None => Memory::fresh(&self.config),
            Some(bytes) => {
                let saved: Saved =
                    serde_json::from_slice(bytes).map_err(|e| RestoreError::Malformed(e.to_string()))?;
                if saved.version != VERSION {
                    return Err(RestoreError::Version { found: saved.version });
                }
                saved.memory
            }
        };
        if !resume {
            memory.active = None;
            memory.velocity = None;
            memory.velocity_command = [0.0; 3];
        }
        if let Some(active) = &mut memory.active {
            active.goal.context_epoch = context_epoch;
        }
        let goes_on = memory.active.as_ref().map(|a| a.goal_id.clone());
        if let Some(active) = self.memory.active.take().filter(|a| Some(&a.goal_id) != goes_on.as_ref()) {
            self.finish(active, SkillCode::Stale, format!("the robot was restored, context epoch {context_epoch}"));
        }
        self.memory = memory;
        self.latches.breach = None;
        self.latches.fault = None;
        self.body = None;
        self.context_epoch = context_epoch;
        self.controller_epoch = self.controller_epoch.saturating_add(1);
        Ok(self.controller_epoch)
    }
}
