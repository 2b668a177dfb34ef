//! Whole episodes: the carry succeeds, and equal seeds give equal bytes.

use crate::rig::{episode, setup};
use anyhow::Result;
use std::process::Command;
use troupe_orchestrator::report::Report;
use troupe_orchestrator::setup::Setup;
use troupe_tests::ledgers::{self, first_difference};
use troupe_tests::{configs::Configs, paths};

#[test]
fn seed_0_carries_the_payload_to_its_place() -> Result<()> {
    let setup = setup(0, None)?;
    let (ending, ledger) = episode(&setup)?;
    assert_eq!(ending.label.letter(), "S", "{}", ending.reason);
    assert_eq!(ending.milestones.len(), 6, "{:?}", ending.milestones);
    assert_eq!(ending.budget.drops, 0);
    assert!(ending.budget.transactions <= 80, "{}", ending.budget.transactions);
    assert!(!ledger.verified.truncated);
    let report = Report::from_records(&ledger.records)?;
    assert!(report.accepted_endpoint);
    Ok(())
}

#[test]
fn equal_seeds_give_equal_bytes_and_other_seeds_do_not() -> Result<()> {
    let short = setup(7, Some(3))?;
    let (_, first) = episode(&short)?;
    let (_, second) = episode(&short)?;
    assert_eq!(first_difference(&first.stable()?, &second.stable()?), None);
    assert_eq!(first.digest()?, second.digest()?);
    let (_, other) = episode(&setup(8, Some(3))?)?;
    assert_ne!(first.digest()?, other.digest()?);
    assert_eq!(first.events("transaction").len(), 3);
    Ok(())
}

#[test]
fn another_process_writes_the_same_ledger() -> Result<()> {
    let configs = Configs::copy()?.replace("tasks/transport.yaml", "budget_transactions: 80", "budget_transactions: 2")?;
    let run = Command::new(paths::program("local_graph")?)
        .args(["run", "--seed", "7", "--run-id", "r"])
        .arg("--config")
        .arg(configs.path())
        .arg("--runs")
        .arg(configs.path().join("runs"))
        .arg("--assets")
        .arg(paths::assets()?)
        .output()?;
    assert_eq!(run.status.code(), Some(1), "two transactions do not carry anything far");
    let theirs = ledgers::of_run(&configs.path().join("runs/r"))?;
    // From the same files, whose content is part of the record.
    let (_, ours) = episode(&Setup::load(&configs.path(), "transport", "l1", 7)?)?;
    assert_eq!(first_difference(&ours.stable()?, &theirs.stable()?), None);
    Ok(())
}
