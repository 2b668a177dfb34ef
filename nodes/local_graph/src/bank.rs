//! `bank export|import|show|diff`: what runs have learnt, as files that people read and review (CE-090).

use anyhow::{Context, bail};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use troupe_coordination::experience::{Bank, Exemplar, StrategyRecord};
use troupe_orchestrator::config::OrchestratorConfig;
use troupe_orchestrator::experience::{Difference, Experience, SqliteBank, compare, read_bank, write_bank};
use troupe_orchestrator::files::{EXPERIENCE, LEDGER};

/// Extension of a database.
const DATABASE: &str = "sqlite";

fn is_database(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == DATABASE)
}

/// A bank file, a database, or the database in a run's folder.
fn file_of(bank: &Path, runs: &Path) -> anyhow::Result<PathBuf> {
    let path = if bank.exists() { bank.to_owned() } else { runs.join(bank) };
    let file = if path.is_dir() { path.join(EXPERIENCE) } else { path };
    if !file.is_file() {
        bail!("{} is no bank; allowed: a bank file, a database *.{DATABASE}, a run's folder with {EXPERIENCE}, or a run's name below {}", bank.display(), runs.display());
    }
    Ok(file)
}

fn load(bank: &Path, runs: &Path) -> anyhow::Result<Bank> {
    let file = file_of(bank, runs)?;
    if is_database(&file) {
        return Ok(SqliteBank::open(&file).with_context(|| file.display().to_string())?.bank().clone());
    }
    Ok(read_bank(&file)?)
}

/// Writes a run's experience to a bank file. A file that is there is replaced only when it is a bank.
///
/// # Errors
/// When the run has no experience, or the file is something else or cannot be written.
pub fn export(run: &Path, file: &Path, runs: &Path) -> anyhow::Result<String> {
    let bank = load(run, runs)?;
    if file.extension().is_none_or(|e| e != "json") {
        bail!("{}: allowed: a file *.json", file.display());
    }
    if file.exists() {
        read_bank(file).with_context(|| format!("{} is there and is no bank; it is left as it is", file.display()))?;
    }
    write_bank(file, &bank)?;
    Ok(format!("{}: {}", file.display(), heading(&bank)?))
}

/// Adds a bank file to a database. A run that has been made keeps what it learnt (G-11).
///
/// # Errors
/// When the file is no bank, or the database belongs to a run that was made.
pub fn import(file: &Path, to: &Path, config: &Path) -> anyhow::Result<String> {
    let bank = read_bank(file)?;
    let database = if is_database(to) { to.to_owned() } else { to.join(EXPERIENCE) };
    let folder = database.parent().unwrap_or(Path::new(""));
    if folder.join(LEDGER).exists() {
        bail!("{} holds a run already; allowed: a new folder, or a database beside no {LEDGER}", folder.display());
    }
    if to.is_file() && !is_database(to) {
        bail!("{}: allowed: a database *.{DATABASE}, or a folder", to.display());
    }
    let settings = config.join("nodes/orchestrator.yaml");
    let caps = OrchestratorConfig::parse(&settings, std::fs::read_to_string(&settings))?.experience;
    if !folder.as_os_str().is_empty() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let mut own = SqliteBank::open(&database).with_context(|| database.display().to_string())?;
    for record in bank.strategies {
        own.add_strategy(record, &caps)?;
    }
    for exemplar in bank.exemplars {
        own.add_exemplar(exemplar, &caps)?;
    }
    Ok(format!("{}: {}", database.display(), heading(own.bank())?))
}

/// A bank as people read it.
///
/// # Errors
/// When it cannot be read.
pub fn show(bank: &Path, runs: &Path) -> anyhow::Result<String> {
    let bank = load(bank, runs)?;
    let mut out = heading(&bank)?;
    for record in &bank.strategies {
        write!(out, "\n\n{}", strategy(record))?;
    }
    for record in &bank.exemplars {
        write!(out, "\n\n{}", exemplar(record))?;
    }
    Ok(out)
}

