//! Order and authority in the loop, read from ledgers of whole runs against the team double.

use super::double::{Fate, parse};
use super::tests::{Twisted, count, go, go_with, setup};
use crate::model::RoleId;
use crate::model::builtin::Builtin;
use serde_json::{Value, json};
use troupe_coordination::terminal::Label;
use troupe_core::ledger::Record;

/// Index and data of the events of a name.
fn events<'a>(records: &'a [Record], event: &'a str) -> impl Iterator<Item = (usize, &'a Value)> {
    records.iter().enumerate().filter(move |(_, r)| r.event == event).map(|(i, r)| (i, &r.data))
}

/// Index of the first such event from `from` on.
fn after(records: &[Record], from: usize, event: &str) -> Option<usize> {
    events(records, event).map(|(i, _)| i).find(|i| *i >= from)
}

#[test]
fn ce_050_exemplars_are_looked_up_once_the_decision_exists() {
    let ran = go(|team| team.fates = [Fate::Fair, Fate::Reject].into());
    let records = &ran.records;
    let (mut seen, mut found) = (0, 0);
    for (at, data) in events(records, "decision") {
        let id = &data["decision"]["id"];
        let strategies = events(records, "retrieval").filter(|(i, d)| *i < at && d["store"] == "strategy").last().unwrap().0;
        let exemplars = events(records, "retrieval").find(|(_, d)| &d["decision_id"] == id).unwrap().0;
        let policies = events(records, "policies").find(|(_, d)| &d["decision_id"] == id).unwrap().0;
        let dispatch = events(records, "dispatch").find(|(_, d)| &d["decision_id"] == id).unwrap().0;
        let verdict = events(records, "transaction").find(|(_, d)| &d["decision_id"] == id).unwrap().0;
        assert!(strategies < at && at < exemplars && exemplars < policies && policies < dispatch && dispatch < verdict);
        let query = &records[exemplars].data["query"];
        for key in ["kind", "objective", "mode"] {
            assert_eq!(query[key], data["decision"][key]);
        }
        // What will be decided is no query term of the strategies.
        assert!(records[strategies].data["query"].get("kind").is_none());
        found += records[exemplars].data["ids"].as_array().map_or(0, Vec::len);
        seen += 1;
    }
    assert!(seen > 10 && found > 10, "{seen} decisions, {found} exemplars");
}

/// Also CE-054: the child is bound to the checkpoint that was restored. CE-055: to the newest one, never an older.
#[test]
fn ce_052_evidence_is_frozen_the_team_restored_and_only_then_revised() {
    let ran = go(|team| team.fates = [Fate::Fair, Fate::Reject, Fate::Fair, Fate::Fair, Fate::Reject].into());
    let records = &ran.records;
    let rejected: Vec<(usize, &Value)> = events(records, "transaction").filter(|(_, d)| d["verdict"]["outcome"] == "rejected").collect();
    assert_eq!(rejected.len(), 2);
    for (frozen, data) in rejected {
        let restored = after(records, frozen, "restore").unwrap();
        let revised = after(records, frozen, "revision").unwrap();
        let decided = after(records, frozen, "decision").unwrap();
        assert!(frozen < restored && restored < revised && revised < decided);
        assert!(records[restored..revised].iter().any(|r| r.event == "model_call" && r.data["role"] == "reviser"));
        assert!(!records[frozen..restored].iter().any(|r| r.event == "model_call" && r.data["role"] == "reviser"));
        let newest = events(records, "checkpoint").filter(|(i, _)| *i < frozen).last().unwrap().1;
        assert_eq!((&records[restored].data["checkpoint_id"], &records[restored].data["ok"]), (&newest["id"], &json!(true)));
        let (child, decision) = (&records[revised].data["child"], &records[decided].data["decision"]);
        assert_eq!(child["checkpoint_id"], newest["id"]);
        assert_eq!((&child["parent_id"], &decision["parent_id"]), (&data["decision_id"], &data["decision_id"]));
        for key in ["kind", "objective", "mode", "roles", "scope"] {
            assert_eq!(child[key], decision[key]);
        }
        assert_eq!(decision["checkpoint_id"], newest["id"]);
    }
}

/// A set-up makes a checkpoint and no phase; a phase ends on its own milestone.
#[test]
fn ce_051_acceptance_is_no_advance() {
    let ran = go(|team| team.start_offset[1].x = -0.12);
    assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
    assert!(events(&ran.records, "transaction").any(|(_, d)| d["verdict"]["kind"] == "setup"));
    let checkpoints: Vec<&Value> = events(&ran.records, "checkpoint").map(|(_, d)| d).collect();
    assert_eq!(checkpoints.len() as u32, ran.ending.budget.accepted + 1);
    for pair in checkpoints.windows(2) {
        assert_ne!(pair[0]["id"], pair[1]["id"]);
        assert_eq!(pair[0]["phase"] == pair[1]["phase"], pair[0]["milestones"] == pair[1]["milestones"]);
    }
}

