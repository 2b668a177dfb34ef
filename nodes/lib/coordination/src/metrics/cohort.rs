//! Figures of a group of runs that may be averaged: runs weigh equally (CE-110, CE-115).

use super::facts::RunFacts;
use crate::terminal::Label;
use serde::Serialize;
use std::collections::BTreeMap;
use troupe_core::stats::{quantile, wilson95};
use troupe_core::task::EndpointKind;

/// Why runs may not share one figure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// Nothing to average.
    #[error("no runs")]
    Empty,
    /// Different endpoints make different successes (CE-124).
    #[error("runs of different endpoints may not be pooled: {0:?} and {1:?}")]
    Endpoints(Option<EndpointKind>, Option<EndpointKind>),
    /// Areas over different horizons are different quantities (CE-101).
    #[error("runs of different reporting horizons may not be pooled: {0} and {1} transactions")]
    Horizons(u32, u32),
    /// Results of different code are no comparison (CE-125).
    #[error("runs of different code may not be compared: {0} and {1}")]
    Code(String, String),
    /// A condition is one method, not two under one name.
    #[error("runs of method `{0}` with different records may not be pooled")]
    Method(String),
    /// Two runs claim the same place in a paired comparison.
    #[error("world {world}, seed {seed} stands twice in one condition")]
    Twice {
        /// World.
        world: String,
        /// Seed.
        seed: u64,
    },
}

/// A number that may be a lower bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Bound {
    /// Its unit is the field's.
    pub value: f64,
    /// The true value may be higher.
    pub lower_bound: bool,
}

impl Bound {
    /// For people: `>= 62.5` when it is a lower bound.
    #[must_use]
    pub fn shown(&self) -> String {
        format!("{}{:.1}", if self.lower_bound { ">= " } else { "" }, self.value)
    }
}

/// Runs of one endpoint and one reporting horizon.
#[derive(Clone, Debug)]
pub struct Cohort<'a> {
    runs: Vec<&'a RunFacts>,
    horizon: u32,
}

/// All figures of a cohort, always together (XT-02, XT-06).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// n.
    pub runs: u32,
    /// Runs whose ledger has no end.
    pub incomplete: u32,
    /// Runs that reached the endpoint.
    pub successes: u32,
    /// SR, %.
    pub success_rate: f64,
    /// Wilson 95 % interval of SR, %.
    pub wilson95: [f64; 2],
    /// VP, %.
    pub progress: Bound,
    /// EA, %; `None` when no run dispatched anything.
    pub acceptance: Option<Bound>,
    /// Runs behind EA: those that dispatched at all.
    pub dispatching_runs: u32,
    /// PAUC@B, %.
    pub pauc: Bound,
    /// B.
    pub horizon: u32,
    /// Runs by final stop condition; every label has its entry.
    pub labels: BTreeMap<Label, u32>,
    /// What stood in the way of runs without success, each with its label: `G wall_contact`.
    pub obstacles: BTreeMap<String, u32>,
    /// Mean of accepted set-ups since the last milestone.
    pub setups_since_milestone: f64,
    /// Largest of these.
    pub setups_since_milestone_max: u32,
    /// Mean of charged transactions since the last milestone.
    pub charged_since_milestone: f64,
    /// Mean of charged transactions.
    pub transactions: Bound,
    /// Mean of model calls.
    pub model_calls: Bound,
    /// Refusals before dispatch, by code, all runs.
    pub refusals: BTreeMap<String, u32>,
    /// Unresolved transactions of all runs.
    pub unresolved: u32,
    /// Drops of all runs.
    pub drops: u32,
    /// Tokens in, out and cached of all runs, as billed.
    pub tokens: [u64; 3],
    /// Mean run time, wall-clock s.
    pub wall_mean_s: Bound,
    /// Median run time, wall-clock s.
    pub wall_median_s: Bound,
    /// Mean simulated time, s.
    pub sim_mean_s: Bound,
}

