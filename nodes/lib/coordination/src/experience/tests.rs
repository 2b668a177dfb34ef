//! Retrieval, promotion, merging and caps.

use super::*;
use proptest::prelude::*;
use troupe_core::decision::{Decision, Formation, Kind, Mode, Objective, PolicyCode, Role};
use troupe_core::evidence::{Comparator, Evidence, FailureType, Level, Outcome, Predicate, Verdict, VerdictKind};
use troupe_core::skill::{Direction, SkillCall};

const CAPS: BankCaps = BankCaps {
    strategies: 200,
    exemplars: 200,
    retrieved_strategies: 5,
    retrieved_counterexamples: 2,
    retrieved_exemplars: 3,
};

fn record(phase: PhaseClass, failure: Option<FailureType>, level: Option<Level>, layout: &str, principle: &str) -> StrategyRecord {
    StrategyRecord {
        id: String::new(),
        polarity: Polarity::Positive,
        phase,
        layout: layout.into(),
        kind: Kind::LinearTransport,
        objective: Objective::AdvanceSegment,
        mode: Mode::Sync,
        failure_type: failure,
        failure_level: level,
        applicability: "on a straight".into(),
        principle: principle.into(),
        failure_pattern: String::new(),
        repair: String::new(),
        n_accept: 1,
        n_reject: 0,
        created: 0,
    }
    .identified()
    .unwrap()
}

fn decision(mode: Mode) -> Decision {
    Decision {
        id: "d".into(),
        checkpoint_id: "ckpt-1".into(),
        context_epoch: 0,
        phase_id: "a".into(),
        kind: Kind::LinearTransport,
        objective: Objective::AdvanceSegment,
        mode,
        roles: vec![Role::Peer; 2],
        formation: Formation { distance_m: 0.8, heading_offset_rad: 0.0 },
        evidence_required: vec![],
        parent_id: String::new(),
        scope: None,
        relations: vec![],
        strategy_ids: vec![],
    }
}

fn evidence(progress_m: f64) -> Evidence {
    let predicates = vec![
        Predicate::measured("support", 1.0, Comparator::Ge, 0.8, "1"),
        Predicate::measured("progress", progress_m, Comparator::Ge, 0.1, "m"),
    ];
    let failed = progress_m < 0.1;
    Evidence {
        id: "e".into(),
        transaction_id: "t001".into(),
        measured: vec![],
        predicates,
        failure_type: failed.then_some(FailureType::InsufficientProgress),
        failure_level: failed.then_some(Level::Parameter),
        required_relations: vec![],
    }
}

fn verdict(outcome: Outcome) -> Verdict {
    Verdict { id: "v".into(), subject: "t001".into(), outcome, kind: VerdictKind::Progress, reasons: vec![], milestones: vec![] }
}

fn claim(polarity: Polarity, effect: &str) -> Claim {
    Claim {
        kind: Kind::LinearTransport,
        objective: Objective::AdvanceSegment,
        mode: Mode::Sync,
        polarity,
        effect: effect.into(),
        applicability: "on a straight".into(),
        principle: "Both robots take the same step.".into(),
        failure_pattern: "A long step leaves the bar behind.".into(),
        repair: "Take a shorter one.".into(),
    }
}

fn calls() -> Vec<SkillCall> {
    vec![SkillCall::Walk { distance_m: 0.3, direction: Direction::Forward, speed_mps: 0.25 }; 2]
}

fn try_promote(claim: &Claim, progress_m: f64, outcome: Outcome) -> Result<(StrategyRecord, Option<Exemplar>), Refused> {
    let (decision, evidence, verdict, calls) = (decision(Mode::Sync), evidence(progress_m), verdict(outcome), calls());
    let policies = vec![PolicyCode { robot: "g1_0".into(), source: "walk()\nstop()\n".into() }; 2];
    let executed = Executed {
        decision: &decision,
        policies: &policies,
        calls: &calls,
        evidence: &evidence,
        verdict: &verdict,
        phase: PhaseClass::Straight,
        layout: "l1",
        repaired: None,
    };
    promote(claim, &executed)
}

