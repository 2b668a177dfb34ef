//! What a study's call did, for people and as JSON.

use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use troupe_core::stats::quantile;
use troupe_orchestrator::study::report::StudyReport;

/// A study after a call.
#[derive(Clone, Debug)]
pub struct Done {
    /// Study.
    pub study: String,
    /// Folder of its runs and its report.
    pub folder: PathBuf,
    /// Finished runs that were there before.
    pub kept: usize,
    /// Unfinished runs that were moved aside, with the reason.
    pub aside: Vec<String>,
    /// Wall-clock s of each run made by this call.
    pub made: Vec<f64>,
    /// Runs that could not be made.
    pub failures: Vec<String>,
    /// A signal ended the call before all runs were made.
    pub interrupted: bool,
    /// Wall-clock s of the call.
    pub wall_s: f64,
    /// The report, unless there is nothing to report.
    pub report: Option<StudyReport>,
}

impl Done {
    pub(super) fn new(study: &str, folder: &Path) -> Self {
        Self {
            study: study.to_owned(),
            folder: folder.to_owned(),
            kept: 0,
            aside: Vec::new(),
            made: Vec::new(),
            failures: Vec::new(),
            interrupted: false,
            wall_s: 0.0,
            report: None,
        }
    }

    /// Everything as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let rows = self.report.as_ref().map(|r| json!(r.rows)).unwrap_or_default();
        let comparisons: Vec<Value> = self.report.iter().flat_map(|r| &r.comparisons).map(|c| {
            let metrics = c.metrics.iter().map(|m| {
                let value = m.difference.map(|d| {
                    json!({"points": d.mean, "low": d.low, "high": d.high, "pairs": d.pairs, "excludes_zero": d.excludes_zero()})
                });
                (m.metric.name().to_owned(), value.unwrap_or_default())
            });
            json!({
                "world": c.world, "provider": c.provider, "method": c.method,
                "reference_minus_method": metrics.collect::<serde_json::Map<String, Value>>(),
            })
        }).collect();
        json!({
            "study": self.study,
            "kept": self.kept,
            "made": self.made.len(),
            "moved_aside": self.aside.len(),
            "failures": self.failures,
            "interrupted": self.interrupted,
            "wall_s": self.wall_s,
            "made_wall_median_s": quantile(&self.made, 0.5),
            "conditions": rows,
            "comparisons": comparisons,
        })
    }

    /// A few lines for people.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        if let Some(report) = &self.report {
            let _ = writeln!(out, "\n| world | provider | method | SR [Wilson 95 %] | VP % | EA % | PAUC % | final labels | model calls | run time, median s |");
            let _ = writeln!(out, "|---|---|---|---|---|---|---|---|---|---|");
            for row in &report.rows {
                let (c, f) = (&row.condition, &row.figures);
                let labels: Vec<String> =
                    f.labels.iter().filter(|(_, n)| **n > 0).map(|(l, n)| format!("{} {n}", l.letter())).collect();
                let [low, high] = f.wilson95;
                let _ = writeln!(
                    out,
                    "| {} | {} | {} | {}/{} [{low:.1}, {high:.1}] | {} | {} | {} | {} | {} | {} |",
                    c.world,
                    c.provider,
                    c.method,
                    f.successes,
                    f.runs,
                    f.progress.shown(),
                    f.acceptance.map_or_else(|| "NA".to_owned(), |b| b.shown()),
                    f.pauc.shown(),
                    labels.join(" "),
                    f.model_calls.shown(),
                    f.wall_median_s.shown()
                );
            }
        }
        for aside in &self.aside {
            let _ = writeln!(out, "moved aside: {aside}");
        }
        for failure in &self.failures {
            let _ = writeln!(out, "failed: {failure}");
        }
        if self.interrupted {
            let _ = writeln!(out, "interrupted: the same command goes on");
        }
        let _ = write!(
            out,
            "\nstudy {}: {} runs made, {} kept, {:.0} s; report: {}",
            self.study,
            self.made.len(),
            self.kept,
            self.wall_s,
            self.folder.join("report.md").display()
        );
        out
    }
}
