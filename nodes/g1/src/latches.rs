//! What keeps a robot from moving until somebody clears it (AR-107).

use crate::accept::Refusal;
use crate::controller::G1;
use troupe_core::skill::SkillCode;

/// Reasons to stand still. They differ in who may clear them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Latches {
    /// `team/stop`, stale state or a lost heartbeat; only an operator clears it.
    pub stopped: Option<String>,
    /// A breached safety limit: quantity, value, limit. A restore clears it, and an operator.
    pub breach: Option<String>,
    /// Fallen, or no command can be computed. A restore clears it, and an operator once the cause is gone.
    pub fault: Option<String>,
}

impl Latches {
    /// True when nothing keeps the robot from moving.
    #[must_use]
    pub fn are_open(&self) -> bool {
        self.stopped.is_none() && self.breach.is_none() && self.fault.is_none()
    }

    /// Why the robot stands still although it is healthy.
    #[must_use]
    pub fn stop_reason(&self) -> Option<&str> {
        self.stopped.as_deref().or(self.breach.as_deref())
    }

    /// Why a goal is refused.
    #[must_use]
    pub fn refusal(&self) -> Option<Refusal> {
        let refusal = |code, message| Some(Refusal { code, message });
        match (&self.fault, &self.stopped, &self.breach) {
            (Some(fault), ..) => refusal(SkillCode::Fault, fault.clone()),
            (_, Some(why), _) => refusal(SkillCode::Stopped, format!("stopped: {why}; an operator clears it")),
            (.., Some(why)) => {
                refusal(SkillCode::LimitBreached, format!("stopped: {why}; a restore or an operator clears it"))
            }
            _ => None,
        }
    }
}

impl G1 {
    /// Stops and latches: the executing goal ends with [`SkillCode::Stopped`], from the next tick on the
    /// velocity command is zero, and goals are refused until [`Self::clear_stop`].
    pub fn stop(&mut self, reason: &str) {
        self.end_motion(SkillCode::Stopped, reason);
        self.latches.stopped.get_or_insert_with(|| reason.to_owned());
    }

    /// A safety limit is breached: the executing goal ends with [`SkillCode::LimitBreached`], and goals are
    /// refused until a restore or [`Self::clear_stop`].
    pub(crate) fn breach(&mut self, reason: &str) {
        self.end_motion(SkillCode::LimitBreached, reason);
        self.latches.breach.get_or_insert_with(|| reason.to_owned());
    }

    /// The executing goal ends with [`SkillCode::Fault`] and every joint damps.
    pub(crate) fn fail(&mut self, fault: &str) {
        self.end_motion(SkillCode::Fault, fault);
        self.latches.fault.get_or_insert_with(|| fault.to_owned());
    }

    /// An operator's word that motion may go on: clears a stop, a breach and a fault. A robot that fell
    /// and stands upright again starts as after a reset, with its arms as they were.
    ///
    /// # Errors
    /// The cause of a fault that lasts, as of the newest state; the fault then stays.
    pub fn clear_stop(&mut self) -> Result<(), String> {
        self.latches.stopped = None;
        self.latches.breach = None;
        if self.latches.fault.is_some() {
            if let Some(cause) = &self.lasting_fault {
                return Err(cause.clone());
            }
            self.latches.fault = None;
            // Means and references from before the fall say nothing about the robot that was set up again.
            self.memory.mean_velocity = crate::supervisor::MeanVelocity::default();
            self.memory.reference = None;
            self.restart_gait();
        }
        Ok(())
    }

    /// Why motion is stopped, if it is.
    #[must_use]
    pub fn stopped(&self) -> Option<&str> {
        self.latches.stop_reason()
    }
}
