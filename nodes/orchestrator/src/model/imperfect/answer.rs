//! An answer while it is still typed, and how its text can break.

use super::draw::Draw;
use crate::config::BuiltinConfig;
use crate::model::RoleId;
use crate::model::builtin::{calls, decision, plan, policies};
use crate::model::builtin_words::{evaluation, experience, revision};
use crate::role::answers::{DecisionProposal, RevisionProposal};
use crate::role::context::RoleContext;
use serde_json::to_string;
use troupe_core::skill::SkillCall;

/// What `builtin` would say, open to error.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    /// Of the orchestrator.
    Decision(DecisionProposal),
    /// Of the coder, in team order.
    Code(Vec<SkillCall>),
    /// Of the reviser.
    Revision(RevisionProposal),
    /// Of the others; only its text can be wrong.
    Words(String),
}

impl Answer {
    /// The rules' answer.
    pub(super) fn of(role: RoleId, context: &RoleContext, config: &BuiltinConfig) -> Result<Self, serde_json::Error> {
        Ok(match role {
            RoleId::Planner => Self::Words(to_string(&plan(context))?),
            RoleId::Orchestrator => Self::Decision(decision(context, config)),
            RoleId::Coder => Self::Code(calls(context, config)),
            RoleId::Evaluator => Self::Words(to_string(&evaluation(context))?),
            RoleId::Reviser => Self::Revision(revision(context, config)),
            RoleId::Writer => Self::Words(to_string(&experience(context))?),
        })
    }

    /// JSON text of the role's schema.
    pub(super) fn text(&self, context: &RoleContext) -> Result<String, serde_json::Error> {
        match self {
            Self::Decision(decision) => to_string(decision),
            Self::Code(calls) => to_string(&policies(context, calls)),
            Self::Revision(revision) => to_string(revision),
            Self::Words(text) => Ok(text.clone()),
        }
    }
}

/// The text cut short, with a field that the schema does not know, or with prose before it.
pub(super) fn broken(text: &str, draw: &Draw) -> String {
    let form = draw.of("form of invalid_json");
    if form < 1.0 / 3.0 {
        let length = text.chars().count() as f64;
        let kept = (length * (0.3 + 0.6 * draw.of("length of invalid_json"))) as usize;
        return text.chars().take(kept).collect();
    }
    match text.strip_prefix('{') {
        Some(rest) if form < 2.0 / 3.0 => format!("{{\"confidence\":0.9,{rest}"),
        _ => format!("Here is the answer:\n{text}"),
    }
}
