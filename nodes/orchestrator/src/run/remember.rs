//! What is kept of a judged transaction: records, exemplars, reflections (CE-095, CE-096).

use super::Halt;
use super::RunError;
use super::session::Session;
use crate::model::RoleId;
use crate::role::answers::ExperienceProposal;
use crate::role::context::{ExecutedView, RoleContext};
use serde_json::json;
use troupe_coordination::experience::{Executed, PhaseClass, effects_of, exemplar, promote};
use troupe_coordination::method::Memory;
use troupe_core::decision::Decision;
use troupe_core::evidence::{Evidence, Outcome, Verdict};
use troupe_core::skill::SkillCall;

/// Reflections that are kept.
const REFLECTIONS: usize = 8;

/// A judged transaction with what it needs to be remembered.
pub(super) struct Judged<'a> {
    pub decision: &'a Decision,
    pub calls: &'a [SkillCall],
    pub evidence: &'a Evidence,
    pub verdict: &'a Verdict,
    /// Where it was executed.
    pub phase: PhaseClass,
    /// Evidence of the rejection before it, at the same checkpoint.
    pub repaired: Option<&'a Evidence>,
}

impl Session<'_> {
    pub(super) fn remember(&mut self, judged: &Judged<'_>) -> Result<(), Halt> {
        if !matches!(judged.verdict.outcome, Outcome::Accepted | Outcome::Rejected) {
            return Ok(());
        }
        match self.setup.method.memory {
            Memory::Off => Ok(()),
            Memory::Reflections => {
                self.reflect(judged);
                Ok(())
            }
            Memory::Library => self.keep_program(judged),
            Memory::Experience => self.keep_experience(judged),
        }
    }

    fn reflect(&mut self, judged: &Judged<'_>) {
        if judged.verdict.outcome == Outcome::Rejected {
            let failure = judged.evidence.failure_type.map_or("unknown", |f| f.name());
            let d = judged.decision;
            let calls: Vec<&str> = judged.calls.iter().map(SkillCall::name).collect();
            let text = format!("{} {} with {} failed: {failure}", d.kind.name(), d.objective.name(), calls.join(" and "));
            self.reflections.insert(0, text);
            self.reflections.truncate(REFLECTIONS);
        }
    }

    fn keep_program(&mut self, judged: &Judged<'_>) -> Result<(), Halt> {
        if judged.verdict.outcome != Outcome::Accepted {
            return Ok(());
        }
        let layout = self.setup.world.clone();
        let program = exemplar(&executed(judged, &self.policies, &layout)).map_err(RunError::from)?;
        let change = self.hooks.experience.add_exemplar(program, &self.setup.config.experience).map_err(RunError::from)?;
        self.log("promotion", json!({ "exemplar": change }))?;
        Ok(())
    }

    /// The writer's claims become records only where they agree with what was done and measured.
    fn keep_experience(&mut self, judged: &Judged<'_>) -> Result<(), Halt> {
        if judged.verdict.outcome == Outcome::Rejected && !judged.decision.strategy_ids.is_empty() {
            let ids = judged.decision.strategy_ids.clone();
            self.hooks.experience.count_rejected(&ids).map_err(RunError::from)?;
        }
        let layout = self.setup.world.clone();
        let policies = self.policies.clone();
        let facts = executed(judged, &policies, &layout);
        if let Some(view) = &mut self.executed {
            view.effects = effects_of(&facts).into_iter().map(str::to_owned).collect();
            view.repaired = judged.repaired.and_then(|e| e.failure_type);
        }
        let answer = self.call(RoleId::Writer, |_: &RoleContext, _: &ExperienceProposal| Ok(()))?.ok();
        let caps = self.setup.config.experience;
        let mut written = Vec::new();
        for claim in answer.iter().flat_map(|a| a.claims.iter().take(1)) {
            written.push(match promote(claim, &facts) {
                Ok((record, program)) => {
                    let strategy = self.hooks.experience.add_strategy(record.clone(), &caps).map_err(RunError::from)?;
                    let program = program.map(|p| self.hooks.experience.add_exemplar(p, &caps)).transpose();
                    json!({ "record": record, "strategy": strategy, "exemplar": program.map_err(RunError::from)? })
                }
                Err(refused) => json!({ "refused": refused.to_string() }),
            });
        }
        self.log("promotion", json!({ "transaction_id": judged.evidence.transaction_id, "claims": written }))?;
        Ok(())
    }
}

fn executed<'a>(judged: &Judged<'a>, policies: &'a [troupe_core::decision::PolicyCode], layout: &'a str) -> Executed<'a> {
    Executed {
        decision: judged.decision,
        policies,
        calls: judged.calls,
        evidence: judged.evidence,
        verdict: judged.verdict,
        phase: judged.phase,
        layout,
        repaired: judged.repaired,
    }
}

/// What evaluator and writer see of a judged transaction.
pub(super) fn view(judged: &Judged<'_>) -> ExecutedView {
    ExecutedView {
        decision: judged.decision.clone(),
        calls: judged.calls.to_vec(),
        // A value that is not finite has no place in JSON.
        predicates: judged.evidence.predicates.iter().filter(|p| p.value.is_finite()).cloned().collect(),
        outcome: Some(judged.verdict.outcome),
        reasons: judged.verdict.reasons.clone(),
        repaired: judged.repaired.and_then(|e| e.failure_type),
        effects: Vec::new(),
    }
}