#[test]
fn ce_093_phase_filters_and_failure_ranks() {
    let mut bank = Bank::default();
    let add = |bank: &mut Bank, r| bank.add_strategy(r, &CAPS).id;
    let tilt = Some(FailureType::Tilt);
    let far = add(&mut bank, record(PhaseClass::Straight, None, None, "l2", "one"));
    let same_layout = add(&mut bank, record(PhaseClass::Straight, None, None, "l1", "two"));
    let same_level = add(&mut bank, record(PhaseClass::Straight, Some(FailureType::Timeout), Some(Level::Parameter), "l2", "three"));
    let same_type = add(&mut bank, record(PhaseClass::Straight, tilt, Some(Level::Strategy), "l2", "four"));
    add(&mut bank, record(PhaseClass::Corner, tilt, Some(Level::Parameter), "l1", "five"));
    let query = StrategyQuery { phase: PhaseClass::Straight, layout: "l1".into(), failure_type: tilt, failure_level: Some(Level::Parameter) };
    let ids: Vec<String> = bank.retrieve_strategies(&query, &CAPS).into_iter().map(|r| r.id).collect();
    assert_eq!(ids, [same_type, same_level, same_layout, far]);
}

#[test]
fn ce_093_at_most_five_and_two_counterexamples() {
    let mut bank = Bank::default();
    for i in 0..12 {
        let polarity = if i % 2 == 0 { Polarity::Counterexample } else { Polarity::Positive };
        let r = StrategyRecord { polarity, ..record(PhaseClass::Corner, None, None, "l1", &format!("principle {i}")) };
        bank.add_strategy(r.identified().unwrap(), &CAPS);
    }
    let query = StrategyQuery { phase: PhaseClass::Corner, layout: "l1".into(), failure_type: None, failure_level: None };
    let found = bank.retrieve_strategies(&query, &CAPS);
    assert_eq!(found.len(), 5);
    assert_eq!(found.iter().filter(|r| r.polarity == Polarity::Counterexample).count(), 2);
}

#[test]
fn ce_094_a_wrong_mode_is_never_returned() {
    let mut bank = Bank::default();
    let (_, exemplar) = try_promote(&claim(Polarity::Positive, "progress"), 0.3, Outcome::Accepted).unwrap();
    let exemplar = exemplar.unwrap();
    bank.add_exemplar(exemplar.clone(), &CAPS);
    let query = ExemplarQuery { kind: Kind::LinearTransport, objective: Objective::AdvanceSegment, mode: Mode::Asym, phase: exemplar.phase };
    assert!(bank.retrieve_exemplars(&query, &CAPS).is_empty());
    let elsewhere = ExemplarQuery { mode: Mode::Sync, phase: PhaseClass::Place, ..query };
    assert_eq!(bank.retrieve_exemplars(&elsewhere, &CAPS).len(), 1, "the phase ranks only");
}

#[test]
fn ce_095_promotion_needs_agreement() {
    let (record, exemplar) = try_promote(&claim(Polarity::Positive, "progress"), 0.3, Outcome::Accepted).unwrap();
    assert_eq!((record.n_accept, exemplar.is_some()), (1, true));
    let (record, exemplar) = try_promote(&claim(Polarity::Counterexample, "progress"), 0.01, Outcome::Rejected).unwrap();
    assert_eq!((record.failure_type, exemplar), (Some(FailureType::InsufficientProgress), None));
    let wrong = [
        (claim(Polarity::Positive, "progress"), 0.01, Outcome::Rejected),
        (claim(Polarity::Counterexample, "support"), 0.01, Outcome::Rejected),
        (claim(Polarity::Positive, "support"), 0.3, Outcome::Accepted),
        (claim(Polarity::Positive, "progress"), 0.3, Outcome::Unresolved),
        (Claim { mode: Mode::Asym, ..claim(Polarity::Positive, "progress") }, 0.3, Outcome::Accepted),
        (Claim { repair: "walk 0.2 m".into(), ..claim(Polarity::Positive, "progress") }, 0.3, Outcome::Accepted),
    ];
    for (claim, progress_m, outcome) in wrong {
        assert!(try_promote(&claim, progress_m, outcome).is_err(), "{claim:?}");
    }
}

