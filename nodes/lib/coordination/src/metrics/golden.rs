//! The worked examples of the requirements; each test names its id.

use super::cohort::{one_code, one_method};
use super::*;
use crate::terminal::Label;
use troupe_core::task::EndpointKind;

pub fn run(seed: u64) -> RunFacts {
    RunFacts {
        method: "full".into(),
        provider: "builtin".into(),
        world: "l1".into(),
        task: "transport".into(),
        seed,
        endpoint: Some(EndpointKind::Full),
        code_hash: "a".into(),
        limit_original: 80,
        limit_effective: 80,
        horizon_report: 80,
        label: Some(Label::B),
        milestones_total: 6,
        wall_s: 1.0,
        sim_s: 10.0,
        ..RunFacts::default()
    }
}

fn at(times: &[u32]) -> Vec<Attained> {
    times.iter().enumerate().map(|(i, t)| Attained { milestone: format!("m{i}"), transaction: *t }).collect()
}

fn figures(runs: &[RunFacts]) -> Figures {
    Cohort::new(&runs.iter().collect::<Vec<_>>()).unwrap().figures()
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 0.005, "{a} is not {b}");
}

#[test]
fn ce_100_every_run_counts_under_one_label() {
    let mut runs: Vec<RunFacts> =
        Label::ALL.into_iter().enumerate().map(|(i, l)| RunFacts { label: Some(l), ..run(i as u64) }).collect();
    runs.push(RunFacts { label: None, ..run(9) });
    let f = figures(&runs);
    assert_eq!((f.labels.values().sum::<u32>() + f.incomplete, f.runs, f.labels.len()), (7, 7, 6));
}

#[test]
fn ce_110_vp_and_ea_weigh_runs_equally() {
    let vp: Vec<RunFacts> =
        [6, 4, 3, 3, 2].into_iter().enumerate().map(|(i, q)| RunFacts { retained: q, ..run(i as u64) }).collect();
    near(figures(&vp).progress.value, 60.0);
    let ea = [RunFacts { accepted: 8, charged: 10, ..run(0) }, RunFacts { accepted: 20, charged: 40, ..run(1) }];
    let share = figures(&ea).acceptance.unwrap();
    near(share.value, 65.0);
    assert_eq!(share.shown(), "65.0");
}

#[test]
fn ce_110_sr_comes_with_counts_and_interval() {
    let runs: Vec<RunFacts> =
        (0..20).map(|i| RunFacts { label: Some(if i < 13 { Label::S } else { Label::G }), ..run(i) }).collect();
    let f = figures(&runs);
    assert_eq!((f.successes, f.runs), (13, 20));
    near(f.success_rate, 65.0);
    assert!((f.wilson95[0] - 43.3).abs() < 0.05 && (f.wilson95[1] - 81.9).abs() < 0.06);
}

#[test]
fn ce_111_unresolved_outcomes_make_ea_a_lower_bound() {
    let f = figures(&[RunFacts { charged: 32, accepted: 20, unresolved: 2, ..run(0) }]);
    assert_eq!(f.acceptance.unwrap().shown(), ">= 62.5");
    assert_eq!(f.unresolved, 2);
}

#[test]
fn xt_06_a_run_without_a_dispatch_has_no_ea() {
    let f = figures(&[run(0)]);
    assert_eq!((f.acceptance, f.dispatching_runs), (None, 0));
    let f = figures(&[run(0), RunFacts { charged: 2, accepted: 1, ..run(1) }]);
    assert_eq!((f.acceptance.unwrap().value, f.dispatching_runs, f.runs), (50.0, 1, 2));
}

#[test]
fn ce_113_pauc_worked_examples() {
    near(pauc(&at(&[20, 20, 20]), 6, 80), 37.5);
    near(pauc(&at(&[60, 60, 60]), 6, 80), 12.5);
    let run = at(&[8, 17, 30, 47]);
    near(pauc(&run, 6, 80), 100.0 * 218.0 / 480.0);
    near(pauc(&run, 6, 80), 45.42);
    near(pauc(&run, 6, 160), 100.0 * 538.0 / 960.0);
    near(pauc(&run, 6, 160), 56.04);
    near(pauc(&at(&[80]), 6, 80), 0.0);
    let mut twice = run.clone();
    twice.push(Attained { milestone: "m0".into(), transaction: 60 });
    near(pauc(&twice, 6, 80), 45.42);
}

