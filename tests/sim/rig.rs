//! Runs in memory, and a stream of random numbers that is the same everywhere.

use anyhow::Result;
use troupe_local_graph::crew::Crew;
use troupe_local_graph::team::{Folders, LocalTeam};
use troupe_orchestrator::model::LanguageModel;
use troupe_orchestrator::model::builtin::Builtin;
use troupe_orchestrator::progress::Silent;
use troupe_orchestrator::run::{Ending, Hooks, run};
use troupe_orchestrator::setup::Setup;
use troupe_tests::ledgers::{self, Read};
use troupe_tests::paths;

/// Shipped configuration and fetched assets.
pub fn folders() -> Result<Folders> {
    Ok(Folders { config: paths::config(), assets: paths::assets()? })
}

/// Bridge and robots of world l1.
pub fn crew(seed: u64) -> Result<Crew> {
    let folders = folders()?;
    Ok(Crew::load(&folders.config, &folders.assets, "l1", seed)?)
}

/// The shipped setup with another budget.
pub fn setup(seed: u64, transactions: Option<u32>) -> Result<Setup> {
    let mut setup = Setup::load(&paths::config(), "transport", "l1", seed)?;
    if let Some(transactions) = transactions {
        setup.task.budget_transactions = transactions;
    }
    Ok(setup)
}

/// Runs an episode with the rule-based model.
pub fn episode(setup: &Setup) -> Result<(Ending, Read)> {
    episode_with(setup, &mut Builtin::new(setup.config.builtin))
}

/// Runs an episode into a ledger in memory, which is read back and verified.
pub fn episode_with(setup: &Setup, model: &mut dyn LanguageModel) -> Result<(Ending, Read)> {
    let mut team = LocalTeam::new(&folders()?, &setup.task.name, &setup.world, setup.seed)?;
    let mut bytes = Vec::new();
    let start = std::time::Instant::now();
    let ending = run(
        &mut team,
        model,
        setup,
        &mut troupe_core::ledger::Ledger::new(&mut bytes),
        Hooks { progress: &mut Silent, wall_s: &mut || start.elapsed().as_secs_f64(), stills: None, experience: &mut troupe_coordination::experience::Bank::default() },
    )?;
    Ok((ending, ledgers::of_bytes(bytes.as_slice())?))
}

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    /// All bits random.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Below `count`.
    pub fn below(&mut self, count: u64) -> u64 {
        self.bits() % count.max(1)
    }

    /// Between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One of a list that is not empty.
    pub fn one_of<T: Copy>(&mut self, list: &[T]) -> Result<T> {
        let index = usize::try_from(self.below(list.len() as u64))?;
        list.get(index).copied().ok_or_else(|| anyhow::anyhow!("an empty list"))
    }
}
