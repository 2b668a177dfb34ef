//! Typed revision of a rejected decision: a scope, the fields inside it, and the host's legal closure
//! around it (CE-080 to CE-082).

mod closure;
mod escalation;
#[cfg(test)]
mod tests;

pub use escalation::Escalation;

use crate::catalog;
use crate::pairing::{self, PairLimits};
use closure::{close_coordination, close_strategy};
use serde::{Deserialize, Serialize};
use troupe_core::decision::{Decision, Kind, Mode, Objective, Role};
use troupe_core::evidence::Level;
use troupe_core::relation::{Argument, Relation, resolution};
use troupe_core::skill::{SkillBounds, SkillCall};

/// What is revised: a decision that was executed and not accepted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parent {
    /// Its decision.
    pub decision: Decision,
    /// What was executed, in team order.
    pub calls: Vec<SkillCall>,
    /// What its evidence demands of a repair.
    pub relations: Vec<Relation>,
}

/// What a reviser proposes (CE-R5). Fields outside the scope stay as they are when absent.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// What may change.
    pub scope: Level,
    /// kappa.
    pub kind: Option<Kind>,
    /// d.
    pub objective: Option<Objective>,
    /// m.
    pub mode: Option<Mode>,
    /// rho in team order.
    pub roles: Option<Vec<Role>>,
    /// theta in team order.
    pub calls: Option<Vec<SkillCall>>,
}

/// An approved revision; it constrains the next decision and its code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Child {
    /// Decision that was revised.
    pub parent_id: String,
    /// Trusted checkpoint and epoch that the host bound it to, after the restoration (CE-054).
    pub checkpoint_id: String,
    /// What changed.
    pub scope: Level,
    /// kappa.
    pub kind: Kind,
    /// d.
    pub objective: Objective,
    /// m.
    pub mode: Mode,
    /// rho in team order.
    pub roles: Vec<Role>,
    /// theta in team order; `None` leaves it to the coder inside the bounds.
    pub calls: Option<Vec<SkillCall>>,
    /// Relations that its policies must satisfy.
    pub relations: Vec<Relation>,
    /// Fields that the host, not the model, filled in (CE-081).
    pub closure_fields: Vec<String>,
}

/// Why a revision is refused; messages name the field, the value and what is allowed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RevisionError {
    /// A field outside the scope differs from the parent's.
    #[error("{field} = {given} lies outside scope `{scope}`; allowed: the parent's {parent}")]
    Scope {
        /// Field.
        field: &'static str,
        /// Value given.
        given: String,
        /// Scope of the revision.
        scope: &'static str,
        /// The parent's value.
        parent: String,
    },
    /// Nothing inside the scope changed.
    #[error("nothing changes inside scope `{0}`; allowed: at least one other value of {1}")]
    Noop(&'static str, &'static str),
    /// A relation that the evidence demands is not kept.
    #[error("the evidence demands `{0}` between the robots; the calls do not satisfy it")]
    Relation(String),
    /// An argument outside the bounds.
    #[error("{0}")]
    Bounds(String),
    /// Mode, roles or calls that do not go together.
    #[error("{0}")]
    Pair(String),
}

impl RevisionError {
    /// Code as in findings.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Scope { .. } => "E_SCOPE",
            Self::Noop(..) => "E_NOOP",
            Self::Relation(_) => "E_RELATION",
            Self::Bounds(_) => "E_BOUNDS",
            Self::Pair(_) => "E_PAIR",
        }
    }
}

/// What a revision is held against.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a> {
    /// Allowed magnitudes.
    pub bounds: &'a SkillBounds,
    /// Allowed differences in a synchronous pair.
    pub pairing: &'a PairLimits,
    /// Robot, by index in team order, that plays a kind's single role when the host chooses.
    pub support: usize,
}

