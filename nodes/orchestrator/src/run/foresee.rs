//! What a run learns about its robots, and what it looks up before it moves them: responses, set-up quota,
//! candidates in copies of the world (CE-151, CE-152, CE-155).

use super::Halt;
use super::session::Session;
use crate::role::context::Closed;
use serde_json::json;
use troupe_coordination::look_ahead::best;
use troupe_core::decision::Decision;
use troupe_core::evidence::VerdictKind;
use troupe_core::skill::{SkillCall, SkillResult};
use troupe_core::team::Finding;

impl Session<'_> {
    /// Takes in how the robots answered the calls that were validated last.
    pub(super) fn observe_responses(&mut self, results: &[SkillResult]) {
        let Some(state) = &self.state else { return };
        let robots = state.robots.iter().map(|r| &r.robot);
        for ((robot, call), result) in robots.zip(&self.validated.calls).zip(results) {
            self.responses.observe(robot, call, result);
        }
    }

    /// Counts an accepted transaction against the set-up quota of the phase it was made in.
    pub(super) fn count_setup(&mut self, kind: VerdictKind, phase: &str) {
        self.quota.accepted(kind, phase, self.milestones.len());
        if kind == VerdictKind::Setup {
            self.set_up = self.decision.as_ref().map(|d| Closed { kind: d.kind, objective: d.objective });
        }
    }

    /// A finding about a pair whose robots would, as they have answered so far, come apart although other
    /// allowed numbers would keep them together.
    pub(super) fn response_finding(&self, decision: &Decision, calls: &[SkillCall]) -> Option<Finding> {
        if !self.setup.method.response_model {
            return None;
        }
        let robots: Vec<String> = self.state.iter().flat_map(|s| s.robots.iter().map(|r| r.robot.clone())).collect();
        let bounds = match calls.first().and_then(|c| c.arguments().first().map(|(name, _)| *name)) {
            Some("yaw_rad") => self.setup.bounds.yaw_rad,
            _ => self.setup.bounds.distance_m,
        };
        let message = self.responses.pair_finding(decision.mode, &robots, calls, &self.setup.pairing, bounds)?;
        Some(Finding { code: "E_PAIR".into(), robot: String::new(), message })
    }

    /// Index of the candidate that does best in a copy of the world; the first where it cannot be copied.
    pub(super) fn best_forecast(&mut self, candidates: &[Vec<SkillCall>]) -> Result<usize, Halt> {
        let decision_id = self.decision.as_ref().map(|d| d.id.clone());
        let forecasts = match self.team.forecast(candidates) {
            Ok(forecasts) => forecasts,
            Err(error) => {
                self.log("forecast", json!({ "decision_id": decision_id, "error": error.to_string() }))?;
                return Ok(0);
            }
        };
        let chosen = best(&forecasts, &self.setup.task.transition, &self.setup.pairing).unwrap_or_default();
        self.log("forecast", json!({ "decision_id": decision_id, "chosen": chosen, "forecasts": forecasts }))?;
        Ok(chosen)
    }
}
