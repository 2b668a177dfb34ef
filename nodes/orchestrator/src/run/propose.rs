//! Plan, decision and code: what models propose, and the refusals before anything moves.

use super::session::Session;
use super::{Halt, RunError};
use crate::model::RoleId;
use crate::model::builtin::source;
use crate::ports::Announcement;
use crate::role::answers::{CodeProposal, DecisionProposal, PlanProposal};
use crate::role::ask::{AskError, Attempt, Question, ask};
use crate::role::context::{Closed, RoleContext};
use crate::role::plan_check::take_over;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::json;
use troupe_coordination::phase::Stage;
use troupe_coordination::revision::Child;
use troupe_coordination::run_state::Event;
use troupe_coordination::{catalog, phase};
use troupe_core::decision::{Decision, Formation, PolicyCode};
use troupe_core::team::Finding;

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
        if let Err(without) = answer {
            return Ok(without);
        }
        self.plan = plan;
        self.planned = active;
        let data = json!({ "phases": self.plan.phases(), "checkpoint_id": self.checkpoint });
        self.log("plan", data)?;
        self.team.announce(&Announcement::Text(format!("phase {}", self.planned)));
        Ok(Event::Planned)
    }

    /// Asks for a decision and binds it to the trusted checkpoint and the epoch (CE-054). Where an approved child
    /// fixes kappa, d, m and rho already, the host writes the decision: asking a model to repeat it could only
    /// spoil it.
    pub(super) fn decide(&mut self) -> Result<Event, Halt> {
        self.decision = None;
        self.code_attempts = 0;
        if self.child.as_ref().is_some_and(|c| c.checkpoint_id != self.checkpoint) {
            let data = json!({ "role": "host", "attempt": 1, "reason": "E_CONTEXT: the child was made for another checkpoint" });
            self.log("refusal", data)?;
            self.child = None;
        }
        let (stage, active) = (self.stage, self.phase());
        let check = |context: &RoleContext, p: &DecisionProposal| check_decision(context, p, &active, stage);
        let proposal = match &self.child {
            Some(child) => Ok(of_child(child, self.setup.task.formation)),
            None => self.call(RoleId::Orchestrator, check)?,
        };
        let p = match proposal {
            Ok(p) => p,
            Err(without) => return Ok(without),
        };
        let child = self.child.as_ref();
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
            parent_id: child.map_or_else(String::new, |c| c.parent_id.clone()),
            scope: child.map(|c| c.scope),
            relations: child.map_or_else(Vec::new, |c| c.relations.clone()),
            strategy_ids: self.strategies.iter().map(|r| r.id.clone()).collect(),
        };
        let decision = decision.identified().map_err(RunError::from)?;
        self.log("decision", json!({ "decision": decision }))?;
        self.team.announce(&Announcement::Decision(decision.clone()));
        self.decision = Some(decision);
        Ok(Event::Decided)
    }

    /// Asks once for policies, or once for each candidate. An answer of the wrong shape goes on to
    /// `validate`, which refuses it; only a silent or failing model is asked again here.
    pub(super) fn code(&mut self) -> Result<Event, Halt> {
        let context = self.context()?;
        let refusals: Vec<String> = context.findings.iter().map(words).collect();
        let limit = self.setup.task.repair.attempts_per_call;
        self.candidates.clear();
        self.code_attempts += 1;
        if let Some(calls) = self.child.as_ref().and_then(|c| c.calls.as_ref()) {
            // Approved calls are written down as they are.
            let robots = context.observation.robots.iter().zip(calls);
            let policies = robots.map(|(r, call)| PolicyCode { robot: r.robot.clone(), source: source(call) });
            self.candidates.push(Ok(policies.collect()));
            return Ok(Event::Coded);
        }
        let mut failures = 0;
        for candidate in 0.. {
            if self.candidates.len() >= self.setup.method.candidates.max(1) as usize {
                break;
            }
            let attempt: Attempt<CodeProposal> =
                self.ask_once(RoleId::Coder, self.code_attempts + candidate, &refusals, &context)?;
            match attempt.outcome {
                Ok(code) => self.candidates.push(Ok(code.policies)),
                Err(AskError::Schema(reason)) => self.candidates.push(Err(reason)),
                Err(AskError::Model(error)) => {
                    failures += 1;
                    if failures >= limit || matches!(error, crate::model::ModelError::Exhausted(_)) {
                        self.reason = format!("coder: {error}");
                        return Ok(Event::RoleFailed);
                    }
                }
            }
        }
        Ok(Event::Coded)
    }

    /// A whole role call: attempts until an answer has the schema and passes `check`. Inside, an error is what
    /// the run goes on with when none did (CE-056): `RoleRefused`, or `RoleFailed` when the model gave no answer
    /// at the end.
    pub(super) fn call<T: DeserializeOwned + JsonSchema>(
        &mut self,
        role: RoleId,
        mut check: impl FnMut(&RoleContext, &T) -> Result<(), String>,
    ) -> Result<Result<T, Event>, Halt> {
        let context = self.context()?;
        let mut without = Event::RoleRefused;
        let mut refusals: Vec<String> = context.findings.iter().map(words).collect();
        for attempt in 1..=self.setup.task.repair.attempts_per_call {
            let answer: Attempt<T> = self.ask_once(role, attempt, &refusals, &context)?;
            let exhausted = matches!(answer.outcome, Err(AskError::Model(crate::model::ModelError::Exhausted(_))));
            without = if matches!(answer.outcome, Err(AskError::Model(_))) { Event::RoleFailed } else { Event::RoleRefused };
            let checked = answer.outcome.map_err(|e| e.to_string()).and_then(|value| {
                check(&context, &value)?;
                Ok(value)
            });
            match checked {
                Ok(value) => return Ok(Ok(value)),
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
        Ok(Err(without))
    }

    pub(super) fn ask_once<T: DeserializeOwned + JsonSchema>(
        &mut self,
        role: RoleId,
        attempt: u32,
        refusals: &[String],
        context: &RoleContext,
    ) -> Result<Attempt<T>, Halt> {
        let images = if role == RoleId::Evaluator { self.images.clone() } else { Vec::new() };
        let config = self.setup.config.roles.of(role);
        let question = Question { role, config, seed: self.next_seed(), attempt, refusals, images: &images };
        let answer = ask(self.model, question, context);
        self.budget.model_calls += 1;
        self.budget.tokens_in += answer.tokens_in;
        self.budget.tokens_out += answer.tokens_out;
        self.budget.tokens_cached += answer.tokens_cached;
        self.log("model_call", answer.event.clone())?;
        Ok(answer)
    }
}

/// The decision that an approved child fixes.
fn of_child(child: &Child, formation: Formation) -> DecisionProposal {
    DecisionProposal {
        kind: child.kind,
        objective: child.objective,
        mode: child.mode,
        roles: child.roles.clone(),
        formation,
        evidence_required: Vec::new(),
    }
}

/// What the host asks of a decision before anything is written down.
fn check_decision(context: &RoleContext, p: &DecisionProposal, active: &str, stage: Stage) -> Result<(), String> {
    let robots = context.observation.robots.len();
    catalog::check(p.kind, p.objective, p.mode, &p.roles, robots).map_err(|e| format!("E_PAIR: {e}"))?;
    if context.closed == Some(Closed { kind: p.kind, objective: p.objective }) {
        let (kind, objective) = (p.kind.name(), p.objective.name());
        return Err(format!("E_SCOPE: {kind} for {objective}: its set-ups are spent; allowed: another kind or objective"));
    }
    phase::check_decision(active, p.kind, active, stage).map_err(|e| format!("E_PHASE: {e}"))?;
    let Formation { distance_m, heading_offset_rad } = p.formation;
    if p.formation != context.formation {
        let wanted = context.formation;
        return Err(format!(
            "E_PAIR: formation = {distance_m} m, {heading_offset_rad} rad; allowed: {} m, {} rad",
            wanted.distance_m, wanted.heading_offset_rad
        ));
    }
    match p.evidence_required.iter().find(|name| !troupe_coordination::predicate::NAMES.contains(&name.as_str())) {
        Some(name) => Err(format!("E_SCHEMA: evidence_required: `{}` is not a predicate", shown(name))),
        None => Ok(()),
    }
}

pub(super) fn words(finding: &Finding) -> String {
    if finding.robot.is_empty() {
        return format!("{}: {}", finding.code, finding.message);
    }
    format!("{} {}: {}", finding.code, finding.robot, finding.message)
}

/// The start of what a model wrote, for a message.
fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}
