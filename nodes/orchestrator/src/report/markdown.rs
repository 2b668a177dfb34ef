//! The report as a page.

use super::Report;
use std::fmt::Write;

/// Who spoke for the model roles, in words that cannot be misread.
pub(crate) fn provider(name: &str) -> &str {
    match name {
        "builtin" => "builtin (rules, no language model)",
        "imperfect" => "imperfect (rule-based planner with seeded errors)",
        "scripted" => "scripted (a fixed list of answers, no language model)",
        "replay" => "replay (answers recorded in an earlier run)",
        other => other,
    }
}

/// Markdown text of a report.
#[must_use]
pub fn markdown(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(out, "# Run {}\n", report.run);
    let _ = writeln!(out, "| | |\n|---|---|");
    let milestones = format!("{} of {}", report.milestones.len(), report.milestones_all.len());
    let endpoint = if report.accepted_endpoint { "accepted" } else { "not accepted" };
    for (name, value) in [
        ("outcome", format!("{} ({})", report.outcome, report.reason)),
        ("endpoint", endpoint.to_owned()),
        ("task, world, seed", format!("{}, {}, {}", report.task, report.world, report.seed)),
        ("provider", provider(&report.provider).to_owned()),
        ("milestones", format!("{milestones}: {}", report.milestones.join(", "))),
        ("transactions", format!("{} of {}", report.transactions, report.limit)),
        ("accepted, rejected, unresolved", format!("{}, {}, {}", report.accepted, report.rejected, report.unresolved)),
        ("drops", report.drops.to_string()),
        ("refused before dispatch", report.refusals.to_string()),
        ("confirmed restorations", report.restores.to_string()),
        ("model calls", report.model_calls.to_string()),
        ("tokens in, out", format!("{}, {}", report.tokens_in, report.tokens_out)),
        ("largest payload tilt", format!("{:.1}°", report.tilt_max_rad.to_degrees())),
        ("simulated time", format!("{:.1} s", report.sim_s)),
        ("wall-clock time", format!("{:.1} s", report.wall_s)),
        ("settings", report.config_hash.clone()),
        ("ledger digest", report.digest.clone()),
    ] {
        let _ = writeln!(out, "| {name} | {} |", cell(&value));
    }
    let _ = writeln!(out, "\n## Transactions\n");
    let _ = writeln!(out, "| n | phase | kind | calls | verdict | largest tilt | simulated s | reason |");
    let _ = writeln!(out, "|---|---|---|---|---|---|---|---|");
    for row in &report.rows {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {:.1}° | {:.1} | {} |",
            row.n,
            cell(&row.phase),
            cell(&row.kind),
            cell(&row.calls.join("; ")),
            row.outcome,
            row.tilt_max_rad.to_degrees(),
            row.sim_s,
            cell(&row.reason)
        );
    }
    out
}

/// Text that cannot break a table.
pub(crate) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

/// The few lines that a terminal shows at the end.
#[must_use]
pub fn summary(report: &Report) -> String {
    let page = markdown(report);
    page.split("\n## ").next().unwrap_or_default().to_owned()
}
