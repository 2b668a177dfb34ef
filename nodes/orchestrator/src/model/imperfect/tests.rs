//! Each error can be made and is caught where it should be; at rates of zero nothing differs from `builtin`.

use super::{ErrorKind, ErrorLevel, Imperfect};
use crate::config::{BuiltinConfig, OrchestratorConfig};
use crate::model::builtin::Builtin;
use crate::model::{LanguageModel, ModelRequest, RoleId};
use crate::role::answers::{CodeProposal, DecisionProposal, EvaluationProposal, ExperienceProposal, PlanProposal, RevisionProposal};
use crate::role::ask::{checked, schema_of};
use crate::role::context::{RejectedTry, RoleContext};
use crate::role::prompt;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use troupe_coordination::catalog;
use troupe_coordination::experience::{Exemplar, PhaseClass, Polarity, StrategyRecord};
use troupe_coordination::pairing::PairLimits;
use troupe_coordination::revision::{Parent, Rules, approve};
use troupe_core::decision::{Decision, Kind, Mode, Objective, Role};
use troupe_core::evidence::{FailureType, Level};
use troupe_core::relation::{Argument, Comparison, Relation};
use troupe_core::skill::{Direction, SkillBounds, SkillCall};

const PAIRING: PairLimits = PairLimits { distance_m: 0.02, yaw_rad: 0.0175 };

fn builtin() -> BuiltinConfig {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/nodes/orchestrator.yaml");
    OrchestratorConfig::parse(&file, std::fs::read_to_string(&file)).unwrap().builtin
}

fn bounds() -> SkillBounds {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config");
    crate::setup::part(&folder.join("nodes/g1.yaml"), "bounds").unwrap()
}

/// Both robots on a segment along +x from the origin, `x_m` along it.
fn context(x_m: f64, segment: &str) -> RoleContext {
    let robot = |name: &str, y_m: f64| {
        json!({ "robot": name, "x_m": x_m, "y_m": y_m, "yaw_rad": 0.0, "torso_tilt_rad": 0.0, "supports_payload": true })
    };
    let gate = json!({ "position": [1.5, 0.0], "heading_rad": 0.0, "width_m": 1.0, "heading_tolerance_rad": 0.26 });
    let pose = json!({ "x": x_m, "y": 0.0, "yaw": 0.0 });
    serde_json::from_value(json!({
        "goal": "carry the bar",
        "observation": {
            "tick": 1, "context_epoch": 1, "robots": [robot("g1_0", 0.4), robot("g1_1", -0.4)],
            "team": pose, "payload": pose, "payload_z_m": 0.9, "payload_tilt_rad": 0.0,
            "formation_distance_m": 0.8, "formation_heading_rad": 0.0, "segment_kind": segment,
            "segment": {
                "segment_id": "s", "direction": [1.0, 0.0], "local_target": [1.6, 0.0],
                "left_boundary": [], "right_boundary": [], "gate": gate
            },
            "along_m": x_m, "remaining_m": 1.6 - x_m, "across_m": 0.0, "heading_error_rad": 0.0
        },
        "target": { "position": [1.6, 0.0, 0.86], "heading_rad": 0.0, "radius_m": 0.3 },
        "plan": [], "phase_id": "s", "stage": "carrying",
        "formation": { "distance_m": 0.8, "heading_offset_rad": 0.0 },
        "bounds": bounds(), "predicates": [], "decision": null, "rejected": [], "findings": []
    }))
    .unwrap()
}

fn walk(distance_m: f64) -> SkillCall {
    SkillCall::Walk { distance_m, direction: Direction::Forward, speed_mps: 0.25 }
}

fn turn(yaw_rad: f64) -> SkillCall {
    SkillCall::Turn { yaw_rad, speed_rps: 0.25 }
}

fn decision(kind: Kind, objective: Objective, mode: Mode, roles: [Role; 2]) -> Decision {
    serde_json::from_value(json!({
        "id": "d", "checkpoint_id": "c", "context_epoch": 1, "phase_id": "s", "kind": kind, "objective": objective,
        "mode": mode, "roles": roles, "formation": { "distance_m": 0.8, "heading_offset_rad": 0.0 },
        "evidence_required": [], "parent_id": ""
    }))
    .unwrap()
}

fn advance() -> Decision {
    decision(Kind::LinearTransport, Objective::AdvanceSegment, Mode::Sync, [Role::Peer; 2])
}