#[test]
fn ce_114_a_rewind_lowers_vp_and_not_pauc() {
    let before = RunFacts { certified_at: at(&[8, 17, 30]), retained: 3, ..run(0) };
    let after = RunFacts { retained: 1, ..before.clone() };
    near(figures(&[before.clone()]).progress.value, 50.0);
    near(figures(&[after.clone()]).progress.value, 16.67);
    near(figures(&[before]).pauc.value, figures(&[after]).pauc.value);
}

#[test]
fn ce_115_means_of_incomplete_runs_are_lower_bounds() {
    let f = figures(&[
        RunFacts { charged: 10, model_calls: 30, ..run(0) },
        RunFacts { charged: 5, model_calls: 20, label: None, wall_is_lower_bound: true, ..run(1) },
    ]);
    assert_eq!((f.transactions.shown(), f.model_calls.shown()), (">= 7.5".into(), ">= 25.0".into()));
    assert_eq!((f.wall_mean_s.shown(), f.incomplete), (">= 1.0".into(), 1));
}

#[test]
fn ce_124_different_endpoints_are_not_pooled() {
    let (full, placement) = (run(0), RunFacts { endpoint: Some(EndpointKind::Placement), ..run(1) });
    let refused = PoolError::Endpoints(Some(EndpointKind::Full), Some(EndpointKind::Placement));
    assert_eq!(Cohort::new(&[&full, &placement]).err(), Some(refused.clone()));
    assert_eq!(versus(&[&full], &[&placement], 100, 1), Err(refused));
    assert_eq!(Cohort::new(&[]).err(), Some(PoolError::Empty));
}

#[test]
fn ce_101_a_horizon_is_no_budget() {
    // XT-05: 80 allowed, reported over 160; areas over different horizons stay apart.
    let long = RunFacts { horizon_report: 160, certified_at: at(&[8, 17, 30, 47]), ..run(0) };
    near(figures(&[long.clone()]).pauc.value, 56.04);
    assert_eq!(long.limit_effective, 80);
    assert_eq!(Cohort::new(&[&long, &run(1)]).err(), Some(PoolError::Horizons(160, 80)));
}

#[test]
fn ce_125_pairs_share_world_seed_and_code() {
    let full: Vec<RunFacts> = (0..10).map(|i| RunFacts { label: Some(Label::S), ..run(i) }).collect();
    let flat: Vec<RunFacts> =
        (5..15).map(|i| RunFacts { label: Some(if i < 7 { Label::S } else { Label::D }), method: "flat".into(), ..run(i) }).collect();
    let (a, b): (Vec<&RunFacts>, Vec<&RunFacts>) = (full.iter().collect(), flat.iter().collect());
    let sr = versus(&a, &b, 10_000, 1).unwrap()[0].difference.unwrap();
    assert_eq!(sr.pairs, 5);
    near(sr.mean, 60.0);
    let twice = [a[0], a[0]];
    assert!(matches!(versus(&twice, &b, 10, 1), Err(PoolError::Twice { seed: 0, .. })));
    let other = RunFacts { code_hash: "b".into(), ..run(3) };
    assert_eq!(one_code(&[a[0], &other]), Err(PoolError::Code("a".into(), "b".into())));
    assert_eq!((one_code(&a), one_method(&a)), (Ok(()), Ok(())));
    let changed = RunFacts { method_hash: "b".into(), ..run(3) };
    assert_eq!(one_method(&[a[0], &changed]), Err(PoolError::Method("full".into())));
}

#[test]
fn xt_02_stalls_stand_beside_the_shares() {
    // CE-141: 31 of the last 33 accepted, 27 of them set-ups, and no milestone.
    let f = figures(&[RunFacts { charged: 80, accepted: 70, setups_since_milestone: 27, charged_since_milestone: 33, ..run(0) }]);
    assert_eq!((f.setups_since_milestone, f.charged_since_milestone, f.setups_since_milestone_max), (27.0, 33.0, 27));
}
