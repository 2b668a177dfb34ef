//! A study's conditions are registered in its folder before its first run (CE-156).

use crate::team::Folders;
use anyhow::{Context, bail};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use troupe_orchestrator::study::layout::is_name;
use troupe_orchestrator::study::spec::StudySpec;

/// The copy of the study's file beside its runs.
const REGISTERED: &str = "study.yaml";

fn config_file(folders: &Folders, name: &str) -> anyhow::Result<PathBuf> {
    if !is_name(name) {
        bail!("--study: `{name}` is no name; allowed: {}", names(folders));
    }
    Ok(folders.config.join("studies").join(format!("{name}.yaml")))
}

/// Names of the shipped studies.
pub(super) fn names(folders: &Folders) -> String {
    let entries = std::fs::read_dir(folders.config.join("studies")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|e| e.file_name().to_str()?.strip_suffix(".yaml").map(str::to_owned)).collect();
    names.sort();
    names.join(", ")
}

fn parse(name: &str, path: &Path, text: std::io::Result<String>) -> anyhow::Result<StudySpec> {
    // A registered copy has another file name; the study's own name counts.
    Ok(StudySpec::load(&path.with_file_name(format!("{name}.yaml")), text)?)
}

/// Reads the study and registers it, or holds it against what was registered.
pub(super) fn register(folders: &Folders, study: &Path, name: &str, allow_mixed: bool) -> anyhow::Result<StudySpec> {
    let file = config_file(folders, name)?;
    if !file.is_file() {
        bail!("there is no study `{name}` in {}; allowed: {}", folders.config.join("studies").display(), names(folders));
    }
    let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let spec = parse(name, &file, Ok(text.clone()))?;
    std::fs::create_dir_all(study).with_context(|| format!("cannot make {}", study.display()))?;
    let copy = study.join(REGISTERED);
    if !copy.is_file() {
        std::fs::write(&copy, text).with_context(|| format!("cannot write {}", copy.display()))?;
        return Ok(spec);
    }
    let registered = parse(name, &copy, std::fs::read_to_string(&copy))?;
    if registered != spec && !allow_mixed {
        bail!(
            "study {name} was registered with other conditions in {}; use another folder (--runs), or pass --allow-mixed",
            copy.display()
        );
    }
    Ok(spec)
}

/// The study as it was registered; the shipped file for a folder without a registration.
pub(super) fn registered(folders: &Folders, study: &Path, name: &str) -> anyhow::Result<StudySpec> {
    let copy = study.join(REGISTERED);
    let file = if copy.is_file() { copy } else { config_file(folders, name)? };
    parse(name, &file, std::fs::read_to_string(&file))
}

/// Keeps other runners away from the study's folder while it lives.
pub(super) fn lock(study: &Path) -> anyhow::Result<File> {
    let path = study.join(".lock");
    let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!("another process works on {}", study.display()),
        Err(TryLockError::Error(e)) => Err(e).with_context(|| format!("cannot lock {}", path.display())),
    }
}
