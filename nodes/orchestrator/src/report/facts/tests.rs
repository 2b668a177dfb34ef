//! Facts of handwritten ledgers; each test names the requirement it shows.

use super::*;
use serde_json::json;
use troupe_core::ledger::{Ledger, read};

/// Writes events as a ledger and counts it.
fn counted(events: &[(&str, Value)]) -> Result<RunFacts, FactsError> {
    let mut bytes = Vec::new();
    let mut ledger = Ledger::new(&mut bytes);
    for (index, (event, data)) in events.iter().enumerate() {
        ledger.append(event, index as f64, data).unwrap();
    }
    facts(&read(bytes.as_slice()).unwrap().0)
}

fn opening() -> (&'static str, Value) {
    let data = json!({
        "seed": 3, "world": "l1", "task": "transport", "provider": "builtin", "endpoint": "full",
        "limit_original": 80, "limit_effective": 100, "horizon_report": 160,
        "milestones": ["a", "b", "c", "terminal"],
    });
    ("run", data)
}

fn dispatch(n: u32) -> (&'static str, Value) {
    ("dispatch", json!({"n": n, "transaction_id": format!("t{n:03}")}))
}

fn transaction(n: u32, outcome: &str, kind: &str, milestones: &[&str]) -> (&'static str, Value) {
    let verdict = json!({"outcome": outcome, "kind": kind, "milestones": milestones});
    ("transaction", json!({"n": n, "charged": n > 0, "verdict": verdict, "drop": false, "wall_s": f64::from(n)}))
}

fn checkpoint(id: &str, milestones: &[&str]) -> (&'static str, Value) {
    ("checkpoint", json!({"id": id, "milestones": milestones}))
}

fn end(label: &str) -> (&'static str, Value) {
    ("end", json!({"label": label, "wall_s": 9.5}))
}

#[test]
fn ce_101_limits_and_horizon_are_three_numbers() {
    let f = counted(&[opening(), end("B")]).unwrap();
    assert_eq!((f.limit_original, f.limit_effective, f.horizon_report), (80, 100, 160));
    assert_eq!((f.label, f.milestones_total, f.method.as_str(), f.seed), (Some(Label::B), 4, "full", 3));
    assert_eq!((f.wall_s, f.wall_is_lower_bound), (9.5, false));
}

#[test]
fn ce_112_setups_rejections_and_repeats_give_no_credit() {
    let f = counted(&[
        opening(),
        transaction(1, "accepted", "setup", &["a"]),
        transaction(2, "rejected", "progress", &["a"]),
        transaction(3, "accepted", "progress", &["a"]),
        transaction(4, "accepted", "progress", &["a"]),
        transaction(5, "unresolved", "progress", &["a", "b"]),
        transaction(6, "accepted", "setup", &["a"]),
        transaction(7, "accepted", "lifecycle", &["a", "nonsense"]),
        end("G"),
    ])
    .unwrap();
    assert_eq!(f.certified_at, [Attained { milestone: "a".into(), transaction: 3 }]);
    assert_eq!((f.charged, f.accepted, f.unresolved), (7, 5, 1));
    assert_eq!((f.setups_since_milestone, f.charged_since_milestone), (1, 4));
}

#[test]
fn ce_113_fragments_of_two_branches_are_no_certificate() {
    // Branch 1 gets a and b; the run goes back to a, and branch 2 gets c. The end holds a and c, not three.
    let f = counted(&[
        opening(),
        checkpoint("c0", &[]),
        transaction(1, "accepted", "progress", &["a"]),
        checkpoint("c1", &["a"]),
        transaction(2, "accepted", "progress", &["a", "b"]),
        checkpoint("c2", &["a", "b"]),
        ("restore", json!({"checkpoint_id": "c1", "ok": true})),
        transaction(3, "accepted", "progress", &["a", "c"]),
        checkpoint("c3", &["a", "c"]),
        ("endpoint", json!({"verdict": {"outcome": "rejected", "milestones": ["a", "b", "c", "terminal"]}})),
        end("B"),
    ])
    .unwrap();
    assert_eq!((f.retained, f.certified_at.len(), f.success()), (2, 3, false));
}

#[test]
fn ce_114_a_rewind_lowers_vp_and_not_pauc() {
    let mut events = vec![
        opening(),
        checkpoint("c0", &[]),
        transaction(1, "accepted", "progress", &["a"]),
        checkpoint("c1", &["a"]),
        transaction(2, "accepted", "progress", &["a", "b"]),
        checkpoint("c2", &["a", "b"]),
    ];
    let before = counted(&events).unwrap();
    events.push(("restore", json!({"checkpoint_id": "c1", "ok": false})));
    assert_eq!(counted(&events).unwrap(), RunFacts { sim_s: 0.0, ..before.clone() });
    events.push(("restore", json!({"checkpoint_id": "c1", "ok": true})));
    let after = counted(&events).unwrap();
    assert_eq!((before.retained, after.retained), (2, 1));
    assert!((before.pauc(160) - after.pauc(160)).abs() < 1e-12 && before.pauc(160) > 0.0);
    assert!(after.progress() < before.progress());
}

