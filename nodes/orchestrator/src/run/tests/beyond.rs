//! Recovery by motion, candidates and the set-up quota in the loop.

use super::*;
use crate::role::answers::CodeProposal;
use crate::role::context::RoleContext;
use troupe_coordination::method::{Recovery, Selection};
use troupe_coordination::predicate;
use troupe_core::decision::PolicyCode;

fn recovering() -> Setup {
    let mut setup = setup();
    setup.method.recovery = Recovery::Executable;
    setup
}

fn recoveries(ran: &Ran) -> Vec<&serde_json::Value> {
    ran.records.iter().filter(|r| r.event == "recovery").map(|r| &r.data).collect()
}

/// CE-150.
#[test]
fn a_team_that_stands_well_goes_on_from_there() {
    let setup = recovering();
    let ran = go_with(&setup, &mut Builtin::new(setup.config.builtin), |team| team.fates = [Fate::Fair, Fate::Reject].into());
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
    assert_eq!((count(&ran.records, "restore"), count(&ran.records, "recovery")), (0, 1));
    let data = recoveries(&ran)[0];
    assert_eq!((&data["kinds"], &data["ok"]), (&json!(["hold"]), &json!(true)));
    assert_ne!(data["checkpoint_id"], data["next_checkpoint_id"]);
    // Not charged: one transaction more than the clean run at the most.
    assert!(ran.ending.budget.rejected == 1);
}

#[test]
fn the_failed_predicates_choose_the_way_and_an_operator_is_counted() {
    let setup = recovering();
    let ran = go_with(&setup, &mut Builtin::new(setup.config.builtin), |team| {
        team.fates = [Fate::Reject].into();
        team.untrusted = [predicate::FORMATION_HEADING, predicate::DROP].into();
    });
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
    let data = recoveries(&ran)[0];
    assert_eq!(data["kinds"], json!(["hold", "back_off", "relay"]));
    assert_eq!((data["operator_interventions"].as_u64(), ran.team.hoists), (Some(1), 1));
    assert!(data["steps"].as_array().is_some_and(|s| s.len() >= 5));
    let end = ran.records.last().unwrap();
    assert_eq!((end.data["recoveries"].as_u64(), end.data["operator_interventions"].as_u64()), (Some(1), Some(1)));
}

#[test]
fn a_fallen_robot_ends_the_run() {
    let setup = recovering();
    let ran = go_with(&setup, &mut Builtin::new(setup.config.builtin), |team| {
        team.fates = [Fate::Reject].into();
        team.untrusted = [predicate::PELVIS_Z; 8].into();
    });
    assert_eq!(ran.ending.label, Label::I, "{}", ran.ending.reason);
    assert!(ran.ending.reason.contains("pelvis_z"), "{}", ran.ending.reason);
}

#[test]
fn arms_that_were_raised_carry_whatever_follows() {
    let setup = recovering();
    let clean = go_with(&setup, &mut Builtin::new(setup.config.builtin), |_| {});
    let release = clean.ending.budget.transactions - 2;
    let ran = go_with(&setup, &mut Builtin::new(setup.config.builtin), |team| {
        team.fates = (0..release).map(|_| Fate::Fair).chain([Fate::Reject]).collect();
        team.untrusted = [predicate::FORMATION_HEADING].into();
    });
    assert_eq!(recoveries(&ran)[0]["kinds"], json!(["regrip", "home"]), "{}", ran.ending.reason);
    assert_eq!(ran.team.confirmed.last().map(|k| k.name()), Some("regrip"));
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
}

/// The rules, with steps that are shorter at the coder's first attempt.
struct Timid(Builtin);

impl LanguageModel for Timid {
    fn provider(&self) -> &str {
        "scripted"
    }

    fn complete(&mut self, request: &crate::model::ModelRequest) -> Result<crate::model::ModelReply, crate::model::ModelError> {
        let mut reply = self.0.complete(request)?;
        let code: Result<CodeProposal, _> = serde_json::from_str(&reply.text);
        if let (true, Ok(mut code)) = (request.role == crate::model::RoleId::Coder && request.attempt == 1, code) {
            let context: RoleContext = serde_json::from_value(request.context.clone()).unwrap();
            if code.policies.iter().all(|p| p.source.contains("\"forward\"")) {
                let short = "walk(distance_m=0.0500, direction=\"forward\", speed_mps=0.2500)\nstop()\n";
                let robots = context.observation.robots.iter();
                code.policies = robots.map(|r| PolicyCode { robot: r.robot.clone(), source: short.into() }).collect();
                reply.text = serde_json::to_string(&code).unwrap();
            }
        }
        Ok(reply)
    }
}

/// CE-155.
#[test]
fn the_candidate_that_a_copy_of_the_world_favours_is_dispatched() {
    let mut setup = setup();
    let alone = go_with(&setup, &mut Timid(Builtin::new(setup.config.builtin)), |_| {});
    setup.method.candidates = 2;
    setup.method.selection = Selection::Forecast;
    let ran = go_with(&setup, &mut Timid(Builtin::new(setup.config.builtin)), |_| {});
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
    assert!(ran.ending.budget.transactions < alone.ending.budget.transactions);
    let forecasts: Vec<_> = ran.records.iter().filter(|r| r.event == "forecast").collect();
    assert!(forecasts.iter().any(|r| r.data["chosen"] == json!(1)));
}
