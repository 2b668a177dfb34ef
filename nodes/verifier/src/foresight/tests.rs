//! An accepted transition keeps its acceptance only with a safe next move.

use crate::testing::{Bench, both, carrying};
use troupe_core::decision::{Kind, Objective};
use troupe_core::evidence::{FailureType, Outcome};
use troupe_core::forecast::Forecast;

fn good() -> Forecast {
    Forecast {
        support_duty: 1.0,
        payload_tilt_rad: 0.05,
        payload_z_min_m: 0.9,
        clearance_m: Some(0.5),
        settled: true,
        ..Forecast::refused(&[], "")
    }
}

/// CE-074, CE-151.
#[test]
fn without_a_safe_move_nothing_is_certified() {
    for safe in [true, false] {
        let mut bench = Bench::new();
        let decision = bench.decision(Kind::LinearTransport, Objective::AdvanceSegment);
        let valid = bench.validate(&decision, &both("walk(0.4, 'forward', 0.25)\nstop()"));
        let start = bench.tick;
        // Past the first gate.
        bench.show(&carrying(1.0), 50);
        let request = bench.request(&decision, &valid, start);
        let mut judged = bench.verifier.judge(&request);
        assert_eq!(judged.response.verdict.milestones.len(), 1);
        let moves = bench.verifier.look_ahead_moves(&judged);
        assert_eq!(moves.first().and_then(|m| m.first()).map(|c| c.name()), Some("walk"));
        let bad = Forecast { support_duty: 0.3, ..good() };
        let forecasts = if safe { vec![bad, good()] } else { vec![bad.clone(), bad] };
        bench.verifier.look_ahead(&mut judged, &request, &forecasts);
        let verdict = judged.response.verdict.clone();
        assert_eq!(verdict.outcome, if safe { Outcome::Accepted } else { Outcome::Rejected });
        assert_eq!(judged.save.is_some(), safe);
        assert!(judged.response.evidence.predicates.iter().any(|p| p.name == "look_ahead" && p.passed == safe));
        if !safe {
            assert!(verdict.reasons[0].contains("0.30") && verdict.milestones.is_empty(), "{:?}", verdict.reasons);
            assert_eq!(judged.response.evidence.failure_type, Some(FailureType::SupportLost));
            assert_eq!(judged.response.checkpoint_id, "ckpt-0");
            // Blocked like any rejected transaction.
            let again = bench.validate(&decision, &both("walk(0.4, 'forward', 0.25)\nstop()"));
            assert!(again.findings.iter().any(|f| f.code == "E_DUPLICATE"), "{:?}", again.findings);
        }
    }
}

/// CE-074.
#[test]
fn a_rejected_transition_is_left_alone() {
    let mut bench = Bench::new();
    let decision = bench.decision(Kind::LinearTransport, Objective::AdvanceSegment);
    let valid = bench.validate(&decision, &both("walk(0.4, 'forward', 0.25)\nstop()"));
    let start = bench.tick;
    bench.show(&carrying(0.0), 50);
    let request = bench.request(&decision, &valid, start);
    let mut judged = bench.verifier.judge(&request);
    let before = judged.clone();
    assert!(bench.verifier.look_ahead_moves(&judged).is_empty());
    bench.verifier.look_ahead(&mut judged, &request, &[]);
    assert_eq!(judged, before);
}