/// Approves a proposal and binds it to the checkpoint in force.
///
/// # Errors
/// [`RevisionError`].
pub fn approve(parent: &Parent, proposal: &Proposal, checkpoint_id: &str, rules: &Rules<'_>) -> Result<Child, RevisionError> {
    let d = &parent.decision;
    let scope = proposal.scope;
    let kind = field("kind", scope, Level::Strategy, proposal.kind, d.kind, Kind::name)?;
    let objective = field("objective", scope, Level::Strategy, proposal.objective, d.objective, Objective::name)?;
    let mut child = Child {
        parent_id: d.id.clone(),
        checkpoint_id: checkpoint_id.to_owned(),
        scope,
        kind,
        objective,
        mode: d.mode,
        roles: d.roles.clone(),
        calls: None,
        relations: Vec::new(),
        closure_fields: Vec::new(),
    };
    match scope {
        Level::Strategy => {
            // The host fills these in; repeating the parent's value is no harm, another one is.
            field("mode", scope, Level::Coordination, proposal.mode, d.mode, Mode::name)?;
            same_roles(scope, proposal.roles.as_deref(), &d.roles)?;
            same_calls(scope, proposal.calls.as_deref(), &parent.calls)?;
            if (kind, objective) == (d.kind, d.objective) {
                return Err(RevisionError::Noop("strategy", "kind or objective"));
            }
            close_strategy(d.kind, &mut child, rules.support);
        }
        Level::Coordination => {
            same_calls(scope, proposal.calls.as_deref(), &parent.calls)?;
            child.mode = proposal.mode.unwrap_or(d.mode);
            child.roles = proposal.roles.clone().unwrap_or_else(|| d.roles.clone());
            if (child.mode, &child.roles) == (d.mode, &d.roles) {
                return Err(RevisionError::Noop("coordination", "mode or roles"));
            }
            catalog::check(kind, objective, child.mode, &child.roles, d.roles.len())
                .map_err(|e| RevisionError::Pair(e.to_string()))?;
            child.relations.clone_from(&parent.relations);
            close_coordination(parent, &mut child, rules);
        }
        Level::Parameter => {
            field("mode", scope, Level::Coordination, proposal.mode, d.mode, Mode::name)?;
            same_roles(scope, proposal.roles.as_deref(), &d.roles)?;
            child.relations.clone_from(&parent.relations);
            let calls = proposal.calls.clone().ok_or(RevisionError::Noop("parameter", "the calls' arguments"))?;
            check_calls(&child, parent, &calls, rules)?;
            child.calls = Some(calls);
        }
    }
    catalog::check(child.kind, child.objective, child.mode, &child.roles, d.roles.len())
        .map_err(|e| RevisionError::Pair(e.to_string()))?;
    Ok(child)
}

/// A field that only scope `owner` may change.
fn field<T: Copy + PartialEq>(
    field: &'static str,
    scope: Level,
    owner: Level,
    given: Option<T>,
    parent: T,
    name: fn(T) -> &'static str,
) -> Result<T, RevisionError> {
    match given {
        Some(value) if value != parent && scope != owner => Err(RevisionError::Scope {
            field,
            given: format!("`{}`", name(value)),
            scope: scope.name(),
            parent: format!("`{}`", name(parent)),
        }),
        Some(value) => Ok(value),
        None => Ok(parent),
    }
}

fn same_roles(scope: Level, given: Option<&[Role]>, parent: &[Role]) -> Result<(), RevisionError> {
    let text = |roles: &[Role]| format!("[{}]", roles.iter().map(|r| r.name()).collect::<Vec<_>>().join(", "));
    match given {
        Some(roles) if roles != parent => {
            Err(RevisionError::Scope { field: "roles", given: text(roles), scope: scope.name(), parent: text(parent) })
        }
        _ => Ok(()),
    }
}

fn same_calls(scope: Level, given: Option<&[SkillCall]>, parent: &[SkillCall]) -> Result<(), RevisionError> {
    match given {
        Some(calls) if !alike(calls, parent) => Err(RevisionError::Scope {
            field: "calls",
            given: words(calls),
            scope: scope.name(),
            parent: words(parent),
        }),
        _ => Ok(()),
    }
}

