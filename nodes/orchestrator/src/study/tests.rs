//! Reports of studies made of tiny handwritten ledgers.

use super::layout::{Place, scan};
use super::report::{Options, write};
use super::spec::StudySpec;
use super::StudyError;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use troupe_coordination::metrics::PoolError;
use troupe_core::ledger::Ledger;

/// A tiny run: `steps` are accepted milestones by transaction index, the label ends it.
struct Tiny<'a> {
    method: &'a str,
    world: &'a str,
    endpoint: &'a str,
    seed: u64,
    code: &'a str,
    certified: &'a [u32],
    label: &'a str,
}

const TINY: Tiny<'static> =
    Tiny { method: "full", world: "l1", endpoint: "full", seed: 0, code: "c0de", certified: &[2, 5], label: "B" };

fn place(run: &Tiny<'_>) -> Place {
    Place { world: run.world.into(), provider: "imperfect-low".into(), method: run.method.into(), seed: run.seed }
}

fn put(study: &Path, run: &Tiny<'_>) {
    let folder = place(run).folder(study);
    std::fs::create_dir_all(&folder).unwrap();
    let file = std::fs::File::create(folder.join("ledger.jsonl")).unwrap();
    let mut ledger = Ledger::new(file);
    let mut put = |event: &str, sim_s: f64, data: Value| ledger.append(event, sim_s, &data).map(|_| ()).unwrap();
    let milestones = ["a", "b", "terminal"];
    put("run", 0.0, json!({
        "seed": run.seed, "world": run.world, "task": "transport", "provider": "imperfect", "level": "low",
        "method": run.method, "endpoint": run.endpoint, "code_hash": run.code, "config_hash": "00", "milestones": milestones,
        "limit_original": 10, "limit_effective": 10, "horizon_report": 10,
        "scenery": {"walls": [[[0.0, -1.0], [4.0, -1.0]]], "stand": null},
    }));
    for n in 1..=*run.certified.last().unwrap_or(&1) {
        let reached = run.certified.iter().filter(|t| **t <= n).count();
        let verdict = json!({"outcome": "accepted", "kind": "progress", "milestones": milestones[..reached], "reasons": []});
        let at = |x: f64| json!({"x": x, "y": 0.1, "yaw": 0.0});
        let sample = |tick: u32| json!({"tick": tick, "robots": [], "payload": at(f64::from(tick) / 100.0), "payload_tilt_rad": 0.0});
        put("model_call", f64::from(n), json!({"role": "coder", "tokens_in": 5, "tokens_out": 2}));
        put("transaction", f64::from(n), json!({
            "n": n, "charged": true, "drop": false, "verdict": verdict, "wall_s": f64::from(n),
            "path": [sample(10 * n), sample(10 * n + 10)],
        }));
        put("checkpoint", f64::from(n), json!({"id": format!("c{n}"), "milestones": milestones[..reached]}));
    }
    if !run.label.is_empty() {
        put("end", 20.0, json!({"label": run.label, "reason": "-", "wall_s": 12.5}));
    }
}

fn options() -> Options {
    Options {
        name: "tiny".into(),
        question: "Does the report repeat?".into(),
        reference: "full".into(),
        allow_mixed: false,
        jobs: 2,
    }
}

/// Every file that is no ledger, with its bytes.
fn summaries(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(summaries(&path));
        } else if path.file_name().unwrap() != "ledger.jsonl" {
            let bytes = std::fs::read(&path).unwrap();
            found.insert(path, bytes);
        }
    }
    found
}

fn study() -> tempfile::TempDir {
    let study = tempfile::tempdir().unwrap();
    for seed in 0..3 {
        put(study.path(), &Tiny { seed, label: "S", certified: &[1, 2, 4], ..TINY });
        put(study.path(), &Tiny { seed, method: "flat", label: "G", ..TINY });
    }
    study
}

