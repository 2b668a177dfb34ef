//! A goal on its way: waiting → moving → correcting → settling, one tick at a time.

use crate::arms::{ArmRamp, Arms};
use crate::config::Settings;
use crate::motion::Motion;
use crate::sense::Body;
use crate::servo;
use crate::skills::Plan;
use serde::{Deserialize, Serialize};
use troupe_core::TICK_S;
use troupe_core::frames::{Planar, wrap};
use troupe_core::skill::{SkillCode, SkillFeedback, SkillGoal, SkillResult, SkillStage};
use troupe_core::ticks;

/// A goal that was accepted and has no result yet. Counts its own ticks, so that it goes on equally after
/// a restore.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Active {
    /// Id of the action's goal.
    pub goal_id: String,
    /// What was asked.
    pub goal: SkillGoal,
    /// Stage.
    pub stage: SkillStage,
    /// Ticks since the gait began.
    pub elapsed: u64,
    /// Ticks since the stop command.
    pub since_stop: u64,
    /// Ticks at rest in a row.
    pub at_rest: u64,
    /// Measured base when the gait began, world frame.
    pub start: Planar,
    /// Where the reference began, world frame.
    pub origin: Planar,
    /// Measured base at the stop command, world frame.
    pub stop: Planar,
    /// Arm motion that belongs to the goal.
    pub ramp: Option<ArmRamp>,
    /// True after a cancel: settles, then ends as canceled.
    pub canceled: bool,
    /// Tick on which the gait began.
    pub consumed_tick: u64,
    /// Tick on which stop was commanded.
    pub stop_tick: u64,
}

/// What one tick of a goal asks of the rest.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Send this velocity command.
    Go([f32; 3]),
    /// Ended on this tick, and why; the velocity command is zero.
    End(SkillCode, String),
}

impl Active {
    /// A goal that was just accepted.
    #[must_use]
    pub fn new(goal_id: String, goal: SkillGoal) -> Self {
        Self {
            goal_id,
            goal,
            stage: SkillStage::Waiting,
            elapsed: 0,
            since_stop: 0,
            at_rest: 0,
            start: Planar::default(),
            origin: Planar::default(),
            stop: Planar::default(),
            ramp: None,
            canceled: false,
            consumed_tick: 0,
            stop_tick: 0,
        }
    }

    /// One tick. `reference` is where the motion before should have ended.
    pub fn step(
        &mut self,
        settings: &Settings,
        arms: &mut Arms,
        reference: Option<Planar>,
        tick: u64,
        body: &Body,
    ) -> Step {
        let plan = Plan::of(&self.goal.call, settings);
        if self.stage == SkillStage::Waiting {
            let start_tick = self.goal.start_tick;
            if tick < start_tick {
                return Step::Go([0.0; 3]);
            }
            let slack = settings.motion.start_slack_ticks;
            if start_tick != 0 && tick > start_tick + slack {
                let text = format!("start tick {start_tick} was {} ticks ago, {slack} are allowed", tick - start_tick);
                return Step::End(SkillCode::StartMissed, text);
            }
            self.begin(settings, &plan, arms, reference, tick, body);
        }
        self.elapsed += 1;
        if self.elapsed as f64 * TICK_S >= self.goal.deadline_s {
            return Step::End(SkillCode::Timeout, format!("deadline of {} s passed", self.goal.deadline_s));
        }
        if self.canceled {
            self.stop_now(tick, body);
        } else {
            if let Some(ramp) = &self.ramp {
                arms.follow(ramp, self.elapsed);
            }
            if let Some(velocity) = self.moving(settings, &plan, body) {
                return Step::Go(velocity);
            }
            self.stop_now(tick, body);
        }
        self.settling(settings, body)
    }

    /// The gait begins: notes where, and prepares the arm motion.
    fn begin(
        &mut self,
        settings: &Settings,
        plan: &Plan,
        arms: &Arms,
        reference: Option<Planar>,
        tick: u64,
        body: &Body,
    ) {
        let motion = &settings.motion;
        let near = |r: &Planar| {
            r.distance(&body.pose) <= motion.reference_carry_m
                && wrap(r.yaw - body.pose.yaw).abs() <= motion.reference_carry_rad
        };
        self.stage = SkillStage::Moving;
        self.start = body.pose;
        self.origin = reference.filter(near).unwrap_or(body.pose);
        self.consumed_tick = tick;
        self.ramp = plan.arms.map(|(posture, ticks)| arms.ramp_to(posture, ticks));
    }

