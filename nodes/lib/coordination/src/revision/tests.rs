//! Scopes, closure, and the near-duplicate that must not pass.

use super::*;
use crate::pairing::PairLimits;
use proptest::prelude::*;
use troupe_core::decision::Formation;
use troupe_core::relation::Comparison;
use troupe_core::skill::Direction;

const PAIRING: PairLimits = PairLimits { distance_m: 0.02, yaw_rad: 0.017_453_292_52 };

fn bounds() -> SkillBounds {
    SkillBounds { distance_m: [0.02, 0.5], yaw_rad: [0.008, 0.36], speed_mps: [0.2, 0.5], speed_rps: [0.1, 0.6], duration_s: [0.2, 3.0] }
}

fn parent(kind: Kind, objective: Objective, calls: Vec<SkillCall>) -> Parent {
    let entry = catalog::entry(kind);
    let decision = Decision {
        id: "p".into(),
        checkpoint_id: "ckpt-1".into(),
        context_epoch: 1,
        phase_id: "a".into(),
        kind,
        objective,
        mode: entry.mode,
        roles: entry.roles(2, 0),
        formation: Formation { distance_m: 0.8, heading_offset_rad: 0.0 },
        evidence_required: vec![],
        parent_id: String::new(),
        scope: None,
        relations: vec![],
        strategy_ids: vec![],
    };
    Parent { decision, calls, relations: vec![] }
}

fn walk(distance_m: f64) -> SkillCall {
    SkillCall::Walk { distance_m, direction: Direction::Forward, speed_mps: 0.25 }
}

fn turn(degrees: f64) -> SkillCall {
    SkillCall::Turn { yaw_rad: degrees.to_radians(), speed_rps: 0.25 }
}

fn nothing(scope: Level) -> Proposal {
    Proposal { scope, kind: None, objective: None, mode: None, roles: None, calls: None }
}

fn linear() -> Parent {
    parent(Kind::LinearTransport, Objective::AdvanceSegment, vec![walk(0.4), walk(0.4)])
}

fn judge(parent: &Parent, proposal: &Proposal) -> Result<Child, RevisionError> {
    approve(parent, proposal, "ckpt-1", &Rules { bounds: &bounds(), pairing: &PAIRING, support: 0 })
}

/// CE-R5.
#[test]
fn ce_080_each_scope_changes_its_own_fields_only() {
    let shorter = Proposal { calls: Some(vec![walk(0.2), walk(0.2)]), ..nothing(Level::Parameter) };
    let child = judge(&linear(), &shorter).unwrap();
    assert_eq!((child.kind, child.calls, child.closure_fields.len()), (Kind::LinearTransport, shorter.calls.clone(), 0));
    let meddling = Proposal { kind: Some(Kind::Pivot), ..shorter };
    assert_eq!(judge(&linear(), &meddling).unwrap_err().code(), "E_SCOPE");
    let swapped = vec![Role::OuterMover, Role::InnerSupport];
    let pivot = parent(Kind::Pivot, Objective::RotateAtCorner, vec![turn(10.0), arc(0.15, 10.0)]);
    let strategic = Proposal { objective: Some(Objective::ExitCorner), roles: Some(swapped), ..nothing(Level::Strategy) };
    assert_eq!(judge(&pivot, &strategic).unwrap_err().code(), "E_SCOPE");
}

fn arc(distance_m: f64, degrees: f64) -> SkillCall {
    SkillCall::Arc { distance_m, yaw_rad: degrees.to_radians(), speed_mps: 0.2 }
}

#[test]
fn ce_081_the_host_closes_a_change_of_strategy() {
    let proposal = Proposal { kind: Some(Kind::Pivot), objective: Some(Objective::RotateAtCorner), ..nothing(Level::Strategy) };
    let child = judge(&linear(), &proposal).unwrap();
    assert_eq!((child.mode, child.roles), (Mode::Asym, vec![Role::InnerSupport, Role::OuterMover]));
    assert_eq!((child.calls, child.closure_fields), (None, vec!["mode".to_owned(), "roles".into(), "calls".into()]));
}

#[test]
fn ce_081_calls_follow_their_roles_when_coordination_changes() {
    let pivot = parent(Kind::Pivot, Objective::RotateAtCorner, vec![turn(10.0), arc(0.15, 10.0)]);
    let swap = Proposal { roles: Some(vec![Role::OuterMover, Role::InnerSupport]), ..nothing(Level::Coordination) };
    let child = judge(&pivot, &swap).unwrap();
    assert_eq!(child.calls, Some(vec![arc(0.15, 10.0), turn(10.0)]));
    assert_eq!(child.closure_fields, ["calls"]);
}

