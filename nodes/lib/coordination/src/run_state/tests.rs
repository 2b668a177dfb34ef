//! An exhaustive walk of the table reaches all six terminals and no other edge.

use super::*;
use crate::terminal::Label;
use std::collections::BTreeSet;
use troupe_core::decision::Formation;
use troupe_core::task::{EndpointKind, PlacementLimits, RetreatLimits, TransitionLimits};

fn task() -> Task {
    Task {
        name: "transport".into(),
        goal: "carry".into(),
        endpoint: EndpointKind::Full,
        budget_transactions: 80,
        drop_limit: 6,
        transition: TransitionLimits {
            support_window_s: 0.5,
            support_duty: 0.8,
            payload_tilt_rad: 0.35,
            payload_z_min_m: 0.45,
            torso_tilt_rad: 0.52,
            pelvis_z_m: 0.55,
            wall_impulse_ns: 2.0,
            formation_distance_m: 0.15,
            formation_heading_rad: 0.26,
            rest_speed_mps: 0.05,
            progress_min_m: 0.02,
            progress_share: 0.4,
            corner_share: 0.3,
            setup_fall: 0.2,
            setup_growth: 0.1,
            drop_z_m: 0.3,
        },
        placement: PlacementLimits { radius_m: 0.3, vertical_m: 0.08, tilt_rad: 0.35, hold_s: 3.0, release_gate_m: 0.45 },
        retreat: RetreatLimits { clearance_m: 0.6, torso_tilt_rad: 0.52, pelvis_z_m: 0.55, hold_s: 1.0 },
        formation: Formation { distance_m: 0.8, heading_offset_rad: 0.0 },
        neighbour_bearing_rad: std::f64::consts::FRAC_PI_2,
        repair: RepairLimits { attempts_per_call: 3, refusals: 8, rejections_at_checkpoint: 6 },
    }
}

fn drive(machine: &mut Machine, events: &[Event], budget: &Budget) -> State {
    for event in events {
        machine.step(*event, budget).unwrap();
    }
    machine.state()
}

/// A run whose first transaction was rejected and restored: the reviser is next.
fn restored() -> (Machine, Budget) {
    let budget = Budget { transactions: 1, ..Budget::new(80) };
    let mut machine = Machine::new(&task(), Revision::Typed);
    drive(&mut machine, &TO_CODE, &budget);
    drive(&mut machine, &TO_VERIFY, &budget);
    assert_eq!(drive(&mut machine, &[Event::Rejected, Event::Frozen, Event::Restored], &budget), State::Revise);
    (machine, budget)
}

const TO_CODE: [Event; 6] =
    [Event::Started, Event::Observed, Event::Planned, Event::Retrieved, Event::Decided, Event::Retrieved];
const TO_VERIFY: [Event; 4] = [Event::Coded, Event::Valid, Event::Dispatched, Event::Settled];

/// Walks every event from every reachable state and counter value, under four budgets.
#[test]
fn all_terminals_and_no_other_edge() {
    let key = |m: &Machine| (m.revision, m.state, m.code_attempts, m.refusals, m.rejections, m.restore_failures);
    let budgets = [(0, 0), (0, 6), (80, 0), (80, 6)].map(|(transactions, drops)| Budget { transactions, drops, ..Budget::new(80) });
    let mut seen = BTreeSet::new();
    let mut edges: BTreeSet<(State, State)> = BTreeSet::new();
    let mut open = vec![Machine::new(&task(), Revision::Typed), Machine::new(&task(), Revision::Flat)];
    while let Some(machine) = open.pop() {
        if !seen.insert(key(&machine)) {
            continue;
        }
        for event in Event::ALL {
            for budget in &budgets {
                let mut next = machine.clone();
                if let Ok(state) = next.step(event, budget) {
                    edges.insert((machine.state, state));
                    open.push(next);
                } else {
                    assert_eq!(key(&next), key(&machine));
                }
            }
        }
    }
    use State::{
        Accept, Code, Dispatch, Init, Observe, Orchestrate, Plan, Reject, Restore, RetrieveA, RetrieveD, Revise, Settle, Terminal,
        Validate, Verify,
    };
    let mut wanted: BTreeSet<(State, State)> = [
        (Init, Observe),
        (Observe, Plan),
        (Plan, RetrieveD),
        (Plan, Plan),
        (RetrieveD, Orchestrate),
        (Orchestrate, RetrieveA),
        (Orchestrate, RetrieveD),
        (RetrieveA, Code),
        (Code, Validate),
        (Validate, Dispatch),
        (Validate, Code),
        (Validate, Orchestrate),
        (Validate, Revise),
        (Validate, Terminal(Label::G)),
        (Plan, Terminal(Label::G)),
        (Orchestrate, Terminal(Label::G)),
        (Code, Terminal(Label::G)),
        (Dispatch, Settle),
        (Settle, Verify),
        (Verify, Accept),
        (Verify, Reject),
        (Accept, Observe),
        (Accept, Terminal(Label::S)),
        (Accept, Terminal(Label::D)),
        (Accept, Terminal(Label::B)),
        (Reject, Restore),
        (Reject, Terminal(Label::D)),
        (Reject, Terminal(Label::B)),
        (Reject, Terminal(Label::G)),
        (Restore, Revise),
        (Restore, RetrieveD),
        (Revise, Orchestrate),
        (Revise, RetrieveD),
        (Revise, Terminal(Label::G)),
        (Restore, Restore),
    ]
    .into_iter()
    .collect();
    for state in [
        Init, Observe, Plan, RetrieveD, Orchestrate, RetrieveA, Code, Validate, Dispatch, Settle, Verify, Accept, Reject, Restore, Revise,
    ] {
        wanted.insert((state, Terminal(Label::C)));
        wanted.insert((state, Terminal(Label::I)));
    }
    assert_eq!(edges, wanted);
    let reached: BTreeSet<Label> = edges.iter().filter_map(|(_, to)| if let Terminal(l) = to { Some(*l) } else { None }).collect();
    assert_eq!(reached.len(), 6);
}

