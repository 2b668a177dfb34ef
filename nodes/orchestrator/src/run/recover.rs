//! Back to a state that may be trusted by moving (CE-150): the verifier's failed predicates choose the way,
//! its judgement ends it. No stored state is brought back, and no transaction is charged.

use super::Halt;
use super::execute::nominal_s;
use super::session::Session;
use crate::ports::TeamError;
use serde_json::{Value, json};
use troupe_coordination::phase::Stage;
use troupe_coordination::recovery::{Situation, Step, choose, next};
use troupe_coordination::run_state::Event;
use troupe_core::evidence::Outcome;
use troupe_core::recovery::{ConfirmRecovery, RecoveryKind, RecoveryResponse};
use troupe_core::skill::{SkillCall, SkillGoal};
use troupe_core::state::RobotMode;
use troupe_core::{TICK_S, ticks};

/// What one recovery has done so far.
pub(super) struct Recovery {
    pub id: String,
    pub tried: Vec<RecoveryKind>,
    steps: Vec<Value>,
    /// Failed predicates of the newest judgement.
    pub failed: Vec<String>,
    pub response: Option<RecoveryResponse>,
    /// Tick on which it began.
    before: u64,
    /// Whoever asked for it has taken it back.
    pub canceled: bool,
    /// A step could not be taken.
    pub error: Option<String>,
}

impl Recovery {
    pub fn accepted(&self) -> bool {
        self.response.as_ref().is_some_and(|r| r.verdict.outcome == Outcome::Accepted)
    }
}