#[test]
fn ce_082_a_near_duplicate_that_keeps_the_rejected_relation_is_refused() {
    let mut both = parent(Kind::Alignment, Objective::EqualiseFormation, vec![turn(2.5), turn(2.5)]);
    both.relations = vec![Relation { argument: Argument::YawRad, comparison: Comparison::Different }];
    let theta = |a, b| Proposal { calls: Some(vec![turn(a), turn(b)]), ..nothing(Level::Parameter) };
    assert_eq!(judge(&both, &theta(2.0, 2.0)).unwrap_err().code(), "E_RELATION");
    assert_eq!(judge(&both, &theta(2.5, 2.5)).unwrap_err().code(), "E_NOOP");
    assert!(judge(&both, &theta(2.5, 1.0)).is_ok());
}

#[test]
fn refusals_name_field_value_and_allowed() {
    let long = Proposal { calls: Some(vec![walk(0.9), walk(0.9)]), ..nothing(Level::Parameter) };
    assert_eq!(judge(&linear(), &long).unwrap_err().code(), "E_BOUNDS");
    let apart = Proposal { calls: Some(vec![walk(0.1), walk(0.3)]), ..nothing(Level::Parameter) };
    assert_eq!(judge(&linear(), &apart).unwrap_err().code(), "E_PAIR");
    assert_eq!(judge(&linear(), &nothing(Level::Parameter)).unwrap_err().code(), "E_NOOP");
    assert_eq!(judge(&linear(), &nothing(Level::Coordination)).unwrap_err().code(), "E_NOOP");
    assert_eq!(judge(&linear(), &nothing(Level::Strategy)).unwrap_err().code(), "E_NOOP");
    let other = Proposal { calls: Some(vec![turn(5.0), turn(5.0)]), ..nothing(Level::Parameter) };
    let text = judge(&linear(), &other).unwrap_err().to_string();
    assert!(text.contains("turn") && text.contains("walk"), "{text}");
}

#[test]
fn ce_081_under_kind_lifecycle_the_skill_itself_is_what_can_be_mended() {
    let released = parent(Kind::Lifecycle, Objective::Place, vec![SkillCall::Release; 2]);
    let regrip = Proposal { calls: Some(vec![SkillCall::InitSupport; 2]), ..nothing(Level::Parameter) };
    assert_eq!(judge(&released, &regrip).unwrap().calls, regrip.calls);
    let again = Proposal { calls: Some(vec![SkillCall::Release; 2]), ..nothing(Level::Parameter) };
    assert_eq!(judge(&released, &again).unwrap_err().code(), "E_NOOP");
}

#[test]
fn ce_065_the_verifier_sees_the_same_rules() {
    let parent = linear();
    let mut decision = Decision { id: "c".into(), scope: Some(Level::Parameter), parent_id: "p".into(), ..parent.decision.clone() };
    assert!(follows(&parent, &decision, &[walk(0.2), walk(0.2)]).is_ok());
    assert_eq!(follows(&parent, &decision, &parent.calls).unwrap_err().code(), "E_NOOP");
    decision.objective = Objective::CentreInCorridor;
    assert_eq!(follows(&parent, &decision, &[walk(0.2), walk(0.2)]).unwrap_err().code(), "E_SCOPE");
    decision.scope = Some(Level::Strategy);
    assert!(follows(&parent, &decision, &parent.calls).is_ok(), "theta is free after a change of strategy");
}

proptest! {
    /// Whatever is proposed, an approved child is legal and differs from its parent only inside its scope.
    #[test]
    fn an_approved_child_is_legal(scope in 0usize..3, kind in 0usize..5, objective in 0usize..10, flip in any::<bool>(), a in 0.0f64..0.6, b in 0.0f64..0.6) {
        let proposal = Proposal {
            scope: Level::ALL[scope],
            kind: Kind::ALL.get(kind).copied(),
            objective: Objective::ALL.get(objective).copied(),
            mode: None,
            roles: flip.then(|| vec![Role::OuterMover, Role::InnerSupport]),
            calls: Some(vec![walk(a), walk(b)]),
        };
        for parent in [linear(), parent(Kind::Pivot, Objective::RotateAtCorner, vec![turn(10.0), arc(0.15, 10.0)])] {
            if let Ok(child) = judge(&parent, &proposal) {
                prop_assert!(catalog::check(child.kind, child.objective, child.mode, &child.roles, 2).is_ok());
                let p = &parent.decision;
                let changed = ((child.kind, child.objective) != (p.kind, p.objective), (child.mode, &child.roles) != (p.mode, &p.roles));
                match child.scope {
                    Level::Strategy => prop_assert!(changed.0 && child.calls.is_none()),
                    Level::Coordination => prop_assert!(!changed.0 && changed.1),
                    Level::Parameter => prop_assert!(!changed.0 && !changed.1 && child.calls.is_some()),
                }
            }
        }
    }
}
