//! One run of a study: its settings and its making.

use crate::provider::Provider;
use crate::team::{Folders, LocalTeam};
use std::path::Path;
use troupe_core::variation::Variation;
use troupe_orchestrator::files::run_to_folder;
use troupe_orchestrator::progress::Silent;
use troupe_orchestrator::report::Report;
use troupe_orchestrator::setup::Setup;
use troupe_orchestrator::study::spec::{Episode, StudySpec};

/// Settings of a run, as its ledger will name them.
///
/// # Errors
/// When a configuration file does not fit, or method or provider are unknown.
pub fn setup(folders: &Folders, spec: &StudySpec, episode: &Episode) -> anyhow::Result<Setup> {
    let place = &episode.place;
    let varied = variation(folders, episode)?.in_world(&folders.config, &place.world, place.seed, |file| std::fs::read_to_string(file))?;
    let setup = Setup::load(&folders.config, &episode.task, &place.world, place.seed)?.varied(varied);
    let mut setup = setup.with_method(&folders.config, &episode.method)?;
    if let Some(limit) = spec.budget_transactions {
        setup.task.budget_transactions = limit;
    }
    let provider = provider(episode)?;
    setup = setup.with_provider(&folders.config, &provider.name, &provider.level)?;
    setup.protocol.horizon_report = spec.horizon.unwrap_or(setup.task.budget_transactions);
    Ok(setup)
}

/// Runs the episode into its folder.
///
/// # Errors
/// When world or policy do not load, or the folder cannot be written.
pub fn run(folders: &Folders, episode: &Episode, setup: &Setup, folder: &Path) -> anyhow::Result<Report> {
    let variation = variation(folders, episode)?;
    let mut team = LocalTeam::varied(folders, &episode.task, &episode.place.world, episode.place.seed, &variation)?;
    team.set_look_ahead(setup.method.look_ahead);
    let mut model = provider(episode)?.model(setup)?;
    Ok(run_to_folder(&mut team, model.as_mut(), setup, folder, &mut Silent, false)?)
}

fn variation(folders: &Folders, episode: &Episode) -> anyhow::Result<Variation> {
    Ok(Variation::named(&folders.config, &episode.variation, |file| std::fs::read_to_string(file))?)
}

fn provider(episode: &Episode) -> anyhow::Result<Provider> {
    Provider::new(&episode.provider.provider, &episode.provider.level)
}
