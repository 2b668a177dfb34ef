//! What is kept comes back, and a preloaded bank's file stays as it was.

use super::*;
use troupe_coordination::experience::{PhaseClass, Polarity};
use troupe_core::decision::{Kind, Mode, Objective};

const CAPS: BankCaps =
    BankCaps { strategies: 3, exemplars: 3, retrieved_strategies: 5, retrieved_counterexamples: 2, retrieved_exemplars: 3 };

fn record(principle: &str) -> StrategyRecord {
    StrategyRecord {
        id: String::new(),
        polarity: Polarity::Positive,
        phase: PhaseClass::Straight,
        layout: "l1".into(),
        kind: Kind::LinearTransport,
        objective: Objective::AdvanceSegment,
        mode: Mode::Sync,
        failure_type: None,
        failure_level: None,
        applicability: "on a straight".into(),
        principle: principle.into(),
        failure_pattern: "none".into(),
        repair: "none".into(),
        n_accept: 1,
        n_reject: 0,
        created: 0,
    }
    .identified()
    .unwrap()
}

#[test]
fn a_database_gives_back_what_it_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("experience.sqlite");
    let mut own = SqliteBank::open(&file).unwrap();
    for principle in ["one", "two", "three", "four", "two"] {
        own.add_strategy(record(principle), &CAPS).unwrap();
    }
    let id = record("two").id;
    own.count_rejected(std::slice::from_ref(&id)).unwrap();
    let kept = own.bank().clone();
    drop(own);
    let again = SqliteBank::open(&file).unwrap();
    assert_eq!(again.bank(), &kept);
    assert_eq!(kept.strategies.len(), 3);
    let two = kept.strategies.iter().find(|r| r.id == id).unwrap();
    assert_eq!((two.n_accept, two.n_reject), (2, 1));
}

#[test]
fn ce_090_a_transfer_run_leaves_the_source_bank_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("source.json");
    let mut bank = Bank::default();
    bank.add_strategy(record("one"), &CAPS);
    write_bank(&file, &bank).unwrap();
    let before = std::fs::read(&file).unwrap();
    let source = read_bank(&file).unwrap();
    let mut own = SqliteBank::preloaded(&folder.path().join("own.sqlite"), &source).unwrap();
    own.add_strategy(record("two"), &CAPS).unwrap();
    own.count_rejected(&[record("one").id]).unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), before);
    let lines: Vec<String> = compare(&source, own.bank()).iter().map(Difference::line).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().any(|l| l.starts_with("+ ")) && lines.iter().any(|l| l.starts_with("~ ")));
}

#[test]
fn a_changed_bank_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bank.json");
    let mut bank = Bank::default();
    bank.add_strategy(record("one"), &CAPS);
    write_bank(&file, &bank).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    for (change, part) in [("\"principle\": \"one\"", "identity"), ("\"format\": 1", "format")] {
        let other = text.replacen(change, &change.replace("one", "other").replace('1', "9"), 1);
        std::fs::write(&file, other).unwrap();
        let error = read_bank(&file).unwrap_err().to_string();
        assert!(error.contains("bank.json") && error.contains(part), "{error}");
    }
    assert!(read_bank(&folder.path().join("absent.json")).unwrap_err().to_string().contains("absent.json"));
}