    /// The velocity command while the reference moves or is closed in on; `None` once it is time to stop.
    fn moving(&mut self, settings: &Settings, plan: &Plan, body: &Body) -> Option<[f32; 3]> {
        let follow = |in_start, velocity| {
            Some(servo::follow(&settings.motion, self.origin.compose(in_start), velocity, body.pose))
        };
        if self.elapsed <= plan.move_ticks {
            return match &plan.motion {
                Some(motion) => {
                    let sample = motion.at(self.elapsed as f64 * TICK_S);
                    follow(sample.pose, sample.velocity)
                }
                None => {
                    // Standing: rest may already be counted.
                    self.count_rest(settings, body);
                    Some([0.0; 3])
                }
            };
        }
        if self.elapsed <= plan.move_ticks + plan.correct_ticks {
            self.stage = SkillStage::Correcting;
            self.at_rest = 0;
            return follow(plan.motion.as_ref().map(Motion::end).unwrap_or_default(), [0.0; 3]);
        }
        None
    }

    fn stop_now(&mut self, tick: u64, body: &Body) {
        if self.stage != SkillStage::Settling {
            self.stage = SkillStage::Settling;
            self.stop_tick = tick;
            self.stop = body.pose;
        }
    }

    fn settling(&mut self, settings: &Settings, body: &Body) -> Step {
        let settle = &settings.settle;
        self.count_rest(settings, body);
        self.since_stop += 1;
        let still = self.is_settled(settings) && self.since_stop >= ticks(settle.least_s);
        if !still && self.since_stop < ticks(settle.most_s) {
            return Step::Go([0.0; 3]);
        }
        // Success does not imply rest: `settled` says whether the robot came to it (CE-039).
        if self.canceled {
            return Step::End(SkillCode::Canceled, "canceled by the client".to_owned());
        }
        Step::End(SkillCode::None, String::new())
    }

    fn count_rest(&mut self, settings: &Settings, body: &Body) {
        self.at_rest = if body.speed_mps() < settings.settle.speed_below_mps { self.at_rest + 1 } else { 0 };
    }

    /// True when the base has been at rest for long enough.
    #[must_use]
    pub fn is_settled(&self, settings: &Settings) -> bool {
        self.at_rest >= ticks(settings.settle.rest_s)
    }

    /// Where the motion should end, world frame.
    #[must_use]
    pub fn target(&self) -> Planar {
        self.origin.compose(self.goal.call.intended())
    }

    /// The result formed on `tick`.
    #[must_use]
    pub fn result(
        &self,
        settings: &Settings,
        code: SkillCode,
        message: String,
        tick: u64,
        body: Option<&Body>,
    ) -> SkillResult {
        let begun = self.stage != SkillStage::Waiting;
        let pose = body.map(|b| b.pose).filter(|_| begun);
        let stopped = self.stage == SkillStage::Settling;
        SkillResult {
            code,
            message,
            displacement: pose.map(|p| self.start.inverse_of(p)).unwrap_or_default(),
            coast_m: pose.filter(|_| stopped).map(|p| self.stop.distance(&p)).unwrap_or_default(),
            settled: stopped && self.is_settled(settings),
            consumed_tick: self.consumed_tick,
            stop_tick: if stopped || !begun { self.stop_tick } else { tick },
            end_tick: tick,
        }
    }

    /// Feedback on `tick`.
    #[must_use]
    pub fn feedback(&self, settings: &Settings, tick: u64, body: &Body) -> SkillFeedback {
        if self.stage == SkillStage::Waiting {
            return SkillFeedback { tick, ..SkillFeedback::default() };
        }
        let whole = Plan::of(&self.goal.call, settings).move_ticks;
        SkillFeedback {
            stage: self.stage,
            travelled_m: self.start.distance(&body.pose),
            turned_rad: wrap(body.pose.yaw - self.start.yaw),
            progress: if self.elapsed >= whole { 1.0 } else { self.elapsed as f64 / whole as f64 },
            tick,
        }
    }
}