impl Session<'_> {
    /// Tries one way after the other until the verifier trusts the team again.
    pub(super) fn recover(&mut self) -> Result<Event, Halt> {
        self.restores += 1;
        let failed = self.rejected.last().map(|r| r.failed.iter().map(|p| p.name.clone()).collect());
        let mut recovery = self.begin_recovery(failed.unwrap_or_default())?;
        if self.validated.calls.contains(&SkillCall::Release) {
            // A second release from the same grip would end like the first: the payload lies wrong on the arms.
            if self.releases > 0 {
                recovery.tried.push(RecoveryKind::Regrip);
            }
            self.releases += 1;
        }
        self.try_kinds(&mut recovery)?;
        let checkpoint_id = self.checkpoint.clone();
        if self.conclude_recovery(&recovery, false)? {
            return Ok(Event::Restored);
        }
        self.reason = format!("{} from checkpoint {checkpoint_id} failed: {}", recovery.id, recovery.failed.join(", "));
        Ok(Event::RestoreFailed)
    }

    pub(super) fn begin_recovery(&mut self, failed: Vec<String>) -> Result<Recovery, Halt> {
        self.recoveries += 1;
        Ok(Recovery {
            id: format!("recovery-{}", self.recoveries),
            tried: Vec::new(),
            steps: Vec::new(),
            failed,
            response: None,
            before: self.refresh()?.tick,
            canceled: false,
            error: None,
        })
    }

    /// One kind after the other, as the failed predicates ask for.
    pub(super) fn try_kinds(&mut self, recovery: &mut Recovery) -> Result<(), Halt> {
        while !recovery.accepted() && !recovery.canceled && recovery.tried.len() < self.setup.config.recovery.kinds as usize {
            let stopped = self.newest()?.robots.iter().any(|r| matches!(r.mode, RobotMode::Stopped | RobotMode::Fault));
            let Some(kind) = choose(&recovery.failed, &self.validated.calls, &recovery.tried, stopped) else { break };
            recovery.tried.push(kind);
            self.carry_out(kind, recovery)?;
        }
        Ok(())
    }

    /// Takes over what the verifier said and writes it down; true when it trusts the team.
    pub(super) fn conclude_recovery(&mut self, recovery: &Recovery, requested: bool) -> Result<bool, Halt> {
        let ok = recovery.accepted();
        let checkpoint_id = self.checkpoint.clone();
        if let (true, Some(response)) = (ok, &recovery.response) {
            self.checkpoint.clone_from(&response.checkpoint_id);
            if response.carrying {
                self.stage = Stage::Carrying;
            }
        }
        let path = self.team.path();
        let after = self.newest()?.tick;
        let data = json!({
            "recovery_id": recovery.id,
            "requested": requested,
            "checkpoint_id": checkpoint_id,
            "kinds": recovery.tried,
            "steps": recovery.steps,
            "ok": ok,
            "attempt": self.restores,
            "verdict": recovery.response.as_ref().map(|r| &r.verdict),
            "evidence": recovery.response.as_ref().map(|r| &r.evidence),
            "next_checkpoint_id": self.checkpoint,
            "operator_interventions": self.operator_interventions,
            "recovery_sim_s": after.saturating_sub(recovery.before) as f64 * TICK_S,
            "path": path,
        });
        self.log("recovery", data)?;
        if ok {
            self.checkpoint_event(&recovery.id)?;
            self.show();
        }
        Ok(ok)
    }

    /// Carries out one kind and has the outcome judged.
    pub(super) fn carry_out(&mut self, kind: RecoveryKind, recovery: &mut Recovery) -> Result<(), Halt> {
        let setup = self.setup;
        let limits = setup.config.recovery;
        let mut done: Vec<Step> = Vec::new();
        loop {
            let state = self.refresh()?.clone();
            let now = Situation {
                state: &state,
                home: &self.home,
                last: &self.validated.calls,
                formation: setup.task.formation,
                bounds: &setup.bounds,
                limits: &limits,
            };
            let Some(step) = next(kind, &done, &now) else { break };
            self.team.recovery_step(kind, &step, recovery.steps.len());
            let (record, through) = match self.step(&step) {
                Ok(record) => (record, false),
                Err(error @ TeamError::Stopped { .. }) => return Err(error.into()),
                // A step that cannot be taken ends this way, not the run.
                Err(error) => {
                    recovery.error = Some(error.to_string());
                    (json!({ "error": error.to_string() }), true)
                }
            };
            recovery.steps.push(json!({ "kind": kind, "step": step, "done": record }));
            done.push(step);
            recovery.canceled |= self.team.recovery_canceled();
            if through || recovery.canceled {
                break;
            }
            // On the way home it may be good enough before the end.
            if kind == RecoveryKind::Home {
                self.judge_recovery(kind, recovery)?;
                if recovery.accepted() {
                    return Ok(());
                }
            }
        }
        self.judge_recovery(kind, recovery)
    }

    /// One step; what came of it, for the ledger.
    fn step(&mut self, step: &Step) -> Result<Value, TeamError> {
        let setup = self.setup;
        let value = match step {
            Step::Dispatch(calls) => {
                let state = self.refresh()?;
                let (tick, context_epoch) = (state.tick, state.context_epoch);
                let run = setup.config.run;
                let deadline = |call: &SkillCall| match call {
                    SkillCall::InitSupport => run.init_deadline_s,
                    _ => run.deadline_base_s + run.deadline_factor * nominal_s(call, setup.bounds.speed_mps[0]),
                };
                let goal = |call: &SkillCall| SkillGoal {
                    call: *call,
                    transaction_id: format!("recovery-{}", self.recoveries),
                    context_epoch,
                    start_tick: tick + 1,
                    deadline_s: deadline(call),
                };
                let goals: Vec<SkillGoal> = calls.iter().map(goal).collect();
                json!(self.team.dispatch(&goals)?)
            }
            Step::Hoist => {
                self.operator_interventions += 1;
                self.team.hoist_payload()?;
                json!({})
            }
            Step::Place => {
                self.team.place_payload()?;
                self.releases = 0;
                json!({ "closed_tick": self.team.run_for(ticks(setup.config.recovery.place_settle_s).max(1))? })
            }
            Step::Wait => json!({ "closed_tick": self.team.run_for(ticks(setup.config.recovery.settle_s).max(1))? }),
        };
        self.refresh()?;
        Ok(value)
    }

    /// Lets the team rest and asks the verifier.
    fn judge_recovery(&mut self, kind: RecoveryKind, recovery: &mut Recovery) -> Result<(), Halt> {
        let closed_tick = self.team.run_for(ticks(self.setup.config.recovery.settle_s).max(1))?;
        self.refresh()?;
        // Arms that were raised in this recovery carry, whatever was done after that.
        let raised = [RecoveryKind::Relay, RecoveryKind::Regrip].into_iter().find(|k| recovery.tried.contains(k));
        let kind = raised.unwrap_or(kind);
        let request = ConfirmRecovery {
            checkpoint_id: self.checkpoint.clone(),
            recovery_id: recovery.id.clone(),
            kind,
            closed_tick,
        };
        let response = self.team.confirm_recovery(&request)?;
        recovery.failed = response.evidence.predicates.iter().filter(|p| !p.passed).map(|p| p.name.clone()).collect();
        recovery.response = Some(response);
        Ok(())
    }
}