#[test]
fn the_last_obstacle_is_what_was_not_overcome() {
    let rejected = ("transaction", json!({"n": 1, "charged": true, "verdict": {"outcome": "rejected"}, "evidence": {"failure_type": "wall_contact"}}));
    let refusal = ("refusal", json!({"role": "reviser", "reason": "E_SCOPE: no"}));
    let of = |events: &[(&'static str, Value)]| counted(events).unwrap().obstacle();
    assert_eq!(of(&[opening(), dispatch(1), rejected.clone(), end("G")]), "G wall_contact");
    assert_eq!(of(&[opening(), dispatch(1), rejected.clone(), refusal.clone(), end("G")]), "G refused answers");
    let overcome = [opening(), refusal, dispatch(1), rejected, dispatch(2), transaction(2, "accepted", "progress", &[]), end("B")];
    assert_eq!(of(&overcome), "B");
}

#[test]
fn ce_111_a_dispatch_without_a_verdict_is_charged_and_unresolved() {
    let f = counted(&[opening(), dispatch(1), transaction(1, "accepted", "progress", &[]), dispatch(2), end("I")]).unwrap();
    assert_eq!((f.charged, f.accepted, f.unresolved), (2, 1, 1));
    // A refused goal that moved nobody keeps its number for the next dispatch.
    let refused = ("transaction", json!({"n": 0, "charged": false, "verdict": {"outcome": "invalid_infra"}}));
    let f = counted(&[opening(), dispatch(1), refused, dispatch(1), transaction(1, "accepted", "progress", &[]), end("B")]).unwrap();
    assert_eq!((f.charged, f.accepted, f.unresolved), (1, 1, 0));
}

#[test]
fn ce_116_a_ledger_without_an_end_is_a_lower_bound() {
    let f = counted(&[opening(), transaction(1, "accepted", "progress", &["a"]), dispatch(2)]).unwrap();
    assert_eq!((f.label, f.wall_s, f.wall_is_lower_bound, f.unresolved), (None, 1.0, true, 1));
}

#[test]
fn g_07_calls_tokens_and_refusals_are_separate_accounts() {
    let f = counted(&[
        opening(),
        ("model_call", json!({"tokens_in": 100, "tokens_out": 10, "tokens_cached": 60})),
        ("model_call", json!({"outcome": "timeout"})),
        ("refusal", json!({"role": "planner", "reason": "only evidence marks a phase done"})),
        ("refusal", json!({"role": "orchestrator", "reason": "E_PAIR: roles"})),
        ("refusal", json!({"findings": [{"code": "E_PAIR"}, {"code": "E_BOUNDS"}]})),
        ("retrieval", json!({"records": 3, "tokens_in": 7})),
        end("G"),
    ])
    .unwrap();
    assert_eq!((f.model_calls, f.tokens_in, f.tokens_out, f.tokens_cached, f.charged), (2, 100, 10, 60, 0));
    assert_eq!(f.refusals, BTreeMap::from([("E_PAIR".to_owned(), 2), ("role".to_owned(), 1)]));
}

#[test]
fn g_11_counters_of_a_second_segment_start_from_the_first() {
    let counters = json!({"transactions": 7, "accepted": 5, "unresolved": 1, "drops": 2, "model_calls": 30});
    let f = counted(&[
        opening(),
        ("segment", json!({"parent": "00ff", "counters": counters})),
        dispatch(8),
        transaction(8, "accepted", "progress", &["a"]),
        end("B"),
    ])
    .unwrap();
    assert_eq!((f.charged, f.accepted, f.unresolved, f.drops, f.model_calls), (8, 6, 1, 2, 30));
    assert_eq!(f.certified_at, [Attained { milestone: "a".into(), transaction: 8 }]);
}

#[test]
fn a_method_is_a_name_or_a_record_and_no_run_is_an_error() {
    let named = |method: Value| {
        let (event, mut data) = opening();
        data["method"] = method;
        data["level"] = json!("low");
        let f = counted(&[(event, data)]).unwrap();
        (f.method, f.level)
    };
    assert_eq!(named(json!("flat")), ("flat".into(), "low".into()));
    assert_eq!(named(json!({"name": "flat", "memory": "off"})), ("flat".into(), "low".into()));
    assert_eq!(counted(&[]), Err(FactsError::NoRun));
    assert_eq!(counted(&[opening(), end("Z")]), Err(FactsError::Label("Z".into())));
}
