//! When a restoration is trusted, and the first state of a run.

use crate::testing::{Bench, carrying, robots, setup};
use crate::verifier::{Verifier, VerifierError};
use troupe_core::evidence::Outcome;
use troupe_core::state::TeamState;
use troupe_core::team::{BeginRun, ConfirmRestore, Restored};

fn with_epoch(epoch: u32) -> TeamState {
    let mut state = carrying(0.0);
    for robot in &mut state.robots {
        robot.controller_epoch = epoch;
    }
    state
}

/// A bench after a restoration into epoch 2 that settled for `ticks` after the restored state.
fn restored(state: &TeamState, ticks: u64) -> (Bench, ConfirmRestore) {
    let mut bench = Bench::new();
    bench.epoch = 2;
    bench.show(state, ticks + 1);
    let restored = Restored { max_error: 0.0, context_epoch: 2, controller_epochs: vec![1; 2] };
    let request = ConfirmRestore { checkpoint_id: "ckpt-0".into(), restored, closed_tick: bench.tick };
    (bench, request)
}

/// CE-052.
#[test]
fn a_settled_restoration_is_confirmed() {
    let (mut bench, request) = restored(&with_epoch(1), 25);
    let verdict = bench.verifier.confirm_restore(&request);
    assert_eq!(verdict.outcome, Outcome::Accepted, "{:?}", verdict.reasons);
}

#[test]
fn each_doubt_makes_it_an_infrastructure_failure() {
    let refuse = |state: &TeamState, ticks: u64, change: &dyn Fn(&mut ConfirmRestore), word: &str| {
        let (mut bench, mut request) = restored(state, ticks);
        change(&mut request);
        let verdict = bench.verifier.confirm_restore(&request);
        assert_eq!(verdict.outcome, Outcome::InvalidInfra, "{word}");
        assert!(verdict.reasons.iter().any(|r| r.contains(word)), "{word}: {:?}", verdict.reasons);
    };
    let good = with_epoch(1);
    refuse(&good, 25, &|r| r.restored.max_error = 1.1e-6, "max_error");
    refuse(&good, 25, &|r| r.restored.max_error = f64::NAN, "max_error");
    refuse(&good, 24, &|_| {}, "settling");
    refuse(&good, 25, &|r| r.closed_tick += 1, "settling");
    refuse(&good, 25, &|r| r.checkpoint_id = "ckpt-7".into(), "ckpt-0");
    refuse(&good, 25, &|r| r.restored.context_epoch = 3, "context_epoch");
    refuse(&good, 25, &|r| r.restored.controller_epochs.truncate(1), "controller_epochs");
    refuse(&with_epoch(0), 25, &|_| {}, "acknowledged");
    refuse(&with_epoch(0), 25, &|r| r.restored.controller_epochs = vec![0; 2], "did not rise");
    let mut lost = with_epoch(1);
    lost.contacts.clear();
    refuse(&lost, 25, &|_| {}, "support");
}

#[test]
fn a_run_begins_only_from_a_sound_state() {
    let begin = |change: &dyn Fn(&mut TeamState), task: &str| {
        let mut state = carrying(0.0);
        change(&mut state);
        let mut verifier = Verifier::new(setup()).unwrap();
        for tick in 1..=40 {
            verifier.observe(crate::testing::at_tick(state.clone(), tick));
        }
        verifier.begin_run(&BeginRun { run_id: "r".into(), task_id: task.into(), tick: 40 })
    };
    assert_eq!(begin(&|_| {}, "transport"), Ok("ckpt-0".into()));
    assert!(matches!(begin(&|_| {}, "chess"), Err(VerifierError::Task { .. })));
    assert!(matches!(begin(&|s| s.payloads[0].held = true, "transport"), Err(VerifierError::State { .. })));
    let error = begin(&|s| s.contacts.clear(), "transport").unwrap_err().to_string();
    assert!(error.contains("support"), "{error}");
    assert!(begin(&|s| s.robots[0].torso_tilt_rad = 1.0, "transport").is_err());
    assert_eq!(robots().len(), 2);
}
