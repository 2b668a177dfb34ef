//! The report of a study as a page. Every table names world, provider and method; SR never stands alone.

use super::report::{Comparison, Options, Row, StudyReport};
use super::report_csv::endpoint;
use crate::report::markdown::{cell, provider as words};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use troupe_coordination::metrics::{Bound, Figures, Metric, Versus};
use troupe_coordination::terminal::Label;

/// Markdown text.
pub(crate) fn page(report: &StudyReport, options: &Options, pictures: &[String]) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(out, "# Study {}\n", options.name);
    if !options.question.is_empty() {
        let _ = writeln!(out, "{}\n", options.question.trim());
    }
    let _ = writeln!(out, "Computed from the ledgers in this folder and from nothing else.\n");
    providers(report, &mut out);
    code(report, options, &mut out);
    let ends: BTreeSet<&str> = report.rows.iter().map(|r| endpoint(r.endpoint)).collect();
    for end in &ends {
        let rows: Vec<&Row> = report.rows.iter().filter(|r| endpoint(r.endpoint) == *end).collect();
        let title = if end.is_empty() { "unrecorded" } else { end };
        let _ = writeln!(out, "## Endpoint {title}\n");
        figures(&rows, &mut out);
        accounts(&rows, &mut out);
        let comparisons: Vec<&Comparison> =
            report.comparisons.iter().filter(|c| endpoint(c.endpoint) == *end).collect();
        compared(&comparisons, &options.reference, &mut out);
        ahead(&comparisons, &options.reference, &mut out);
        obstacles(&rows, &mut out);
    }
    if ends.len() > 1 {
        let _ = writeln!(out, "Endpoints differ, so nothing is pooled across them (CE-124).\n");
    }
    notes(report, &mut out);
    let _ = writeln!(out, "## Pictures\n");
    for name in pictures {
        let _ = writeln!(out, "![{}]({name})\n", name.trim_end_matches(".svg"));
    }
    out
}

fn providers(report: &StudyReport, out: &mut String) {
    let names: BTreeSet<&str> = report.rows.iter().map(|r| r.condition.provider.as_str()).collect();
    for name in names {
        let said = words(name);
        if said != name {
            let _ = writeln!(out, "Provider {name}: {said}.\n");
        }
    }
    let methods: Vec<String> = report.titles.iter().map(|(name, title)| format!("`{name}` {}", cell(title))).collect();
    if !methods.is_empty() {
        let _ = writeln!(out, "Methods: {}.\n", methods.join("; "));
    }
}

fn code(report: &StudyReport, options: &Options, out: &mut String) {
    let _ = writeln!(out, "| world | code hash of its runs |\n|---|---|");
    for (world, hashes) in &report.code {
        let shown: Vec<&str> = hashes.iter().map(|h| h.get(..12).unwrap_or("unrecorded")).collect();
        let _ = writeln!(out, "| {} | {} |", cell(world), shown.join(", "));
    }
    out.push('\n');
    if options.allow_mixed && report.code.values().any(|h| h.len() > 1) {
        let _ = writeln!(out, "**Runs of different code are mixed here; differences may come from the code.**\n");
    }
}

/// `13/20 = 65.0 % [43.3, 81.9]`.
fn success(f: &Figures) -> String {
    let [low, high] = f.wilson95;
    format!("{}/{} = {:.1} % [{low:.1}, {high:.1}]", f.successes, f.runs, f.success_rate)
}

fn acceptance(f: &Figures) -> String {
    let Some(share) = f.acceptance else { return "NA (no dispatch)".into() };
    if f.dispatching_runs == f.runs {
        return share.shown();
    }
    format!("{} ({} of {} runs dispatched)", share.shown(), f.dispatching_runs, f.runs)
}

fn labels(f: &Figures) -> String {
    let counts = Label::ALL.iter().map(|l| format!("{} {}", l.letter(), f.labels.get(l).copied().unwrap_or_default()));
    let mut words: Vec<String> = counts.collect();
    if f.incomplete > 0 {
        words.push(format!("incomplete {}", f.incomplete));
    }
    words.join(", ")
}

fn refusals(codes: &BTreeMap<String, u32>) -> String {
    let total: u32 = codes.values().sum();
    if total == 0 {
        return "0".into();
    }
    let each: Vec<String> = codes.iter().map(|(code, n)| format!("{code} {n}")).collect();
    format!("{total}: {}", each.join(", "))
}

