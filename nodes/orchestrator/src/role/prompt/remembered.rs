//! The parts of a prompt that come from experience, revision and judged transactions.

use super::{compact, decision};
use crate::role::context::RoleContext;
use serde_json::json;
use troupe_coordination::response::words;
use troupe_core::relation::Relation;
use troupe_core::skill::SkillCall;

const NONE: &str = "none";

fn lines(items: impl Iterator<Item = String>) -> String {
    let text = items.collect::<Vec<_>>().join("\n");
    if text.is_empty() { NONE.to_owned() } else { text }
}

fn calls(calls: &[SkillCall]) -> String {
    calls.iter().map(compact).collect::<Vec<_>>().join(" ")
}

pub(super) fn strategies(context: &RoleContext) -> String {
    lines(context.strategies.iter().map(|r| {
        format!(
            "{} ({} {}): {} {} When: {} Fails when: {} Repair: {}",
            r.polarity.name(),
            r.kind.name(),
            r.objective.name(),
            r.principle,
            r.failure_type.map_or(String::new(), |f| format!("[{}]", f.name())),
            r.applicability,
            r.failure_pattern,
            r.repair
        )
    }))
}

pub(super) fn exemplars(context: &RoleContext) -> String {
    lines(context.exemplars.iter().map(|e| compact(&json!({ "policies": e.sources }))))
}

/// Empty without reflections, so that prompts of other methods do not mention them.
pub(super) fn reflections(context: &RoleContext) -> String {
    if context.reflections.is_empty() {
        return String::new();
    }
    format!("Reflections on this run, newest first:\n{}\n", context.reflections.join("\n"))
}

/// Empty without an approved child.
pub(super) fn child(context: &RoleContext) -> String {
    let Some(child) = &context.child else { return String::new() };
    let roles: Vec<&str> = child.roles.iter().map(|r| r.name()).collect();
    let fixed = compact(&json!({
        "kind": child.kind.name(), "objective": child.objective.name(), "mode": child.mode.name(), "roles": roles,
    }));
    let mut text = format!("An approved revision fixes this; keep it exactly: {fixed}\n");
    if let Some(fixed) = &child.calls {
        text.push_str(&format!("Its calls, in team order; write exactly these: {}\n", calls(fixed)));
    }
    if !child.relations.is_empty() {
        text.push_str(&format!("Relations between the robots' arguments: {}\n", relation_texts(&child.relations)));
    }
    text
}

pub(super) fn parent(context: &RoleContext) -> String {
    context.parent.as_ref().map_or_else(|| NONE.to_owned(), |p| format!("{} {}", decision(&p.decision), calls(&p.calls)))
}

pub(super) fn relations(context: &RoleContext) -> String {
    context.parent.as_ref().map_or_else(|| NONE.to_owned(), |p| relation_texts(&p.relations))
}

fn relation_texts(relations: &[Relation]) -> String {
    if relations.is_empty() {
        return NONE.to_owned();
    }
    relations.iter().map(|r| r.text()).collect::<Vec<_>>().join(", ")
}

/// Empty unless the method offers a fixed grid.
pub(super) fn grid(context: &RoleContext) -> String {
    context.grid.as_ref().map_or_else(String::new, |g| format!("Choose magnitudes only from: {}\n", compact(g)))
}

/// Empty unless the run learns how its robots answer.
pub(super) fn responses(context: &RoleContext) -> String {
    if context.responses.is_empty() {
        return String::new();
    }
    format!("What the robots really do with what they are told:\n{}\n", words(&context.responses))
}

/// Empty unless set-ups were made long enough.
pub(super) fn closed(context: &RoleContext) -> String {
    context.closed.map_or_else(String::new, |c| {
        format!("Set-ups alone lead no further: choose neither kind {} nor objective {} now.\n", c.kind.name(), c.objective.name())
    })
}

pub(super) fn executed(context: &RoleContext) -> String {
    let Some(e) = &context.executed else { return NONE.to_owned() };
    let outcome = e.outcome.map_or_else(|| "not yet done".to_owned(), |o| compact(&o));
    let failed: Vec<&str> = e.predicates.iter().filter(|p| !p.passed).map(|p| p.name.as_str()).collect();
    format!(
        "{} {}\nOutcome: {outcome}; failed: {}; {}",
        decision(&e.decision),
        calls(&e.calls),
        if failed.is_empty() { NONE.to_owned() } else { failed.join(", ") },
        e.reasons.join("; ")
    )
}
