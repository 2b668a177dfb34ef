//! The estimate starts at "as commanded", learns what robots do, and is fair to pairs.

use super::*;
use proptest::prelude::*;
use troupe_core::frames::Planar;
use troupe_core::skill::Direction;

fn walk(distance_m: f64) -> SkillCall {
    SkillCall::Walk { distance_m, direction: Direction::Forward, speed_mps: 0.25 }
}

fn result(x: f64) -> SkillResult {
    SkillResult { displacement: Planar { x, ..Planar::default() }, coast_m: 0.05, settled: true, ..SkillResult::default() }
}

fn robots() -> Vec<String> {
    vec!["a".into(), "b".into()]
}

const PAIRS: PairLimits = PairLimits { distance_m: 0.02, yaw_rad: 0.0175 };
const BOUNDS: [f64; 2] = [0.02, 0.5];

/// CE-152.
#[test]
fn nothing_known_is_as_commanded_and_samples_move_it_slowly() {
    let mut model = ResponseModel::default();
    let before = model.response("a", &walk(0.3)).unwrap();
    assert!((before.ratio - 1.0).abs() < 1e-12 && before.bias.abs() < 1e-12 && before.samples == 0);
    model.observe("a", &walk(0.25), &result(0.20));
    let one = model.response("a", &walk(0.3)).unwrap();
    assert!(one.ratio > 0.9 && one.ratio < 1.0 && (one.coast_m - 0.05).abs() < 1e-12, "{one:?}");
    for _ in 0..100 {
        model.observe("a", &walk(0.25), &result(0.20));
    }
    assert!((model.response("a", &walk(0.25)).unwrap().predict(0.25) - 0.20).abs() < 0.003);
    assert_eq!(model.responses().len(), 1);
    // Another direction or robot learnt nothing.
    assert_eq!(model.response("b", &walk(0.25)).unwrap().samples, 0);
}

#[test]
fn errors_and_unrest_teach_nothing() {
    let mut model = ResponseModel::default();
    model.observe("a", &walk(0.25), &SkillResult { code: SkillCode::Timeout, ..result(0.0) });
    model.observe("a", &walk(0.25), &SkillResult { settled: false, ..result(0.0) });
    model.observe("a", &SkillCall::Release, &result(0.0));
    assert!(model.responses().is_empty());
}

/// CE-152.
#[test]
fn a_pair_that_comes_apart_is_refused_with_numbers_that_help() {
    let mut model = ResponseModel::default();
    for _ in 0..20 {
        model.observe("a", &walk(0.4), &result(0.42));
        model.observe("b", &walk(0.4), &result(0.38));
    }
    let equal = [walk(0.4), walk(0.4)];
    let text = model.pair_finding(Mode::Sync, &robots(), &equal, &PAIRS, BOUNDS).unwrap();
    assert!(text.contains("distance_m") && text.contains("0.4"), "{text}");
    let better = model.equalised(&robots(), &walk(0.4), &PAIRS, BOUNDS);
    assert!(crate::pairing::check(Mode::Sync, &[troupe_core::decision::Role::Peer; 2], &better, &PAIRS, 0.0).is_empty());
    assert_eq!(model.pair_finding(Mode::Sync, &robots(), &better, &PAIRS, BOUNDS), None);
    assert_eq!(model.pair_finding(Mode::Asym, &robots(), &equal, &PAIRS, BOUNDS), None);
    assert_eq!(ResponseModel::default().pair_finding(Mode::Sync, &robots(), &equal, &PAIRS, BOUNDS), None);
}

#[test]
fn arcs_and_turns_count_along_their_way() {
    let mut model = ResponseModel::default();
    let arc = SkillCall::Arc { distance_m: 0.24, yaw_rad: 0.3, speed_mps: 0.2 };
    let full = SkillResult { displacement: arc.intended(), ..result(0.0) };
    let turn = SkillCall::Turn { yaw_rad: -0.3, speed_rps: 0.25 };
    for _ in 0..5 {
        model.observe("a", &arc, &full);
        model.observe("a", &turn, &SkillResult { displacement: Planar { yaw: -0.27, ..Planar::default() }, ..result(0.0) });
    }
    assert!((model.response("a", &arc).unwrap().ratio - 1.0).abs() < 1e-9);
    let turned = model.response("a", &turn).unwrap();
    assert!(turned.direction == "right" && turned.predict(0.3) < 0.29, "{turned:?}");
}

proptest! {
    #[test]
    fn equalised_pairs_are_legal_and_no_further_apart(ra in 0.6f64..1.4, rb in 0.6f64..1.4, d in 0.05f64..0.45, n in 1usize..30) {
        let mut model = ResponseModel::default();
        for _ in 0..n {
            model.observe("a", &walk(0.3), &result(0.3 * ra));
            model.observe("b", &walk(0.3), &result(0.3 * rb));
        }
        let apart = |calls: &[SkillCall]| spread(&model.predicted(&robots(), calls).unwrap());
        let calls = model.equalised(&robots(), &walk(d), &PAIRS, BOUNDS);
        let amounts: Vec<f64> = calls.iter().map(|c| c.arguments()[0].1).collect();
        prop_assert!((amounts[0] - amounts[1]).abs() <= PAIRS.distance_m + 1e-9);
        prop_assert!(amounts.iter().all(|a| (BOUNDS[0]..=BOUNDS[1]).contains(a)));
        let mean = 0.5 * (amounts[0] + amounts[1]);
        prop_assert!(apart(&calls) <= apart(&[walk(mean), walk(mean)]) + 1e-9);
    }
}
