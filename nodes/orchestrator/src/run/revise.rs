//! Asking for a typed revision of what was rejected (CE-052, CE-080 to CE-083).

use super::Halt;
use super::session::Session;
use crate::model::RoleId;
use crate::role::answers::RevisionProposal;
use crate::role::context::RoleContext;
use serde_json::json;
use troupe_coordination::phase::{self, Stage};
use troupe_coordination::revision::{Child, Parent, RevisionError, Rules, alike, approve};
use troupe_coordination::run_state::Event;
use troupe_core::evidence::Level;

impl Session<'_> {
    /// An approved child of the rejected decision, bound to the checkpoint that was just restored.
    pub(super) fn revise(&mut self) -> Result<Event, Halt> {
        self.child = None;
        let Some(parent) = self.parent.clone() else { return Ok(Event::NothingToRevise) };
        // Experience of this failure may tell how to mend it.
        self.retrieve_strategies()?;
        let (bounds, pairing) = (self.setup.bounds, self.setup.pairing);
        let checkpoint = self.checkpoint.clone();
        let mut approved = None;
        let (active, stage) = (self.phase(), self.stage);
        let check = |context: &RoleContext, proposal: &RevisionProposal| {
            let support = usize::from(context.observation.heading_error_rad < 0.0);
            let rules = Rules { bounds: &bounds, pairing: &pairing, support };
            let child = judge(context, &parent, proposal, &checkpoint, &rules)?;
            legal_now(&child, &active, stage)?;
            approved = Some(child);
            Ok(())
        };
        let proposal = match self.call(RoleId::Reviser, check)? {
            Ok(proposal) => proposal,
            Err(without) => return Ok(without),
        };
        let Some(child) = approved else { return Ok(Event::RoleRefused) };
        let data = json!({ "parent_id": child.parent_id, "child": child, "reason": shortened(&proposal.reason) });
        self.log("revision", data)?;
        self.child = Some(child);
        Ok(Event::Revised)
    }
}

/// A child that the phase does not allow would only be refused later.
fn legal_now(child: &Child, active: &str, stage: Stage) -> Result<(), String> {
    let words = |e: phase::PhaseError| format!("E_PHASE: {e}");
    phase::check_decision(active, child.kind, active, stage).map_err(words)?;
    child.calls.iter().flatten().try_for_each(|call| phase::check_call(call, child.kind, active, stage)).map_err(words)
}

fn judge(
    context: &RoleContext,
    parent: &Parent,
    proposal: &RevisionProposal,
    checkpoint_id: &str,
    rules: &Rules<'_>,
) -> Result<Child, String> {
    if let Some(forced) = context.forced
        && proposal.scope != forced
    {
        return Err(format!("E_SCOPE: scope = `{}`; allowed: `{}`, set-ups alone lead no further", proposal.scope.name(), forced.name()));
    }
    let host = proposal.host().map_err(|e| format!("E_SCHEMA: calls: {e}"))?;
    let words = |e: RevisionError| format!("{}: {e}", e.code());
    let child = approve(parent, &host, checkpoint_id, rules).map_err(words)?;
    let again = |calls: &Vec<_>| {
        context.rejected.iter().any(|t| (t.kind, t.objective) == (child.kind, child.objective) && alike(&t.calls, calls))
    };
    match &child.calls {
        Some(calls) if child.scope == Level::Parameter && again(calls) => {
            Err("E_DUPLICATE: calls: rejected before at this checkpoint; allowed: other arguments".into())
        }
        _ => Ok(child),
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(200).collect()
}
