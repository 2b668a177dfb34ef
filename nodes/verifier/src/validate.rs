//! Everything the host refuses before dispatch (CE-060 to CE-064, CE-066).

use crate::errors::Scene;
use crate::placement::{gate_refusal, release_gate};
use std::collections::{BTreeMap, BTreeSet};
use troupe_coordination::catalog::{self, CatalogError};
use troupe_coordination::phase::{PLACE_PHASE, check_call, check_decision};
use troupe_coordination::revision::{Parent, RevisionError, follows, relations_hold};
use troupe_coordination::{pairing, predicate};
use troupe_core::decision::Decision;
use troupe_core::skill::{SkillBounds, SkillCall};
use troupe_core::state::TeamState;
use troupe_core::team::{Finding, ValidateRequest, ValidateResponse};
use troupe_guard::{Code, check, fingerprint};

/// What a decision is held against besides the scene.
pub(crate) struct Present<'a> {
    pub checkpoint_id: &'a str,
    pub newest: Option<&'a TeamState>,
    pub rejected: &'a BTreeSet<String>,
    pub parents: &'a BTreeMap<String, Parent>,
    pub bounds: &'a SkillBounds,
}

/// Checks a decision and its policies.
pub(crate) fn validate(scene: &Scene, present: &Present, request: &ValidateRequest) -> ValidateResponse {
    let mut findings = context(present, &request.decision);
    findings.extend(structure(scene, &request.decision));
    let active = scene.segment().map_or(PLACE_PHASE, |s| s.id.as_str());
    let decision = &request.decision;
    if let Err(error) = check_decision(&decision.phase_id, decision.kind, active, scene.stage) {
        findings.push(Code::Phase.finding(error.to_string()));
    }
    let calls = policies(scene, present, request, &mut findings);
    if calls.len() != scene.robots.len() {
        return ValidateResponse { findings, ..ValidateResponse::default() };
    }
    for (robot, call) in scene.robots.iter().zip(&calls) {
        if let Err(error) = check_call(call, decision.kind, active, scene.stage) {
            findings.push(Finding { robot: robot.clone(), ..Code::Phase.finding(error.to_string()) });
        }
    }
    let pair = pairing::check(decision.mode, &decision.roles, &calls, &scene.config.pairing);
    findings.extend(pair.into_iter().map(|e| Code::Pair.finding(e.to_string())));
    if calls.contains(&SkillCall::Release)
        && let Some(gate) = present.newest.map(|s| release_gate(scene, s)).filter(|p| !p.passed)
    {
        findings.push(Code::Phase.finding(gate_refusal(scene.stage.name(), &gate)));
    }
    findings.extend(revision(present, decision, &calls));
    let print = match fingerprint(present.checkpoint_id, scene.robots, &calls) {
        Ok(print) => print,
        Err(error) => {
            findings.push(Code::Numeric.finding(error.to_string()));
            String::new()
        }
    };
    if present.rejected.contains(&print) {
        let message = format!("policies: rejected before at checkpoint `{}`; allowed: other arguments", present.checkpoint_id);
        findings.push(Code::Duplicate.finding(message));
    }
    if findings.is_empty() {
        ValidateResponse { ok: true, findings, calls, fingerprint: print }
    } else {
        ValidateResponse { findings, ..ValidateResponse::default() }
    }
}

fn context(present: &Present, decision: &Decision) -> Vec<Finding> {
    let mut findings = Vec::new();
    if decision.checkpoint_id != present.checkpoint_id {
        let message = format!("checkpoint_id = `{}`; allowed: `{}`", decision.checkpoint_id, present.checkpoint_id);
        findings.push(Code::Context.finding(message));
    }
    match present.newest {
        Some(state) if state.context_epoch == decision.context_epoch => {}
        Some(state) => {
            let message = format!("context_epoch = {}; allowed: {}", decision.context_epoch, state.context_epoch);
            findings.push(Code::Stale.finding(message));
        }
        None => findings.push(Code::Stale.finding("context_epoch: no state of the team was seen yet")),
    }
    findings
}