fn table(out: &mut String, header: &[String], lines: impl Iterator<Item = Vec<String>>) {
    let _ = writeln!(out, "| {} |\n|{}", header.join(" | "), "---|".repeat(header.len()));
    for line in lines {
        let cells: Vec<String> = line.iter().map(|c| cell(c)).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out.push('\n');
}

fn names(row: &Row) -> Vec<String> {
    let c = &row.condition;
    vec![c.world.clone(), c.provider.clone(), c.method.clone()]
}

fn figures(rows: &[&Row], out: &mut String) {
    let horizons: BTreeSet<u32> = rows.iter().map(|r| r.figures.horizon).collect();
    let pauc = match (horizons.len(), horizons.first()) {
        (1, Some(b)) => format!("PAUC@{b} %"),
        _ => "PAUC@B %".into(),
    };
    let header = [
        "world", "provider", "method", "SR [Wilson 95 %]", "VP %", "EA %", &pauc, "set-ups since last milestone: mean (max)",
        "transactions since last milestone", "final labels", "refusals before dispatch", "model calls a run",
    ];
    let header: Vec<String> = header.into_iter().map(str::to_owned).collect();
    let lines = rows.iter().map(|row| {
        let f = &row.figures;
        let mut line = names(row);
        line.extend([
            success(f),
            f.progress.shown(),
            acceptance(f),
            if horizons.len() == 1 { f.pauc.shown() } else { format!("{} @{}", f.pauc.shown(), f.horizon) },
            format!("{:.1} ({})", f.setups_since_milestone, f.setups_since_milestone_max),
            format!("{:.1}", f.charged_since_milestone),
            labels(f),
            refusals(&f.refusals),
            f.model_calls.shown(),
        ]);
        line
    });
    table(out, &header, lines);
}

fn accounts(rows: &[&Row], out: &mut String) {
    let header = [
        "world", "provider", "method", "transactions a run", "unresolved, all runs", "drops, all runs",
        "tokens in, out, cached, all runs", "run time mean, median, wall-clock s", "simulated s a run",
    ];
    let header: Vec<String> = header.into_iter().map(str::to_owned).collect();
    let lines = rows.iter().map(|row| {
        let f = &row.figures;
        let mut line = names(row);
        line.extend([
            f.transactions.shown(),
            f.unresolved.to_string(),
            f.drops.to_string(),
            f.tokens.map(|t| t.to_string()).join(", "),
            [f.wall_mean_s, f.wall_median_s].map(|b: Bound| b.shown()).join(", "),
            f.sim_mean_s.shown(),
        ]);
        line
    });
    table(out, &header, lines);
}

fn difference(v: &Versus) -> String {
    let Some(d) = v.difference else { return "NA".into() };
    let mark = if v.with_lower_bounds { " (holds lower bounds)" } else { "" };
    format!("{:+.1} [{:+.1}, {:+.1}], n = {}{mark}", d.mean, d.low, d.high, d.pairs)
}

fn compared(comparisons: &[&Comparison], reference: &str, out: &mut String) {
    if comparisons.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "Differences in points, `{reference}` minus method, over pairs of equal world and seed; 95 % percentile bootstrap \
         of 10 000 draws over pairs.\n"
    );
    let header: Vec<String> =
        ["world", "provider", "method", "SR", "VP", "EA", "PAUC"].into_iter().map(str::to_owned).collect();
    let lines = comparisons.iter().map(|c| {
        let mut line = vec![c.world.clone(), c.provider.clone(), format!("{reference} minus {}", c.method)];
        line.extend(c.metrics.iter().map(difference));
        line
    });
    table(out, &header, lines);
}

/// Whether the reference is ahead of every other method in SR, world by world and provider by provider.
fn ahead(comparisons: &[&Comparison], reference: &str, out: &mut String) {
    let mut places: BTreeMap<(&str, &str), Vec<&Comparison>> = BTreeMap::new();
    for c in comparisons.iter().filter(|c| c.world != "all") {
        places.entry((&c.world, &c.provider)).or_default().push(c);
    }
    for ((world, provider), others) in places {
        let named = |pick: fn(f64, f64) -> bool| {
            let picked = others.iter().filter(|c| {
                let sr = c.metrics.iter().find(|m| m.metric == Metric::Sr).and_then(|m| m.difference);
                sr.is_some_and(|d| pick(d.low, d.high))
            });
            picked.map(|c| format!("`{}`", c.method)).collect::<Vec<_>>()
        };
        let before = named(|low, _| low > 0.0);
        let behind = named(|_, high| high < 0.0);
        let level = named(|low, high| low <= 0.0 && high >= 0.0);
        let list = |names: Vec<String>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let all = before.len() == others.len();
        let _ = writeln!(
            out,
            "SR in {world}, {provider}: `{reference}` is {} every other method with an interval that excludes zero. Ahead of: {}. \
             Behind: {}. Not told apart from: {}.\n",
            if all { "ahead of" } else { "not ahead of" },
            list(before),
            list(behind),
            list(level),
        );
    }
}

/// Why runs did not succeed.
fn obstacles(rows: &[&Row], out: &mut String) {
    if rows.iter().all(|r| r.figures.obstacles.is_empty()) {
        return;
    }
    let _ = writeln!(out, "Runs without success by final label and what stood in the way last: refused answers, or the failure of the last rejected transaction.\n");
    let header: Vec<String> = ["world", "provider", "method", "runs"].into_iter().map(str::to_owned).collect();
    let lines = rows.iter().map(|row| {
        let each: Vec<String> = row.figures.obstacles.iter().map(|(what, n)| format!("{what} {n}")).collect();
        let mut line = names(row);
        line.push(if each.is_empty() { "none".into() } else { each.join(", ") });
        line
    });
    table(out, &header, lines);
}

fn notes(report: &StudyReport, out: &mut String) {
    let _ = writeln!(
        out,
        "`>=`: a lower bound, from unresolved transactions or ledgers without an end. EA counts dispatched transactions \
         alone; what was refused before stands in its own column. VP is progress kept at the end, PAUC its history. \
         Labels: {}.\n",
        Label::ALL.map(|l| format!("{} {}", l.letter(), l.meaning())).join(", ")
    );
    for place in &report.empty {
        let _ = writeln!(
            out,
            "Left out, its ledger holds no event: {}/{}/{}/{}.\n",
            place.method, place.provider, place.world, place.seed
        );
    }
}
