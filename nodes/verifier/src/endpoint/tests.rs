//! Both endpoints, on each side of each bound (CE-004, CE-005).

use crate::testing::{Bench, arm_contacts, on_stand};
use troupe_core::evidence::{Outcome, VerdictKind};
use troupe_core::state::TeamState;
use troupe_core::task::EndpointKind;
use troupe_core::team::EndpointResponse;

fn held(endpoint: EndpointKind, state: &TeamState, ticks: u64) -> EndpointResponse {
    let mut bench = Bench::of(endpoint);
    bench.travel();
    bench.show(state, ticks);
    bench.verifier.endpoint(bench.tick)
}

fn changed(change: impl Fn(&mut TeamState)) -> TeamState {
    let mut state = on_stand(0.63);
    change(&mut state);
    state
}

/// CE-004.
#[test]
fn three_seconds_hold_and_less_does_not() {
    // 151 states span 3.0 s, 146 span 2.9 s.
    let full = held(EndpointKind::Full, &on_stand(0.63), 151);
    assert_eq!(full.verdict.outcome, Outcome::Accepted, "{:?}", full.verdict.reasons);
    assert_eq!((full.verdict.kind, full.verdict.milestones.len()), (VerdictKind::Endpoint, 6));
    let short = held(EndpointKind::Full, &on_stand(0.63), 146);
    assert_eq!(short.verdict.outcome, Outcome::Unresolved);
    assert!((short.observe_s - 0.1).abs() < 1e-9, "{}", short.observe_s);
    assert_eq!(short.verdict.milestones.len(), 5);
}

#[test]
fn a_break_starts_the_hold_again() {
    let mut bench = Bench::new();
    bench.travel();
    bench.show(&on_stand(0.63), 100);
    bench.show(&changed(|s| s.contacts.push(arm_contacts().remove(0))), 1);
    bench.show(&on_stand(0.63), 100);
    let response = bench.verifier.endpoint(bench.tick);
    assert_eq!(response.verdict.outcome, Outcome::Unresolved);
    assert!((response.observe_s - (3.0 - 99.0 * 0.02)).abs() < 1e-9);
    // A tick that was not seen breaks it as well.
    bench.show(&on_stand(0.63), 30);
    bench.tick += 1;
    bench.show(&on_stand(0.63), 80);
    assert!((bench.verifier.endpoint(bench.tick).observe_s - (3.0 - 79.0 * 0.02)).abs() < 1e-9);
}

/// CE-004.
#[test]
fn every_bound_of_placement_has_two_sides() {
    type Change = Box<dyn Fn(&mut TeamState)>;
    let cases: [(Change, Change); 3] = [
        (Box::new(|s| s.payloads[0].pose.position[0] += 0.299), Box::new(|s| s.payloads[0].pose.position[0] += 0.301)),
        // At rest the centre is 0.855 m high; the error is taken from there.
        (Box::new(|s| s.payloads[0].pose.position[2] = 0.934), Box::new(|s| s.payloads[0].pose.position[2] = 0.936)),
        (Box::new(|s| s.payloads[0].tilt_rad = 19.9_f64.to_radians()), Box::new(|s| s.payloads[0].tilt_rad = 20.1_f64.to_radians())),
    ];
    for (inside, outside) in cases {
        for endpoint in [EndpointKind::Full, EndpointKind::Placement] {
            assert_eq!(held(endpoint, &changed(&inside), 151).verdict.outcome, Outcome::Accepted);
            let response = held(endpoint, &changed(&outside), 151);
            assert_eq!((response.verdict.outcome, response.observe_s), (Outcome::Rejected, 0.0));
        }
    }
    let floating = changed(|s| s.contacts.retain(|c| c.body_b != "stand"));
    let carried = changed(|s| s.contacts.extend(arm_contacts()));
    for state in [floating, carried] {
        assert_eq!(held(EndpointKind::Placement, &state, 151).verdict.outcome, Outcome::Rejected);
    }
}

/// CE-002.
#[test]
fn only_the_full_endpoint_asks_for_the_retreat() {
    type Change = Box<dyn Fn(&mut TeamState)>;
    let cases: [(Change, Change); 3] = [
        // 0.4 m beside and 0.4472 m behind is 0.6 m.
        (Box::new(|s| *s = on_stand(0.448)), Box::new(|s| *s = on_stand(0.446))),
        (Box::new(|s| s.robots[0].torso_tilt_rad = 29.9_f64.to_radians()), Box::new(|s| s.robots[0].torso_tilt_rad = 30.1_f64.to_radians())),
        (Box::new(|s| s.robots[1].base.position[2] = 0.551), Box::new(|s| s.robots[1].base.position[2] = 0.549)),
    ];
    for (inside, outside) in cases {
        assert_eq!(held(EndpointKind::Full, &changed(inside), 151).verdict.outcome, Outcome::Accepted);
        let outside = changed(outside);
        assert_eq!(held(EndpointKind::Full, &outside, 151).verdict.outcome, Outcome::Rejected);
        assert_eq!(held(EndpointKind::Placement, &outside, 151).verdict.outcome, Outcome::Accepted);
    }
}

/// CE-005.
#[test]
fn the_retreat_holds_for_a_second() {
    for (ticks, outcome) in [(50, Outcome::Unresolved), (51, Outcome::Accepted)] {
        let mut bench = Bench::new();
        bench.travel();
        bench.show(&on_stand(0.3), 151);
        bench.show(&on_stand(0.63), ticks);
        assert_eq!(bench.verifier.endpoint(bench.tick).verdict.outcome, outcome);
    }
}

#[test]
fn no_endpoint_without_the_way_there() {
    let mut bench = Bench::new();
    bench.show(&on_stand(0.63), 151);
    assert_eq!(bench.verifier.endpoint(bench.tick).verdict.outcome, Outcome::Rejected);
    assert_eq!(bench.verifier.endpoint(bench.tick + 1).verdict.outcome, Outcome::InvalidInfra);
}