fn structure(scene: &Scene, decision: &Decision) -> Vec<Finding> {
    let mut findings = Vec::new();
    match decision.clone().identified() {
        Ok(same) if same.id == decision.id => {}
        Ok(same) => {
            findings.push(Code::Schema.finding(format!("id = `{}`; allowed: the content's identity `{}`", decision.id, same.id)));
        }
        Err(error) => findings.push(Code::Numeric.finding(format!("decision: {error}"))),
    }
    if let Err(error) = catalog::check(decision.kind, decision.objective, decision.mode, &decision.roles, scene.robots.len()) {
        let code = match error {
            CatalogError::Count { .. } | CatalogError::Objective { .. } => Code::Schema,
            CatalogError::Mode { .. } | CatalogError::Roles { .. } => Code::Pair,
        };
        findings.push(code.finding(error.to_string()));
    }
    let (limits, wanted, given) = (scene.task.transition, scene.task.formation, decision.formation);
    let fields = [
        ("formation.distance_m", given.distance_m, wanted.distance_m, limits.formation_distance_m),
        ("formation.heading_offset_rad", given.heading_offset_rad, wanted.heading_offset_rad, limits.formation_heading_rad),
    ];
    for (field, value, centre, reach) in fields {
        let (low, high) = (centre - reach, centre + reach);
        if !value.is_finite() {
            findings.push(Code::Numeric.finding(format!("{field} = {value}; allowed: a finite number")));
        } else if !(low - 1e-9..=high + 1e-9).contains(&value) {
            findings.push(Code::Bounds.finding(format!("{field} = {value}; allowed: {low:.3} to {high:.3}")));
        }
    }
    for name in &decision.evidence_required {
        if !predicate::NAMES.contains(&name.as_str()) {
            let allowed = predicate::NAMES.join(", ");
            findings.push(Code::Schema.finding(format!("evidence_required: `{name:.40}` is no predicate; allowed: {allowed}")));
        }
    }
    findings
}

/// A revision changes what its scope names and keeps the rest of its parent (CE-065, CE-082).
fn revision(present: &Present, decision: &Decision, calls: &[SkillCall]) -> Option<Finding> {
    let error = match (decision.scope, present.parents.get(&decision.parent_id)) {
        (None, _) => relations_hold(&decision.relations, calls).err()?,
        (Some(_), Some(parent)) => follows(parent, decision, calls).err()?,
        (Some(_), None) => {
            let known: Vec<&str> = present.parents.keys().map(|id| id.get(..8).unwrap_or(id)).collect();
            let allowed = if known.is_empty() { "none at this checkpoint".to_owned() } else { known.join(", ") };
            let message = format!("parent_id = `{:.8}` was not executed here; allowed: {allowed}", decision.parent_id);
            return Some(Code::Scope.finding(message));
        }
    };
    let code = match error {
        RevisionError::Scope { .. } => Code::Scope,
        RevisionError::Noop(..) => Code::Noop,
        RevisionError::Relation(_) => Code::Relation,
        RevisionError::Bounds(_) => Code::Bounds,
        RevisionError::Pair(_) => Code::Pair,
    };
    Some(code.finding(error.to_string()))
}

/// Parsed calls in team order; shorter than the team when a policy is missing or refused.
fn policies(scene: &Scene, present: &Present, request: &ValidateRequest, findings: &mut Vec<Finding>) -> Vec<SkillCall> {
    let names: Vec<&str> = request.policies.iter().map(|p| p.robot.as_str()).collect();
    if !names.iter().copied().eq(scene.robots.iter().map(String::as_str)) {
        let given: String = names.join(", ").chars().take(120).collect();
        let message = format!("policies for [{given}]; allowed: one for each of [{}] in this order", scene.robots.join(", "));
        findings.push(Code::Schema.finding(message));
        return vec![];
    }
    let mut calls = Vec::new();
    for policy in &request.policies {
        match check(&policy.source, present.bounds) {
            Ok(parsed) => calls.push(parsed.call),
            Err(refused) => findings.extend(refused.into_iter().map(|f| Finding { robot: policy.robot.clone(), ..f })),
        }
    }
    calls
}

#[cfg(test)]
mod tests;
