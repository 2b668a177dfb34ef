//! Many seeded episodes, one a core, with uncertainty: `eval`.

use crate::pool;
use crate::provider::Provider;
use crate::team::{Folders, LocalTeam};
use anyhow::Context;
use indicatif::ProgressBar;
use serde::Serialize;
use std::path::Path;
use troupe_core::stats::{quantile, wilson95};
use troupe_core::variation::Variation;
use troupe_orchestrator::files::run_to_folder;
use troupe_orchestrator::progress::Silent;
use troupe_orchestrator::report::Report;
use troupe_orchestrator::setup::Setup;

/// One episode in the evaluation's JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PerRun {
    /// Seed.
    pub seed: u64,
    /// Terminal label (CE-100).
    pub outcome: String,
    /// The endpoint verdict is accepted.
    pub accepted: bool,
    /// Charged transactions.
    pub transactions: u64,
    /// Drops of the payload.
    pub drops: u64,
    /// Simulated s.
    pub sim_s: f64,
    /// Wall-clock s.
    pub wall_s: f64,
    /// Certified milestones.
    pub milestones: usize,
    /// Digest of the ledger without wall-clock fields.
    pub digest: String,
    /// Why it ended.
    pub reason: String,
    /// Accepted although it was not true; absent where the verdict rests on ground truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub false_accept: Option<bool>,
}

/// An evaluation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluation {
    /// Task record.
    pub task: String,
    /// World.
    pub world: String,
    /// Departure from the world file.
    pub variation: String,
    /// Who answered the model roles.
    pub provider: String,
    /// Episodes.
    pub runs: u32,
    /// Accepted endpoints.
    pub accepted: u32,
    /// Wilson 95 % interval of the share.
    pub wilson95: Option<[f64; 2]>,
    /// Wall-clock s of the whole evaluation.
    pub wall_s: f64,
    /// By seed.
    pub per_run: Vec<PerRun>,
}

/// Runs the episodes on `jobs` threads; ledgers go to `runs/<world>-<seed>`.
///
/// # Errors
/// When configuration, policy or world do not load, or a folder cannot be written.
pub fn evaluate(
    folders: &Folders,
    task: &str,
    world: &str,
    variation: &str,
    provider: &Provider,
    seeds: &[u64],
    jobs: usize,
    runs: &Path,
) -> anyhow::Result<Evaluation> {
    let variation = Variation::named(&folders.config, variation, |file| std::fs::read_to_string(file))?;
    let start = std::time::Instant::now();
    let bar = ProgressBar::new(seeds.len() as u64);
    let reports = pool::each(seeds, jobs, |seed| {
        let folder = runs.join(format!("{world}-{seed}"));
        let report = episode(folders, task, world, &variation, provider, *seed, &folder).with_context(|| format!("episode of seed {seed}"));
        if let Ok(report) = &report {
            bar.println(line(report));
        }
        bar.inc(1);
        Some(report)
    })?;
    bar.finish_and_clear();
    let mut reports = reports.into_iter().collect::<anyhow::Result<Vec<_>>>()?;
    reports.sort_by_key(|r| r.seed);
    let accepted = reports.iter().filter(|r| r.accepted_endpoint).count() as u32;
    Ok(Evaluation {
        task: task.to_owned(),
        world: world.to_owned(),
        variation: variation.name.clone(),
        provider: provider.title(),
        runs: reports.len() as u32,
        accepted,
        wilson95: wilson95(accepted, reports.len() as u32),
        wall_s: start.elapsed().as_secs_f64(),
        per_run: reports.iter().map(per_run).collect(),
    })
}

fn episode(
    folders: &Folders,
    task: &str,
    world: &str,
    variation: &Variation,
    provider: &Provider,
    seed: u64,
    folder: &Path,
) -> anyhow::Result<Report> {
    let varied = variation.in_world(&folders.config, world, seed, |file| std::fs::read_to_string(file))?;
    let setup = Setup::load(&folders.config, task, world, seed)?.varied(varied);
    let setup = setup.with_provider(&folders.config, &provider.name, &provider.level)?;
    let mut team = LocalTeam::varied(folders, task, world, seed, variation)?;
    team.set_look_ahead(setup.method.look_ahead);
    let mut model = provider.model(&setup)?;
    Ok(run_to_folder(&mut team, model.as_mut(), &setup, folder, &mut Silent, false)?)
}

fn per_run(report: &Report) -> PerRun {
    PerRun {
        seed: report.seed,
        outcome: report.outcome.clone(),
        accepted: report.accepted_endpoint,
        transactions: report.transactions,
        drops: report.drops,
        sim_s: report.sim_s,
        wall_s: report.wall_s,
        milestones: report.milestones.len(),
        digest: report.digest.clone(),
        reason: report.reason.clone(),
        false_accept: report.false_accept(),
    }
}

fn line(report: &Report) -> String {
    format!(
        "seed {:>3}: {} after {} transactions, {} drops, {} of {} milestones, {:.1} s simulated, {:.1} s wall: {}",
        report.seed,
        report.outcome,
        report.transactions,
        report.drops,
        report.milestones.len(),
        report.milestones_all.len(),
        report.sim_s,
        report.wall_s,
        report.reason
    )
}

/// The evaluation for people.
#[must_use]
pub fn summary(evaluation: &Evaluation) -> String {
    let mut out = format!(
        "\n{} in world {}, variation {}, provider {}\n\n",
        evaluation.task, evaluation.world, evaluation.variation, evaluation.provider
    );
    out.push_str("| seed | label | transactions | drops | milestones | simulated s | wall s |\n|---|---|---|---|---|---|---|\n");
    for run in &evaluation.per_run {
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} | {:.1} | {:.1} |\n",
            run.seed, run.outcome, run.transactions, run.drops, run.milestones, run.sim_s, run.wall_s
        ));
    }
    let interval = evaluation.wilson95.map_or("NA".into(), |[a, b]| format!("{:.1} to {:.1} %", 100.0 * a, 100.0 * b));
    let column = |f: fn(&PerRun) -> f64| {
        let values: Vec<f64> = evaluation.per_run.iter().map(f).collect();
        quantile(&values, 0.5).unwrap_or(f64::NAN)
    };
    out.push_str(&format!(
        "\naccepted endpoints: {} of {} (Wilson 95 %: {interval}); medians: {:.0} transactions, {:.1} s simulated, {:.1} s wall; whole evaluation {:.0} s\n",
        evaluation.accepted,
        evaluation.runs,
        column(|r| r.transactions as f64),
        column(|r| r.sim_s),
        column(|r| r.wall_s),
        evaluation.wall_s
    ));
    let judged: Vec<bool> = evaluation.per_run.iter().filter_map(|r| r.false_accept).collect();
    if !judged.is_empty() {
        let wrong = judged.iter().filter(|w| **w).count();
        out.push_str(&format!("endpoints accepted on estimated state that were not true: {wrong} of {} runs\n", judged.len()));
    }
    out
}