/// Whatever an evaluator says, verdicts are those of the measurements. CE-R4.
#[test]
fn ce_070_an_evaluator_never_flips_a_verdict() {
    let setup = setup();
    let fates = [Fate::Reject, Fate::Fair, Fate::Drop, Fate::Fair, Fate::Unresolved, Fate::Reject];
    let verdicts = |words: Value| {
        let twist = |request: &crate::model::ModelRequest, _: &_| (request.role == RoleId::Evaluator).then(|| words.to_string());
        let ran = go_with(&setup, &mut Twisted { rules: Builtin::new(setup.config.builtin), twist }, |team| team.fates = fates.into());
        assert_eq!(ran.ending.label, Label::S, "{}", ran.ending.reason);
        assert!(count(&ran.records, "evaluation") > 0);
        let all = events(&ran.records, "transaction").map(|(_, d)| (d["verdict"].clone(), d["evidence"].clone()));
        all.collect::<Vec<_>>()
    };
    let fine = verdicts(json!({"scene": "All is fine, accept it.", "proceed": true}));
    let bad = verdicts(json!({"scene": "Nothing holds.", "failure_type": "robot_fall", "failure_level": "strategy", "proceed": false}));
    let outcomes: Vec<&Value> = fine.iter().take(fates.len()).map(|(v, _)| &v["outcome"]).collect();
    assert_eq!(outcomes, ["rejected", "accepted", "rejected", "accepted", "unresolved", "rejected"]);
    assert_eq!(fine, bad);
}

/// Code comes with the effective arguments that it was executed with.
#[test]
fn ce_092_an_exemplar_is_code_that_can_be_run() {
    let ran = go(|_| {});
    assert!(ran.bank.exemplars.len() > 2);
    for exemplar in &ran.bank.exemplars {
        let calls: Vec<_> = exemplar.sources.iter().map(|s| parse(s).unwrap()).collect();
        assert!(troupe_coordination::revision::alike(&calls, &exemplar.calls), "{exemplar:?}");
    }
}

#[test]
fn ce_095_what_was_not_executed_teaches_nothing() {
    let refused = go(|team| team.refuse_all = true);
    assert_eq!((refused.ending.label, count(&refused.records, "promotion")), (Label::G, 0));
    assert!(refused.bank.strategies.is_empty() && refused.bank.exemplars.is_empty());
    // A repair that is refused leaves no trace either.
    let setup = setup();
    let mut spoilt = 0;
    let twist = |request: &crate::model::ModelRequest, _: &crate::role::context::RoleContext| {
        let spoil = request.role == RoleId::Reviser && spoilt < 2;
        spoilt += u32::from(spoil);
        spoil.then(|| json!({"scope": "parameter", "reason": "the same again"}).to_string())
    };
    let ran = go_with(&setup, &mut Twisted { rules: Builtin::new(setup.config.builtin), twist }, |team| team.fates = [Fate::Reject].into());
    assert!(ran.records.iter().any(|r| r.event == "refusal" && r.data.to_string().contains("E_NOOP")));
    let judged: Vec<&Value> = events(&ran.records, "transaction").map(|(_, d)| &d["transaction_id"]).collect();
    let taught: Vec<&Value> = events(&ran.records, "promotion").map(|(_, d)| &d["transaction_id"]).collect();
    assert_eq!(taught, judged);
    // One rejection, one counterexample; accepted transactions alone left code.
    let counterexamples = ran.bank.strategies.iter().filter(|r| r.polarity.name() == "counterexample");
    assert_eq!(counterexamples.count(), 1);
    let accepted: u32 = ran.bank.exemplars.iter().map(|e| e.n_accept).sum();
    assert_eq!(accepted, ran.ending.budget.accepted);
}

/// The run works on its own copy; ledger and study know which bank it was. CE-090.
#[test]
fn ce_123_a_transfer_run_names_its_bank_and_leaves_it_alone() {
    use crate::experience::{SqliteBank, read_bank, write_bank};
    use crate::files::{EXPERIENCE, LEDGER, run_to_folder};
    let here = tempfile::tempdir().unwrap();
    let file = here.path().join("low.json");
    write_bank(&file, &go(|_| {}).bank).unwrap();
    let before = std::fs::read(&file).unwrap();
    let source = read_bank(&file).unwrap();
    let setup = setup().with_bank("low", &file).unwrap();
    assert_ne!(setup.hash(), super::tests::setup().hash(), "another bank is another setting");
    let run = here.path().join("run");
    let mut team = super::double::Double::new(setup.route.clone(), setup.bounds);
    let mut model = Builtin::new(setup.config.builtin);
    run_to_folder(&mut team, &mut model, &setup, &run, &mut crate::progress::Silent, false).unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), before);
    let own = SqliteBank::open(&run.join(EXPERIENCE)).unwrap();
    assert!(own.bank().exemplars.iter().any(|e| e.n_accept > 1), "it went on counting in its own copy");
    let ledger = std::io::BufReader::new(std::fs::File::open(run.join(LEDGER)).unwrap());
    let (records, _) = troupe_core::ledger::read(ledger).unwrap();
    assert_eq!(records[0].data["bank"], json!({"name": "low", "identity": source.identity().unwrap()}));
    let found = events(&records, "retrieval").next().unwrap().1;
    assert_ne!(found["ids"], json!([]), "the first decision can use the bank");
    let facts = crate::report::facts::facts(&records).unwrap();
    assert_eq!(facts.method, "full.low");
    assert_ne!(facts.method_hash, crate::report::facts::facts(&go(|_| {}).records).unwrap().method_hash);
}
