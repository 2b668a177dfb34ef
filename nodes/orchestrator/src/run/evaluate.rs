//! The evaluator's words, before a dispatch and after a verdict; they never change a verdict (CE-070, CE-R4).

use super::Halt;
use super::execute::missing;
use super::session::Session;
use crate::model::RoleId;
use crate::role::answers::EvaluationProposal;
use crate::role::context::{ExecutedView, RoleContext};
use serde_json::json;
use troupe_core::team::Finding;

impl Session<'_> {
    /// Asks whether the conditions for a dispatch hold; a finding when they do not (CE-131).
    pub(super) fn precondition(&mut self) -> Result<Option<Finding>, Halt> {
        if !self.setup.method.precondition {
            return Ok(None);
        }
        let decision = self.decision.clone().ok_or_else(|| missing("decision"))?;
        self.executed = Some(ExecutedView {
            decision,
            calls: self.validated.calls.clone(),
            predicates: Vec::new(),
            outcome: None,
            reasons: Vec::new(),
            repaired: None,
            effects: Vec::new(),
        });
        self.images.clear();
        self.look("next", "before");
        let answer = self.comment("before")?;
        Ok(answer.filter(|a| !a.proceed).map(|a| Finding {
            code: "E_PRECONDITION".into(),
            robot: String::new(),
            message: format!("the evaluator sees the conditions not met: {}", a.scene.chars().take(120).collect::<String>()),
        }))
    }

    /// Asks what went wrong with what was just judged.
    pub(super) fn evaluate(&mut self, executed: ExecutedView) -> Result<(), Halt> {
        self.executed = Some(executed);
        self.evaluation = if self.setup.method.evaluator { self.comment("after")? } else { None };
        Ok(())
    }

    /// A silent or failing evaluator is no reason to stop: it only assists.
    fn comment(&mut self, when: &str) -> Result<Option<EvaluationProposal>, Halt> {
        let answer = self.call(RoleId::Evaluator, |_: &RoleContext, _: &EvaluationProposal| Ok(()))?.ok();
        self.log("evaluation", json!({ "when": when, "evaluation": answer }))?;
        Ok(answer)
    }
}
