//! Recoveries that somebody outside asks for (`team/recover`), taken between two transactions (CE-150).

use super::Halt;
use super::recover::Recovery;
use super::session::Session;
use crate::ports::TeamError;
use troupe_coordination::method::Recovery as Means;
use troupe_coordination::run_state::{Event, State};
use troupe_core::TICK_S;
use troupe_core::recovery::{RecoveryCode, RecoveryKind, RecoveryReport, RecoveryRequest};

impl Session<'_> {
    /// Carries out what was asked for, if anything was and no transaction is under way. An event when the run
    /// cannot go on after it.
    pub(super) fn recover_if_asked(&mut self, state: State) -> Result<Option<Event>, Halt> {
        // A decision is made next: nothing moves, and nothing that moved waits for its verdict.
        if !matches!(state, State::Observe | State::RetrieveD | State::Orchestrate) {
            return Ok(None);
        }
        let Some(request) = self.team.recovery_wanted() else { return Ok(None) };
        let done = self.recover_for(request);
        let report = match &done {
            Ok((report, _)) => report.clone(),
            Err(Halt::Team(TeamError::Stopped { reason })) => RecoveryReport::without(RecoveryCode::Stopped, reason),
            Err(Halt::Team(error)) => RecoveryReport::without(RecoveryCode::Failed, error.to_string()),
            Err(Halt::Fatal(error)) => RecoveryReport::without(RecoveryCode::Failed, error.to_string()),
        };
        self.team.recovery_ended(&report);
        done.map(|(_, event)| event)
    }

    fn recover_for(&mut self, request: RecoveryRequest) -> Result<(RecoveryReport, Option<Event>), Halt> {
        let refused = |code, why: String| Ok((RecoveryReport::without(code, why), None));
        let epoch = self.refresh()?.context_epoch;
        if request.context_epoch < epoch {
            return refused(RecoveryCode::Stale, format!("context_epoch = {}; allowed: {epoch}", request.context_epoch));
        }
        let restores = self.setup.method.recovery == Means::Restore && self.capabilities.as_ref().is_some_and(|c| c.checkpoint);
        if restores {
            let name = &self.setup.method.name;
            return refused(RecoveryCode::Restores, format!("method `{name}` brings stored states back; allowed: one with `recovery: executable`"));
        }
        let before = self.newest()?.tick;
        let operators = self.operator_interventions;
        let mut recovery = self.begin_recovery(Vec::new())?;
        match request.kind {
            Some(kind) => {
                recovery.tried.push(kind);
                self.carry_out(kind, &mut recovery)?;
            }
            None => self.try_kinds(&mut recovery)?,
        }
        let trusted = self.conclude_recovery(&recovery, true)?;
        let mut report = report(&recovery, trusted);
        report.checkpoint_id.clone_from(&self.checkpoint);
        report.operator_interventions = self.operator_interventions - operators;
        report.sim_s = self.newest()?.tick.saturating_sub(before) as f64 * TICK_S;
        if trusted {
            return Ok((report, None));
        }
        // The team has left its checkpoint: the run's own way back, or the end.
        let event = self.restore()?;
        report.checkpoint_id.clone_from(&self.checkpoint);
        Ok((report, (event != Event::Restored).then_some(Event::InfrastructureFailed)))
    }
}

fn report(recovery: &Recovery, trusted: bool) -> RecoveryReport {
    let asked_operator = recovery.tried.last() == Some(&RecoveryKind::Relay);
    let code = match (&recovery.error, trusted) {
        _ if recovery.canceled => RecoveryCode::Canceled,
        (_, true) => RecoveryCode::None,
        (Some(_), false) if asked_operator => RecoveryCode::Operator,
        (_, false) => RecoveryCode::NotTrusted,
    };
    let failed = (!trusted).then(|| recovery.error.clone().unwrap_or_else(|| recovery.failed.join(", ")));
    RecoveryReport {
        code,
        message: failed.unwrap_or_default(),
        recovery_id: recovery.id.clone(),
        kinds: recovery.tried.clone(),
        verdict: recovery.response.as_ref().map(|r| r.verdict.clone()),
        ..RecoveryReport::default()
    }
}
