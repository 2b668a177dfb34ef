//! The report of a study: figures of each condition, paired comparisons, curves and paths, from ledgers alone.

use super::load::{Loaded, load};
use super::layout::Place;
use super::{StudyError, file_error, report_csv, report_curves, report_page, report_paths};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use troupe_coordination::metrics::cohort::{one_code, one_method};
use troupe_coordination::metrics::{Cohort, Figures, RunFacts, Versus, versus};
use troupe_core::stats::BOOTSTRAP_DRAWS;
use troupe_core::task::EndpointKind;

/// Seed of the bootstrap; fixed, so that a report repeats to the byte.
const BOOTSTRAP_SEED: u64 = 20;

/// How a study is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Name of the study.
    pub name: String,
    /// What it was registered to ask; empty when unknown.
    pub question: String,
    /// Method that the others are compared with.
    pub reference: String,
    /// Compare runs of different code all the same, and say so.
    pub allow_mixed: bool,
    /// Ledgers read at a time.
    pub jobs: usize,
}

/// A condition: one world, one provider, one method.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Condition {
    /// World.
    pub world: String,
    /// Provider with its level.
    pub provider: String,
    /// Method.
    pub method: String,
}

/// A condition with its figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Which.
    pub condition: Condition,
    /// Endpoint of its runs.
    pub endpoint: Option<EndpointKind>,
    /// Figures.
    pub figures: Figures,
}

/// The reference against another method.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// World, or `all` over every world of one endpoint and horizon.
    pub world: String,
    /// Provider with its level.
    pub provider: String,
    /// The other method.
    pub method: String,
    /// Endpoint of the pairs.
    pub endpoint: Option<EndpointKind>,
    /// Reference minus method.
    pub metrics: Vec<Versus>,
}

/// A whole study.
#[derive(Clone, Debug)]
pub struct StudyReport {
    /// Conditions in order: world, provider, reference first.
    pub rows: Vec<Row>,
    /// Paired comparisons.
    pub comparisons: Vec<Comparison>,
    /// Code hashes of each world's runs.
    pub code: BTreeMap<String, BTreeSet<String>>,
    /// Title of each method, as in its record.
    pub titles: BTreeMap<String, String>,
    /// Places whose ledger holds no event.
    pub empty: Vec<Place>,
}

/// Reads all ledgers below `study` and writes `report.md`, `table.csv`, `runs.csv`, `comparison.csv`, a
/// progress curve for each world and provider, and a plan view for each condition.
///
/// # Errors
/// [`StudyError`].
pub fn write(study: &Path, options: &Options) -> Result<StudyReport, StudyError> {
    let (runs, empty) = load(study, options.jobs)?;
    if runs.is_empty() {
        return Err(StudyError::Empty(study.to_owned()));
    }
    let report = compute(&runs, empty, options)?;
    let write = |name: &str, text: String| {
        let file = study.join(name);
        std::fs::write(&file, text).map_err(file_error(&file))
    };
    let mut pictures = Vec::new();
    for (world, provider) in pairs(&report.rows) {
        let name = format!("progress-{world}-{provider}.svg");
        write(&name, report_curves::curves(&of(&runs, &world, &provider, None), &options.reference)?)?;
        pictures.push(name);
    }
    for row in &report.rows {
        let Condition { world, provider, method } = &row.condition;
        let name = format!("paths-{world}-{provider}-{method}.svg");
        write(&name, report_paths::paths(&of(&runs, world, provider, Some(method)))?)?;
        pictures.push(name);
    }
    write("table.csv", report_csv::table(&report.rows)?)?;
    write("runs.csv", report_csv::runs(&runs)?)?;
    write("comparison.csv", report_csv::comparisons(&report.comparisons, &options.reference)?)?;
    write("report.md", report_page::page(&report, options, &pictures))?;
    Ok(report)
}

/// Every pair of world and provider, in order.
pub(crate) fn pairs(rows: &[Row]) -> BTreeSet<(String, String)> {
    rows.iter().map(|r| (r.condition.world.clone(), r.condition.provider.clone())).collect()
}