impl<'a> Cohort<'a> {
    /// Takes runs that may be averaged.
    ///
    /// # Errors
    /// [`PoolError`] for no runs, different endpoints or different horizons.
    pub fn new(runs: &[&'a RunFacts]) -> Result<Self, PoolError> {
        let first = runs.first().ok_or(PoolError::Empty)?;
        for run in runs {
            if run.endpoint != first.endpoint {
                return Err(PoolError::Endpoints(first.endpoint, run.endpoint));
            }
            if run.horizon_report != first.horizon_report {
                return Err(PoolError::Horizons(first.horizon_report, run.horizon_report));
            }
        }
        Ok(Self { runs: runs.to_vec(), horizon: first.horizon_report })
    }

    /// The runs.
    #[must_use]
    pub fn runs(&self) -> &[&'a RunFacts] {
        &self.runs
    }

    /// B of PAUC@B.
    #[must_use]
    pub fn horizon(&self) -> u32 {
        self.horizon
    }

    /// Mean of a value over runs, each of weight one.
    fn mean(&self, value: impl Fn(&RunFacts) -> f64) -> f64 {
        self.runs.iter().map(|r| value(r)).sum::<f64>() / self.runs.len() as f64
    }

    fn sum(&self, value: impl Fn(&RunFacts) -> u32) -> u32 {
        self.runs.iter().map(|r| value(r)).sum()
    }

    /// All figures.
    #[must_use]
    pub fn figures(&self) -> Figures {
        let runs = self.runs.len() as u32;
        let incomplete = self.sum(|r| u32::from(!r.complete()));
        let open = |value: f64| Bound { value, lower_bound: incomplete > 0 };
        let successes = self.sum(|r| u32::from(r.success()));
        let shares: Vec<f64> = self.runs.iter().filter_map(|r| r.acceptance()).collect();
        let unresolved = self.sum(|r| r.unresolved);
        let acceptance = (!shares.is_empty()).then(|| Bound {
            value: 100.0 * shares.iter().sum::<f64>() / shares.len() as f64,
            lower_bound: unresolved > 0,
        });
        let mut labels: BTreeMap<Label, u32> = Label::ALL.into_iter().map(|l| (l, 0)).collect();
        let mut refusals = BTreeMap::new();
        let mut obstacles = BTreeMap::new();
        for run in &self.runs {
            if let Some(label) = run.label {
                *labels.entry(label).or_default() += 1;
            }
            if !run.success() {
                *obstacles.entry(run.obstacle()).or_default() += 1;
            }
            for (code, n) in &run.refusals {
                *refusals.entry(code.clone()).or_default() += n;
            }
        }
        let wall: Vec<f64> = self.runs.iter().map(|r| r.wall_s).collect();
        let wall_open = incomplete > 0 || self.runs.iter().any(|r| r.wall_is_lower_bound);
        let wall_bound = |value: f64| Bound { value, lower_bound: wall_open };
        let tokens = |f: fn(&RunFacts) -> u64| self.runs.iter().map(|r| f(r)).sum();
        Figures {
            runs,
            incomplete,
            successes,
            success_rate: 100.0 * f64::from(successes) / f64::from(runs.max(1)),
            wilson95: wilson95(successes, runs).unwrap_or([0.0, 1.0]).map(|share| 100.0 * share),
            progress: open(100.0 * self.mean(RunFacts::progress)),
            acceptance,
            dispatching_runs: shares.len() as u32,
            pauc: open(self.mean(|r| r.pauc(self.horizon))),
            horizon: self.horizon,
            labels,
            obstacles,
            setups_since_milestone: self.mean(|r| f64::from(r.setups_since_milestone)),
            setups_since_milestone_max: self.runs.iter().map(|r| r.setups_since_milestone).max().unwrap_or_default(),
            charged_since_milestone: self.mean(|r| f64::from(r.charged_since_milestone)),
            transactions: open(self.mean(|r| f64::from(r.charged))),
            model_calls: open(self.mean(|r| f64::from(r.model_calls))),
            refusals,
            unresolved,
            drops: self.sum(|r| r.drops),
            tokens: [tokens(|r| r.tokens_in), tokens(|r| r.tokens_out), tokens(|r| r.tokens_cached)],
            wall_mean_s: wall_bound(self.mean(|r| r.wall_s)),
            wall_median_s: wall_bound(quantile(&wall, 0.5).unwrap_or_default()),
            sim_mean_s: open(self.mean(|r| r.sim_s)),
        }
    }
}

/// Refuses runs of different code (CE-125, CE-156).
///
/// # Errors
/// [`PoolError::Code`] naming both.
pub fn one_code(runs: &[&RunFacts]) -> Result<(), PoolError> {
    let Some(first) = runs.first() else { return Ok(()) };
    match runs.iter().find(|r| r.code_hash != first.code_hash) {
        Some(other) => Err(PoolError::Code(first.code_hash.clone(), other.code_hash.clone())),
        None => Ok(()),
    }
}

/// Refuses runs whose method's record changed under its name (CE-156).
///
/// # Errors
/// [`PoolError::Method`].
pub fn one_method(runs: &[&RunFacts]) -> Result<(), PoolError> {
    let Some(first) = runs.first() else { return Ok(()) };
    match runs.iter().find(|r| r.method_hash != first.method_hash) {
        Some(other) => Err(PoolError::Method(other.method.clone())),
        None => Ok(()),
    }
}
