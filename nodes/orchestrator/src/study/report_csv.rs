//! Tables of a study as CSV; names of columns carry units.

use super::StudyError;
use super::load::Loaded;
use super::report::{Comparison, Row};
use troupe_coordination::metrics::Bound;
use troupe_coordination::terminal::Label;
use troupe_core::task::EndpointKind;

fn bad(what: &str) -> impl Fn(String) -> StudyError {
    let what = what.to_owned();
    move |reason| StudyError::Write { what: what.clone(), reason }
}

fn written(what: &str, header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Result<String, StudyError> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(header).map_err(|e| bad(what)(e.to_string()))?;
    for row in rows {
        out.write_record(&row).map_err(|e| bad(what)(e.to_string()))?;
    }
    let bytes = out.into_inner().map_err(|e| bad(what)(e.to_string()))?;
    String::from_utf8(bytes).map_err(|e| bad(what)(e.to_string()))
}

/// `full` or `placement`; empty when the ledger does not say.
pub(crate) fn endpoint(kind: Option<EndpointKind>) -> &'static str {
    match kind {
        Some(EndpointKind::Full) => "full",
        Some(EndpointKind::Placement) => "placement",
        None => "",
    }
}

/// A number as it is: four decimals.
fn plain(value: f64) -> String {
    format!("{value:.4}")
}

/// A number and whether it is a lower bound.
fn bound(value: Option<Bound>) -> [String; 2] {
    match value {
        Some(b) => [plain(b.value), u8::from(b.lower_bound).to_string()],
        None => [String::new(), String::new()],
    }
}

/// One line for each condition.
pub(crate) fn table(rows: &[Row]) -> Result<String, StudyError> {
    let mut header = vec![
        "world", "provider", "method", "endpoint", "runs", "incomplete", "successes", "sr_pct", "sr_wilson_low_pct",
        "sr_wilson_high_pct", "vp_pct", "vp_is_lower_bound", "ea_pct", "ea_is_lower_bound", "ea_runs", "pauc_pct",
        "pauc_is_lower_bound", "horizon_transactions", "setups_since_milestone_mean", "setups_since_milestone_max",
        "charged_since_milestone_mean",
    ];
    header.extend(Label::ALL.map(Label::letter));
    header.extend([
        "refusals", "refusals_by_code", "model_calls_mean", "model_calls_is_lower_bound", "transactions_mean",
        "transactions_is_lower_bound", "unresolved", "drops", "tokens_in", "tokens_out", "tokens_cached", "wall_mean_s",
        "wall_median_s", "wall_is_lower_bound", "sim_mean_s",
    ]);
    let lines = rows.iter().map(|row| {
        let (c, f) = (&row.condition, &row.figures);
        let mut line = vec![
            c.world.clone(),
            c.provider.clone(),
            c.method.clone(),
            endpoint(row.endpoint).to_owned(),
            f.runs.to_string(),
            f.incomplete.to_string(),
            f.successes.to_string(),
            plain(f.success_rate),
        ];
        line.extend(f.wilson95.map(plain));
        line.extend(bound(Some(f.progress)));
        line.extend(bound(f.acceptance));
        line.push(f.dispatching_runs.to_string());
        line.extend(bound(Some(f.pauc)));
        line.push(f.horizon.to_string());
        line.push(plain(f.setups_since_milestone));
        line.push(f.setups_since_milestone_max.to_string());
        line.push(plain(f.charged_since_milestone));
        line.extend(Label::ALL.map(|l| f.labels.get(&l).copied().unwrap_or_default().to_string()));
        line.push(f.refusals.values().sum::<u32>().to_string());
        line.push(f.refusals.iter().map(|(code, n)| format!("{code}={n}")).collect::<Vec<_>>().join(" "));
        line.extend(bound(Some(f.model_calls)));
        line.extend(bound(Some(f.transactions)));
        line.push(f.unresolved.to_string());
        line.push(f.drops.to_string());
        line.extend(f.tokens.map(|t| t.to_string()));
        line.push(plain(f.wall_mean_s.value));
        line.extend(bound(Some(f.wall_median_s)));
        line.push(plain(f.sim_mean_s.value));
        line
    });
    written("table.csv", &header, lines)
}

/// One line for each run.
pub(crate) fn runs(runs: &[Loaded]) -> Result<String, StudyError> {
    let header = [
        "world", "provider", "method", "seed", "task", "endpoint", "label", "milestones", "milestones_total", "charged",
        "accepted", "unresolved", "setups_since_milestone", "charged_since_milestone", "drops", "refusals", "model_calls",
        "limit_original", "limit_effective", "horizon_report", "pauc_pct", "certified_at", "wall_s", "wall_is_lower_bound",
        "sim_s", "code_hash", "method_hash",
    ];
    let lines = runs.iter().map(|run| {
        let (p, f) = (&run.place, &run.facts);
        let certified = f.certified_at.iter().map(|a| format!("{}={}", a.milestone, a.transaction));
        vec![
            p.world.clone(),
            p.provider.clone(),
            p.method.clone(),
            p.seed.to_string(),
            f.task.clone(),
            endpoint(f.endpoint).to_owned(),
            f.label.map_or("incomplete", Label::letter).to_owned(),
            f.retained.to_string(),
            f.milestones_total.to_string(),
            f.charged.to_string(),
            f.accepted.to_string(),
            f.unresolved.to_string(),
            f.setups_since_milestone.to_string(),
            f.charged_since_milestone.to_string(),
            f.drops.to_string(),
            f.refusals_total().to_string(),
            f.model_calls.to_string(),
            f.limit_original.to_string(),
            f.limit_effective.to_string(),
            f.horizon_report.to_string(),
            plain(f.pauc(f.horizon_report)),
            certified.collect::<Vec<_>>().join(" "),
            plain(f.wall_s),
            u8::from(f.wall_is_lower_bound).to_string(),
            plain(f.sim_s),
            f.code_hash.clone(),
            f.method_hash.clone(),
        ]
    });
    written("runs.csv", &header, lines)
}

/// One line for each comparison and metric.
pub(crate) fn comparisons(all: &[Comparison], reference: &str) -> Result<String, StudyError> {
    let header = [
        "world", "provider", "endpoint", "reference", "method", "metric", "pairs", "difference_points", "low_points",
        "high_points", "excludes_zero", "with_lower_bounds",
    ];
    let lines = all.iter().flat_map(|c| {
        c.metrics.iter().map(move |m| {
            let mut line = vec![
                c.world.clone(),
                c.provider.clone(),
                endpoint(c.endpoint).to_owned(),
                reference.to_owned(),
                c.method.clone(),
                m.metric.name().to_owned(),
            ];
            match m.difference {
                Some(d) => line.extend([
                    d.pairs.to_string(),
                    plain(d.mean),
                    plain(d.low),
                    plain(d.high),
                    u8::from(d.excludes_zero()).to_string(),
                ]),
                None => line.extend(["0", "", "", "", ""].map(str::to_owned)),
            }
            line.push(u8::from(m.with_lower_bounds).to_string());
            line
        })
    });
    written("comparison.csv", &header, lines)
}
