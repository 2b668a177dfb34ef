//! Whole runs against the team double: every label, the budget, the ledger, the planner's route.

use super::double::{Double, Fate};
use super::{Ending, Hooks, run};
use crate::model::builtin::Builtin;
use crate::model::replay::Replay;
use crate::model::scripted::Scripted;
use crate::model::{LanguageModel, ModelError, ModelReply, ModelRequest};
use crate::progress::Silent;
use crate::report::Report;
use crate::role::context::RoleContext;
use crate::config::OrchestratorConfig;
use crate::setup::{Scenery, Setup};
use proptest::prelude::*;
use serde_json::json;
use std::path::Path;
use troupe_coordination::experience::Bank;
use troupe_coordination::terminal::Label;
use troupe_core::frames::Planar;
use troupe_core::ledger::{Ledger, Record, digest, read};
use troupe_core::task::Task;

pub(super) fn setup() -> Setup {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config");
    let file = folder.join("nodes/orchestrator.yaml");
    Setup {
        seed: 7,
        world: "l1".into(),
        task: task(),
        method: troupe_coordination::method::Method::default(),
        route: crate::setup::part(&folder.join("worlds/l1.yaml"), "route").unwrap(),
        bounds: crate::setup::part(&folder.join("nodes/g1.yaml"), "bounds").unwrap(),
        pairing: crate::setup::part(&folder.join("nodes/verifier.yaml"), "pairing").unwrap(),
        config: OrchestratorConfig::parse(&file, std::fs::read_to_string(&file)).unwrap(),
        scenery: Scenery::default(),
        bank: None,
        protocol: crate::setup::Protocol { limit_original: 80, horizon_report: 80, ..Default::default() },
        variation: Default::default(),
    }
}

fn task() -> Task {
    serde_json::from_value(json!({
        "name": "transport", "goal": "carry the bar to the stand", "endpoint": "full",
        "budget_transactions": 80, "drop_limit": 6,
        "transition": {
            "support_window_s": 0.5, "support_duty": 0.8, "payload_tilt_rad": 0.35, "payload_z_min_m": 0.45,
            "torso_tilt_rad": 0.52, "pelvis_z_m": 0.55, "wall_impulse_ns": 2.0, "formation_distance_m": 0.15,
            "formation_heading_rad": 0.26, "rest_speed_mps": 0.05, "progress_min_m": 0.02, "progress_share": 0.4,
            "corner_share": 0.3, "setup_fall": 0.2, "setup_growth": 0.1, "drop_z_m": 0.3
        },
        "placement": {"radius_m": 0.3, "vertical_m": 0.08, "tilt_rad": 0.35, "hold_s": 3.0, "release_gate_m": 0.45},
        "retreat": {"clearance_m": 0.6, "torso_tilt_rad": 0.52, "pelvis_z_m": 0.55, "hold_s": 1.0},
        "formation": {"distance_m": 0.8, "heading_offset_rad": 0.0},
        "repair": {"attempts_per_call": 3, "refusals": 8, "rejections_at_checkpoint": 6}
    }))
    .unwrap()
}

pub(super) struct Ran {
    pub ending: Ending,
    pub records: Vec<Record>,
    pub team: Double,
    pub bank: Bank,
}

pub(super) fn go(change: impl FnOnce(&mut Double)) -> Ran {
    let setup = setup();
    go_with(&setup, &mut Builtin::new(setup.config.builtin), change)
}

pub(super) fn go_with(setup: &Setup, model: &mut dyn LanguageModel, change: impl FnOnce(&mut Double)) -> Ran {
    let mut team = Double::new(setup.route.clone(), setup.bounds);
    change(&mut team);
    let mut bytes = Vec::new();
    let mut wall = 0.0;
    let mut wall_s = move || {
        wall += 0.01;
        wall
    };
    let mut bank = Bank::default();
    let hooks = Hooks { progress: &mut Silent, wall_s: &mut wall_s, stills: None, experience: &mut bank };
    let ending = run(&mut team, model, setup, &mut Ledger::new(&mut bytes), hooks).unwrap();
    let (records, verified) = read(bytes.as_slice()).unwrap();
    assert!(!verified.truncated);
    assert_eq!(records.last().map(|r| r.event.as_str()), Some("end"));
    Ran { ending, records, team, bank }
}

