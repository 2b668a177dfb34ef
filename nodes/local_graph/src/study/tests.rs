//! Resuming and registering studies, without physics.

use super::keep::{Found, look, set_aside};
use super::register;
use crate::team::Folders;
use serde_json::json;
use std::path::Path;
use troupe_core::ledger::Ledger;

fn put(folder: &Path, events: &[&str]) {
    std::fs::create_dir_all(folder).unwrap();
    let mut ledger = Ledger::new(std::fs::File::create(folder.join("ledger.jsonl")).unwrap());
    for event in events {
        ledger.append(event, 0.0, &json!({"config_hash": "abc"})).unwrap();
    }
}

#[test]
fn g_11_finished_runs_are_kept_and_others_move_aside() {
    let study = tempfile::tempdir().unwrap();
    let run = study.path().join("full/builtin/l1/3");
    assert_eq!(look(&run, "abc").unwrap(), Found::Nothing);
    put(&run, &["run", "end"]);
    assert_eq!(look(&run, "abc").unwrap(), Found::Finished);
    assert_eq!(look(&run, "xyz").unwrap(), Found::OtherSettings);
    let text = std::fs::read_to_string(run.join("ledger.jsonl")).unwrap();
    std::fs::write(run.join("ledger.jsonl"), text.replace("abc", "xyz")).unwrap();
    assert!(matches!(look(&run, "xyz").unwrap(), Found::Unfinished(why) if why.contains("hash")));
    put(&run, &["run", "dispatch"]);
    assert_eq!(look(&run, "abc").unwrap(), Found::Unfinished("no end".into()));
    let before = std::fs::read(run.join("ledger.jsonl")).unwrap();
    for n in [1, 2] {
        let aside = set_aside(&run).unwrap();
        assert!(aside.ends_with(format!("3.aside-{n}")) && !run.exists());
        put(&run, &["run"]);
        assert_eq!(std::fs::read(study.path().join("full/builtin/l1/3.aside-1/ledger.jsonl")).unwrap(), before);
    }
}

const STUDY: &str = "name: tiny\nquestion: why\nworlds: [{ world: l1, task: transport }]\nreference: full\n\
    methods: [full]\nproviders: [{ provider: builtin }]\nseeds: 0..2\n";

#[test]
fn ce_156_conditions_are_registered_before_the_first_run() {
    let here = tempfile::tempdir().unwrap();
    let folders = Folders { config: here.path().join("config"), assets: here.path().into() };
    let file = folders.config.join("studies/tiny.yaml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, STUDY).unwrap();
    let study = here.path().join("runs/studies/tiny");
    let spec = register::register(&folders, &study, "tiny", false).unwrap();
    std::fs::write(&file, format!("# a comment changes nothing\n{STUDY}")).unwrap();
    register::register(&folders, &study, "tiny", false).unwrap();
    std::fs::write(&file, STUDY.replace("0..2", "0..9")).unwrap();
    let error = register::register(&folders, &study, "tiny", false).unwrap_err().to_string();
    assert!(error.contains("registered"), "{error}");
    assert_eq!(register::register(&folders, &study, "tiny", true).unwrap().seeds, "0..9");
    assert_eq!(register::registered(&folders, &study, "tiny").unwrap(), spec);
    let error = register::register(&folders, &study, "other", false).unwrap_err().to_string();
    assert!(error.contains("allowed: tiny"), "{error}");
    let held = register::lock(&study).unwrap();
    assert!(register::lock(&study).unwrap_err().to_string().contains("another process"));
    drop(held);
    register::lock(&study).unwrap();
}
