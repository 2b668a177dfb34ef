//! The banks that a study's runs start from, fixed in `<study>/banks/<name>.json` before its first run.

use super::folder;
use super::keep::{Found, look};
use crate::team::Folders;
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use troupe_orchestrator::config::OrchestratorConfig;
use troupe_orchestrator::experience::{read_bank, write_bank};
use troupe_orchestrator::files::EXPERIENCE;
use troupe_orchestrator::study::bank::BankSpec;
use troupe_orchestrator::study::layout::scan;
use troupe_orchestrator::study::spec::StudySpec;

/// File of each bank by its name in the study.
pub(super) type Banks = BTreeMap<String, PathBuf>;

/// Makes the banks that are missing; those that are there stay as they are, whatever their source has become.
pub(super) fn prepare(folders: &Folders, runs: &Path, study: &Path, spec: &StudySpec) -> anyhow::Result<Banks> {
    let mut files = Banks::new();
    for bank in &spec.banks {
        let file = study.join("banks").join(format!("{}.json", bank.name));
        if file.is_file() {
            read_bank(&file)?;
        } else {
            let path = folders.config.join("nodes/orchestrator.yaml");
            let caps = OrchestratorConfig::parse(&path, std::fs::read_to_string(&path))?.experience;
            let made = bank.gather(&sources(folders, runs, bank)?, &caps).with_context(|| format!("bank `{}`", bank.name))?;
            std::fs::create_dir_all(study.join("banks")).with_context(|| format!("cannot make {}/banks", study.display()))?;
            write_bank(&file, &made)?;
        }
        files.insert(bank.name.clone(), file);
    }
    Ok(files)
}

/// A shipped file, or the databases of another study's finished runs in order of world and seed.
fn sources(folders: &Folders, runs: &Path, bank: &BankSpec) -> anyhow::Result<Vec<PathBuf>> {
    if let Some(name) = &bank.file {
        return Ok(vec![folders.config.join("banks").join(format!("{name}.json"))]);
    }
    let (study, method, provider) = (
        bank.from_study.as_deref().unwrap_or_default(),
        bank.method.as_deref().unwrap_or_default(),
        bank.provider.as_deref().unwrap_or_default(),
    );
    let source = folder(runs, study);
    let mut found = Vec::new();
    let places = if source.is_dir() { scan(&source).with_context(|| source.display().to_string())? } else { Vec::new() };
    for place in places.iter().filter(|p| p.method == method && p.provider == provider) {
        let run = place.folder(&source);
        let experience = run.join(EXPERIENCE);
        if matches!(look(&run, "")?, Found::Finished | Found::OtherSettings) && experience.is_file() {
            found.push(experience);
        }
    }
    if found.is_empty() {
        bail!(
            "bank `{}`: study `{study}` has no finished runs of `{method}` by `{provider}` in {}; make them first: \
             ./run eval coordination --study {study}",
            bank.name,
            source.display()
        );
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bank::tests::{CAPS, record};
    use serde_json::json;
    use troupe_core::ledger::Ledger;
    use troupe_orchestrator::experience::{Experience, SqliteBank};

    fn learnt(run: &Path, principle: &str, ends: bool) {
        std::fs::create_dir_all(run).unwrap();
        let mut ledger = Ledger::new(std::fs::File::create(run.join("ledger.jsonl")).unwrap());
        ledger.append("run", 0.0, &json!({"config_hash": "abc"})).unwrap();
        if ends {
            ledger.append("end", 1.0, &json!({})).unwrap();
        }
        SqliteBank::open(&run.join(EXPERIENCE)).unwrap().add_strategy(record(principle), &CAPS).unwrap();
    }

    #[test]
    fn ce_123_a_bank_is_pooled_from_finished_runs_and_then_fixed() {
        let here = tempfile::tempdir().unwrap();
        let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config");
        let folders = Folders { config, assets: here.path().into() };
        let text = "name: tiny\nquestion: why\nworlds: [{ world: l1, task: transport }]\nreference: full\nmethods: [full]\n\
            providers: [{ provider: builtin }]\nseeds: 0..2\n\
            banks: [{ name: low, from_study: gather, method: full, provider: imperfect-low }]\n";
        let spec = StudySpec::load(Path::new("tiny.yaml"), Ok(text.to_owned())).unwrap();
        let (runs, study) = (here.path().join("runs"), here.path().join("runs/studies/tiny"));
        let error = prepare(&folders, &runs, &study, &spec).unwrap_err().to_string();
        assert!(error.contains("gather") && error.contains("imperfect-low") && error.contains("./run eval"), "{error}");
        let source = folder(&runs, "gather").join("full");
        learnt(&source.join("imperfect-low/l1/0"), "one", true);
        learnt(&source.join("imperfect-low/l1/1"), "two", true);
        learnt(&source.join("imperfect-low/l1/2"), "cut", false);
        learnt(&source.join("imperfect-high/l1/0"), "high", true);
        let files = prepare(&folders, &runs, &study, &spec).unwrap();
        let bank = read_bank(&files["low"]).unwrap();
        let principles: Vec<&str> = bank.strategies.iter().map(|r| r.principle.as_str()).collect();
        assert_eq!(principles, ["one", "two"]);
        learnt(&source.join("imperfect-low/l1/3"), "late", true);
        prepare(&folders, &runs, &study, &spec).unwrap();
        assert_eq!(read_bank(&files["low"]).unwrap(), bank, "registered banks do not change");
    }
}