#[test]
fn g_06_deleted_summaries_come_back_to_the_byte() {
    let study = study();
    write(study.path(), &options()).unwrap();
    let before = summaries(study.path());
    let names: Vec<String> = before.keys().filter_map(|p| p.file_name()?.to_str().map(str::to_owned)).collect();
    for name in ["report.md", "table.csv", "comparison.csv", "runs.csv", "progress-l1-imperfect-low.svg", "paths-l1-imperfect-low-flat.svg"] {
        assert!(names.iter().any(|n| n == name), "{name} is missing");
    }
    for file in before.keys() {
        std::fs::remove_file(file).unwrap();
    }
    write(study.path(), &options()).unwrap();
    assert_eq!(before, summaries(study.path()));
}

#[test]
fn xt_02_the_page_prints_all_figures_together_and_no_money() {
    let study = study();
    put(study.path(), &Tiny { seed: 3, label: "", ..TINY });
    let report = write(study.path(), &options()).unwrap();
    let page = std::fs::read_to_string(study.path().join("report.md")).unwrap();
    for part in [
        "3/4 = 75.0 % [30.1, 95.4]", ">= ", "PAUC@10", "S 3, D 0, B 0, G 0, C 0, I 0, incomplete 1", "imperfect-low",
        "0/3 = 0.0 % [0.0, 56.1]", "full minus flat", "n = 3", "+100.0 [+100.0, +100.0]", "set-ups since last milestone",
        "model calls", "refusals before dispatch",
        "SR in l1, imperfect-low: `full` is ahead of every other method", "Ahead of: `flat`. Behind: none.",
        "| l1 | imperfect-low | flat | G 3 |", "| l1 | imperfect-low | full | incomplete 1 |",
    ] {
        assert!(page.contains(part), "{part} is missing in\n{page}");
    }
    for money in ["$", "€", "USD", "cost", "price"] {
        assert!(!page.contains(money), "{money}");
    }
    // Every table has a column for provider and method, save the one of code hashes.
    let headers = page.lines().filter(|l| l.starts_with("| world") && !l.contains("code hash"));
    assert!(headers.clone().count() >= 3 && headers.clone().all(|l| l.contains("provider") && l.contains("method")));
    assert_eq!(report.rows[0].condition.method, "full");
    let csv = std::fs::read_to_string(study.path().join("comparison.csv")).unwrap();
    assert!(csv.contains("l1,imperfect-low,full,full,flat,SR,3,100.0000,100.0000,100.0000,1,0"), "{csv}");
}

#[test]
fn ce_124_two_endpoints_are_reported_apart_and_never_pooled() {
    let apart = study();
    for seed in 0..3 {
        put(apart.path(), &Tiny { seed, world: "l3", endpoint: "placement", ..TINY });
        put(apart.path(), &Tiny { seed, world: "l3", endpoint: "placement", method: "flat", ..TINY });
    }
    let report = write(apart.path(), &options()).unwrap();
    assert!(report.comparisons.iter().all(|c| c.world != "all"));
    assert!(std::fs::read_to_string(apart.path().join("report.md")).unwrap().contains("nothing is pooled"));
    let same = study();
    for method in ["full", "flat"] {
        put(same.path(), &Tiny { world: "l2", method, ..TINY });
    }
    let report = write(same.path(), &options()).unwrap();
    let all = report.comparisons.iter().find(|c| c.world == "all").unwrap();
    assert_eq!(all.metrics[0].difference.unwrap().pairs, 4);
    put(apart.path(), &Tiny { seed: 9, endpoint: "placement", ..TINY });
    let refused = write(apart.path(), &options()).unwrap_err();
    assert!(matches!(refused, StudyError::Pool { error: PoolError::Endpoints(..), .. }), "{refused}");
}

