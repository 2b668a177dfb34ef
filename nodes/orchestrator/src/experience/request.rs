//! Requests of other programs about a run's experience: words in, words out, checked like a model's claims.

use super::{Added, Experience, SharedBank};
use serde::de::DeserializeOwned;
use troupe_coordination::experience::{BankCaps, Exemplar, ExemplarQuery, PhaseClass, StrategyQuery, StrategyRecord, lint};
use troupe_core::decision::{Kind, Mode, Objective};
use troupe_core::evidence::{FailureType, Level};

/// What is asked of one of the stores; names as on the wire, empty where they do not apply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lookup {
    /// `strategy` or `exemplar`.
    pub store: String,
    /// Active phase.
    pub phase: String,
    /// Layout.
    pub layout: String,
    /// Latest failure.
    pub failure_type: String,
    /// Its level.
    pub failure_level: String,
    /// kappa.
    pub kind: String,
    /// d.
    pub objective: String,
    /// m.
    pub mode: String,
}

fn named<T: Copy>(field: &str, text: &str, find: fn(&str) -> Option<T>, all: &[T], name: fn(T) -> &'static str) -> Result<T, String> {
    let allowed = || all.iter().map(|t| name(*t)).collect::<Vec<_>>().join(", ");
    find(text).ok_or_else(|| format!("{field} = `{text:.40}`; allowed: {}", allowed()))
}

fn optional<T: Copy>(field: &str, text: &str, find: fn(&str) -> Option<T>, all: &[T], name: fn(T) -> &'static str) -> Result<Option<T>, String> {
    if text.is_empty() { Ok(None) } else { named(field, text, find, all, name).map(Some) }
}

/// Ids and JSON of what the run would retrieve, best first.
///
/// # Errors
/// Words that name the field, the value and what is allowed.
pub fn look_up(bank: &SharedBank, asked: &Lookup, caps: &BankCaps) -> Result<Vec<(String, String)>, String> {
    let phase = named("phase", &asked.phase, PhaseClass::from_name, PhaseClass::ALL, PhaseClass::name)?;
    match asked.store.as_str() {
        "strategy" => {
            let query = StrategyQuery {
                phase,
                layout: asked.layout.clone(),
                failure_type: optional("failure_type", &asked.failure_type, FailureType::from_name, FailureType::ALL, FailureType::name)?,
                failure_level: optional("failure_level", &asked.failure_level, Level::from_name, Level::ALL, Level::name)?,
            };
            bank.retrieve_strategies(&query, caps).iter().map(|r| Ok((r.id.clone(), text(r)?))).collect()
        }
        "exemplar" => {
            let query = ExemplarQuery {
                kind: named("kind", &asked.kind, Kind::from_name, Kind::ALL, Kind::name)?,
                objective: named("objective", &asked.objective, Objective::from_name, Objective::ALL, Objective::name)?,
                mode: named("mode", &asked.mode, Mode::from_name, Mode::ALL, Mode::name)?,
                phase,
            };
            bank.retrieve_exemplars(&query, caps).iter().map(|e| Ok((e.id.clone(), text(e)?))).collect()
        }
        other => Err(unknown_store(other)),
    }
}

/// Adds a record that a person reviewed, and notes it for the run's ledger; its id and whether it was known.
///
/// # Errors
/// Words that name the field, the value and what is allowed.
pub fn add(bank: &mut SharedBank, store: &str, record: &str, caps: &BankCaps) -> Result<(String, bool), String> {
    let words = |e: &dyn std::fmt::Display| e.to_string();
    let change = match store {
        "strategy" => {
            let record: StrategyRecord = read(record)?;
            record.texts().into_iter().try_for_each(|(field, text)| lint(field, text)).map_err(|e| words(&e))?;
            bank.add_strategy(record.identified().map_err(|e| words(&e))?, caps)
        }
        "exemplar" => bank.add_exemplar(read::<Exemplar>(record)?.identified().map_err(|e| words(&e))?, caps),
        other => return Err(unknown_store(other)),
    };
    let change = change.map_err(|e| words(&e))?;
    let (store, record) = (store.to_owned(), record.to_owned());
    bank.note_added(Added { store, record, id: change.id.clone(), merged: change.merged });
    Ok((change.id, change.merged))
}

fn unknown_store(store: &str) -> String {
    format!("store = `{store:.40}`; allowed: strategy, exemplar")
}

fn read<T: DeserializeOwned>(record: &str) -> Result<T, String> {
    serde_json::from_str(record).map_err(|e| format!("record: {e}"))
}

fn text(record: &impl serde::Serialize) -> Result<String, String> {
    serde_json::to_string(record).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experience::SqliteBank;

    const CAPS: BankCaps =
        BankCaps { strategies: 9, exemplars: 9, retrieved_strategies: 5, retrieved_counterexamples: 2, retrieved_exemplars: 3 };

    const RECORD: &str = r#"{"id":"","polarity":"positive","phase":"corner","layout":"l1","kind":"coordinated_pivot",
        "objective":"rotate_at_corner","mode":"asym","failure_type":null,"failure_level":null,
        "applicability":"In a corner.","principle":"The inner robot turns in place.","failure_pattern":"None.",
        "repair":"None.","n_accept":1,"n_reject":0,"created":0}"#;

    #[test]
    fn a_reviewed_record_is_found_again_and_bad_ones_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut bank = SharedBank::new(SqliteBank::open(&folder.path().join("e.sqlite")).unwrap());
        let (id, merged) = add(&mut bank, "strategy", RECORD, &CAPS).unwrap();
        assert!(!merged && add(&mut bank, "strategy", RECORD, &CAPS).unwrap().1);
        let asked = Lookup { store: "strategy".into(), phase: "corner".into(), ..Lookup::default() };
        assert_eq!(look_up(&bank, &asked, &CAPS).unwrap()[0].0, id);
        let noted: Vec<(String, bool)> = bank.take_added().into_iter().map(|a| (a.id, a.merged)).collect();
        assert_eq!(noted, [(id.clone(), false), (id, true)]);
        let error = add(&mut bank, "strategy", &RECORD.replace("in place", "by 0.3 rad"), &CAPS).unwrap_err();
        assert!(error.contains("principle") && error.contains("0.3"), "{error}");
        assert!(add(&mut bank, "strategy", "{", &CAPS).unwrap_err().contains("record"));
        assert_eq!(bank.take_added(), [], "what is refused is not added");
        assert!(add(&mut bank, "words", RECORD, &CAPS).unwrap_err().contains("strategy, exemplar"));
        let error = look_up(&bank, &Lookup { phase: "roof".into(), ..asked }, &CAPS).unwrap_err();
        assert!(error.contains("roof") && error.contains("corner"), "{error}");
    }
}