pub(super) fn count(records: &[Record], event: &str) -> usize {
    records.iter().filter(|r| r.event == event).count()
}

/// The rules, except where `twist` answers for them.
pub(super) struct Twisted<F> {
    pub rules: Builtin,
    pub twist: F,
}

impl<F: FnMut(&ModelRequest, &RoleContext) -> Option<String>> LanguageModel for Twisted<F> {
    fn provider(&self) -> &str {
        "scripted"
    }

    fn complete(&mut self, request: &ModelRequest) -> Result<ModelReply, ModelError> {
        let context = serde_json::from_value(request.context.clone()).unwrap();
        match (self.twist)(request, &context) {
            Some(text) => Ok(ModelReply { text, ..ModelReply::default() }),
            None => self.rules.complete(request),
        }
    }
}

#[test]
fn the_rules_walk_the_whole_route() {
    let ran = go(|_| {});
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
    assert_eq!(ran.ending.milestones.len(), 6);
    assert!(ran.ending.budget.transactions <= 30, "{:?}", ran.ending.budget);
    assert_eq!(ran.ending.budget.rejected, 0);
    assert!(ran.team.miss_m() < 0.05, "{}", ran.team.miss_m());
    let report = Report::from_records(&ran.records).unwrap();
    assert_eq!((report.outcome.as_str(), report.provider.as_str(), report.seed), ("S", "builtin", 7));
    assert_eq!(report.transactions, u64::from(ran.ending.budget.transactions));
    assert!(report.accepted_endpoint && report.sim_s > 20.0 && report.milestones.len() == 6);
    let svg = crate::report::plot::plot(&ran.records).unwrap();
    assert!(svg.starts_with("<svg") && svg.matches("<polyline").count() > 5);
    let page = crate::report::markdown::markdown(&report);
    assert!(page.contains("no language model") && page.contains("lower_to_target"));
}

#[test]
fn a_crooked_start_and_slipping_feet_are_corrected() {
    let ran = go(|team| {
        team.slip = 0.93;
        team.start_offset = [
            Planar { x: 0.1, y: 0.1, yaw: 0.05 },
            Planar { x: -0.06, y: 0.12, yaw: -0.13 },
        ];
    });
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
    assert!(ran.ending.budget.transactions <= 50, "{:?}", ran.ending.budget);
}

/// CE-052.
#[test]
fn rejections_are_restored_and_never_repeated() {
    use Fate::{Fair, Reject, Unresolved};
    let ran = go(|team| team.fates = [Reject, Reject, Fair, Unresolved, Reject, Fair].into());
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
    assert_eq!((ran.ending.budget.rejected, ran.ending.budget.unresolved), (3, 1));
    assert_eq!(count(&ran.records, "restore"), 4);
    let mut seen = ran.team.fingerprints.clone();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), ran.team.fingerprints.len());
}

#[test]
fn a_rejected_lowering_is_tried_again_from_another_place() {
    let clean = go(|_| {});
    let lower = clean.ending.budget.transactions - 3;
    let ran = go(|team| {
        team.fates = (0..lower).map(|_| Fate::Fair).chain([Fate::Reject]).collect();
    });
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
}

#[test]
fn rejections_without_end_are_a_stall() {
    let ran = go(|team| team.default_fate = Fate::Reject);
    assert_eq!(ran.ending.label, Label::G, "{}", ran.ending.reason);
}

/// CE-027, CE-067.
#[test]
fn refusals_without_end_are_a_stall_and_cost_nothing_physical() {
    let ran = go(|team| team.refuse_all = true);
    assert_eq!(ran.ending.label, Label::G);
    assert_eq!((ran.ending.budget.transactions, ran.team.dispatches), (0, 0));
    assert!(ran.ending.budget.attempts >= 8 && ran.ending.budget.model_calls > ran.ending.budget.attempts);
    assert!(ran.ending.reason.contains("E_PAIR"), "{}", ran.ending.reason);
}

