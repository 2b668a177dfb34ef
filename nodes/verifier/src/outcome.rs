//! From predicates to evidence and verdict.

use troupe_coordination::failure;
use troupe_core::evidence::{Comparator, Evidence, FailureType, Measured, Outcome, Predicate, Verdict, VerdictKind};
use troupe_core::skill::SkillCall;

/// Evidence over predicates; `hints` are failure types that measurements beyond them show.
pub(crate) fn evidence(
    transaction_id: &str,
    measured: Vec<Measured>,
    predicates: Vec<Predicate>,
    hints: &[FailureType],
    calls: &[SkillCall],
) -> Evidence {
    evidence_blaming(transaction_id, measured, predicates, (hints, calls), |_| true)
}

/// The same, where only predicates that `to_blame` holds for may name the failure.
pub(crate) fn evidence_blaming(
    transaction_id: &str,
    measured: Vec<Measured>,
    predicates: Vec<Predicate>,
    (hints, calls): (&[FailureType], &[SkillCall]),
    to_blame: impl Fn(&Predicate) -> bool,
) -> Evidence {
    let failed = predicates.iter().filter(|p| !p.passed && to_blame(p)).map(|p| failure::of_predicate(&p.name));
    let failures: Vec<FailureType> = failed.chain(hints.iter().copied()).collect();
    let failure_type = failure::most_severe(&failures);
    let names: Vec<&str> = predicates.iter().filter(|p| !p.passed).map(|p| p.name.as_str()).collect();
    let required_relations = failure::required_relations(failure_type, &names, calls);
    let evidence = Evidence {
        id: String::new(),
        transaction_id: transaction_id.into(),
        measured,
        predicates,
        failure_type,
        failure_level: failure_type.and_then(failure::level),
        required_relations,
    };
    // Plain numbers and text always have an identity.
    evidence.clone().identified().unwrap_or(evidence)
}

/// A verdict with its id.
pub(crate) fn verdict(subject: &str, outcome: Outcome, kind: VerdictKind, reasons: Vec<String>, milestones: &[String]) -> Verdict {
    let verdict = Verdict { id: String::new(), subject: subject.into(), outcome, kind, reasons, milestones: milestones.to_vec() };
    verdict.clone().identified().unwrap_or(verdict)
}

/// One line per predicate that fails: name, value, comparison, limit.
pub(crate) fn reasons(predicates: &[Predicate]) -> Vec<String> {
    predicates.iter().filter(|p| !p.passed).map(reason).collect()
}

/// Predicate, value and limit in words.
pub(crate) fn reason(p: &Predicate) -> String {
    let sign = match p.comparator {
        Comparator::Le => "at most",
        Comparator::Ge => "at least",
        Comparator::Eq => "exactly",
    };
    let unit = if p.unit == "1" { String::new() } else { format!(" {}", p.unit) };
    format!("{}: {:.3}{unit}; allowed: {sign} {:.3}{unit}", p.name, p.value, p.limit)
}