fn rejected(d: &Decision, calls: &[SkillCall], failure: FailureType) -> RejectedTry {
    RejectedTry {
        kind: d.kind,
        objective: d.objective,
        calls: calls.to_vec(),
        failure_type: Some(failure),
        failure_level: Some(Level::Parameter),
        failed: vec![],
        reasons: vec!["not accepted".into()],
    }
}

/// On a straight, with a decision to advance.
fn coding() -> RoleContext {
    RoleContext { decision: Some(advance()), ..context(0.0, "straight") }
}

/// A step of the decision was rejected and is to be revised.
fn revising(d: Decision, calls: &[SkillCall], relations: Vec<Relation>, failure: FailureType) -> RoleContext {
    RoleContext {
        rejected: vec![rejected(&d, calls, failure)],
        parent: Some(Parent { decision: d, calls: calls.to_vec(), relations }),
        ..context(0.0, "straight")
    }
}

fn request(role: RoleId, context: &RoleContext, refusals: &[&str], seed: u64) -> ModelRequest {
    let refusals: Vec<String> = refusals.iter().map(|r| (*r).to_owned()).collect();
    ModelRequest {
        role,
        system: prompt::system(role).to_owned(),
        prompt: prompt::prompt(role, context, &refusals),
        context: serde_json::to_value(context).unwrap(),
        schema: Value::Null,
        attempt: 1,
        seed,
        temperature: 0.0,
        timeout_s: 1.0,
        max_tokens: 512,
        images: vec![],
    }
}

fn level(slips: &[(ErrorKind, f64)], misconceptions: &[(ErrorKind, f64)]) -> ErrorLevel {
    let rate = |of: &[(ErrorKind, f64)], kind: ErrorKind| of.iter().find(|(k, _)| *k == kind).map_or(0.0, |(_, r)| *r);
    let table = |of: &[(ErrorKind, f64)], kinds: &[ErrorKind]| -> Value {
        kinds.iter().map(|k| (k.name().to_owned(), json!(rate(of, *k)))).collect::<serde_json::Map<_, _>>().into()
    };
    serde_json::from_value(json!({
        "name": "test", "scale": 1.0, "heed": 1.0, "slips": table(slips, ErrorKind::ALL),
        "misconceptions": table(misconceptions, &ErrorKind::ALL[..6])
    }))
    .unwrap()
}

fn slipping(kind: ErrorKind) -> Imperfect {
    Imperfect::new(builtin(), level(&[(kind, 1.0)], &[]))
}

fn believing(kind: ErrorKind) -> Imperfect {
    Imperfect::new(builtin(), level(&[], &[(kind, 1.0)]))
}

fn text(model: &mut dyn LanguageModel, role: RoleId, context: &RoleContext) -> String {
    model.complete(&request(role, context, &[], 1)).unwrap().text
}

fn rules(role: RoleId, context: &RoleContext) -> String {
    text(&mut Builtin::new(builtin()), role, context)
}

fn calls(text: &str) -> Vec<SkillCall> {
    let code: CodeProposal = checked(&schema_of::<CodeProposal>(), text).unwrap();
    code.policies.iter().map(|p| parsed(&p.source)).collect()
}

/// The call of a policy as `builtin` writes them.
fn parsed(source: &str) -> SkillCall {
    let (call, rest) = source.split_once('\n').unwrap();
    assert_eq!(rest, "stop()\n");
    let (name, arguments) = call.trim_end_matches(')').split_once('(').unwrap();
    let parts: Vec<(&str, &str)> = arguments.split(", ").filter_map(|a| a.split_once('=')).collect();
    let direction = parts.iter().find(|(n, _)| *n == "direction").map_or("", |(_, v)| v.trim_matches('"'));
    let numbers: Vec<(String, f64)> =
        parts.iter().filter(|(n, _)| *n != "direction").map(|(n, v)| ((*n).to_owned(), v.parse().unwrap())).collect();
    SkillCall::from_parts(name, direction, &numbers).unwrap()
}

fn revision(text: &str) -> RevisionProposal {
    checked(&schema_of::<RevisionProposal>(), text).unwrap()
}

/// What the host makes of a revision: the code of its refusal, or the approved scope.
fn judged(context: &RoleContext, text: &str) -> Result<Level, &'static str> {
    let rules = Rules { bounds: &context.bounds, pairing: &PAIRING, support: 0 };
    let host = revision(text).host().unwrap();
    approve(context.parent.as_ref().unwrap(), &host, "c", &rules).map(|c| c.scope).map_err(|e| e.code())
}

