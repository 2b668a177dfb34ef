//! Three traps that the paper's runs fell into: a near-duplicate repair, a stale decision, and a run that is
//! accepted for ever and gets nowhere (CE-082, CE-054, CE-141). The loop gets out of each.

use super::double::Fate;
use super::tests::{Ran, Twisted, go, go_with, setup};
use crate::model::builtin::{Builtin, source};
use crate::model::{ModelRequest, RoleId};
use crate::role::answers::CallProposal;
use crate::role::context::RoleContext;
use crate::setup::Setup;
use serde_json::{Value, json};
use troupe_coordination::method::Revision;
use troupe_coordination::terminal::Label;
use troupe_core::evidence::FailureType;
use troupe_core::relation::{Argument, Comparison, Relation};
use troupe_core::skill::{Direction, SkillCall};

fn turns(degrees: [f64; 2]) -> [SkillCall; 2] {
    degrees.map(|d| SkillCall::Turn { yaw_rad: d.to_radians(), speed_rps: 0.25 })
}

fn code(context: &RoleContext, calls: [SkillCall; 2]) -> String {
    let robots = context.observation.robots.iter().zip(calls);
    let policies: Vec<Value> = robots.map(|(r, call)| json!({"robot": r.robot, "source": source(&call)})).collect();
    json!({ "policies": policies }).to_string()
}

fn decision(context: &RoleContext, kind: &str, objective: &str, mode: &str, roles: [&str; 2]) -> String {
    let formation = context.formation;
    json!({"kind": kind, "objective": objective, "mode": mode, "roles": roles, "formation": formation, "evidence_required": []})
        .to_string()
}

fn data<'a>(ran: &'a Ran, event: &'a str) -> impl Iterator<Item = &'a Value> {
    ran.records.iter().filter(move |r| r.event == event).map(|r| &r.data)
}

/// Words of every refusal of a role's answer and before dispatch.
fn refusals(ran: &Ran) -> Vec<String> {
    data(ran, "refusal").map(|d| format!("{} {}", d["reason"].as_str().unwrap_or_default(), d["findings"])).collect()
}

/// Both robots turn by 2.5 degrees and drift; then the same correction comes back as 2.0 degrees for both.
fn near_duplicate(setup: &Setup) -> Ran {
    let mut coded = 0;
    let twist = |request: &ModelRequest, context: &RoleContext| match request.role {
        RoleId::Orchestrator if coded < 2 && context.child.is_none() => {
            Some(decision(context, "coordinated_alignment", "equalise_formation", "asym", ["reference", "corrector"]))
        }
        RoleId::Coder if context.child.is_none() && coded < 2 => {
            coded += 1;
            Some(code(context, turns(if coded == 1 { [2.5, 2.5] } else { [2.0, 2.0] })))
        }
        RoleId::Reviser if coded == 1 => {
            // Once the near-duplicate is refused, by other amounts for each.
            let calls = turns(if request.attempt == 1 { [2.0, 2.0] } else { [2.5, 1.0] });
            let calls: Vec<CallProposal> = calls.iter().map(CallProposal::of).collect();
            coded = if request.attempt == 1 { 1 } else { 2 };
            Some(json!({"scope": "parameter", "calls": calls, "reason": "a smaller correction"}).to_string())
        }
        _ => None,
    };
    go_with(setup, &mut Twisted { rules: Builtin::new(setup.config.builtin), twist }, |team| {
        team.fates = [Fate::Reject].into();
        let different = Relation { argument: Argument::YawRad, comparison: Comparison::Different };
        team.blame = Some((FailureType::UnequalDisplacement, vec![different]));
    })
}

/// Whether both robots turned by 2.0 degrees.
fn both_by_two(dispatch: &&Value) -> bool {
    let yaw = |i: usize| dispatch["goals"][i]["call"]["yaw_rad"].as_f64().unwrap_or_default();
    [yaw(0), yaw(1)].iter().all(|y| (y - 2.0_f64.to_radians()).abs() < 1e-3)
}

#[test]
fn ce_082_a_near_duplicate_is_refused_and_another_revision_gets_out() {
    let ran = near_duplicate(&setup());
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
    assert!(refusals(&ran).iter().any(|r| r.contains("E_RELATION") && r.contains("yaw_rad different")), "{:?}", refusals(&ran));
    let child = data(&ran, "revision").next().unwrap()["child"].clone();
    assert_eq!(child["relations"], json!([{"argument": "yaw_rad", "comparison": "different"}]));
    assert_ne!(child["calls"][0], child["calls"][1]);
    assert!(!data(&ran, "dispatch").any(|d| both_by_two(&d)), "the near-duplicate never moves a robot");
    assert_eq!(ran.ending.budget.rejected, 1);
}

