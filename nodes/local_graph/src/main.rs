//! `local_graph`: run, eval, bench and ledger without ROS.

use anyhow::Context;
use clap::Parser;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use troupe_core::variation::Variation;
use troupe_local_graph::cli::{BankCommand, Cli, Command, LedgerCommand};
use troupe_local_graph::team::{Folders, LocalTeam};
use troupe_local_graph::{bank, bench, eval, ledger, study};
use troupe_orchestrator::files::run_to_folder;
use troupe_orchestrator::model::choose::choose;
use troupe_orchestrator::progress::Terminal;
use troupe_orchestrator::report::markdown::markdown;
use troupe_orchestrator::setup::Setup;

fn main() -> anyhow::Result<ExitCode> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_env_filter(tracing_subscriber::EnvFilter::from_default_env()).init();
    let cli = Cli::parse();
    let folders = Folders { config: cli.config, assets: cli.assets };
    let mut out = std::io::stdout();
    match cli.command {
        Command::Run { task, world, seed, variation, method, run_id, model } => {
            let variation = Variation::named(&folders.config, &variation, |file| std::fs::read_to_string(file))?;
            let varied = variation.in_world(&folders.config, &world, seed, |file| std::fs::read_to_string(file))?;
            let setup = Setup::load(&folders.config, &task, &world, seed)?.with_method(&folders.config, &method)?.varied(varied);
            let setup = setup.with_provider(&folders.config, &model.provider, &model.model_name)?;
            let mut team = LocalTeam::varied(&folders, &task, &world, seed, &variation)?;
            team.set_look_ahead(setup.method.look_ahead);
            let mut model = choose(&model.provider, &model.model_url, &model.model_name, &setup.config)?;
            let folder = cli.runs.join(run_id.unwrap_or_else(|| default_id(&task, &world, seed)));
            let report = run_to_folder(&mut team, model.as_mut(), &setup, &folder, &mut Terminal::new(), true)?;
            writeln!(out, "{}\nfiles: {}", markdown(&report), folder.display())?;
            Ok(if report.accepted_endpoint { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Command::Eval(args) if args.study.is_some() || args.task == study::TASK => {
            let done = study::evaluate(&folders, &cli.runs, &args)?;
            write_json(args.json.as_deref(), &done.json())?;
            writeln!(out, "{}", done.summary())?;
            Ok(if done.failures.is_empty() && !done.interrupted { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Command::Eval(args) => {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            let runs = cli.runs.join(default_id(&format!("eval-{}", args.task), &args.world, 0));
            let seeds = args.seeds.map_or_else(|| (0..20).collect(), |s| s.0);
            let result = eval::evaluate(&folders, &args.task, &args.world, &args.variation, &args.provider, &seeds, args.jobs.unwrap_or(cores), &runs)?;
            write_json(args.json.as_deref(), &result)?;
            writeln!(out, "{}ledgers: {}", eval::summary(&result), runs.display())?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Bench { world, json } => {
            let result = bench::bench(&folders, &world)?;
            write_json(json.as_deref(), &result)?;
            write!(out, "{}", bench::summary(&result))?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Bank { what } => {
            let text = match what {
                BankCommand::Export { run, file } => bank::export(&run, &file, &cli.runs)?,
                BankCommand::Import { file, to } => bank::import(&file, &to, &folders.config)?,
                BankCommand::Show { bank } => bank::show(&bank, &cli.runs)?,
                BankCommand::Diff { a, b } => bank::diff(&a, &b, &cli.runs)?,
            };
            writeln!(out, "{text}")?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Ledger { what } => {
            let text = match what {
                LedgerCommand::Verify { run } => ledger::verify(&run, &cli.runs)?,
                LedgerCommand::Times { all } => ledger::times(&all, &cli.runs)?,
                LedgerCommand::Digest { run } => ledger::digest_of(&run, &cli.runs)?,
            };
            writeln!(out, "{text}")?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// A folder name that sorts by time.
fn default_id(what: &str, world: &str, seed: u64) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs());
    format!("{what}-{world}-{seed}-{now}")
}

fn write_json(file: Option<&Path>, value: &impl serde::Serialize) -> anyhow::Result<()> {
    let Some(file) = file else { return Ok(()) };
    let text = serde_json::to_string_pretty(value)? + "\n";
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}
