//! One condition against another on the same worlds and seeds (G-12, CE-125).

use super::cohort::{Cohort, PoolError};
use super::facts::RunFacts;
use serde::Serialize;
use std::collections::BTreeMap;
use troupe_core::stats::{Bootstrap, paired_bootstrap};

/// What is compared; all in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Metric {
    /// Success rate.
    Sr,
    /// Retained progress.
    Vp,
    /// Share of accepted transactions.
    Ea,
    /// Area under the progress curve.
    Pauc,
}

impl Metric {
    /// In the order of tables.
    pub const ALL: [Self; 4] = [Self::Sr, Self::Vp, Self::Ea, Self::Pauc];

    /// As in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sr => "SR",
            Self::Vp => "VP",
            Self::Ea => "EA",
            Self::Pauc => "PAUC",
        }
    }

    /// Value of one run, %; `None` where the run has none.
    #[must_use]
    pub fn of(self, run: &RunFacts, horizon: u32) -> Option<f64> {
        match self {
            Self::Sr => Some(if run.success() { 100.0 } else { 0.0 }),
            Self::Vp => Some(100.0 * run.progress()),
            Self::Ea => run.acceptance().map(|share| 100.0 * share),
            Self::Pauc => Some(run.pauc(horizon)),
        }
    }
}

/// A paired comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Versus {
    /// What is compared.
    pub metric: Metric,
    /// Mean difference in points, first minus second, with its interval; `None` without pairs.
    pub difference: Option<Bootstrap>,
    /// A pair holds a lower bound: unresolved transactions or a ledger without an end.
    pub with_lower_bounds: bool,
}

/// Differences `a` minus `b` over pairs of equal world and seed. Runs without a partner are left out, and so
/// are pairs in which one run has no value.
///
/// # Errors
/// [`PoolError`] when the two conditions may not share a figure or hold a run twice.
pub fn versus(a: &[&RunFacts], b: &[&RunFacts], draws: u32, seed: u64) -> Result<Vec<Versus>, PoolError> {
    let all: Vec<&RunFacts> = a.iter().chain(b).copied().collect();
    let horizon = Cohort::new(&all)?.horizon();
    let (a, b) = (by_pair(a)?, by_pair(b)?);
    let pairs: Vec<(&RunFacts, &RunFacts)> = a.iter().filter_map(|(key, run)| Some((*run, *b.get(key)?))).collect();
    let compare = |metric: Metric| {
        let open = |r: &RunFacts| !r.complete() || (metric == Metric::Ea && r.unresolved > 0);
        let differences: Vec<f64> =
            pairs.iter().filter_map(|(a, b)| Some(metric.of(a, horizon)? - metric.of(b, horizon)?)).collect();
        Versus {
            metric,
            difference: paired_bootstrap(&differences, draws, seed),
            with_lower_bounds: pairs.iter().any(|(a, b)| open(a) || open(b)),
        }
    };
    Ok(Metric::ALL.into_iter().map(compare).collect())
}

fn by_pair<'a>(runs: &[&'a RunFacts]) -> Result<BTreeMap<(String, u64), &'a RunFacts>, PoolError> {
    let mut pairs = BTreeMap::new();
    for run in runs {
        if pairs.insert((run.world.clone(), run.seed), *run).is_some() {
            return Err(PoolError::Twice { world: run.world.clone(), seed: run.seed });
        }
    }
    Ok(pairs)
}
