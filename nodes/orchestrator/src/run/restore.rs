//! Back to the trusted checkpoint, with proof that it is reached (CE-052, CE-053).

use super::Halt;
use super::session::Session;
use crate::ports::TeamError;
use serde_json::json;
use troupe_coordination::method::Recovery;
use troupe_coordination::run_state::Event;
use troupe_core::evidence::{Outcome, Verdict};
use troupe_core::team::{ConfirmRestore, Restored};
use troupe_core::ticks;

impl Session<'_> {
    pub(super) fn restore(&mut self) -> Result<Event, Halt> {
        if self.setup.method.recovery == Recovery::Executable {
            return self.recover();
        }
        self.restores += 1;
        if self.capabilities.as_ref().is_some_and(|c| !c.checkpoint) {
            return self.hold();
        }
        let checkpoint_id = self.checkpoint.clone();
        let (ok, detail) = match self.restore_once(&checkpoint_id) {
            Ok((restored, verdict)) => {
                let ok = verdict.outcome == Outcome::Accepted;
                (ok, json!({ "restored": restored, "verdict": verdict }))
            }
            // A stop is no failed restoration.
            Err(error @ TeamError::Stopped { .. }) => return Err(error.into()),
            Err(error) => (false, json!({ "error": error.to_string() })),
        };
        let path = self.team.path();
        let data = json!({
            "checkpoint_id": checkpoint_id,
            "recovery_kind": "restore",
            "attempt": self.restores,
            "ok": ok,
            "detail": detail,
            "path": path,
        });
        self.log("restore", data)?;
        if ok {
            self.show();
            return Ok(Event::Restored);
        }
        self.reason = format!("restoration of checkpoint {checkpoint_id} failed");
        Ok(Event::RestoreFailed)
    }

    fn restore_once(&mut self, checkpoint_id: &str) -> Result<(Restored, Verdict), TeamError> {
        let restored = self.team.restore(checkpoint_id)?;
        let closed_tick = self.team.run_for(ticks(self.setup.config.run.restore_settle_s))?;
        self.refresh()?;
        let request = ConfirmRestore { checkpoint_id: checkpoint_id.to_owned(), restored: restored.clone(), closed_tick };
        let verdict = self.team.confirm_restore(&request)?;
        Ok((restored, verdict))
    }

    /// Where no state can be brought back the robots hold and the team goes on from where it stands, unless
    /// the payload needs an operator.
    fn hold(&mut self) -> Result<Event, Halt> {
        self.team.run_for(ticks(self.setup.config.run.restore_settle_s))?;
        let drop_z_m = self.setup.task.transition.drop_z_m;
        let state = self.refresh()?;
        let carried = state.payload().is_some_and(|p| p.z_min_m >= drop_z_m);
        let path = self.team.path();
        let data = json!({
            "checkpoint_id": self.checkpoint,
            "recovery_kind": "hold",
            "attempt": self.restores,
            "ok": carried,
            "path": path,
        });
        self.log("restore", data)?;
        if carried {
            return Ok(Event::Restored);
        }
        Err(TeamError::Stopped { reason: "the payload is down; an operator has to lay it on again".into() }.into())
    }
}
