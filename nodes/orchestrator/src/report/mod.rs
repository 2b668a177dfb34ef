//! The report of a run, computed from its ledger alone (G-06).

pub mod facts;
pub mod markdown;
pub mod plot;
pub mod truth;

use crate::ports::TeamSample;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use troupe_core::ledger::{LedgerError, Record, digest};

/// One transaction in the report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// 1-based number in the budget; 0 when nothing was charged.
    pub n: u64,
    /// Phase.
    pub phase: String,
    /// kappa.
    pub kind: String,
    /// d.
    pub objective: String,
    /// Calls in team order, short.
    pub calls: Vec<String>,
    /// Outcome of the verdict.
    pub outcome: String,
    /// First reason.
    pub reason: String,
    /// Largest payload tilt of the samples, rad.
    pub tilt_max_rad: f64,
    /// Simulated time of the verdict since the start of the preparation, s.
    pub sim_s: f64,
}

/// A run in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Name of the run by its content.
    pub run: String,
    /// Seed.
    pub seed: u64,
    /// World.
    pub world: String,
    /// Task.
    pub task: String,
    /// Who answered the model roles.
    pub provider: String,
    /// Label of the end: S, D, B, G, C or I; `incomplete` when the ledger has no end.
    pub outcome: String,
    /// Why.
    pub reason: String,
    /// The endpoint verdict is accepted.
    pub accepted_endpoint: bool,
    /// Charged transactions.
    pub transactions: u64,
    /// Allowed.
    pub limit: u64,
    /// Accepted transactions.
    pub accepted: u64,
    /// Rejected transactions.
    pub rejected: u64,
    /// Transactions that could not be judged.
    pub unresolved: u64,
    /// Drops of the payload.
    pub drops: u64,
    /// Refusals before dispatch.
    pub refusals: u64,
    /// Restorations that were confirmed.
    pub restores: u64,
    /// Calls of model roles.
    pub model_calls: u64,
    /// As billed; 0 when the provider does not say.
    pub tokens_in: u64,
    /// As billed; 0 when the provider does not say.
    pub tokens_out: u64,
    /// Certified milestones, in order.
    pub milestones: Vec<String>,
    /// Milestones of the task (K).
    pub milestones_all: Vec<String>,
    /// Largest payload tilt of the samples, rad.
    pub tilt_max_rad: f64,
    /// Simulated time from the start of the preparation to the end, s.
    pub sim_s: f64,
    /// Wall-clock time of the run, s.
    pub wall_s: f64,
    /// Of all settings.
    pub config_hash: String,
    /// Of the ledger without wall-clock fields.
    pub digest: String,
    /// Name of the variation.
    #[serde(default)]
    pub variation: String,
    /// What was true at the end; only of runs that saw estimated state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truth: Option<truth::Truth>,
    /// Transactions in order.
    pub rows: Vec<Row>,
}

impl Report {
    /// Recomputes everything from verified records.
    ///
    /// # Errors
    /// When the digest cannot be computed.
    pub fn from_records(records: &[Record]) -> Result<Self, LedgerError> {
        let mut report = Self { outcome: "incomplete".into(), digest: digest(records)?, ..Self::default() };
        // The preparation's record is written after it, so the run's time counts from the first sample.
        let first = records.iter().flat_map(|r| samples(&r.data)).next();
        let start_s = first.map(|sample| sample.tick as f64 * troupe_core::TICK_S);
        for record in records {
            let data = &record.data;
            for sample in samples(data) {
                report.tilt_max_rad = report.tilt_max_rad.max(sample.payload_tilt_rad);
            }
            report.sim_s = start_s.map_or(0.0, |start| (record.sim_s - start).max(0.0));
            match record.event.as_str() {
                "run" => report.opening(data),
                "model_call" => {
                    report.model_calls += 1;
                    report.tokens_in += number(data, "tokens_in");
                    report.tokens_out += number(data, "tokens_out");
                }
                "refusal" => report.refusals += 1,
                "restore" => report.restores += u64::from(flag(data, "ok")),
                "checkpoint" => report.milestones = strings(data, "milestones"),
                "transaction" => report.transaction(data, report.sim_s),
                "endpoint" => {
                    let verdict = data.get("verdict").unwrap_or(&Value::Null);
                    if text(verdict, "outcome") == "accepted" {
                        report.accepted_endpoint = true;
                        report.milestones = strings(verdict, "milestones");
                    }
                }
                "end" => {
                    report.outcome = text(data, "label");
                    report.reason = text(data, "reason");
                    report.truth = data.get("truth").and_then(|t| serde_json::from_value(t.clone()).ok());
                    report.wall_s = data.get("wall_s").and_then(Value::as_f64).unwrap_or_default();
                }
                _ => {}
            }
        }
        Ok(report)
    }