fn everywhere() -> Vec<RoleContext> {
    let corner = context(0.2, "corner");
    let placing = RoleContext { phase_id: "place".into(), ..context(1.6, "approach") };
    let revised = revising(advance(), &[walk(0.4); 2], vec![], FailureType::Tilt);
    vec![context(0.0, "straight"), corner, placing, coding(), revised]
}

#[test]
fn at_rates_of_zero_every_answer_is_builtins_byte_for_byte() {
    let mut model = Imperfect::new(builtin(), level(&[], &[]));
    for role in RoleId::ALL {
        for context in everywhere() {
            assert_eq!(text(&mut model, role, &context), rules(role, &context), "{role:?}");
        }
    }
}

#[test]
fn the_same_seed_errs_the_same_and_another_one_otherwise() {
    let severe = || ErrorLevel::named(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config"), "severe").unwrap();
    let answers = |seed: u64| -> Vec<String> {
        let mut model = Imperfect::new(builtin(), severe());
        let ask = |(role, context): (RoleId, RoleContext)| model.complete(&request(role, &context, &[], seed)).unwrap().text;
        let all = RoleId::ALL.into_iter().flat_map(|role| everywhere().into_iter().map(move |c| (role, c)));
        all.map(ask).collect()
    };
    assert_eq!(answers(3), answers(3));
    assert!((4..9).any(|seed| answers(seed) != answers(3)));
    let reply = Imperfect::new(builtin(), severe()).complete(&request(RoleId::Planner, &context(0.0, "straight"), &[], 1));
    assert_eq!(reply.unwrap().model, "imperfect-severe");
}

#[test]
fn wrong_scopes_are_refused_or_change_the_strategy() {
    let context = revising(advance(), &[walk(0.4); 2], vec![], FailureType::Tilt);
    let mut seen = std::collections::BTreeSet::new();
    let mut model = slipping(ErrorKind::WrongScope);
    for _ in 0..30 {
        seen.insert(format!("{:?}", judged(&context, &text(&mut model, RoleId::Reviser, &context))));
    }
    assert!(seen.contains("Err(\"E_SCOPE\")") && seen.contains("Ok(Strategy)") && !seen.contains("Ok(Parameter)"), "{seen:?}");
    // Without typed revision the decision itself changes; before any failure there is no scope.
    let flat = RoleContext { parent: None, ..context.clone() };
    let p: DecisionProposal = serde_json::from_str(&text(&mut model, RoleId::Orchestrator, &flat)).unwrap();
    assert_ne!(p.kind, Kind::LinearTransport);
    catalog::check(p.kind, p.objective, p.mode, &p.roles, 2).unwrap();
    let first = RoleContext { rejected: vec![], ..flat };
    assert_eq!(text(&mut model, RoleId::Orchestrator, &first), rules(RoleId::Orchestrator, &first));
}

#[test]
fn near_duplicates_are_refused_or_change_nothing_that_matters() {
    let context = revising(advance(), &[walk(0.4); 2], vec![], FailureType::Tilt);
    let mut model = slipping(ErrorKind::NearDuplicate);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..30 {
        let text = text(&mut model, RoleId::Reviser, &context);
        let again = revision(&text).host().unwrap().calls.unwrap();
        let near = |c: &SkillCall| matches!(c, SkillCall::Walk { distance_m, .. } if (0.38..=0.4).contains(distance_m));
        assert!(again.iter().all(near), "{again:?}");
        seen.insert(judged(&context, &text));
    }
    assert!(seen.contains(&Err("E_NOOP")) && seen.contains(&Ok(Level::Parameter)), "{seen:?}");
    let coding = RoleContext { rejected: context.rejected.clone(), ..coding() };
    let again = calls(&text(&mut model, RoleId::Coder, &coding));
    assert!(again.iter().all(|c| matches!(c, SkillCall::Walk { distance_m, .. } if *distance_m > 0.375)), "{again:?}");
}

#[test]
fn equal_amounts_are_refused_where_different_ones_are_demanded() {
    let relations = vec![Relation { argument: Argument::YawRad, comparison: Comparison::Different }];
    let d = decision(Kind::Alignment, Objective::EqualiseFormation, Mode::Asym, [Role::Reference, Role::Corrector]);
    let context = revising(d.clone(), &[turn(0.04); 2], relations, FailureType::UnequalDisplacement);
    assert_eq!(judged(&context, &text(&mut slipping(ErrorKind::EqualAmounts), RoleId::Reviser, &context)), Err("E_RELATION"));
    // The coder turns the reference too.
    let mut askew = RoleContext { decision: Some(d), ..self::context(0.0, "straight") };
    askew.observation.robots[1].yaw_rad = 0.2;
    let turned = calls(&text(&mut slipping(ErrorKind::EqualAmounts), RoleId::Coder, &askew));
    assert!(matches!(turned[..], [SkillCall::Turn { yaw_rad: a, .. }, SkillCall::Turn { yaw_rad: b, .. }] if a == b), "{turned:?}");
}

#[test]
fn illegal_roles_are_no_entry_of_the_catalog() {
    let mut model = slipping(ErrorKind::IllegalRoles);
    for context in everywhere() {
        for _ in 0..6 {
            let p: DecisionProposal = serde_json::from_str(&text(&mut model, RoleId::Orchestrator, &context)).unwrap();
            assert!(catalog::check(p.kind, p.objective, p.mode, &p.roles, 2).is_err(), "{p:?}");
        }
    }
}

#[test]
fn signs_and_lengths_go_wrong() {
    let reversed = calls(&text(&mut slipping(ErrorKind::SignError), RoleId::Coder, &coding()));
    assert!(matches!(reversed[0], SkillCall::Walk { direction: Direction::Back, .. }), "{reversed:?}");
    let short = RoleContext { decision: Some(advance()), ..context(1.5, "straight") };
    let mut model = slipping(ErrorKind::OverLong);
    let (mut legal, mut beyond) = (0, 0);
    for _ in 0..30 {
        let long = calls(&text(&mut model, RoleId::Coder, &short));
        match bounds().check(&long[0]) {
            Ok(()) => legal += usize::from(matches!(long[0], SkillCall::Walk { distance_m, .. } if distance_m > 0.49)),
            Err(_) => beyond += 1,
        }
    }
    assert!(legal > 10 && beyond > 3 && legal + beyond == 30, "{legal} {beyond}");
}

#[test]
fn stale_answers_are_those_of_an_earlier_checkpoint() {
    let mut model = slipping(ErrorKind::StaleContext);
    let early = text(&mut model, RoleId::Coder, &coding());
    assert_eq!(early, rules(RoleId::Coder, &coding()), "nothing to repeat yet");
    let later = RoleContext { decision: Some(advance()), ..context(1.45, "straight") };
    assert_ne!(rules(RoleId::Coder, &later), early);
    assert_eq!(text(&mut model, RoleId::Coder, &later), early);
}

#[test]
fn invalid_json_is_refused_for_every_role() {
    let mut model = slipping(ErrorKind::InvalidJson);
    let context = revising(advance(), &[walk(0.4); 2], vec![], FailureType::Tilt);
    for role in RoleId::ALL {
        for _ in 0..9 {
            let text = text(&mut model, role, &context);
            let refused = match role {
                RoleId::Planner => checked::<PlanProposal>(&schema_of::<PlanProposal>(), &text).is_err(),
                RoleId::Orchestrator => checked::<DecisionProposal>(&schema_of::<DecisionProposal>(), &text).is_err(),
                RoleId::Coder => checked::<CodeProposal>(&schema_of::<CodeProposal>(), &text).is_err(),
                RoleId::Evaluator => checked::<EvaluationProposal>(&schema_of::<EvaluationProposal>(), &text).is_err(),
                RoleId::Reviser => checked::<RevisionProposal>(&schema_of::<RevisionProposal>(), &text).is_err(),
                RoleId::Writer => checked::<ExperienceProposal>(&schema_of::<ExperienceProposal>(), &text).is_err(),
            };
            assert!(refused, "{role:?}: {text}");
        }
    }
}

fn record(d: &Decision, phase: PhaseClass, polarity: Polarity, failure: FailureType) -> StrategyRecord {
    StrategyRecord {
        id: "s-1".into(),
        polarity,
        phase,
        layout: "l1".into(),
        kind: d.kind,
        objective: d.objective,
        mode: d.mode,
        failure_type: Some(failure),
        failure_level: None,
        applicability: String::new(),
        principle: String::new(),
        failure_pattern: String::new(),
        repair: String::new(),
        n_accept: 0,
        n_reject: 1,
        created: 1,
    }
}

#[test]
fn a_matching_record_silences_a_misconception_and_another_one_does_not() {
    let context = revising(advance(), &[walk(0.4); 2], vec![], FailureType::InsufficientProgress);
    let asked = |record: Option<StrategyRecord>| {
        let context = RoleContext { strategies: record.into_iter().collect(), ..context.clone() };
        text(&mut believing(ErrorKind::OverLong), RoleId::Reviser, &context)
    };
    let long = asked(None);
    assert_ne!(long, rules(RoleId::Reviser, &context));
    let tilt = |phase| record(&advance(), phase, Polarity::Counterexample, FailureType::Tilt);
    assert_eq!(asked(Some(tilt(PhaseClass::Straight))), rules(RoleId::Reviser, &context));
    assert_eq!(asked(Some(tilt(PhaseClass::Corner))), long);
    let other = record(&advance(), PhaseClass::Straight, Polarity::Counterexample, FailureType::InsufficientProgress);
    assert_eq!(asked(Some(other)), long, "too short a step does not speak against long ones");
    // The coder's prompt shows no strategy records.
    let coding = RoleContext { strategies: vec![tilt(PhaseClass::Straight)], ..coding() };
    assert_ne!(text(&mut believing(ErrorKind::OverLong), RoleId::Coder, &coding), rules(RoleId::Coder, &coding));
}

#[test]
fn rejections_refusals_exemplars_and_reflections_speak_too() {
    let near = RoleContext { decision: Some(advance()), ..context(1.5, "straight") };
    let long = |context: &RoleContext| match calls(&text(&mut believing(ErrorKind::OverLong), RoleId::Coder, context))[0] {
        SkillCall::Walk { distance_m, .. } => distance_m,
        _ => 0.0,
    };
    assert!((long(&near) - 0.5).abs() < 1e-3);
    let failed = RoleContext { rejected: vec![rejected(&advance(), &[walk(0.5); 2], FailureType::WallContact)], ..near.clone() };
    assert!(long(&failed) < 0.2);
    let exemplar = Exemplar {
        id: String::new(),
        kind: Kind::LinearTransport,
        objective: Objective::AdvanceSegment,
        mode: Mode::Sync,
        phase: PhaseClass::Straight,
        roles: vec![Role::Peer; 2],
        sources: vec![],
        calls: vec![walk(0.3); 2],
        n_accept: 1,
        n_reject: 0,
        created: 1,
    };
    assert!((long(&RoleContext { exemplars: vec![exemplar], ..near.clone() }) - 0.3).abs() < 1e-9);
    let mut model = believing(ErrorKind::OverLong);
    let refused = model.complete(&request(RoleId::Coder, &near, &["E_DUPLICATE: policies: rejected before"], 1)).unwrap();
    assert_eq!(refused.text, rules(RoleId::Coder, &near));
    // Reflections are shown to the orchestrator.
    let after = RoleContext { rejected: vec![rejected(&advance(), &[walk(0.5); 2], FailureType::Tilt)], ..context(0.0, "straight") };
    let line = "coordinated_linear_transport advance_segment with walk and walk failed: tilt".to_owned();
    let told = RoleContext { reflections: vec![line], ..after.clone() };
    let decide = |context: &RoleContext| text(&mut believing(ErrorKind::WrongScope), RoleId::Orchestrator, context);
    assert_ne!(decide(&after), rules(RoleId::Orchestrator, &after));
    assert_eq!(decide(&told), rules(RoleId::Orchestrator, &told));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn any_seed_and_rates_give_an_answer(seed in any::<u64>(), rates in proptest::collection::vec(0.0f64..=1.0, 14), heed in 0.0f64..=1.0) {
        let slips: Vec<_> = ErrorKind::ALL.iter().copied().zip(rates.iter().copied()).collect();
        let beliefs: Vec<_> = ErrorKind::ALL.iter().copied().zip(rates.iter().skip(8).copied()).collect();
        let mut model = Imperfect::new(builtin(), ErrorLevel { heed, ..level(&slips, &beliefs) });
        for role in RoleId::ALL {
            for context in everywhere() {
                model.complete(&request(role, &context, &[], seed)).unwrap();
            }
        }
    }
}