#[test]
fn ce_096_near_duplicates_are_counted_and_the_worst_goes() {
    let caps = BankCaps { strategies: 2, ..CAPS };
    let mut bank = Bank::default();
    let first = record(PhaseClass::Straight, None, None, "l1", "Take the same step.");
    bank.add_strategy(first.clone(), &caps);
    let again = bank.add_strategy(record(PhaseClass::Straight, None, None, "l1", "take the same step"), &caps);
    assert_eq!((again.merged, bank.strategies[0].n_accept), (true, 2));
    bank.add_strategy(record(PhaseClass::Straight, None, None, "l1", "another"), &caps);
    let third = bank.add_strategy(record(PhaseClass::Straight, None, None, "l1", "a third"), &caps);
    assert!(third.evicted.is_some_and(|id| id != first.id));
    assert_eq!(bank.strategies.len(), 2);
    bank.count_rejected(&[first.id.clone()]);
    assert_eq!(bank.strategies[0].n_reject, 1);
}

/// CE-097: nothing in a bank can hold a state or a trajectory.
#[test]
fn ce_097_no_array_is_longer_than_sixteen_numbers() {
    let mut bank = Bank::default();
    let (record, exemplar) = try_promote(&claim(Polarity::Positive, "progress"), 0.3, Outcome::Accepted).unwrap();
    bank.add_strategy(record, &CAPS);
    bank.add_exemplar(exemplar.unwrap(), &CAPS);
    fn longest(value: &serde_json::Value) -> usize {
        match value {
            serde_json::Value::Array(items) => {
                items.iter().filter(|v| v.is_number()).count().max(items.iter().map(longest).max().unwrap_or(0))
            }
            serde_json::Value::Object(map) => map.values().map(longest).max().unwrap_or(0),
            _ => 0,
        }
    }
    assert!(longest(&serde_json::to_value(&bank).unwrap()) <= 16);
    let text = serde_json::to_string(&bank).unwrap();
    assert_eq!(serde_json::from_str::<Bank>(&text).unwrap(), bank);
}

proptest! {
    #[test]
    fn a_bank_never_outgrows_its_caps(principles in prop::collection::vec(0u8..40, 0..80)) {
        let caps = BankCaps { strategies: 10, ..CAPS };
        let mut bank = Bank::default();
        for p in principles {
            bank.add_strategy(record(PhaseClass::Straight, None, None, "l1", &format!("principle {p}")), &caps);
        }
        prop_assert!(bank.strategies.len() <= 10);
        let mut ids: Vec<&String> = bank.strategies.iter().map(|r| &r.id).collect();
        ids.sort();
        ids.dedup();
        prop_assert_eq!(ids.len(), bank.strategies.len());
    }
}

#[test]
fn ce_125_banks_are_pooled_and_cut_to_equal_size() {
    let with = |principles: &[&str]| {
        let mut bank = Bank::default();
        for principle in principles {
            bank.add_strategy(record(PhaseClass::Straight, None, None, "l1", principle), &CAPS);
        }
        let exemplar = try_promote(&claim(Polarity::Positive, "progress"), 0.3, Outcome::Accepted).unwrap().1.unwrap();
        bank.add_exemplar(exemplar, &CAPS);
        bank
    };
    let mut pool = with(&["one", "two"]);
    pool.merge(&with(&["two", "three"]), &CAPS);
    assert_eq!((pool.strategies.len(), pool.exemplars.len(), pool.exemplars[0].n_accept), (3, 1, 2));
    let best = pool.best(1).unwrap();
    assert_eq!((best.strategies[0].principle.as_str(), best.exemplars.len()), ("two", 1));
    let mut warned = with(&["one"]);
    let (counterexample, _) = try_promote(&claim(Polarity::Counterexample, "progress"), 0.01, Outcome::Rejected).unwrap();
    for _ in 0..3 {
        warned.add_strategy(counterexample.clone(), &CAPS);
    }
    assert_eq!(warned.best(1).unwrap().strategies[0].id, counterexample.id, "often seen to fail is worth knowing");
    let error = pool.best(2).unwrap_err().to_string();
    assert!(error.contains("1 exemplars") && error.contains('2'), "{error}");
}