    /// An accepted endpoint that was not true; none where the verdict rests on ground truth.
    #[must_use]
    pub fn false_accept(&self) -> Option<bool> {
        self.truth.as_ref().map(|t| self.accepted_endpoint && (t.dropped || !t.placed))
    }

    fn opening(&mut self, data: &Value) {
        self.run = text(data, "run");
        self.seed = number(data, "seed");
        self.world = text(data, "world");
        self.task = text(data, "task");
        self.provider = text(data, "provider");
        self.config_hash = text(data, "config_hash");
        self.limit = number(data, "limit_effective");
        self.milestones_all = strings(data, "milestones");
        self.variation = data.get("variation").map(|v| text(v, "name")).unwrap_or_default();
    }

    fn transaction(&mut self, data: &Value, sim_s: f64) {
        let verdict = data.get("verdict").unwrap_or(&Value::Null);
        let outcome = text(verdict, "outcome");
        if flag(data, "charged") {
            self.transactions += 1;
            match outcome.as_str() {
                "accepted" => self.accepted += 1,
                "rejected" => self.rejected += 1,
                _ => self.unresolved += 1,
            }
            self.drops += u64::from(flag(data, "drop"));
        }
        let calls = data.get("calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        self.rows.push(Row {
            n: number(data, "n"),
            phase: text(data, "phase"),
            kind: text(data, "kind"),
            objective: text(data, "objective"),
            calls: calls.iter().map(short_call).collect(),
            outcome,
            reason: strings(verdict, "reasons").into_iter().next().unwrap_or_default(),
            tilt_max_rad: samples(data).iter().map(|s| s.payload_tilt_rad).fold(0.0, f64::max),
            sim_s,
        });
    }
}

/// A call with its arguments on one line.
fn short_call(call: &Value) -> String {
    let Value::Object(map) = call else { return String::new() };
    let arguments = map.iter().filter(|(k, _)| *k != "skill").map(|(k, v)| {
        let value = v.as_f64().map_or_else(|| v.as_str().unwrap_or_default().to_owned(), |n| format!("{n:.3}"));
        format!("{k}={value}")
    });
    format!("{}({})", text(call, "skill"), arguments.collect::<Vec<_>>().join(", "))
}

/// Path samples of a record.
#[must_use]
pub fn samples(data: &Value) -> Vec<TeamSample> {
    let items = data.get("path").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(|s| serde_json::from_value(s.clone()).ok()).collect()
}

pub(crate) fn text(data: &Value, key: &str) -> String {
    data.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

pub(crate) fn number(data: &Value, key: &str) -> u64 {
    data.get(key).and_then(Value::as_u64).unwrap_or_default()
}

pub(crate) fn flag(data: &Value, key: &str) -> bool {
    data.get(key).and_then(Value::as_bool).unwrap_or_default()
}

pub(crate) fn strings(data: &Value, key: &str) -> Vec<String> {
    let items = data.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(|s| s.as_str().map(str::to_owned)).collect()
}
