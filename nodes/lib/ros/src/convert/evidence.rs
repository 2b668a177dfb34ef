//! `troupe_msgs/Evidence` with its measurements and predicates.

use super::{ConvertError, named};
use r2r::troupe_msgs::msg;
use troupe_core::evidence::{Comparator, Evidence, FailureType, Level, Measured, Predicate, Source};

/// A message.
#[must_use]
pub fn to_wire(evidence: &Evidence) -> msg::Evidence {
    let measured = |m: &Measured| msg::Measured {
        name: m.name.clone(),
        value: m.value,
        unit: m.unit.clone(),
        std: m.std,
    };
    msg::Evidence {
        id: evidence.id.clone(),
        transaction_id: evidence.transaction_id.clone(),
        measured: evidence.measured.iter().map(measured).collect(),
        predicates: evidence.predicates.iter().map(predicate_to_wire).collect(),
        failure_type: evidence.failure_type.map_or("", FailureType::name).to_owned(),
        failure_level: evidence.failure_level.map_or("", Level::name).to_owned(),
        required_relations: evidence.required_relations.iter().map(|r| r.text()).collect(),
    }
}

/// Evidence as sent.
///
/// # Errors
/// [`ConvertError`].
pub fn from_wire(message: &msg::Evidence) -> Result<Evidence, ConvertError> {
    let measured = |m: &msg::Measured| Measured {
        name: m.name.clone(),
        value: m.value,
        unit: m.unit.clone(),
        std: m.std,
    };
    let (failure, level) = (message.failure_type.as_str(), message.failure_level.as_str());
    Ok(Evidence {
        id: message.id.clone(),
        transaction_id: message.transaction_id.clone(),
        measured: message.measured.iter().map(measured).collect(),
        predicates: message.predicates.iter().map(predicate_from_wire).collect::<Result<_, _>>()?,
        failure_type: if failure.is_empty() { None } else { Some(named!(FailureType, "failure_type", failure)?) },
        failure_level: if level.is_empty() { None } else { Some(named!(Level, "failure_level", level)?) },
        required_relations: message.required_relations.iter().map(|r| super::decision::relation(r)).collect::<Result<_, _>>()?,
    })
}

fn predicate_to_wire(p: &Predicate) -> msg::Predicate {
    let comparator = match p.comparator {
        Comparator::Le => "le",
        Comparator::Ge => "ge",
        Comparator::Eq => "eq",
    };
    msg::Predicate {
        name: p.name.clone(),
        value: p.value,
        limit: p.limit,
        comparator: comparator.to_owned(),
        unit: p.unit.clone(),
        passed: p.passed,
        source: p.source as u8,
    }
}

fn predicate_from_wire(message: &msg::Predicate) -> Result<Predicate, ConvertError> {
    let comparator = match message.comparator.as_str() {
        "le" => Comparator::Le,
        "ge" => Comparator::Ge,
        "eq" => Comparator::Eq,
        other => {
            let (given, allowed) = (other.to_owned(), "le, ge, eq".to_owned());
            return Err(ConvertError::Name { field: "comparator", given, allowed });
        }
    };
    let source = [Source::Measured, Source::Scripted, Source::Human, Source::Model]
        .into_iter()
        .find(|s| *s as u8 == message.source)
        .ok_or(ConvertError::Code { field: "source", given: u64::from(message.source), allowed: "0 to 3" })?;
    Ok(Predicate {
        name: message.name.clone(),
        value: message.value,
        limit: message.limit,
        comparator,
        unit: message.unit.clone(),
        passed: message.passed,
        source,
    })
}
