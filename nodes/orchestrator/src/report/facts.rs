//! [`RunFacts`] counted from the records of one ledger; nothing else is read (G-06).
//!
//! Events that are not known here change nothing, so later events need no change. A ledger without an end
//! gives lower bounds.

use super::{flag, number, strings, text};
use crate::setup::BankName;
use crate::study::layout::condition;
use serde_json::Value;
use std::collections::BTreeMap;
use troupe_coordination::metrics::run_time::{Segment, run_time};
use troupe_coordination::metrics::{Attained, RunFacts};
use troupe_coordination::terminal::Label;
use troupe_core::identity::identity;
use troupe_core::ledger::Record;
use troupe_core::task::EndpointKind;
use troupe_core::variation::NOMINAL;

#[cfg(test)]
mod tests;

/// Method of ledgers that name none: the full loop.
const FULL: &str = "full";

/// The last obstacle of a run after whose last dispatch answers were refused.
const REFUSED: &str = "refused answers";

/// A ledger that is no run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FactsError {
    /// The first event is missing.
    #[error("the ledger has no `run` event")]
    NoRun,
    /// The end has no known label.
    #[error("the end's label `{0}` is not one of S, D, B, G, C, I")]
    Label(String),
}

/// Counts a run.
///
/// # Errors
/// [`FactsError`] when the records are no run of this program.
pub fn facts(records: &[Record]) -> Result<RunFacts, FactsError> {
    let opening = records.iter().find(|r| r.event == "run").ok_or(FactsError::NoRun)?;
    let mut count = Count::new(opening);
    for record in records {
        count.event(record)?;
    }
    Ok(count.finish())
}

struct Count {
    facts: RunFacts,
    /// K's names.
    milestones: Vec<String>,
    /// Milestones of each trusted checkpoint.
    checkpoints: BTreeMap<String, Vec<String>>,
    /// A transaction that was dispatched and has no verdict yet.
    open: bool,
    first_sample_s: Option<f64>,
    /// Wall-clock time of the newest record that has one, s since the start of its segment.
    seen_s: f64,
    end_s: Option<f64>,
}

/// `name` of an object, or the text itself.
fn name_of(value: &Value) -> String {
    value.as_str().map_or_else(|| text(value, "name"), str::to_owned)
}