/// Without typed revision the same repair is executed.
#[test]
fn ce_082_without_typed_revision_the_near_duplicate_is_dispatched() {
    let mut setup = setup();
    setup.method.revision = Revision::Flat;
    let ran = near_duplicate(&setup);
    assert!(data(&ran, "dispatch").any(|d| both_by_two(&d)));
}

/// A model gives its decision of a retired checkpoint again, with that checkpoint's id. After a rejection it is
/// not even asked: the host writes what the approved child fixes, bound to the checkpoint in force.
#[test]
fn ce_054_a_repeated_decision_of_a_retired_checkpoint_is_refused_and_the_run_goes_on() {
    let clean = go(|_| {});
    let pivot = data(&clean, "transaction").position(|d| d["kind"] == "coordinated_pivot").unwrap();
    let setup = setup();
    let mut first = None;
    let mut repeated = 0;
    let twist = |request: &ModelRequest, context: &RoleContext| {
        if request.role == RoleId::Coder && first.is_none() {
            first.clone_from(&context.decision);
        }
        assert!(request.role != RoleId::Orchestrator || context.child.is_none());
        let corner = context.observation.segment_kind == troupe_core::route::SegmentKind::Corner;
        let stale = request.role == RoleId::Orchestrator && corner && repeated < 2;
        let old = first.as_ref().filter(|_| stale)?;
        repeated += 1;
        Some(serde_json::to_string(old).unwrap())
    };
    let ran = go_with(&setup, &mut Twisted { rules: Builtin::new(setup.config.builtin), twist }, |team| {
        team.fates = (0..pivot).map(|_| Fate::Fair).chain([Fate::Reject]).collect();
    });
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
    let refusals = refusals(&ran);
    assert!(refusals.iter().any(|r| r.contains("E_SCHEMA") && r.contains("checkpoint_id")), "{refusals:?}");
    assert!(data(&ran, "decision").any(|d| d["decision"]["scope"] == json!("parameter")), "a child was carried out");
    for d in data(&ran, "transaction").filter(|d| d["charged"] == json!(true)) {
        let before = data(&ran, "decision").find(|e| e["decision"]["id"] == d["decision_id"]).unwrap();
        assert_eq!(before["decision"]["checkpoint_id"], d["checkpoint_id"]);
    }
}

/// The same one level below: what reaches the verifier is bound to a checkpoint that is no longer in force.
#[test]
fn ce_054_the_verifier_refuses_another_checkpoints_decision() {
    let ran = go(|team| team.repeated_decisions = 2);
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
    let stale = refusals(&ran).into_iter().filter(|r| r.contains("E_CONTEXT")).count();
    assert_eq!((stale, ran.ending.budget.rejected), (2, 0));
}

/// From the fourth milestone on a model only tidies up, a small step to one side and back.
fn tidy_for_ever(setup_quota: u32) -> Ran {
    let mut setup = setup();
    setup.method.setup_quota = setup_quota;
    let mut left = false;
    let twist = |request: &ModelRequest, context: &RoleContext| {
        let done = context.plan.iter().filter(|p| p.status == troupe_coordination::plan::Status::Done).count();
        let carrying = context.stage == troupe_coordination::phase::Stage::Carrying;
        let tidies = context.decision.as_ref().is_some_and(|d| d.objective.name() == "centre_in_corridor");
        match request.role {
            RoleId::Orchestrator if done == 4 && carrying && request.attempt == 1 => {
                Some(decision(context, "coordinated_linear_transport", "centre_in_corridor", "sync", ["peer", "peer"]))
            }
            RoleId::Coder if done == 4 && tidies => {
                left = !left;
                let direction = if left { Direction::Left } else { Direction::Right };
                Some(code(context, [SkillCall::Walk { distance_m: 0.06, direction, speed_mps: 0.2 }; 2]))
            }
            _ => None,
        }
    };
    go_with(&setup, &mut Twisted { rules: Builtin::new(setup.config.builtin), twist }, |_| {})
}

#[test]
fn ce_141_accepted_set_ups_without_a_milestone_force_another_strategy() {
    let stuck = tidy_for_ever(0);
    assert_eq!((stuck.ending.label, stuck.ending.milestones.len()), (Label::B, 4), "{}", stuck.ending.reason);
    assert_eq!(stuck.ending.budget.rejected, 0, "each of them was accepted");
    let ran = tidy_for_ever(5);
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
    assert!(refusals(&ran).iter().any(|r| r.contains("E_SCOPE") && r.contains("set-ups are spent")), "{:?}", refusals(&ran));
    assert!(ran.ending.budget.transactions < stuck.ending.budget.transactions);
}