fn of<'a>(runs: &'a [Loaded], world: &str, provider: &str, method: Option<&String>) -> Vec<&'a Loaded> {
    let fits = |r: &&Loaded| {
        r.place.world == world && r.place.provider == provider && method.is_none_or(|m| r.place.method == *m)
    };
    runs.iter().filter(fits).collect()
}

fn compute(runs: &[Loaded], empty: Vec<Place>, options: &Options) -> Result<StudyReport, StudyError> {
    let mut conditions: BTreeMap<Condition, Vec<&RunFacts>> = BTreeMap::new();
    let mut worlds: BTreeMap<String, Vec<&RunFacts>> = BTreeMap::new();
    for Loaded { place, facts, .. } in runs {
        let Place { world, provider, method, .. } = place.clone();
        worlds.entry(world.clone()).or_default().push(facts);
        conditions.entry(Condition { world, provider, method }).or_default().push(facts);
    }
    let pool = |world: &str| {
        let world = world.to_owned();
        move |error| StudyError::Pool { world, error }
    };
    let mut code: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (world, facts) in &worlds {
        if !options.allow_mixed {
            one_code(facts).map_err(pool(world))?;
        }
        code.insert(world.clone(), facts.iter().map(|f| f.code_hash.clone()).collect());
    }
    let mut rows = Vec::new();
    for (condition, facts) in &conditions {
        if !options.allow_mixed {
            one_method(facts).map_err(pool(&condition.world))?;
        }
        let cohort = Cohort::new(facts).map_err(pool(&condition.world))?;
        let endpoint = facts.first().and_then(|f| f.endpoint);
        rows.push(Row { condition: condition.clone(), endpoint, figures: cohort.figures() });
    }
    let last = |r: &Row| r.condition.method != options.reference;
    rows.sort_by(|a, b| {
        let key = |r: &Row| (r.condition.world.clone(), r.condition.provider.clone(), last(r), r.condition.method.clone());
        key(a).cmp(&key(b))
    });
    let comparisons = compare(&conditions, &options.reference)?;
    let titles = runs.iter().filter(|r| !r.title.is_empty()).map(|r| (r.place.method.clone(), r.title.clone())).collect();
    Ok(StudyReport { rows, comparisons, code, titles, empty })
}

type Runs<'a> = BTreeMap<Condition, Vec<&'a RunFacts>>;

fn compare(conditions: &Runs<'_>, reference: &str) -> Result<Vec<Comparison>, StudyError> {
    let mut out = Vec::new();
    // By provider, method, endpoint and horizon, over all worlds: only what may be pooled meets here (CE-124).
    let mut pooled: BTreeMap<(String, String, String, u32), Pooled<'_>> = BTreeMap::new();
    for (condition, other) in conditions.iter().filter(|(c, _)| c.method != reference) {
        let Some(full) = conditions.get(&Condition { method: reference.to_owned(), ..condition.clone() }) else { continue };
        let failed = |error| StudyError::Pool { world: condition.world.clone(), error };
        let metrics = versus(full, other, BOOTSTRAP_DRAWS, BOOTSTRAP_SEED).map_err(failed)?;
        let Condition { world, provider, method } = condition.clone();
        let endpoint = other.first().and_then(|f| f.endpoint);
        let horizon = other.first().map(|f| f.horizon_report).unwrap_or_default();
        let all = pooled.entry((provider.clone(), method.clone(), format!("{endpoint:?}"), horizon)).or_default();
        all.worlds += 1;
        all.full.extend(full);
        all.other.extend(other);
        out.push(Comparison { world, provider, method, endpoint, metrics });
    }
    for ((provider, method, _, _), all) in pooled.into_iter().filter(|(_, all)| all.worlds > 1) {
        let failed = |error| StudyError::Pool { world: "all".into(), error };
        let metrics = versus(&all.full, &all.other, BOOTSTRAP_DRAWS, BOOTSTRAP_SEED).map_err(failed)?;
        let endpoint = all.other.first().and_then(|f| f.endpoint);
        out.push(Comparison { world: "all".into(), provider, method, endpoint, metrics });
    }
    Ok(out)
}

#[derive(Default)]
struct Pooled<'a> {
    worlds: usize,
    full: Vec<&'a RunFacts>,
    other: Vec<&'a RunFacts>,
}