/// CE-056.
#[test]
fn three_refused_codes_then_a_new_decision_and_the_ninth_refusal_ends() {
    let budget = Budget::new(80);
    let mut machine = Machine::new(&task(), Revision::Typed);
    drive(&mut machine, &TO_CODE, &budget);
    let mut states = Vec::new();
    for _ in 0..9 {
        if machine.state() == State::Orchestrate {
            drive(&mut machine, &[Event::Decided, Event::Retrieved], &budget);
        }
        machine.step(Event::Coded, &budget).unwrap();
        states.push(machine.step(Event::Refused, &budget).unwrap());
    }
    use State::{Code, Orchestrate, Terminal};
    assert_eq!(states, [Code, Code, Orchestrate, Code, Code, Orchestrate, Code, Code, Terminal(Label::G)]);
}

/// CE-056: a role call is three attempts, and nine refused answers are too many.
#[test]
fn a_reviser_without_a_legal_revision_leaves_the_decision_free() {
    let (mut machine, budget) = restored();
    assert_eq!(machine.step(Event::RoleRefused, &budget), Ok(State::RetrieveD));
    drive(&mut machine, &[Event::Retrieved], &budget);
    assert_eq!(machine.step(Event::RoleRefused, &budget), Ok(State::RetrieveD));
    drive(&mut machine, &[Event::Retrieved], &budget);
    assert_eq!(machine.step(Event::RoleRefused, &budget), Ok(State::Terminal(Label::G)));
}

/// What an approved child fixes cannot be written differently; only another child can.
#[test]
fn a_refused_child_goes_back_to_the_reviser() {
    let (mut machine, budget) = restored();
    for _ in 0..8 {
        drive(&mut machine, &[Event::Revised, Event::Decided, Event::Retrieved, Event::Coded], &budget);
        assert_eq!(machine.step(Event::ChildRefused, &budget), Ok(State::Revise));
    }
    drive(&mut machine, &[Event::Revised, Event::Decided, Event::Retrieved, Event::Coded], &budget);
    assert_eq!(machine.step(Event::ChildRefused, &budget), Ok(State::Terminal(Label::G)));
}

/// CE-056.
#[test]
fn the_seventh_rejection_at_one_checkpoint_ends() {
    let budget = Budget { transactions: 1, ..Budget::new(80) };
    let mut machine = Machine::new(&task(), Revision::Typed);
    drive(&mut machine, &TO_CODE, &budget);
    for _ in 0..6 {
        drive(&mut machine, &TO_VERIFY, &budget);
        assert_eq!(drive(&mut machine, &[Event::Rejected, Event::Frozen], &budget), State::Restore);
        drive(&mut machine, &[Event::Restored, Event::Revised, Event::Decided, Event::Retrieved], &budget);
    }
    drive(&mut machine, &TO_VERIFY, &budget);
    assert_eq!(drive(&mut machine, &[Event::Rejected, Event::Frozen], &budget), State::Terminal(Label::G));
}

#[test]
fn success_on_the_last_transaction_beats_the_budget() {
    let spent = Budget { transactions: 80, drops: 6, ..Budget::new(80) };
    let mut machine = Machine::new(&task(), Revision::Typed);
    drive(&mut machine, &TO_CODE, &spent);
    drive(&mut machine, &TO_VERIFY, &spent);
    let mut open = machine.clone();
    assert_eq!(drive(&mut machine, &[Event::Accepted, Event::EndpointMet], &spent), State::Terminal(Label::S));
    assert_eq!(drive(&mut open, &[Event::Accepted, Event::EndpointOpen], &spent), State::Terminal(Label::D));
    assert!(machine.step(Event::Stopped, &spent).is_err());
}

#[test]
fn two_failed_restorations_are_infrastructure() {
    let budget = Budget::new(80);
    let mut machine = Machine::new(&task(), Revision::Typed);
    drive(&mut machine, &TO_CODE, &budget);
    drive(&mut machine, &TO_VERIFY, &budget);
    drive(&mut machine, &[Event::Rejected, Event::Frozen, Event::RestoreFailed], &budget);
    assert_eq!(machine.state(), State::Restore);
    assert_eq!(machine.step(Event::RestoreFailed, &budget), Ok(State::Terminal(Label::I)));
}
