//! What a run learns about its robots, and what it looks up before it moves them: responses, set-up quota,
//! candidates in copies of the world (CE-151, CE-152, CE-155).

use super::Halt;
use super::session::Session;
use crate::model::RoleId;
use crate::role::answers::CodeProposal;
use crate::role::ask::Attempt;
use crate::role::context::Closed;
use serde_json::json;
use troupe_coordination::look_ahead::best;
use troupe_coordination::method::Selection;
use troupe_core::decision::{Decision, PolicyCode};
use troupe_core::evidence::VerdictKind;
use troupe_core::skill::SkillResult;
use troupe_core::team::{Finding, ValidateRequest, ValidateResponse};

impl Session<'_> {
    /// Takes in how the robots answered the calls that were validated last.
    pub(super) fn learn(&mut self, results: &[SkillResult]) {
        let Some(state) = &self.state else { return };
        let robots = state.robots.iter().map(|r| &r.robot);
        for ((robot, call), result) in robots.zip(&self.validated.calls).zip(results) {
            self.responses.observe(robot, call, result);
        }
    }

    /// Counts an accepted transaction against the set-up quota of the phase it was made in.
    pub(super) fn count_setup(&mut self, kind: VerdictKind, phase: &str) {
        self.quota.accepted(kind, phase, self.milestones.len());
        if kind == VerdictKind::Setup {
            self.set_up = self.decision.as_ref().map(|d| Closed { kind: d.kind, objective: d.objective });
        }
    }

    /// Refuses a valid pair whose robots would, as they have answered so far, come apart although other
    /// allowed numbers would keep them together.
    pub(super) fn with_response_check(&self, decision: &Decision, response: ValidateResponse) -> ValidateResponse {
        if !response.ok || !self.setup.method.response_model {
            return response;
        }
        let robots: Vec<String> = self.state.iter().flat_map(|s| s.robots.iter().map(|r| r.robot.clone())).collect();
        let bounds = match response.calls.first().and_then(|c| c.arguments().first().map(|(name, _)| *name)) {
            Some("yaw_rad") => self.setup.bounds.yaw_rad,
            _ => self.setup.bounds.distance_m,
        };
        match self.responses.pair_finding(decision.mode, &robots, &response.calls, &self.setup.pairing, bounds) {
            Some(message) => {
                let finding = Finding { code: "E_PAIR".into(), robot: String::new(), message };
                ValidateResponse { ok: false, findings: vec![finding], calls: vec![], fingerprint: response.fingerprint }
            }
            None => response,
        }
    }

    /// Asks the coder for further answers, has each valid one rolled out in a copy of the world, and goes on
    /// with the best one. The answer that is valid already is the first candidate; where the world cannot be
    /// copied it stays.
    pub(super) fn best_candidate(&mut self, decision: &Decision, first: ValidateResponse) -> Result<ValidateResponse, Halt> {
        let method = &self.setup.method;
        let (wanted, forecast) = (method.candidates, method.selection == Selection::Forecast);
        let (true, true, true, Ok(policies)) = (forecast, first.ok, wanted > 1, self.policies.clone()) else { return Ok(first) };
        let mut candidates: Vec<(Vec<PolicyCode>, ValidateResponse)> = vec![(policies, first.clone())];
        let context = self.context()?;
        for attempt in 1..wanted {
            let answer: Attempt<CodeProposal> = self.ask_once(RoleId::Coder, 1 + attempt, &[], &context)?;
            let Ok(code) = answer.outcome else { continue };
            let request = ValidateRequest { decision: decision.clone(), policies: code.policies.clone() };
            let response = self.team.validate(&request)?;
            let response = self.with_response_check(decision, response);
            let known = candidates.iter().any(|(_, c)| c.fingerprint == response.fingerprint);
            if response.ok && response.calls.len() == decision.roles.len() && !known {
                candidates.push((code.policies, response));
            }
        }
        if candidates.len() < 2 {
            return Ok(first);
        }
        let calls: Vec<_> = candidates.iter().map(|(_, c)| c.calls.clone()).collect();
        let forecasts = match self.team.forecast(&calls) {
            Ok(forecasts) => forecasts,
            Err(error) => {
                self.log("forecast", json!({ "decision_id": decision.id, "error": error.to_string() }))?;
                return Ok(first);
            }
        };
        let chosen = best(&forecasts, &self.setup.task.transition, &self.setup.pairing).unwrap_or_default();
        self.log("forecast", json!({ "decision_id": decision.id, "chosen": chosen, "forecasts": forecasts }))?;
        match candidates.into_iter().nth(chosen) {
            Some((policies, response)) => {
                self.policies = Ok(policies);
                Ok(response)
            }
            None => Ok(first),
        }
    }
}
