//! Lasting errors: what the planner believes about a situation until its prompt says otherwise.

use super::ErrorKind;
use super::answer::Answer;
use super::draw::Draw;
use super::error::{err, illegal_roles, wrong_strategy};
use super::level::ErrorLevel;
use super::numbers::{ratio, reversed, room, scaled};
use super::seen::{Seen, Situation};
use crate::role::answers::CallProposal;
use troupe_core::decision::Mode;
use troupe_core::evidence::Level;
use troupe_core::skill::SkillCall;

/// Longer by less than this is no error.
const LONGER: f64 = 1.05;

/// Lets every misconception of the situation act that nothing speaks against.
pub(super) fn act(answer: &mut Answer, seen: &Seen, level: &ErrorLevel, beliefs: &Draw, slips: &Draw) {
    let Some(at) = situation(answer, seen) else { return };
    let rules = calls(answer);
    for kind in ErrorKind::ALL {
        let name = format!("{} {} {} {}", kind.name(), at.phase.name(), at.kind.name(), at.objective.name());
        if beliefs.of(&name) >= level.misconception(*kind) {
            continue;
        }
        let heeds = slips.of(&format!("heed {}", kind.name())) < level.heed;
        if !(seen.refused(*kind) || heeds && seen.speaks_against(*kind, at, &rules)) {
            believe(*kind, answer, seen, heeds, slips);
        }
    }
}

/// Where a misconception about the answer would live; none where only words or copies are asked.
fn situation(answer: &Answer, seen: &Seen) -> Option<Situation> {
    let context = &seen.context;
    let (kind, objective) = match answer {
        // What an approved revision fixes is only copied.
        Answer::Decision(p) if context.child.is_none() => (p.kind, p.objective),
        Answer::Code(_) if context.child.as_ref().is_none_or(|c| c.calls.is_none()) => {
            context.decision.as_ref().map(|d| (d.kind, d.objective))?
        }
        Answer::Revision(_) => context.parent.as_ref().map(|p| (p.decision.kind, p.decision.objective))?,
        _ => return None,
    };
    Some(Situation { phase: seen.phase(), kind, objective })
}

fn calls(answer: &Answer) -> Vec<SkillCall> {
    match answer {
        Answer::Code(calls) => calls.clone(),
        Answer::Revision(r) => {
            r.calls.iter().flatten().map(CallProposal::call).collect::<Result<Vec<_>, _>>().unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

fn believe(kind: ErrorKind, answer: &mut Answer, seen: &Seen, heeds: bool, draw: &Draw) {
    match (kind, &mut *answer) {
        (ErrorKind::WrongScope, Answer::Revision(r)) => wrong_strategy(r, seen),
        (ErrorKind::IllegalRoles, Answer::Decision(p)) => {
            p.mode = Mode::Sync;
            p.roles = illegal_roles(p.kind, p.roles.len());
        }
        (ErrorKind::SignError, _) => change(answer, |calls| calls.iter().map(reversed).collect()),
        (ErrorKind::OverLong, _) => change(answer, |calls| longest(calls, seen, heeds)),
        _ => {
            err(kind, answer, seen, draw);
        }
    }
}

/// Changes numbers where there are some.
fn change(answer: &mut Answer, change: impl Fn(&[SkillCall]) -> Vec<SkillCall>) {
    match answer {
        Answer::Code(calls) => *calls = change(calls),
        Answer::Revision(r) if r.scope == Level::Parameter => {
            let calls = r.calls.iter().flatten().map(CallProposal::call).collect::<Result<Vec<_>, _>>();
            if let Ok(calls) = calls
                && !calls.is_empty()
            {
                r.calls = Some(change(&calls).iter().map(CallProposal::of).collect());
            }
        }
        _ => {}
    }
}

/// As long as legal, or as long as the first exemplar that is shown.
fn longest(calls: &[SkillCall], seen: &Seen, heeds: bool) -> Vec<SkillCall> {
    let Some(room) = room(calls, &seen.context.bounds) else { return calls.to_vec() };
    let example = seen.context.exemplars.first().filter(|_| heeds).and_then(|e| ratio(&e.calls, calls));
    let factor = example.map_or(room, |ratio| ratio.min(room));
    if factor < LONGER { calls.to_vec() } else { seen.on_grid(&scaled(calls, factor)) }
}