/// A parameter revision keeps skills and count; it changes numbers or directions, legally and as demanded. Under
/// kind lifecycle it changes the skill.
fn check_calls(child: &Child, parent: &Parent, calls: &[SkillCall], rules: &Rules<'_>) -> Result<(), RevisionError> {
    let methods = |calls: &[SkillCall]| calls.iter().map(SkillCall::name).collect::<Vec<_>>();
    // Skills of the lifecycle have no amounts: which of them is called is all that can be mended.
    if child.kind != Kind::Lifecycle && methods(calls) != methods(&parent.calls) {
        return Err(RevisionError::Scope {
            field: "methods",
            given: methods(calls).join(", "),
            scope: "parameter",
            parent: methods(&parent.calls).join(", "),
        });
    }
    for call in calls {
        rules.bounds.check(call).map_err(|e| RevisionError::Bounds(e.to_string()))?;
    }
    let offset_rad = parent.decision.formation.heading_offset_rad;
    if let Some(error) = pairing::check(child.mode, &child.roles, calls, rules.pairing, offset_rad).first() {
        return Err(RevisionError::Pair(error.to_string()));
    }
    if alike(calls, &parent.calls) {
        return Err(RevisionError::Noop("parameter", "the calls' arguments"));
    }
    relations_hold(&child.relations, calls)
}

/// Checks demanded relations.
///
/// # Errors
/// [`RevisionError::Relation`].
pub fn relations_hold(relations: &[Relation], calls: &[SkillCall]) -> Result<(), RevisionError> {
    match relations.iter().find(|r| !r.holds(calls)) {
        Some(relation) => Err(RevisionError::Relation(relation.text())),
        None => Ok(()),
    }
}

/// Equal at the resolution of actuation (CE-030).
#[must_use]
pub fn alike(a: &[SkillCall], b: &[SkillCall]) -> bool {
    let same = |(a, b): (&SkillCall, &SkillCall)| {
        a.name() == b.name()
            && a.direction() == b.direction()
            && a.arguments().iter().zip(b.arguments()).all(|((name, x), (_, y))| {
                let step = Argument::from_name(name).map_or(0.01, resolution);
                (x / step).round() == (y / step).round()
            })
    };
    a.len() == b.len() && a.iter().zip(b).all(same)
}

fn words(calls: &[SkillCall]) -> String {
    let one = |call: &SkillCall| {
        let arguments: Vec<String> = call.arguments().into_iter().map(|(n, v)| format!("{n} {v:.3}")).collect();
        format!("{}({})", call.name(), arguments.join(", "))
    };
    calls.iter().map(one).collect::<Vec<_>>().join(" and ")
}

/// Whether a decision and its calls follow an approved child, as the verifier asks before dispatch.
///
/// # Errors
/// [`RevisionError`] of the first field that does not.
pub fn follows(parent: &Parent, decision: &Decision, calls: &[SkillCall]) -> Result<(), RevisionError> {
    let p = &parent.decision;
    let Some(scope) = decision.scope else { return Ok(()) };
    if scope != Level::Strategy {
        field("kind", scope, Level::Strategy, Some(decision.kind), p.kind, Kind::name)?;
        field("objective", scope, Level::Strategy, Some(decision.objective), p.objective, Objective::name)?;
        relations_hold(&parent.relations, calls)?;
    } else if (decision.kind, decision.objective) == (p.kind, p.objective) {
        return Err(RevisionError::Noop("strategy", "kind or objective"));
    }
    if scope == Level::Parameter {
        field("mode", scope, Level::Coordination, Some(decision.mode), p.mode, Mode::name)?;
        same_roles(scope, Some(&decision.roles), &p.roles)?;
        if alike(calls, &parent.calls) {
            return Err(RevisionError::Noop("parameter", "the calls' arguments"));
        }
    }
    if scope == Level::Coordination && (decision.mode, &decision.roles) == (p.mode, &p.roles) {
        return Err(RevisionError::Noop("coordination", "mode or roles"));
    }
    relations_hold(&decision.relations, calls)
}
