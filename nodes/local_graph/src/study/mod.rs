//! Studies on the local graph: `eval coordination --study NAME`.
//!
//! Runs go to `<runs>/studies/<NAME>`. A second call goes on where the first ended: finished ledgers are kept,
//! unfinished ones are moved aside and their runs are made anew.

mod banks;
pub mod episode;
pub mod keep;
mod outcome;
mod progress;
mod register;
#[cfg(test)]
mod tests;

pub use outcome::Done;

use crate::cli::Eval;
use crate::pool;
use crate::team::Folders;
use anyhow::{Context, bail};
use banks::Banks;
use keep::Found;
use progress::Shown;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use troupe_orchestrator::report::Report;
use troupe_orchestrator::setup::Setup;
use troupe_orchestrator::study::report::{self, Options};
use troupe_orchestrator::study::spec::{Episode, StudySpec};

/// What stands in the place of a task record for a study.
pub const TASK: &str = "coordination";

/// Folder of a study's runs.
#[must_use]
pub fn folder(runs: &Path, study: &str) -> PathBuf {
    runs.join("studies").join(study)
}

/// Makes what is missing of a study, then its report.
///
/// # Errors
/// When the study does not fit, its folder holds runs of other settings, or nothing can be reported. A run
/// that fails is no error; see [`Done::failures`].
pub fn evaluate(folders: &Folders, runs: &Path, args: &Eval) -> anyhow::Result<Done> {
    let Some(name) = args.study.as_deref() else { bail!("`eval {TASK}` needs --study NAME; allowed: {}", register::names(folders)) };
    if args.task != TASK {
        bail!("--study belongs to `eval {TASK}`, not to `eval {}`", args.task);
    }
    let start = Instant::now();
    let study = folder(runs, name);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.unwrap_or(cores).max(1);
    let mut done = Done::new(name, &study);
    let spec = if args.report {
        register::registered(folders, &study, name)?
    } else {
        let spec = register::register(folders, &study, name, args.allow_mixed)?;
        // Held until the process ends: two runners would move each other's runs aside.
        let _lock = register::lock(&study)?;
        let banks = banks::prepare(folders, runs, &study, &spec)?;
        make(folders, &study, &spec, &banks, args, jobs, &mut done)?;
        spec
    };
    let options = Options {
        name: spec.name,
        question: spec.question,
        reference: spec.reference,
        allow_mixed: args.allow_mixed,
        jobs,
    };
    done.report = match report::write(&study, &options) {
        Ok(report) => Some(report),
        // What failed is worth more than that there is nothing to report.
        Err(_) if !done.failures.is_empty() || done.interrupted => None,
        Err(error) => return Err(error.into()),
    };
    done.wall_s = start.elapsed().as_secs_f64();
    Ok(done)
}

/// A run with everything that it needs.
struct Job {
    episode: Episode,
    setup: Setup,
    folder: PathBuf,
}

fn make(
    folders: &Folders,
    study: &Path,
    spec: &StudySpec,
    banks: &Banks,
    args: &Eval,
    jobs: usize,
    done: &mut Done,
) -> anyhow::Result<()> {
    if let Some(unknown) = args.methods.iter().find(|m| !spec.methods.contains(m)) {
        bail!("--methods: `{unknown}` is not in study {}; allowed: {}", spec.name, spec.methods.join(", "));
    }
    let methods = if args.methods.is_empty() { &spec.methods } else { &args.methods };
    let registered = crate::seeds::parse(&spec.seeds).map_err(|e| anyhow::anyhow!("config/studies/{}.yaml: key `seeds`: {e}", spec.name))?;
    let seeds = args.seeds.as_ref().map_or(registered.as_slice(), |s| s.0.as_slice());
    let mut all = Vec::new();
    for episode in spec.episodes(methods, seeds) {
        let setup = episode::setup(folders, spec, &episode)?;
        let setup = match banks.get(&episode.bank) {
            Some(file) => setup.with_bank(&episode.bank, file)?,
            None => setup,
        };
        let folder = episode.place.folder(study);
        all.push(Job { episode, setup, folder });
    }
    let found = pool::each(&all, jobs, |job| Some(keep::look(&job.folder, &job.setup.hash())))?;
    let mut missing = Vec::new();
    for (job, found) in all.into_iter().zip(found) {
        match found? {
            Found::Finished => done.kept += 1,
            Found::OtherSettings if args.allow_mixed => done.kept += 1,
            Found::OtherSettings => bail!(
                "{} holds a run of other settings; use another folder (--runs), or keep it with --allow-mixed",
                job.folder.display()
            ),
            Found::Unfinished(why) => {
                let aside = keep::set_aside(&job.folder)?;
                done.aside.push(format!("{} ({why})", aside.display()));
                missing.push(job);
            }
            Found::Nothing => missing.push(job),
        }
    }
    let stop = stop_on_signals()?;
    let shown = Shown::new(missing.len(), jobs, done.kept);
    let results = pool::each(&missing, jobs, |job| {
        if stop.load(Ordering::Relaxed) {
            shown.stopping();
            return None;
        }
        let result = run(folders, job);
        shown.ran(&job.episode, &result);
        Some(result.map_err(|e| format!("{}: {e:#}", job.folder.display())))
    })?;
    shown.end();
    done.interrupted = results.len() < missing.len();
    for result in results {
        match result {
            Ok(report) => done.made.push(report.wall_s),
            Err(failure) => done.failures.push(failure),
        }
    }
    Ok(())
}

fn run(folders: &Folders, job: &Job) -> anyhow::Result<Report> {
    episode::run(folders, &job.episode, &job.setup, &job.folder).with_context(|| format!("seed {}", job.episode.place.seed))
}

/// True after the first Ctrl-C: runs under way are finished and no more are begun. A second one ends the
/// process; ledgers cut by it are made anew by the next call.
fn stop_on_signals() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))?;
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}
