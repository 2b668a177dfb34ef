//! Plan, decision and code: what models propose, and the refusals before anything moves.

use super::session::Session;
use super::{Halt, RunError};
use crate::config::RoleConfig;
use crate::model::RoleId;
use crate::ports::Announcement;
use crate::role::answers::{CodeProposal, DecisionProposal, PlanProposal};
use crate::role::ask::{AskError, Attempt, Question, ask};
use crate::role::context::{Closed, RoleContext};
use crate::role::plan_check::take_over;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::json;
use troupe_coordination::run_state::Event;
use troupe_coordination::{catalog, phase};
use troupe_core::decision::{Decision, Formation};
use troupe_core::team::{Finding, ValidateRequest, ValidateResponse};

impl Session<'_> {
    /// Asks the planner when the active phase is a new one.
    pub(super) fn plan(&mut self) -> Result<Event, Halt> {
        let active = self.phase();
        if self.planned == active {
            return Ok(Event::Planned);
        }
        let mut plan = self.plan.clone();
        let answer = self.call(RoleId::Planner, |_, proposal: &PlanProposal| {
            take_over(&mut plan, proposal).map_err(|e| e.to_string())
        })?;
        if answer.is_none() {
            return Ok(Event::RoleFailed);
        }
        self.plan = plan;
        self.planned = active;
        let data = json!({ "phases": self.plan.phases(), "checkpoint_id": self.checkpoint });
        self.log("plan", data)?;
        self.team.announce(&Announcement::Text(format!("phase {}", self.planned)));
        Ok(Event::Planned)
    }

    /// Asks for a decision and binds it to the trusted checkpoint and the epoch (CE-054).
    pub(super) fn decide(&mut self) -> Result<Event, Halt> {
        self.decision = None;
        self.code_attempts = 0;
        let (stage, active) = (self.stage, self.phase());
        let predicates = troupe_coordination::predicate::NAMES;
        let check = |context: &RoleContext, p: &DecisionProposal| {
            let robots = context.observation.robots.len();
            catalog::check(p.kind, p.objective, p.mode, &p.roles, robots).map_err(|e| format!("E_PAIR: {e}"))?;
            if context.closed == Some(Closed { kind: p.kind, objective: p.objective }) {
                let (kind, objective) = (p.kind.name(), p.objective.name());
                return Err(format!("E_SCOPE: {kind} for {objective}: its set-ups are spent; allowed: another kind or objective"));
            }
            phase::check_decision(&active, p.kind, &active, stage).map_err(|e| format!("E_PHASE: {e}"))?;
            let Formation { distance_m, heading_offset_rad } = p.formation;
            if p.formation != context.formation {
                let wanted = context.formation;
                return Err(format!(
                    "E_PAIR: formation = {distance_m} m, {heading_offset_rad} rad; allowed: {} m, {} rad",
                    wanted.distance_m, wanted.heading_offset_rad
                ));
            }
            match p.evidence_required.iter().find(|name| !predicates.contains(&name.as_str())) {
                Some(name) => Err(format!("E_SCHEMA: evidence_required: `{}` is not a predicate", shown(name))),
                None => Ok(()),
            }
        };
        let Some(p) = self.call(RoleId::Orchestrator, check)? else { return Ok(Event::RoleFailed) };
        let decision = Decision {
            id: String::new(),
            checkpoint_id: self.checkpoint.clone(),
            context_epoch: self.newest()?.context_epoch,
            phase_id: self.phase(),
            kind: p.kind,
            objective: p.objective,
            mode: p.mode,
            roles: p.roles,
            formation: p.formation,
            evidence_required: p.evidence_required,
            parent_id: String::new(),
            scope: None,
            relations: Vec::new(),
            strategy_ids: Vec::new(),
        };
        let decision = decision.identified().map_err(RunError::from)?;
        self.log("decision", json!({ "decision": decision }))?;
        self.team.announce(&Announcement::Decision(decision.clone()));
        self.decision = Some(decision);
        Ok(Event::Decided)
    }

    /// Asks once for policies. An answer of the wrong shape goes on to `validate`, which refuses it; only a
    /// silent or failing model is asked again here.
    pub(super) fn code(&mut self) -> Result<Event, Halt> {
        let context = self.context()?;
        let refusals: Vec<String> = context.findings.iter().map(words).collect();
        let limit = self.setup.task.repair.attempts_per_call;
        let mut failures = 0;
        loop {
            self.code_attempts += 1;
            let attempt: Attempt<CodeProposal> =
                self.ask_once(RoleId::Coder, self.code_attempts, &refusals, &context)?;
            match attempt.outcome {
                Ok(code) => self.policies = Ok(code.policies),
                Err(AskError::Schema(reason)) => self.policies = Err(reason),
                Err(AskError::Model(error)) => {
                    failures += 1;
                    if failures >= limit || matches!(error, crate::model::ModelError::Exhausted(_)) {
                        self.reason = format!("coder: {error}");
                        return Ok(Event::RoleFailed);
                    }
                    continue;
                }
            }
            return Ok(Event::Coded);
        }
    }

    /// Lets the verifier check decision and policies; refusals cost model calls only (CE-067).
    pub(super) fn validate(&mut self) -> Result<Event, Halt> {
        self.budget.attempts += 1;
        let decision = self.decision.clone().ok_or_else(|| super::execute::missing("decision"))?;
        let response = match self.policies.clone() {
            Ok(policies) => {
                self.log("policies", json!({ "decision_id": decision.id, "policies": policies }))?;
                let response = self.team.validate(&ValidateRequest { decision: decision.clone(), policies })?;
                let response = self.with_response_check(&decision, response);
                self.best_candidate(&decision, response)?
            }
            Err(message) => {
                let finding = Finding { code: "E_SCHEMA".into(), robot: String::new(), message };
                ValidateResponse { findings: vec![finding], ..ValidateResponse::default() }
            }
        };
        // An answer that says yes without calls for every robot is not a yes.
        if response.ok && response.calls.len() == decision.roles.len() {
            if let Ok(policies) = &self.policies {
                self.team.announce(&Announcement::Policies(policies.clone()));
            }
            self.validated = response;
            return Ok(Event::Valid);
        }
        let data = json!({
            "decision_id": decision.id,
            "attempt": self.budget.attempts,
            "findings": response.findings,
            "fingerprint": response.fingerprint,
        });
        self.log("refusal", data)?;
        self.snapshot.verdict = "refused".into();
        self.snapshot.reason = response.findings.first().map(words).unwrap_or_default();
        self.reason = format!("refused before dispatch: {}", self.snapshot.reason);
        self.findings.extend(response.findings);
        self.show();
        Ok(Event::Refused)
    }

    /// A whole role call: attempts until an answer has the schema and passes `check`; `None` when none did.
    fn call<T: DeserializeOwned + JsonSchema>(
        &mut self,
        role: RoleId,
        mut check: impl FnMut(&RoleContext, &T) -> Result<(), String>,
    ) -> Result<Option<T>, Halt> {
        let context = self.context()?;
        let mut refusals: Vec<String> = context.findings.iter().map(words).collect();
        for attempt in 1..=self.setup.task.repair.attempts_per_call {
            let answer: Attempt<T> = self.ask_once(role, attempt, &refusals, &context)?;
            let exhausted = matches!(answer.outcome, Err(AskError::Model(crate::model::ModelError::Exhausted(_))));
            let checked = answer.outcome.map_err(|e| e.to_string()).and_then(|value| {
                check(&context, &value)?;
                Ok(value)
            });
            match checked {
                Ok(value) => return Ok(Some(value)),
                Err(reason) => {
                    let data = json!({ "role": role.name(), "attempt": attempt, "reason": reason });
                    self.log("refusal", data)?;
                    self.reason = format!("{}: {reason}", role.name());
                    refusals.push(reason);
                }
            }
            if exhausted {
                break;
            }
        }
        Ok(None)
    }

    pub(super) fn ask_once<T: DeserializeOwned + JsonSchema>(
        &mut self,
        role: RoleId,
        attempt: u32,
        refusals: &[String],
        context: &RoleContext,
    ) -> Result<Attempt<T>, Halt> {
        let question = Question { role, config: self.role(role), seed: self.next_seed(), attempt, refusals };
        let answer = ask(self.model, question, context);
        self.budget.model_calls += 1;
        self.budget.tokens_in += answer.tokens_in;
        self.budget.tokens_out += answer.tokens_out;
        self.log("model_call", answer.event.clone())?;
        Ok(answer)
    }

    fn role(&self, role: RoleId) -> RoleConfig {
        let roles = &self.setup.config.roles;
        match role {
            RoleId::Planner => roles.planner,
            RoleId::Orchestrator => roles.orchestrator,
            RoleId::Coder => roles.coder,
        }
    }
}


fn words(finding: &Finding) -> String {
    if finding.robot.is_empty() {
        return format!("{}: {}", finding.code, finding.message);
    }
    format!("{} {}: {}", finding.code, finding.robot, finding.message)
}

/// The start of what a model wrote, for a message.
fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}
