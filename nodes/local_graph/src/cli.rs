//! The command line of `local_graph`.

use crate::provider::Provider;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use troupe_core::variation::NOMINAL;
use troupe_orchestrator::model::choose::PROVIDERS;

/// The node graph in one process, without ROS.
#[derive(Debug, Parser)]
#[command(name = "local_graph", version)]
pub struct Cli {
    /// Folder of configuration files.
    #[arg(long, default_value = "config", global = true)]
    pub config: PathBuf,
    /// Folder of fetched policies and meshes.
    #[arg(long, env = "TROUPE_ASSETS", default_value = ".troupe/assets", global = true)]
    pub assets: PathBuf,
    /// Folder for the files of runs.
    #[arg(long, default_value = "runs", global = true)]
    pub runs: PathBuf,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// One episode with progress, report, path plot and camera stills.
    Run {
        /// Task record, a name in config/tasks.
        #[arg(default_value = "transport")]
        task: String,
        /// World, a name in config/worlds or sampled-<n>.
        #[arg(long, default_value = "l1")]
        world: String,
        /// Seed of everything random.
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Departure from the world file, a name in config/variations.
        #[arg(long, default_value = NOMINAL)]
        variation: String,
        /// How the loop runs, a name in config/methods.
        #[arg(long, default_value = "full")]
        method: String,
        /// Name of the run's folder; <task>-<world>-<seed>-<time> when not given.
        #[arg(long)]
        run_id: Option<String>,
        /// Who answers the model roles.
        #[command(flatten)]
        model: Model,
    },
    /// Many seeded episodes on all cores: of one task, or of a study (`eval coordination --study NAME`).
    Eval(Eval),
    /// Speeds of physics, policies and both together.
    Bench {
        /// World, a name in config/worlds or sampled-<n>.
        #[arg(long, default_value = "l1")]
        world: String,
        /// Also write the result as JSON.
        #[arg(long)]
        json: Option<PathBuf>,
    },
    /// What runs have learnt, as files that people read, review and compare.
    Bank {
        /// What to do with it.
        #[command(subcommand)]
        what: BankCommand,
    },
    /// Whether a run's ledger can be trusted, and what identifies it.
    Ledger {
        /// What to print.
        #[command(subcommand)]
        what: LedgerCommand,
    },
}

/// What `eval` takes.
#[derive(Debug, Args)]
pub struct Eval {
    /// Task record, a name in config/tasks; or `coordination` for a study.
    pub task: String,
    /// World of a task, a name in config/worlds or sampled-<n>.
    #[arg(long, default_value = "l1", conflicts_with = "study")]
    pub world: String,
    /// Departure from the world file, a name in config/variations.
    #[arg(long, default_value = NOMINAL, conflicts_with = "study")]
    pub variation: String,
    /// Who answers the model roles: builtin, or imperfect:<level>, a name in config/imperfect.
    #[arg(long, default_value = "builtin", value_parser = provider, conflicts_with = "study")]
    pub provider: Provider,
    /// Seeds: 3, 1,4,9 or 0..19 (both ends included); 0..19 or those of the study when not given.
    #[arg(long, value_parser = |text: &str| crate::seeds::parse(text).map(Seeds))]
    pub seeds: Option<Seeds>,
    /// Episodes at a time; the number of cores when not given.
    #[arg(long)]
    pub jobs: Option<usize>,
    /// Also write the result as JSON.
    #[arg(long)]
    pub json: Option<PathBuf>,
    /// Study, a name in config/studies; its runs go to <runs>/studies/<study>.
    #[arg(long)]
    pub study: Option<String>,
    /// Only these methods of the study, with commas.
    #[arg(long, value_delimiter = ',', requires = "study")]
    pub methods: Vec<String>,
    /// Make no runs; rebuild every table and picture from the ledgers.
    #[arg(long, requires = "study")]
    pub report: bool,
    /// Keep and compare runs of other code or settings, and say so in the report.
    #[arg(long, requires = "study")]
    pub allow_mixed: bool,
}

/// Who answers the model roles; the same choice as the `orchestrator` node has.
#[derive(Clone, Debug, Args)]
pub struct Model {
    /// Where the answers come from.
    #[arg(long, default_value = "builtin", value_parser = PossibleValuesParser::new(PROVIDERS))]
    pub provider: String,
    /// Base URL of an OpenAI-compatible server, or the file to replay.
    #[arg(long, default_value = "")]
    pub model_url: String,
    /// Model to ask that server for; of `imperfect` its level, a name in config/imperfect.
    #[arg(long, default_value = "")]
    pub model_name: String,
}

fn provider(text: &str) -> Result<Provider, String> {
    Provider::parse(text).map_err(|e| e.to_string())
}

/// A list of seeds.
#[derive(Clone, Debug)]
pub struct Seeds(pub Vec<u64>);

/// What to print of a ledger.
#[derive(Debug, Subcommand)]
pub enum LedgerCommand {
    /// Checks the hash chain.
    Verify {
        /// Folder or ledger of a run, or its name below runs/.
        run: PathBuf,
    },
    /// Run time of each run and their median.
    Times {
        /// Folders or ledgers of runs, or their names below runs/.
        #[arg(required = true)]
        all: Vec<PathBuf>,
    },
    /// SHA-256 of everything but wall-clock fields: equal for equal runs.
    Digest {
        /// Folder or ledger of a run, or its name below runs/.
        run: PathBuf,
    },
}

/// What to do with banks of experience.
#[derive(Debug, Subcommand)]
pub enum BankCommand {
    /// Writes what a run has learnt into a bank file.
    Export {
        /// Folder or database of a run, or its name below runs/.
        run: PathBuf,
        /// Bank file to write, *.json.
        file: PathBuf,
    },
    /// Adds a bank file to a database, or to the folder of a run that is yet to be made.
    Import {
        /// Bank file.
        file: PathBuf,
        /// Database *.sqlite, or the folder of the run.
        to: PathBuf,
    },
    /// Prints a bank as sentences and code.
    Show {
        /// Bank file, database or run.
        bank: PathBuf,
    },
    /// What the second bank has that the first has not, and the other way round.
    Diff {
        /// Bank file, database or run.
        a: PathBuf,
        /// Bank file, database or run.
        b: PathBuf,
    },
}