#[test]
fn the_budget_ends_a_run() {
    let mut setup = setup();
    setup.task.budget_transactions = 5;
    let ran = go_with(&setup, &mut Builtin::new(setup.config.builtin), |_| {});
    assert_eq!((ran.ending.label, ran.ending.budget.transactions), (Label::B, 5));
    assert_eq!(count(&ran.records, "dispatch"), 5);
}

#[test]
fn drops_end_a_run() {
    let ran = go(|team| {
        // An accepted step between drops keeps the checkpoint's own limit out of it.
        team.fates = [Fate::Drop, Fate::Fair].into_iter().cycle().take(40).collect();
    });
    assert_eq!(ran.ending.label, Label::D, "{}", ran.ending.reason);
    assert_eq!(ran.ending.budget.drops, setup().task.drop_limit);
}

#[test]
fn two_failed_restorations_are_infrastructure() {
    let ran = go(|team| {
        team.fates = [Fate::Reject].into();
        team.restores_to_fail = 2;
    });
    assert_eq!(ran.ending.label, Label::I);
    let one = go(|team| {
        team.fates = [Fate::Reject].into();
        team.restores_to_fail = 1;
    });
    assert_eq!(one.ending.label, Label::S);
}

#[test]
fn infrastructure_failures_in_a_row_end_a_run() {
    let ran = go(|team| team.default_fate = Fate::Infra);
    assert_eq!(ran.ending.label, Label::I);
}

#[test]
fn a_stop_ends_a_run_at_once() {
    let ran = go(|team| team.stop_after_dispatches = Some(3));
    assert_eq!((ran.ending.label, ran.team.dispatches), (Label::C, 3));
    assert_eq!(ran.ending.reason, "an operator");
    let inside = go(|team| team.fates = [Fate::Fair, Fate::Stopped].into());
    assert_eq!((inside.ending.label, inside.ending.budget.unresolved), (Label::C, 1));
}

#[test]
fn a_refused_goal_is_charged_only_when_somebody_moved() {
    let ran = go(|team| team.fates = [Fate::GoalRefused].into());
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
    let charged = ran.records.iter().filter(|r| r.event == "transaction" && r.data["charged"] == json!(true)).count();
    assert_eq!(charged as u32, ran.ending.budget.transactions);
    assert_eq!(count(&ran.records, "dispatch"), charged + 1);
    let twice = go(|team| team.fates = [Fate::GoalRefused, Fate::GoalRefused].into());
    assert_eq!(twice.ending.label, Label::I);
}

#[test]
fn runs_repeat_and_replay_to_the_byte() {
    let (a, b) = (go(|_| {}), go(|_| {}));
    assert_eq!(digest(&a.records).unwrap(), digest(&b.records).unwrap());
    let setup = setup();
    let replayed = go_with(&setup, &mut Replay::new(&a.records), |_| {});
    assert_eq!(replayed.ending.label, Label::S, "{}", replayed.ending.reason);
    let other = go_with(&setup, &mut Replay::new(&a.records), |team| team.slip = 0.9);
    assert_eq!(other.ending.label, Label::G);
    assert!(other.ending.reason.contains("another prompt"), "{}", other.ending.reason);
}

#[test]
fn an_exhausted_script_and_a_silent_model_are_stalls() {
    let setup = setup();
    let empty = go_with(&setup, &mut Scripted::new([]), |_| {});
    assert_eq!((empty.ending.label, empty.ending.budget.model_calls), (Label::G, 1));
    let errors = std::iter::repeat_n(Err(ModelError::Timeout { limit_ms: 5 }), 9);
    let silent = go_with(&setup, &mut Scripted::with_errors(errors), |_| {});
    assert_eq!((silent.ending.label, silent.ending.budget.model_calls), (Label::G, 3));
    assert!(silent.ending.reason.contains("5 ms"), "{}", silent.ending.reason);
}

