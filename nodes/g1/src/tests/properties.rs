//! Random sequences of goals, cancels, stops, restores and ticks: what must hold always.

use super::rig::{Rig, walk};
use proptest::prelude::*;
use std::collections::BTreeSet;
use troupe_core::device::LowCommand;
use troupe_core::skill::{SkillCall, SkillGoal};

#[derive(Clone, Debug)]
enum Event {
    Accept { skill: usize, start_in: u64, deadline_s: f64, old: bool },
    Cancel { newest: bool },
    Stop,
    ClearStop,
    Enable(bool),
    Save,
    Restore { saved: bool },
    Sport(usize),
    Fall,
    Ticks(u64),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => (0..9usize, 0..20u64, prop::sample::select(vec![-1.0, 0.0, 0.3, 5.0, 30.0, f64::NAN]), prop::bool::weighted(0.1))
            .prop_map(|(skill, start_in, deadline_s, old)| Event::Accept { skill, start_in, deadline_s, old }),
        2 => any::<bool>().prop_map(|newest| Event::Cancel { newest }),
        1 => Just(Event::Stop),
        2 => Just(Event::ClearStop),
        1 => any::<bool>().prop_map(Event::Enable),
        1 => Just(Event::Save),
        1 => any::<bool>().prop_map(|saved| Event::Restore { saved }),
        2 => (0..6usize).prop_map(Event::Sport),
        1 => Just(Event::Fall),
        8 => prop::sample::select(vec![1u64, 2, 5, 40, 200, 450]).prop_map(Event::Ticks),
    ]
}

fn call(index: usize) -> SkillCall {
    [
        walk(0.25),
        SkillCall::Turn { yaw_rad: -0.2, speed_rps: 0.25 },
        SkillCall::Arc { distance_m: 0.2, yaw_rad: 0.2, speed_mps: 0.2 },
        SkillCall::Hold { duration_s: 0.5 },
        SkillCall::Stop,
        SkillCall::InitSupport,
        SkillCall::LowerToTarget,
        SkillCall::Release,
        SkillCall::Retreat { distance_m: 0.3 },
    ][index]
}

const SPORT: [(i64, &str); 6] = [
    (7105, r#"{"velocity":[0.3,0,0.1],"duration":1}"#),
    (7101, r#"{"data":1}"#),
    (7101, r#"{"data":500}"#),
    (7102, r#"{"data":1}"#),
    (7001, ""),
    (7105, r#"{"velocity":[7,0,0],"duration":1}"#),
];

struct Check {
    rig: Rig,
    accepted: BTreeSet<String>,
    saved: Option<Vec<u8>>,
    since_stop: u64,
}

impl Check {
    fn tick(&mut self, fall: bool) {
        let (low, mut team) = self.rig.states();
        if fall {
            team.robots[0].base.position[2] = 0.2;
        }
        let output = self.rig.tick_with(&low, &team);
        let joints = &self.rig.config.joints;
        for (i, motor) in output.command.motors.iter().enumerate() {
            if motor.kp > 0.0 {
                assert!(motor.q >= joints.lowest[i] && motor.q <= joints.highest[i]);
                let torque = motor.kp * (motor.q - low.motors[i].q) - motor.kd * low.motors[i].dq;
                assert!(torque.abs() <= joints.effort[i] * 1.0001);
            }
        }
        let limit = self.rig.config.settings.motion.command_limit;
        for (v, most) in self.rig.velocity.iter().zip(limit) {
            assert!(f64::from(v.abs()) <= most + 1e-6);
        }
        let flags = output.command.flags;
        assert_eq!(flags & LowCommand::BUSY != 0, self.rig.g1.is_busy());
        if flags & (LowCommand::STOPPED | LowCommand::FAULT) != 0 {
            self.since_stop += 1;
            assert!(self.since_stop < 2 || self.rig.velocity == [0.0; 3]);
            assert_eq!(flags & LowCommand::BUSY, 0);
        } else {
            self.since_stop = 0;
        }
    }

    fn apply(&mut self, number: usize, event: Event) {
        match event {
            Event::Accept { skill, start_in, deadline_s, old } => {
                let id = format!("goal-{number}");
                let goal = SkillGoal {
                    start_tick: if start_in == 0 { 0 } else { self.rig.tick + start_in },
                    deadline_s,
                    context_epoch: if old { self.rig.epoch.saturating_sub(1) } else { self.rig.epoch },
                    ..self.rig.goal(call(skill))
                };
                if self.rig.g1.accept(id.clone(), goal).is_ok() {
                    assert!(deadline_s > 0.0 && self.rig.g1.is_busy());
                    self.accepted.insert(id);
                }
            }
            Event::Cancel { newest } => {
                let id = if newest { self.accepted.iter().next_back() } else { self.accepted.iter().next() };
                if let Some(id) = id {
                    self.rig.g1.cancel(&id.clone());
                }
            }
            Event::Stop => self.rig.g1.stop("team/stop"),
            Event::ClearStop => {
                let _lasting = self.rig.g1.clear_stop();
            }
            Event::Enable(on) => self.rig.g1.enable(on),
            Event::Save => self.saved = Some(self.rig.g1.save()),
            Event::Restore { saved } => {
                self.rig.epoch += 1;
                let bytes = self.saved.clone().filter(|_| saved);
                let before = self.rig.g1.controller_epoch();
                let epoch = self.rig.g1.restore(self.rig.epoch, bytes.as_deref(), false).unwrap();
                assert_eq!(epoch, before + 1);
                assert!(!self.rig.g1.is_busy());
            }
            Event::Sport(index) => {
                let (api, parameter) = SPORT[index];
                self.rig.g1.sport(api, parameter);
            }
            Event::Fall => self.tick(true),
            Event::Ticks(n) => (0..n).for_each(|_| self.tick(false)),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn every_accepted_goal_gets_exactly_one_result(events in prop::collection::vec(event(), 1..40)) {
        let mut check = Check { rig: Rig::new(), accepted: BTreeSet::new(), saved: None, since_stop: 0 };
        for (number, event) in events.into_iter().enumerate() {
            check.apply(number, event);
        }
        // The longest skill with its longest wait ends within this.
        for _ in 0..700 {
            check.tick(false);
        }
        let finished: BTreeSet<String> = check.rig.results.keys().cloned().collect();
        prop_assert_eq!(&finished, &check.accepted);
        for (id, results) in &check.rig.results {
            prop_assert_eq!(results.len(), 1, "{}", id);
            prop_assert!(results[0].coast_m.is_finite() && results[0].displacement.x.is_finite());
        }
    }
}
