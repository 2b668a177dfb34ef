//! What robots really do with what they are told: achieved against commanded displacement, learnt online (CE-152).

use crate::pairing::PairLimits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use troupe_core::decision::Mode;
use troupe_core::skill::{SkillCall, SkillCode, SkillResult};

/// Samples that the prior "as commanded" weighs.
const PRIOR_SAMPLES: f64 = 3.0;
/// Size of a prior sample of a walk, m.
const PRIOR_M: f64 = 0.25;
/// Size of a prior sample of a turn, rad.
const PRIOR_RAD: f64 = 0.25;
/// Ratios outside are an accident, not a habit.
const RATIO: [f64; 2] = [0.3, 2.0];
/// A pair is refused only when other numbers would bring the robots closer together by this, m or rad.
const WORTH: f64 = 0.005;

/// One robot's response to one skill, as roles see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Response {
    /// Namespace.
    pub robot: String,
    /// `walk`, `turn` or `arc`.
    pub skill: String,
    /// Of a walk; `left` or `right` of a turn; `forward` or `back` of an arc.
    pub direction: String,
    /// Results it rests on.
    pub samples: u32,
    /// Achieved over commanded; 1 without samples.
    pub ratio: f64,
    /// Added to that, m (walk, arc) or rad (turn).
    pub bias: f64,
    /// Mean way after the stop command, m.
    pub coast_m: f64,
}

impl Response {
    /// Displacement that a commanded amount will bring, m or rad.
    #[must_use]
    pub fn predict(&self, commanded: f64) -> f64 {
        self.ratio * commanded + self.bias
    }

    /// Amount to command for a wanted displacement, m or rad.
    #[must_use]
    pub fn command(&self, wanted: f64) -> f64 {
        (wanted - self.bias) / self.ratio.max(RATIO[0])
    }
}

/// Sums of the samples; a ridge toward "as commanded" is worked in when they are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Sums {
    samples: u32,
    commanded2: f64,
    product: f64,
    commanded: f64,
    achieved: f64,
    coast_m: f64,
}

/// All responses of a run. Equal results in equal order give equal numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResponseModel {
    sums: BTreeMap<String, Sums>,
}

/// Skill, direction and commanded amount of a call; `None` for calls that go nowhere.
fn amount(call: &SkillCall) -> Option<(&'static str, &'static str, f64)> {
    match *call {
        SkillCall::Walk { distance_m, direction, .. } => Some(("walk", direction.name(), distance_m)),
        SkillCall::Turn { yaw_rad, .. } => Some(("turn", if yaw_rad > 0.0 { "left" } else { "right" }, yaw_rad.abs())),
        SkillCall::Arc { distance_m, .. } => {
            Some(("arc", if distance_m > 0.0 { "forward" } else { "back" }, distance_m.abs()))
        }
        _ => None,
    }
}

fn prior(skill: &str) -> f64 {
    if skill == "turn" { PRIOR_RAD } else { PRIOR_M }
}

/// What a result shows along what the call asked for, m or rad.
fn achieved(call: &SkillCall, result: &SkillResult) -> Option<f64> {
    let moved = result.displacement;
    match *call {
        SkillCall::Walk { direction, .. } => {
            let [ux, uy] = direction.unit();
            Some(moved.x * ux + moved.y * uy)
        }
        SkillCall::Turn { yaw_rad, .. } => Some(moved.yaw * yaw_rad.signum()),
        SkillCall::Arc { distance_m, .. } => {
            let wanted = call.intended();
            let chord = wanted.x.hypot(wanted.y);
            // The share of the chord, along the chord, scales the way along the circle.
            let along = if chord > 1e-6 { (moved.x * wanted.x + moved.y * wanted.y) / chord } else { return None };
            Some(distance_m.abs() * along / chord)
        }
        _ => None,
    }
}

impl ResponseModel {
    /// Takes in how one robot answered one call. Results with an error, or without rest, teach nothing.
    pub fn observe(&mut self, robot: &str, call: &SkillCall, result: &SkillResult) {
        if result.code != SkillCode::None || !result.settled {
            return;
        }
        let (Some((skill, direction, commanded)), Some(achieved)) = (amount(call), achieved(call, result)) else { return };
        if !(achieved.is_finite() && result.coast_m.is_finite()) {
            return;
        }
        let sums = self.sums.entry(key(robot, skill, direction)).or_default();
        sums.samples += 1;
        sums.commanded2 += commanded * commanded;
        sums.product += commanded * achieved;
        sums.commanded += commanded;
        sums.achieved += achieved;
        sums.coast_m += result.coast_m;
    }

    /// The response of a robot to a call's skill and direction; as commanded when nothing is known.
    #[must_use]
    pub fn response(&self, robot: &str, call: &SkillCall) -> Option<Response> {
        let (skill, direction, _) = amount(call)?;
        let sums = self.sums.get(&key(robot, skill, direction)).copied().unwrap_or_default();
        Some(read(robot, skill, direction, sums))
    }

    /// Every response that rests on samples, sorted by robot, skill and direction.
    #[must_use]
    pub fn responses(&self) -> Vec<Response> {
        let parts = self.sums.iter().map(|(key, sums)| (key.split('\n').collect::<Vec<_>>(), *sums));
        parts
            .filter_map(|(parts, sums)| match parts.as_slice() {
                [robot, skill, direction] => Some(read(robot, skill, direction, sums)),
                _ => None,
            })
            .collect()
    }