/// CE-R1.
#[test]
fn a_planner_cannot_mark_done() {
    let setup = setup();
    let plan = |status: &str, next: &str| {
        let ids: Vec<&str> = setup.route.segments.iter().map(|s| s.id.as_str()).chain(["place"]).collect();
        let phases: Vec<_> = ids
            .iter()
            .enumerate()
            .map(|(i, id)| json!({"phase_id": id, "status": ([status, next].get(i).copied().unwrap_or("pending"))}))
            .collect();
        json!({ "phases": phases }).to_string()
    };
    let answers = [plan("done", "active"), plan("active", "pending")];
    let ran = go_with(&setup, &mut Scripted::new(answers), |_| {});
    let refusal = ran.records.iter().find(|r| r.event == "refusal").unwrap();
    assert!(refusal.data["reason"].as_str().unwrap().contains("only evidence"));
    assert_eq!(count(&ran.records, "plan"), 1);
}

#[test]
fn a_server_that_repeats_the_key_does_not_get_it_into_the_ledger() {
    use crate::model::test_server::{KEY, PROVIDERS, client, good, said, serve};
    for provider in PROVIDERS {
        let (url, _seen) = serve(move |n, _| {
            if n == 0 {
                return said(401, json!({"error": {"message": format!("no such key: {KEY}")}}).to_string());
            }
            let body = good(provider, &json!({"phases": [], "key": KEY}));
            said(200, String::from_utf8(body).unwrap().replace("tiny-1", KEY))
        });
        let setup = setup();
        let ran = go_with(&setup, &mut client(provider, &url), |_| {});
        let budget = &ran.ending.budget;
        assert_eq!((ran.ending.label, budget.model_calls), (Label::G, 9));
        assert_eq!((budget.tokens_in, budget.tokens_out, budget.tokens_cached), (88, 56, 32), "{provider}");
        let text = serde_json::to_string(&ran.records).unwrap();
        assert!(text.contains("[key]") && text.contains("no such key") && !text.contains(KEY));
        let tries: Vec<_> = ran.records.iter().filter(|r| r.event == "model_call").map(|r| r.data["tries"].as_u64()).collect();
        assert_eq!(tries, [Some(1); 9]);
    }
}

/// Answers at random, always inside the schema.
struct RandomModel(u64);

impl RandomModel {
    fn draw(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.draw(all.len())]
    }
}

impl LanguageModel for RandomModel {
    fn provider(&self) -> &str {
        "scripted"
    }