#[test]
fn ce_125_runs_of_other_code_are_refused_unless_allowed() {
    let study = study();
    put(study.path(), &Tiny { seed: 7, code: "0ther", ..TINY });
    let refused = write(study.path(), &options()).unwrap_err();
    assert!(matches!(refused, StudyError::Pool { error: PoolError::Code(..), .. }), "{refused}");
    write(study.path(), &Options { allow_mixed: true, ..options() }).unwrap();
    assert!(std::fs::read_to_string(study.path().join("report.md")).unwrap().contains("different code are mixed"));
}

#[test]
fn moved_broken_and_empty_ledgers_are_named() {
    let study = study();
    let from = place(&Tiny { seed: 2, ..TINY }).folder(study.path());
    let to = place(&Tiny { seed: 8, ..TINY }).folder(study.path());
    std::fs::rename(&from, &to).unwrap();
    let moved = write(study.path(), &options()).unwrap_err().to_string();
    assert!(moved.contains("seed `2`") && moved.contains("`8`"), "{moved}");
    std::fs::rename(&to, &from).unwrap();
    std::fs::create_dir_all(&to).unwrap();
    std::fs::write(to.join("ledger.jsonl"), "").unwrap();
    std::fs::create_dir_all(from.with_file_name("2.aside-1")).unwrap();
    assert_eq!(scan(study.path()).unwrap().len(), 7);
    assert_eq!(write(study.path(), &options()).unwrap().empty.len(), 1);
    let ledger = from.join("ledger.jsonl");
    let text = std::fs::read_to_string(&ledger).unwrap().replacen("accepted", "rejected", 1);
    std::fs::write(&ledger, text).unwrap();
    let broken = write(study.path(), &options()).unwrap_err();
    assert!(matches!(broken, StudyError::Ledger { .. }), "{broken}");
    assert!(matches!(write(tempfile::tempdir().unwrap().path(), &options()), Err(StudyError::Empty(_))));
}

#[test]
fn a_study_names_its_errors_and_lists_pairs_first() {
    let text = "name: tiny\nquestion: why\nworlds: [{ world: l1, task: transport }]\nreference: full\n\
        methods: [full, flat]\nproviders: [{ provider: builtin }, { provider: imperfect, level: low }]\nseeds: 0..2\n";
    let read = |text: &str| StudySpec::load(Path::new("tiny.yaml"), Ok(text.to_owned()));
    let spec = read(text).unwrap();
    let episodes = spec.episodes(&spec.methods, &[0, 1, 2]);
    assert_eq!(episodes.len(), 12);
    assert!(episodes[..4].iter().all(|e| e.place.seed == 0));
    assert_eq!(episodes[2].place.provider, "imperfect-low");
    let varied = read(&format!("{text}variations: [mass_low]\n")).unwrap();
    let episodes = varied.episodes(&varied.methods, &[0]);
    let conditions: Vec<(&str, &str)> = episodes[..4].iter().map(|e| (e.place.method.as_str(), e.variation.as_str())).collect();
    assert_eq!(conditions, [("full", "nominal"), ("full.mass_low", "mass_low"), ("flat", "nominal"), ("flat.mass_low", "mass_low")]);
    for (from, to, expect) in [
        ("seeds: 0..2\n", "seeds: 0..2\nvariations: [nominal]\n", "nominal"),
        ("seeds: 0..2\n", "seeds: 0..2\nvariations: [mass_low, mass_low]\n", "twice"),
        ("seeds: 0..2\n", "seeds: 0..2\nvariations: [mass_low]\nbanks: [{ name: low, file: low }]\n", "one of both"),
        ("name: tiny", "name: other", "tiny"),
        ("reference: full", "reference: best", "one of methods"),
        ("seeds: 0..2", "seed: 0..2", "seeds"),
        ("[full, flat]", "[full, full]", "twice"),
        ("level: low", "level: ../low", "no name"),
        ("level: low", "levle: low", "levle"),
        ("seeds: 0..2\n", "seeds: 0..2\nhorizon: 0\n", "horizon"),
    ] {
        let error = read(&text.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains("tiny.yaml") && error.contains(expect), "{error} lacks {expect}");
    }
}