/// What differs between two banks: `-` only in the first, `+` only in the second, `~` in both, changed.
///
/// # Errors
/// When one of them cannot be read.
pub fn diff(a: &Path, b: &Path, runs: &Path) -> anyhow::Result<String> {
    let (a, b) = (load(a, runs)?, load(b, runs)?);
    let differences = compare(&a, &b);
    let mut out = format!("- {}\n+ {}", heading(&a)?, heading(&b)?);
    if differences.is_empty() {
        out.push_str("\nno record differs");
    }
    for difference in &differences {
        let (sign, id, from) = match difference {
            Difference::Removed(id) => ("-", id, &a),
            Difference::Added(id) => ("+", id, &b),
            Difference::Changed(id) => ("~", id, &b),
        };
        write!(out, "\n\n{sign} {}", one(from, id).replace('\n', &format!("\n{sign} ")))?;
        if let (Difference::Changed(_), Some(old)) = (difference, counts(&a, id)) {
            write!(out, "\n{sign}   before: {old}")?;
        }
    }
    Ok(out)
}

fn heading(bank: &Bank) -> anyhow::Result<String> {
    let identity = bank.identity()?;
    let start = identity.get(..16).unwrap_or(&identity);
    Ok(format!("bank {start}: {} strategies, {} exemplars", bank.strategies.len(), bank.exemplars.len()))
}

fn one(bank: &Bank, id: &str) -> String {
    let strategies = bank.strategies.iter().filter(|r| r.id == id).map(strategy);
    strategies.chain(bank.exemplars.iter().filter(|e| e.id == id).map(exemplar)).next().unwrap_or_else(|| id.to_owned())
}

fn counts(bank: &Bank, id: &str) -> Option<String> {
    let strategies = bank.strategies.iter().map(|r| (&r.id, r.borne_out()));
    let mut all = strategies.chain(bank.exemplars.iter().map(|e| (&e.id, (e.n_accept, e.n_reject))));
    all.find(|(known, _)| *known == id).map(|(_, counts)| worth(counts))
}

fn worth((for_it, against): (u32, u32)) -> String {
    format!("borne out {for_it}, not {against}")
}

fn strategy(r: &StrategyRecord) -> String {
    let after = r.failure_type.map_or(String::new(), |f| format!(", after {}", f.name()));
    format!(
        "{}  {} in {} phases of {}{after}: {} for {}, {}; {}\n    {}\n    {}\n    What goes wrong: {}\n    What mends it: {}",
        r.id,
        r.polarity.name(),
        r.phase.name(),
        r.layout,
        r.kind.name(),
        r.objective.name(),
        r.mode.name(),
        worth(r.borne_out()),
        r.applicability,
        r.principle,
        r.failure_pattern,
        r.repair,
    )
}