    fn complete(&mut self, request: &ModelRequest) -> Result<ModelReply, ModelError> {
        use troupe_coordination::catalog::entry;
        use troupe_core::decision::{Kind, Objective};
        let text = match request.role {
            crate::model::RoleId::Planner => {
                let phases = request.context["plan"].as_array().unwrap().iter();
                let phases: Vec<_> = phases.map(|p| json!({"phase_id": p["id"], "status": p["status"]})).collect();
                json!({ "phases": phases })
            }
            crate::model::RoleId::Orchestrator => {
                let kind = self.pick(Kind::ALL);
                let objective = if kind == Kind::Lifecycle { Objective::Place } else { self.pick(&Objective::ALL[..8]) };
                let support = self.draw(2);
                json!({"kind": kind, "objective": objective, "mode": entry(kind).mode, "roles": entry(kind).roles(2, support),
                       "formation": request.context["formation"], "evidence_required": []})
            }
            crate::model::RoleId::Coder => {
                let calls = [
                    "walk(distance_m=0.2, direction=\"forward\", speed_mps=0.25)",
                    "walk(distance_m=0.9, direction=\"left\", speed_mps=0.25)",
                    "turn(yaw_rad=0.2, speed_rps=0.25)",
                    "arc(distance_m=0.16, yaw_rad=0.2, speed_mps=0.2)",
                    "hold(duration_s=1.0)",
                    "release()",
                    "import os",
                ];
                let (a, b) = (self.pick(&calls), self.pick(&calls));
                json!({"policies": [{"robot": "g1_0", "source": format!("{a}\nstop()")},
                                    {"robot": "g1_1", "source": format!("{b}\nstop()")}]})
            }
            crate::model::RoleId::Evaluator => {
                json!({"scene": "All is well.", "failure_type": "tilt", "proceed": self.draw(4) > 0})
            }
            crate::model::RoleId::Reviser => match self.draw(3) {
                0 => json!({"scope": "strategy", "kind": self.pick(Kind::ALL), "objective": self.pick(Objective::ALL), "reason": ""}),
                1 => json!({"scope": "coordination", "roles": ["outer_mover", "inner_support"], "reason": ""}),
                _ => {
                    let walk = json!({"skill": "walk", "direction": "forward", "arguments":
                        [{"name": "distance_m", "value": 0.1}, {"name": "speed_mps", "value": 0.25}]});
                    json!({"scope": "parameter", "calls": [walk, walk], "reason": "shorter"})
                }
            },
            crate::model::RoleId::Writer => {
                let claim = json!({"kind": self.pick(Kind::ALL), "objective": self.pick(Objective::ALL), "mode": "sync",
                    "polarity": "positive", "effect": "progress", "applicability": "always", "principle": "go on",
                    "failure_pattern": "none", "repair": "none"});
                json!({ "claims": [claim] })
            }
        };
        Ok(ModelReply { text: text.to_string(), ..ModelReply::default() })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Any model and any team give exactly one label, a ledger that verifies and a budget that adds up.
    #[test]
    fn random_models_end_with_one_label_and_right_accounts(seed in any::<u64>(), fates in prop::collection::vec(0usize..4, 0..40)) {
        let setup = setup();
        let ran = go_with(&setup, &mut RandomModel(seed), |team| {
            let all = [Fate::Fair, Fate::Reject, Fate::Drop, Fate::Unresolved];
            team.fates = fates.iter().map(|i| all[*i]).collect();
        });
        let budget = &ran.ending.budget;
        prop_assert_eq!(budget.transactions, budget.accepted + budget.rejected + budget.unresolved);
        prop_assert_eq!(budget.transactions as usize, count(&ran.records, "dispatch"));
        prop_assert_eq!(budget.model_calls as usize, count(&ran.records, "model_call"));
        prop_assert_eq!(budget.accepted as usize + 1, count(&ran.records, "checkpoint"));
        let report = Report::from_records(&ran.records).unwrap();
        prop_assert_eq!(report.transactions, u64::from(budget.transactions));
        prop_assert_eq!(report.drops, u64::from(budget.drops));
        let facts = crate::report::facts::facts(&ran.records).unwrap();
        prop_assert_eq!(facts.label, Some(ran.ending.label));
        prop_assert_eq!((facts.charged, facts.accepted, facts.unresolved), (budget.transactions, budget.accepted, budget.unresolved));
        prop_assert_eq!((facts.drops, facts.model_calls), (budget.drops, budget.model_calls));
        prop_assert_eq!(facts.retained as usize, ran.ending.milestones.len());
        prop_assert!(facts.certified_at.len() >= facts.retained as usize && facts.endpoint.is_some());
    }
}

mod beyond;
mod refused;
mod requested;
/// Asks the rule-based provider and holds its answers against the schemas that servers are given.
struct Narrow(Builtin);

impl LanguageModel for Narrow {
    fn provider(&self) -> &str {
        "scripted"
    }

    fn complete(&mut self, request: &ModelRequest) -> Result<ModelReply, ModelError> {
        let reply = self.0.complete(request)?;
        let by_kind = crate::role::narrow::by_kind(request);
        let answer: serde_json::Value = serde_json::from_str(&reply.text).unwrap();
        assert!(jsonschema::is_valid(&request.schema, &answer), "{answer} against {}", request.schema);
        assert!(jsonschema::is_valid(&by_kind, &answer), "{answer} against {by_kind}");
        if request.role == crate::model::RoleId::Orchestrator {
            let mut other = answer.clone();
            other["mode"] = if answer["mode"] == "sync" { json!("asym") } else { json!("sync") };
            assert!(jsonschema::is_valid(&request.schema, &other) && !jsonschema::is_valid(&by_kind, &other));
        }
        Ok(reply)
    }
}

#[test]
fn every_answer_of_a_whole_mission_fits_the_narrow_schemas() {
    let setup = setup();
    let ran = go_with(&setup, &mut Narrow(Builtin::new(setup.config.builtin)), |_| {});
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
}
