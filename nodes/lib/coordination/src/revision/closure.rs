//! What the host fills in around a change, so that the result is legal (CE-081).

use super::{Child, Parent, Rules, relations_hold};
use crate::catalog;
use crate::pairing;
use troupe_core::decision::Kind;
use troupe_core::skill::SkillCall;

/// After a change of strategy mode and roles become the kind's defaults and theta is unset.
pub(super) fn close_strategy(before: Kind, child: &mut Child, support: usize) {
    if child.kind != before {
        let entry = catalog::entry(child.kind);
        child.mode = entry.mode;
        child.roles = entry.roles(child.roles.len(), support);
        child.closure_fields.extend(["mode".to_owned(), "roles".to_owned()]);
    }
    child.closure_fields.push("calls".to_owned());
}

/// After a change of coordination theta stays where it is legal; calls that moved to another robot with
/// their role move with it; else theta is unset
/// and the coder fills it in.
pub(super) fn close_coordination(parent: &Parent, child: &mut Child, rules: &Rules<'_>) {
    let offset_rad = parent.decision.formation.heading_offset_rad;
    let legal = |calls: &[SkillCall]| {
        pairing::check(child.mode, &child.roles, calls, rules.pairing, offset_rad).is_empty()
            && calls.iter().all(|c| rules.bounds.check(c).is_ok())
            && relations_hold(&child.relations, calls).is_ok()
    };
    if legal(&parent.calls) {
        child.calls = Some(parent.calls.clone());
        return;
    }
    child.closure_fields.push("calls".to_owned());
    let moved = with_roles(parent, &child.roles);
    child.calls = moved.filter(|calls| legal(calls));
}

/// The parent's calls handed on to whoever has the role now.
fn with_roles(parent: &Parent, roles: &[troupe_core::decision::Role]) -> Option<Vec<SkillCall>> {
    let mut left: Vec<_> = parent.decision.roles.iter().zip(&parent.calls).collect();
    roles
        .iter()
        .map(|role| {
            let at = left.iter().position(|(r, _)| *r == role)?;
            Some(*left.remove(at).1)
        })
        .collect()
}
