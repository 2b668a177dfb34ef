//! Every shipped configuration loads; every bad one gives one error that says what to change.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::path::Path;
use std::process::Command;
use troupe_tests::configs::Configs;
use troupe_tests::{listed, paths};

/// A bad configuration: `tests/contract/invalid/*.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// In `config/`.
    file: String,
    /// Text that is replaced; without it the file is deleted.
    #[serde(default)]
    from: Option<String>,
    /// By what.
    #[serde(default)]
    to: String,
    /// What the one error names: file, key, value and what is allowed.
    expect: Vec<String>,
}

/// Loads everything that a run reads below `config`; the first error ends it.
fn load_all(config: &Path) -> Result<()> {
    let names = |folder: &str| -> Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(config.join(folder))? {
            let path = entry?.path();
            names.extend(path.file_stem().and_then(|s| s.to_str()).map(str::to_owned));
        }
        names.sort();
        Ok(names)
    };
    // The sampler is no world; what it draws is.
    let worlds = names("worlds")?.into_iter().map(|w| if w == "sampler" { "sampled-0".to_owned() } else { w });
    for world in worlds {
        // First the world: it reads the robots' files and holds them against their URDF.
        troupe_world::WorldDescription::named(config, &world)?;
        for task in names("tasks")? {
            troupe_verifier::Setup::load(config, &[&task], &world)?;
            troupe_orchestrator::setup::Setup::load(config, &task, &world, 0)?;
        }
    }
    for variation in names("variations")? {
        let read = |file: &Path| std::fs::read_to_string(file);
        troupe_core::variation::Variation::named(config, &variation, read)?.in_world(config, "l1", 0, read)?;
    }
    for level in names("imperfect")? {
        troupe_orchestrator::model::imperfect::ErrorLevel::named(config, &level)?;
    }
    for robot in names("robots")? {
        troupe_g1::G1Config::load(&config.join("nodes/g1.yaml"), &config.join(format!("robots/{robot}.yaml")))?;
    }
    for study in names("studies")? {
        let file = config.join(format!("studies/{study}.yaml"));
        let spec = troupe_orchestrator::study::spec::StudySpec::load(&file, std::fs::read_to_string(&file))?;
        for w in &spec.worlds {
            ensure!(names("worlds")?.contains(&w.world), "{}: key `worlds`: no world `{}`", file.display(), w.world);
            ensure!(names("tasks")?.contains(&w.task), "{}: key `worlds`: no task `{}`", file.display(), w.task);
        }
        for method in &spec.methods {
            let file = config.join(format!("methods/{method}.yaml"));
            troupe_coordination::method::Method::load(&file, std::fs::read_to_string(&file))?;
        }
    }
    troupe_ros::settings::RosSettings::load(config)?;
    Ok(())
}

#[test]
fn every_shipped_file_loads() -> Result<()> {
    load_all(&paths::config())?;
    let nodes: Vec<String> = listed::texts("yaml")?
        .iter()
        .filter(|(f, _)| listed::is_in(f, "config/nodes"))
        .filter_map(|(f, _)| f.file_name().and_then(|n| n.to_str()).map(str::to_owned))
        .collect();
    for node in &nodes {
        let known = ["g1.yaml", "orchestrator.yaml", "ros.yaml", "verifier.yaml", "viewer.yaml"];
        assert!(known.contains(&node.as_str()), "{node} is loaded by no test");
    }
    Ok(())
}

#[test]
fn every_bad_file_is_one_error_that_says_what_to_change() -> Result<()> {
    let cases: Vec<_> = listed::texts("yaml")?.into_iter().filter(|(f, _)| listed::is_in(f, "tests/contract/invalid")).collect();
    ensure!(cases.len() >= 10, "only {} cases were found", cases.len());
    let mut wrong = Vec::new();
    for (name, text) in cases {
        let case: Case = serde_yaml_ng::from_str(&text).with_context(|| name.display().to_string())?;
        let configs = Configs::copy()?;
        let configs = match &case.from {
            Some(from) => configs.replace(&case.file, from, &case.to),
            None => configs.remove(&case.file),
        };
        let configs = configs.with_context(|| name.display().to_string())?;
        let Err(error) = load_all(&configs.path()) else {
            wrong.push(format!("{}: was accepted", name.display()));
            continue;
        };
        let error = error.to_string();
        for words in case.expect.iter().filter(|words| !error.contains(*words)) {
            wrong.push(format!("{}: `{error}` lacks `{words}`", name.display()));
        }
        if error.lines().count() != 1 {
            wrong.push(format!("{}: more than one line: {error}", name.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn a_program_ends_with_that_error_and_a_code() -> Result<()> {
    let configs = Configs::copy()?.replace("tasks/transport.yaml", "drop_limit: 6", "drop_limit: six")?;
    let run = Command::new(paths::program("local_graph")?)
        .arg("run")
        .arg("--config")
        .arg(configs.path())
        .current_dir(configs.path())
        .env("RUST_BACKTRACE", "0")
        .output()?;
    let error = String::from_utf8(run.stderr)?;
    assert_eq!(run.status.code(), Some(1), "{error}");
    for words in ["transport.yaml", "drop_limit", "six"] {
        assert!(error.contains(words), "{error}");
    }
    assert_eq!(error.trim().lines().count(), 1, "{error}");
    Ok(())
}