    /// Predicted displacements of a pair, m or rad; `None` when the calls go nowhere.
    #[must_use]
    pub fn predicted(&self, robots: &[String], calls: &[SkillCall]) -> Option<Vec<f64>> {
        let of = |(robot, call): (&String, &SkillCall)| Some(self.response(robot, call)?.predict(amount(call)?.2));
        robots.iter().zip(calls).map(of).collect()
    }

    /// [`equalised`] by what this model knows.
    #[must_use]
    pub fn equalised(&self, robots: &[String], call: &SkillCall, limits: &PairLimits, bounds: [f64; 2]) -> Vec<SkillCall> {
        equalised(&self.responses(), robots, call, limits, bounds)
    }

    /// Why a synchronous pair would come apart although other allowed numbers would keep it together;
    /// `None` when it is as good as the pair limits allow.
    #[must_use]
    pub fn pair_finding(&self, mode: Mode, robots: &[String], calls: &[SkillCall], limits: &PairLimits, bounds: [f64; 2]) -> Option<String> {
        let first = calls.first()?;
        let (skill, _, _) = amount(first)?;
        if mode != Mode::Sync || calls.len() != robots.len() {
            return None;
        }
        let limit = if skill == "turn" { limits.yaw_rad } else { limits.distance_m };
        let predicted = self.predicted(robots, calls)?;
        let apart = spread(&predicted);
        if apart <= limit {
            return None;
        }
        let mean = calls.iter().filter_map(|c| amount(c).map(|a| a.2)).sum::<f64>() / calls.len() as f64;
        let better = self.equalised(robots, &with_amount(first, mean), limits, bounds);
        let reachable = spread(&self.predicted(robots, &better)?);
        if apart - reachable < WORTH {
            return None;
        }
        let argument = if skill == "turn" { "yaw_rad" } else { "distance_m" };
        let numbers = |values: &[f64]| values.iter().map(|v| format!("{v:.3}")).collect::<Vec<_>>().join(", ");
        let amounts: Vec<f64> = better.iter().filter_map(|c| amount(c).map(|a| a.2)).collect();
        Some(format!(
            "{argument}: predicted displacements {} differ by {apart:.3}; allowed: at most {limit:.3}, or the closest that pairs allow, {}",
            numbers(&predicted),
            numbers(&amounts)
        ))
    }
}

/// Calls of a synchronous pair with amounts that bring the displacement that `call` names on every robot, as
/// far as bounds `[low, high]` and the pair limits let them.
#[must_use]
pub fn equalised(
    responses: &[Response],
    robots: &[String],
    call: &SkillCall,
    limits: &PairLimits,
    bounds: [f64; 2],
) -> Vec<SkillCall> {
    let Some((skill, direction, wanted)) = amount(call) else { return vec![*call; robots.len()] };
    let limit = if skill == "turn" { limits.yaw_rad } else { limits.distance_m };
    let known = |robot: &str| responses.iter().find(|r| r.robot == robot && r.skill == skill && r.direction == direction);
    let amounts: Vec<f64> = robots.iter().map(|robot| known(robot).map_or(wanted, |r| r.command(wanted))).collect();
    let (low, high) = amounts.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let middle = 0.5 * (low + high);
    let cut = |v: f64| v.max(middle - 0.5 * limit).min(middle + 0.5 * limit).max(bounds[0]).min(bounds[1]);
    amounts.into_iter().map(|v| with_amount(call, cut(v))).collect()
}

/// Responses in words, one a line, for a prompt.
#[must_use]
pub fn words(responses: &[Response]) -> String {
    let line = |r: &Response| {
        let unit = if r.skill == "turn" { "rad" } else { "m" };
        format!(
            "{} {} {}: achieves {:.2} x commanded {:+.3} {unit}, coasts {:.3} m ({} samples)",
            r.robot, r.skill, r.direction, r.ratio, r.bias, r.coast_m, r.samples
        )
    };
    if responses.is_empty() { "none".to_owned() } else { responses.iter().map(line).collect::<Vec<_>>().join("\n") }
}

fn spread(values: &[f64]) -> f64 {
    let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    high - low
}

fn key(robot: &str, skill: &str, direction: &str) -> String {
    format!("{robot}\n{skill}\n{direction}")
}

fn read(robot: &str, skill: &str, direction: &str, sums: Sums) -> Response {
    let size = prior(skill);
    let ridge = PRIOR_SAMPLES * size * size;
    let ratio = ((sums.product + ridge) / (sums.commanded2 + ridge)).clamp(RATIO[0], RATIO[1]);
    let n = f64::from(sums.samples);
    Response {
        robot: robot.to_owned(),
        skill: skill.to_owned(),
        direction: direction.to_owned(),
        samples: sums.samples,
        ratio,
        bias: (sums.achieved - ratio * sums.commanded) / (n + PRIOR_SAMPLES),
        coast_m: if sums.samples == 0 { 0.0 } else { sums.coast_m / n },
    }
}

/// The same call with another amount; its sign stays.
fn with_amount(call: &SkillCall, amount: f64) -> SkillCall {
    match *call {
        SkillCall::Walk { direction, speed_mps, .. } => SkillCall::Walk { distance_m: amount, direction, speed_mps },
        SkillCall::Turn { yaw_rad, speed_rps } => SkillCall::Turn { yaw_rad: amount * yaw_rad.signum(), speed_rps },
        SkillCall::Arc { distance_m, yaw_rad, speed_mps } => {
            SkillCall::Arc { distance_m: amount * distance_m.signum(), yaw_rad, speed_mps }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests;