/// Text or number, as it is written in tables.
fn word(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

impl Count {
    fn new(opening: &Record) -> Self {
        let data = &opening.data;
        let method = data.get("method").map(name_of).filter(|m| !m.is_empty()).unwrap_or_else(|| FULL.to_owned());
        let bank: BankName = data.get("bank").and_then(|b| serde_json::from_value(b.clone()).ok()).unwrap_or_default();
        let variation = data.get("variation").map(name_of).filter(|v| v != NOMINAL).unwrap_or_default();
        let hashed = data.get("method").and_then(|m| identity(m).ok()).unwrap_or_default();
        let small = |key: &str| number(data, key).try_into().unwrap_or(u32::MAX);
        let milestones = strings(data, "milestones");
        let endpoint: Option<EndpointKind> = data.get("endpoint").and_then(|e| serde_json::from_value(e.clone()).ok());
        let facts = RunFacts {
            // A bank or a variation makes another condition of the method, and another bank of the same name another
            // record.
            method: condition(&condition(&method, &bank.name), &variation),
            method_hash: if bank.is_none() { hashed } else { format!("{hashed} {}", bank.identity) },
            provider: text(data, "provider"),
            level: word(data.get("level")),
            world: text(data, "world"),
            task: text(data, "task"),
            seed: number(data, "seed"),
            endpoint,
            code_hash: text(data, "code_hash"),
            limit_original: small("limit_original"),
            limit_effective: small("limit_effective"),
            horizon_report: small("horizon_report"),
            milestones_total: milestones.len() as u32,
            ..RunFacts::default()
        };
        Self {
            facts,
            milestones,
            checkpoints: BTreeMap::new(),
            open: false,
            first_sample_s: None,
            seen_s: 0.0,
            end_s: None,
        }
    }

    fn event(&mut self, record: &Record) -> Result<(), FactsError> {
        let data = &record.data;
        if self.first_sample_s.is_none() {
            let samples = data.get("path").and_then(Value::as_array);
            let tick = samples.and_then(|s| s.first()).and_then(|s| s.get("tick")).and_then(Value::as_u64);
            self.first_sample_s = tick.map(|tick| tick as f64 * troupe_core::TICK_S);
        }
        self.facts.sim_s = self.first_sample_s.map_or(0.0, |start| (record.sim_s - start).max(0.0));
        if let Some(wall_s) = data.get("wall_s").and_then(Value::as_f64).filter(|w| w.is_finite()) {
            self.seen_s = self.seen_s.max(wall_s);
        }
        match record.event.as_str() {
            "segment" => self.segment(data),
            "model_call" => {
                self.facts.model_calls += 1;
                self.facts.tokens_in += number(data, "tokens_in");
                self.facts.tokens_out += number(data, "tokens_out");
                self.facts.tokens_cached += number(data, "tokens_cached");
            }
            "refusal" => {
                *self.facts.refusals.entry(refusal_code(data)).or_default() += 1;
                REFUSED.clone_into(&mut self.facts.last_obstacle);
            }
            "dispatch" => {
                self.close_open();
                self.open = true;
                // What was refused before is overcome.
                self.facts.last_obstacle.clear();
            }
            "transaction" => self.transaction(data),
            "checkpoint" => {
                let milestones = self.known(strings(data, "milestones"));
                self.facts.retained = milestones.len() as u32;
                self.checkpoints.insert(text(data, "id"), milestones);
            }
            "restore" if flag(data, "ok") => {
                // Going back further than to the newest checkpoint takes progress away, never history.
                if let Some(milestones) = self.checkpoints.get(&text(data, "checkpoint_id")) {
                    self.facts.retained = milestones.len() as u32;
                }
            }
            "endpoint" => {
                let verdict = data.get("verdict").unwrap_or(&Value::Null);
                if text(verdict, "outcome") == "accepted" {
                    let milestones = self.known(strings(verdict, "milestones"));
                    self.certify(&milestones);
                    self.facts.retained = milestones.len() as u32;
                }
            }
            "end" => {
                let letter = text(data, "label");
                let label = Label::ALL.into_iter().find(|l| l.letter() == letter);
                self.facts.label = Some(label.ok_or(FactsError::Label(letter))?);
                self.end_s = data.get("wall_s").and_then(Value::as_f64);
            }
            _ => {}
        }
        Ok(())
    }

    /// A continuation starts from the totals of its parent (G-11).
    fn segment(&mut self, data: &Value) {
        let counters = data.get("counters").unwrap_or(&Value::Null);
        let small = |key: &str| -> u32 { number(counters, key).try_into().unwrap_or(u32::MAX) };
        self.facts.charged = self.facts.charged.max(small("transactions"));
        self.facts.accepted = self.facts.accepted.max(small("accepted"));
        self.facts.unresolved = self.facts.unresolved.max(small("unresolved"));
        self.facts.drops = self.facts.drops.max(small("drops"));
        self.facts.model_calls = self.facts.model_calls.max(small("model_calls"));
    }

    /// A dispatch without a verdict may have moved the robots: charged, never judged (CE-111).
    fn close_open(&mut self) {
        if std::mem::take(&mut self.open) {
            self.facts.charged += 1;
            self.facts.charged_since_milestone += 1;
            self.facts.unresolved += 1;
        }
    }

    fn transaction(&mut self, data: &Value) {
        self.open = false;
        if !flag(data, "charged") {
            return;
        }
        self.facts.charged += 1;
        self.facts.charged_since_milestone += 1;
        self.facts.drops += u32::from(flag(data, "drop"));
        let verdict = data.get("verdict").unwrap_or(&Value::Null);
        match text(verdict, "outcome").as_str() {
            "accepted" => {
                self.facts.accepted += 1;
                if text(verdict, "kind") == "setup" {
                    // An accepted set-up certifies nothing (CE-112).
                    self.facts.setups_since_milestone += 1;
                } else {
                    let milestones = self.known(strings(verdict, "milestones"));
                    self.certify(&milestones);
                }
            }
            "rejected" => {
                let evidence = data.get("evidence").unwrap_or(&Value::Null);
                self.facts.last_obstacle = text(evidence, "failure_type");
            }
            _ => self.facts.unresolved += 1,
        }
    }

    /// Gives first-time credit to milestones of one accepted verdict.
    fn certify(&mut self, milestones: &[String]) {
        for milestone in milestones {
            if self.facts.certified_at.iter().any(|a| a.milestone == *milestone) {
                continue;
            }
            self.facts.certified_at.push(Attained { milestone: milestone.clone(), transaction: self.facts.charged });
            self.facts.setups_since_milestone = 0;
            self.facts.charged_since_milestone = 0;
        }
    }

    /// Milestones of the task, each once.
    fn known(&self, mut milestones: Vec<String>) -> Vec<String> {
        milestones.sort();
        milestones.dedup();
        milestones.retain(|m| self.milestones.contains(m));
        milestones
    }

    fn finish(mut self) -> RunFacts {
        self.close_open();
        let segment = Segment { from_s: 0.0, to_s: self.end_s, seen_s: self.seen_s, excluded: false };
        let time = run_time(&[segment]);
        self.facts.wall_s = time.wall_s;
        self.facts.wall_is_lower_bound = time.lower_bound;
        self.facts
    }
}

/// Code of a refusal: of the first finding, or the word before the colon of a role's refusal.
fn refusal_code(data: &Value) -> String {
    let findings = data.get("findings").and_then(Value::as_array);
    let of_finding = findings.and_then(|f| f.first()).map(|f| text(f, "code"));
    let reason = text(data, "reason");
    let of_reason = || reason.split(':').next().filter(|code| code.starts_with("E_")).map(str::to_owned);
    of_finding.or_else(of_reason).filter(|code| !code.is_empty()).unwrap_or_else(|| "role".to_owned())
}
