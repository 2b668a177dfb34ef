//! Plan, decisions, verdicts and counters in words: the newest as a document, all of them as a log.

use super::Recorder;
use crate::event::Health;
use crate::queue::Tally;
use rerun::{RecordingStreamError, TextDocument, TextLog, TextLogLevel};
use troupe_core::budget::Budget;
use troupe_core::decision::Decision;
use troupe_core::evidence::{Comparator, Evidence, Outcome, Verdict};
use troupe_core::team::CheckpointInfo;

/// Hexadecimal digits of an id that people read.
const SHORT: usize = 10;

impl Recorder {
    fn say(&self, level: &'static str, text: String) -> Result<(), RecordingStreamError> {
        self.stream.log("log", &TextLog::new(text).with_level(level))
    }

    fn document(&self, name: &str, markdown: String) -> Result<(), RecordingStreamError> {
        self.stream.log(format!("text/{name}"), &TextDocument::from_markdown(markdown))
    }

    /// Plan and progress.
    pub(super) fn text(&self, text: &str) -> Result<(), RecordingStreamError> {
        self.stream.log("text/plan", &TextDocument::new(text))?;
        self.say(TextLogLevel::INFO, text.to_owned())
    }

    /// What shall be done next.
    pub(super) fn decision(&self, d: &Decision) -> Result<(), RecordingStreamError> {
        let roles: Vec<&str> = d.roles.iter().map(|r| r.name()).collect();
        let (kind, objective, mode) = (d.kind.name(), d.objective.name(), d.mode.name());
        let mut page = format!("# {objective}\n\n| | |\n|---|---|\n| kind | {kind} |\n| mode | {mode} |\n| roles | {} |\n", roles.join(", "));
        page += &format!("| phase | {} |\n| formation | {:.3} m, {:.3} rad |\n", d.phase_id, d.formation.distance_m, d.formation.heading_offset_rad);
        page += &format!("| must hold | {} |\n| checkpoint | {} |\n| epoch | {} |\n", d.evidence_required.join(", "), short(&d.checkpoint_id), d.context_epoch);
        if !d.parent_id.is_empty() {
            page += &format!("| revises | {} |\n", short(&d.parent_id));
        }
        self.document("decision", page)?;
        self.say(TextLogLevel::INFO, format!("decision: {objective}, {kind}, {mode}, {}", roles.join(" + ")))
    }

    /// A judgement.
    pub(super) fn verdict(&self, v: &Verdict) -> Result<(), RecordingStreamError> {
        let (word, level) = match v.outcome {
            Outcome::Accepted => ("accepted", TextLogLevel::INFO),
            Outcome::Rejected => ("rejected", TextLogLevel::WARN),
            Outcome::Unresolved => ("unresolved", TextLogLevel::WARN),
            Outcome::InvalidInfra => ("invalid_infra", TextLogLevel::ERROR),
        };
        let kind = v.kind.name();
        let reasons: String = v.reasons.iter().map(|r| format!("- {r}\n")).collect();
        let page = format!("# {word}\n\n{kind} of {}\n\n{reasons}\nmilestones: {}\n", short(&v.subject), v.milestones.join(", "));
        self.document("verdict", page)?;
        self.say(level, format!("verdict: {kind} {word}: {}", v.reasons.join("; ")))
    }

    /// What it rests on.
    pub(super) fn evidence(&self, e: &Evidence) -> Result<(), RecordingStreamError> {
        let mut page = format!("# {}\n\n| condition | value | limit | |\n|---|---|---|---|\n", e.transaction_id);
        for p in &e.predicates {
            let sign = match p.comparator {
                Comparator::Le => "≤",
                Comparator::Ge => "≥",
                Comparator::Eq => "=",
            };
            let holds = if p.passed { "holds" } else { "**fails**" };
            page += &format!("| {} | {:.4} {} | {sign} {:.4} | {holds} |\n", p.name, p.value, p.unit, p.limit);
        }
        if let Some(failure) = e.failure_type {
            page += &format!("\nfailure: {}\n", failure.name());
        }
        self.document("evidence", page)
    }

    /// The checkpoint in force.
    pub(super) fn checkpoint(&self, c: &CheckpointInfo) -> Result<(), RecordingStreamError> {
        let trusted = if c.trusted { "trusted" } else { "not trusted" };
        self.say(TextLogLevel::INFO, format!("checkpoint {} of tick {}: {trusted}", short(&c.id), c.tick))
    }

    /// Counters.
    pub(super) fn budget(&self, run_id: &str, b: &Budget) -> Result<(), RecordingStreamError> {
        let mut page = format!("# {run_id}\n\ntransaction {} of {}\n\n| | |\n|---|---|\n", b.transactions, b.limit);
        for (name, value) in [("accepted", b.accepted), ("rejected", b.rejected), ("unresolved", b.unresolved), ("drops", b.drops)] {
            page += &format!("| {name} | {value} |\n");
        }
        page += &format!("| attempts | {} |\n| model calls | {} |\n| tokens | {} in, {} out |\n", b.attempts, b.model_calls, b.tokens_in, b.tokens_out);
        self.document("budget", page)
    }

    /// `team/stop`.
    pub(super) fn stop(&self, stop: bool) -> Result<(), RecordingStreamError> {
        if stop { self.say(TextLogLevel::ERROR, "team/stop".to_owned()) } else { self.say(TextLogLevel::INFO, "team/stop cleared".to_owned()) }
    }

    /// A node's status: what is wrong in words, times as curves.
    pub(super) fn health(&self, health: &Health) -> Result<(), RecordingStreamError> {
        for (key, value) in health.values.iter().filter(|(key, value)| key.ends_with("_ms") && value.is_finite()) {
            let node = rerun::EntityPathPart::new(health.name.replace(": ", "_"));
            self.scalar(rerun::EntityPath::from(vec!["curves".into(), "nodes".into(), node, key.as_str().into()]), *value)?;
        }
        let level = match health.level {
            0 => return Ok(()),
            2 => TextLogLevel::ERROR,
            _ => TextLogLevel::WARN,
        };
        self.say(level, format!("{}: {}", health.name, health.message))
    }

    /// What this recording lacks.
    pub(super) fn tally(&self, tally: &Tally) -> Result<(), RecordingStreamError> {
        let total = tally.dropped_total();
        let level = if total > 0 { TextLogLevel::WARN } else { TextLogLevel::INFO };
        let kinds: Vec<String> = tally.dropped.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
        self.say(level, format!("viewer: {} events shown, {total} dropped {}", tally.passed, kinds.join(", ")))
    }
}

fn short(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}