fn exemplar(e: &Exemplar) -> String {
    let head = format!(
        "{}  code in {} phases: {} for {}, {}; {}",
        e.id,
        e.phase.name(),
        e.kind.name(),
        e.objective.name(),
        e.mode.name(),
        worth((e.n_accept, e.n_reject)),
    );
    let code = e.roles.iter().zip(&e.sources).map(|(role, source)| {
        let lines: Vec<&str> = source.lines().filter(|l| !l.trim().is_empty()).collect();
        format!("\n    {}: {}", role.name(), lines.join("; "))
    });
    head + &code.collect::<String>()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use troupe_coordination::experience::{BankCaps, PhaseClass, Polarity};
    use troupe_core::decision::{Kind, Mode, Objective, Role};
    use troupe_core::skill::SkillCall;

    pub(crate) const CAPS: BankCaps =
        BankCaps { strategies: 200, exemplars: 200, retrieved_strategies: 5, retrieved_counterexamples: 2, retrieved_exemplars: 3 };

    pub(crate) fn record(principle: &str) -> StrategyRecord {
        StrategyRecord {
            id: String::new(),
            polarity: Polarity::Positive,
            phase: PhaseClass::Corner,
            layout: "l1".into(),
            kind: Kind::Pivot,
            objective: Objective::RotateAtCorner,
            mode: Mode::Asym,
            failure_type: None,
            failure_level: None,
            applicability: "In a corner.".into(),
            principle: principle.into(),
            failure_pattern: "The bar tilts.".into(),
            repair: "Take a smaller step.".into(),
            n_accept: 1,
            n_reject: 0,
            created: 0,
        }
        .identified()
        .unwrap()
    }

    fn learn(run: &Path, principles: &[&str]) {
        std::fs::create_dir_all(run).unwrap();
        let mut own = SqliteBank::open(&run.join(EXPERIENCE)).unwrap();
        for principle in principles {
            own.add_strategy(record(principle), &CAPS).unwrap();
        }
        let exemplar = Exemplar {
            id: String::new(),
            kind: Kind::Pivot,
            objective: Objective::RotateAtCorner,
            mode: Mode::Asym,
            phase: PhaseClass::Corner,
            roles: vec![Role::InnerSupport, Role::OuterMover],
            sources: vec!["hold(duration_s=1.0)\nstop()\n".into(); 2],
            calls: vec![SkillCall::Hold { duration_s: 1.0 }; 2],
            n_accept: 1,
            n_reject: 0,
            created: 0,
        };
        own.add_exemplar(exemplar.identified().unwrap(), &CAPS).unwrap();
    }

    fn config() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config")
    }

    #[test]
    fn a_runs_bank_goes_out_and_into_another_run() {
        let runs = tempfile::tempdir().unwrap();
        learn(&runs.path().join("first"), &["One holds while the other turns.", "Both turn."]);
        let file = runs.path().join("bank.json");
        let said = export(Path::new("first"), &file, runs.path()).unwrap();
        assert!(said.contains("bank.json") && said.contains("2 strategies, 1 exemplars"), "{said}");
        // Again, as a new version of the same file.
        export(Path::new("first"), &file, runs.path()).unwrap();
        let before = std::fs::read(&file).unwrap();
        import(&file, &runs.path().join("second"), &config()).unwrap();
        assert!(diff(Path::new("first"), Path::new("second"), runs.path()).unwrap().contains("no record differs"));
        let merged = import(&file, &runs.path().join("second").join(EXPERIENCE), &config()).unwrap();
        assert!(merged.contains("2 strategies"), "{merged}");
        let differs = diff(&file, Path::new("second"), runs.path()).unwrap();
        assert!(differs.contains("~ s-") && differs.contains("borne out 2, not 0") && differs.contains("before: borne out 1"), "{differs}");
        assert_eq!(std::fs::read(&file).unwrap(), before, "the source is as it was");
    }

    #[test]
    fn a_bank_is_shown_as_sentences_and_code() {
        let runs = tempfile::tempdir().unwrap();
        learn(&runs.path().join("first"), &["One holds while the other turns."]);
        learn(&runs.path().join("second"), &["Both turn."]);
        let page = show(Path::new("first"), runs.path()).unwrap();
        for part in ["bank ", "corner phases of l1", "coordinated_pivot", "One holds while the other turns.", "What mends it: Take a smaller step.", "outer_mover: hold(duration_s=1.0); stop()"] {
            assert!(page.contains(part), "{part} is missing in\n{page}");
        }
        let differs = diff(Path::new("first"), Path::new("second"), runs.path()).unwrap();
        assert!(differs.contains("\n- s-") && differs.contains("\n+ s-") && !differs.contains("~"), "{differs}");
    }

    #[test]
    fn errors_name_the_file_and_what_is_allowed() {
        let runs = tempfile::tempdir().unwrap();
        learn(&runs.path().join("first"), &["Both turn."]);
        let text = runs.path().join("notes.json");
        std::fs::write(&text, "{}").unwrap();
        let says = |result: anyhow::Result<String>, parts: &[&str]| {
            let error = format!("{:#}", result.unwrap_err());
            assert!(parts.iter().all(|p| error.contains(p)), "{error} lacks one of {parts:?}");
        };
        says(show(Path::new("absent"), runs.path()), &["absent", "allowed", EXPERIENCE]);
        says(show(&text, runs.path()), &["notes.json", "format"]);
        says(export(Path::new("first"), &text, runs.path()), &["notes.json", "no bank"]);
        says(export(Path::new("first"), &runs.path().join("bank.txt"), runs.path()), &["bank.txt", "*.json"]);
        assert_eq!(std::fs::read_to_string(&text).unwrap(), "{}");
        let file = runs.path().join("bank.json");
        export(Path::new("first"), &file, runs.path()).unwrap();
        std::fs::write(runs.path().join("first").join(LEDGER), "").unwrap();
        says(import(&file, &runs.path().join("first"), &config()), &["first", "holds a run already", "allowed"]);
        says(import(&file, &text, &config()), &["notes.json", "allowed"]);
    }
}
