//! Prompts: a fixed text for each role and a short page of facts.

mod remembered;

use crate::model::RoleId;
use crate::role::answers::PhaseStatus;
use crate::role::context::RoleContext;
use crate::role::example;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write;
use troupe_core::decision::{Kind, Mode, Objective, Role};
use troupe_core::evidence::{FailureType, Level};

/// Separates the fixed text from the page of facts in a prompt file.
const MARK: &str = "\n---\n";

/// Refusals on a page, at most.
const REFUSALS_SHOWN: usize = 3;

/// The prompt file of a role.
#[must_use]
pub fn template(role: RoleId) -> &'static str {
    match role {
        RoleId::Planner => include_str!("../../prompts/planner.txt"),
        RoleId::Orchestrator => include_str!("../../prompts/orchestrator.txt"),
        RoleId::Coder => include_str!("../../prompts/coder.txt"),
        RoleId::Evaluator => include_str!("../../prompts/evaluator.txt"),
        RoleId::Reviser => include_str!("../../prompts/reviser.txt"),
        RoleId::Writer => include_str!("../../prompts/writer.txt"),
    }
}

/// What the role is and may not.
#[must_use]
pub fn system(role: RoleId) -> &'static str {
    template(role).split_once(MARK).map_or(template(role), |(system, _)| system)
}

/// The facts of this call and the refusals of earlier attempts.
#[must_use]
pub fn prompt(role: RoleId, context: &RoleContext, refusals: &[String]) -> String {
    let page = template(role).split_once(MARK).map_or("", |(_, page)| page);
    let refused = if refusals.is_empty() { "none".to_owned() } else { newest(refusals).join("\n") };
    let degrees = |rad: [f64; 2]| format!("{:.1} to {:.1} degrees", rad[0].to_degrees(), rad[1].to_degrees());
    let fields = [
        ("{goal}", context.goal.clone()),
        ("{plan}", plan(context)),
        ("{phase}", context.phase_id.clone()),
        ("{stage}", context.stage.name().to_owned()),
        ("{example}", example::answer(role, context)),
        ("{observation}", compact(&context.observation)),
        ("{target}", compact(&context.target)),
        ("{formation}", compact(&context.formation) + facing(context)),
        ("{bounds}", compact(&context.bounds)),
        ("{yaw_degrees}", degrees(context.bounds.yaw_rad)),
        ("{decision}", context.decision.as_ref().map_or_else(|| "none".to_owned(), |d| decision(d) + facing(context))),
        ("{rejected}", rejected(context)),
        ("{strategies}", remembered::strategies(context)),
        ("{exemplars}", remembered::exemplars(context)),
        ("{reflections}", remembered::reflections(context)),
        ("{child}", remembered::child(context)),
        ("{parent}", remembered::parent(context)),
        ("{relations}", remembered::relations(context)),
        ("{grid}", remembered::grid(context)),
        ("{responses}", remembered::responses(context)),
        ("{closed}", remembered::closed(context)),
        ("{executed}", remembered::executed(context)),
        ("{effects}", context.executed.as_ref().map_or_else(String::new, |e| e.effects.join(", "))),
        ("{suggested}", context.forced.or(context.suggested).map_or("none", Level::name).to_owned()),
        ("{evaluation}", context.evaluation.as_ref().map_or_else(|| "nothing".to_owned(), |e| e.scene.clone())),
        ("{failures}", names(FailureType::ALL, |f| f.name())),
        ("{levels}", names(Level::ALL, |l| l.name())),
        ("{refused}", refused),
        ("{predicates}", context.predicates.join(", ")),
        ("{kinds}", names(Kind::ALL, |k| k.name())),
        ("{objectives}", names(Objective::ALL, |o| o.name())),
        ("{modes}", names(Mode::ALL, |m| m.name())),
        ("{roles}", names(Role::ALL, |r| r.name())),
    ];
    // One pass over the page, so that braces inside a value are never read as fields.
    let mut out = String::new();
    let mut rest = page;
    while let Some(at) = rest.find('{') {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        match fields.iter().find(|(name, _)| tail.starts_with(name)) {
            Some((name, value)) => {
                out.push_str(value);
                rest = tail.get(name.len()..).unwrap_or_default();
            }
            None => {
                out.push('{');
                rest = tail.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    out
}

/// What is different for robots that face each other; empty for robots side by side.
fn facing(context: &RoleContext) -> &'static str {
    if context.formation.heading_offset_rad.abs() < std::f64::consts::FRAC_PI_2 {
        return "";
    }
    "\nThe robots face each other. The team's heading is the first robot's. To walk the same way in the world, one \
     walks forward while the other walks back, or one left while the other walks right. In a pivot the inner robot \
     turns and the outer one walks sideways around it: arc with direction \"right\" for a positive yaw_rad, \"left\" \
     for a negative one. Retreat is backward for both."
}

/// The newest refusals, each once, oldest first: a page that grows with every attempt confuses small models.
fn newest(refusals: &[String]) -> Vec<&str> {
    let mut shown: Vec<&str> = Vec::new();
    for refusal in refusals.iter().rev() {
        if shown.len() < REFUSALS_SHOWN && !shown.contains(&refusal.as_str()) {
            shown.push(refusal);
        }
    }
    shown.reverse();
    shown
}

fn names<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str) -> String {
    all.iter().map(|t| name(*t)).collect::<Vec<_>>().join(", ")
}

fn plan(context: &RoleContext) -> String {
    context.plan.iter().map(|p| format!("{}: {}", p.id, PhaseStatus::of(p.status).name())).collect::<Vec<_>>().join("\n")
}

pub(super) fn decision(decision: &troupe_core::decision::Decision) -> String {
    let roles: Vec<&str> = decision.roles.iter().map(|r| r.name()).collect();
    compact(&json!({
        "kind": decision.kind.name(),
        "objective": decision.objective.name(),
        "mode": decision.mode.name(),
        "roles": roles,
        "formation": decision.formation,
    }))
}

fn rejected(context: &RoleContext) -> String {
    if context.rejected.is_empty() {
        return "none".to_owned();
    }
    let mut out = String::new();
    for attempt in &context.rejected {
        let calls: Vec<String> = attempt.calls.iter().map(compact).collect();
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{} {} {}: {}",
            attempt.kind.name(),
            attempt.objective.name(),
            calls.join(" "),
            attempt.reasons.join("; ")
        );
    }
    out
}

/// JSON on one line with numbers rounded to 1e-3, enough for a decision and short for a model.
pub(super) fn compact(value: &impl Serialize) -> String {
    let mut value = serde_json::to_value(value).unwrap_or_default();
    round(&mut value);
    value.to_string()
}

fn round(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let rounded = (number.as_f64().unwrap_or_default() * 1e3).round() / 1e3;
            *value = json!(if rounded == 0.0 { 0.0 } else { rounded });
        }
        Value::Array(items) => items.iter_mut().for_each(round),
        Value::Object(map) => map.values_mut().for_each(round),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_shows_the_newest_refusals_each_once() {
        let all: Vec<String> = ["a", "b", "c", "b", "d", "d"].iter().map(ToString::to_string).collect();
        assert_eq!(newest(&all), ["c", "b", "d"]);
        assert!(newest(&[]).is_empty());
    }
}
