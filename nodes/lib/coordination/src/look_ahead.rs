//! Acceptance that looks one move ahead: a state from which no next move is safe is no progress (CE-074, CE-151).

use crate::pairing::PairLimits;
use crate::phase::Stage;
use crate::predicate;
use serde::{Deserialize, Serialize};
use troupe_core::decision::Formation;
use troupe_core::evidence::{Comparator, FailureType, Predicate};
use troupe_core::forecast::Forecast;
use troupe_core::frames::{Planar, wrap};
use troupe_core::observation::Observation;
use troupe_core::route::{SegmentKind, Target};
use troupe_core::skill::{Direction, SkillBounds, SkillCall};
use troupe_core::task::TransitionLimits;

/// Margins that a next move has to keep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LookAheadLimits {
    /// Least share of the last window in which each robot touches the payload.
    pub support_duty: f64,
    /// Payload tilt, rad.
    pub tilt_rad: f64,
    /// Payload and robots to the corridor's boundaries, m.
    pub clearance_m: f64,
    /// Half width of a robot, m.
    pub robot_radius_m: f64,
}

/// What the host's nominal moves are made from.
#[derive(Clone, Copy, Debug)]
pub struct Outlook<'a> {
    /// Observation in the segment that is active after the transition.
    pub observation: &'a Observation,
    /// What has become of the payload.
    pub stage: Stage,
    /// True in the place phase.
    pub placing: bool,
    /// Where the payload goes.
    pub target: Target,
    /// Wanted formation.
    pub formation: Formation,
    /// Allowed magnitudes.
    pub bounds: &'a SkillBounds,
}

/// Longest nominal step ahead, m.
const STEP_M: f64 = 0.25;
/// Longest nominal step aside, m.
const ASIDE_M: f64 = 0.15;
/// Largest nominal turn, rad.
const TURN_RAD: f64 = 0.26;
/// Heading error under which a corner counts as turned, rad.
const TURNED_RAD: f64 = 0.06;
/// Offset from the target within which the payload may be lowered, m.
const PLACED_M: f64 = 0.1;

/// The host's nominal next moves, the likeliest first: what a fair team would try from here. Empty when the
/// payload is no longer carried.
#[must_use]
pub fn primitives(outlook: &Outlook<'_>) -> Vec<Vec<SkillCall>> {
    let o = outlook.observation;
    let robots = o.robots.len();
    if outlook.stage != Stage::Carrying || robots == 0 {
        return Vec::new();
    }
    let both = |call: SkillCall| vec![call; robots];
    let mut moves = Vec::new();
    if outlook.placing {
        let [x, y, _] = outlook.target.position;
        let at = Planar { x, y, yaw: outlook.target.heading_rad }.inverse_of(o.payload);
        if at.x.abs() <= PLACED_M && at.y.abs() <= PLACED_M {
            moves.push(both(SkillCall::LowerToTarget));
        }
        moves.extend(walk(outlook, -at.x, Axis::Along, STEP_M).map(both));
        moves.extend(walk(outlook, -at.y, Axis::Across, ASIDE_M).map(both));
        return moves;
    }
    let corner = o.segment_kind == SegmentKind::Corner && o.heading_error_rad.abs() > TURNED_RAD;
    if corner {
        moves.extend(pivot(outlook, o.heading_error_rad));
    }
    let ahead = if o.segment_kind == SegmentKind::Corner { STEP_M } else { o.remaining_m.clamp(0.1, STEP_M) };
    moves.extend(walk(outlook, ahead, Axis::Along, STEP_M).map(both));
    moves.extend(walk(outlook, -o.across_m, Axis::Across, ASIDE_M).map(both));
    if !corner {
        let [dx, dy] = o.segment.direction;
        moves.extend(pivot(outlook, wrap(dy.atan2(dx) - o.team.yaw)));
    }
    moves
}

#[derive(Clone, Copy)]
enum Axis {
    Along,
    Across,
}

/// A walk of a signed distance, cut to what is allowed; none when it is too short to be worth it.
fn walk(outlook: &Outlook<'_>, signed_m: f64, axis: Axis, most_m: f64) -> Option<SkillCall> {
    let [low, high] = outlook.bounds.distance_m;
    let distance_m = signed_m.abs().min(most_m).min(high);
    let direction = match (axis, signed_m > 0.0) {
        (Axis::Along, true) => Direction::Forward,
        (Axis::Along, false) => Direction::Back,
        (Axis::Across, true) => Direction::Left,
        (Axis::Across, false) => Direction::Right,
    };
    (distance_m >= low.max(0.03)).then_some(SkillCall::Walk { distance_m, direction, speed_mps: middle(outlook.bounds.speed_mps, 0.25) })
}

/// A pivot about the robot on the side of the turn; none when it is too small.
fn pivot(outlook: &Outlook<'_>, yaw_rad: f64) -> Option<Vec<SkillCall>> {
    let (o, bounds) = (outlook.observation, outlook.bounds);
    let [a, b] = o.robots.as_slice() else { return None };
    let distance = outlook.formation.distance_m;
    let size = yaw_rad.abs().min(TURN_RAD).min(bounds.yaw_rad[1]).min(bounds.distance_m[1] / distance.max(0.1));
    if size < bounds.yaw_rad[0].max(bounds.distance_m[0] / distance.max(0.1)) {
        return None;
    }
    let yaw_rad = size * yaw_rad.signum();
    let rate = middle(bounds.speed_rps, 0.25);
    let inner = SkillCall::Turn { yaw_rad, speed_rps: rate };
    let speed_mps = middle(bounds.speed_mps, rate * distance);
    let outer = SkillCall::Arc { distance_m: distance * size, yaw_rad, speed_mps };
    let (sin, cos) = o.team.yaw.sin_cos();
    let first_is_left = -(a.x_m - b.x_m) * sin + (a.y_m - b.y_m) * cos > 0.0;
    Some(if first_is_left == (yaw_rad > 0.0) { vec![inner, outer] } else { vec![outer, inner] })
}

fn middle([low, high]: [f64; 2], wanted: f64) -> f64 {
    wanted.max(low).min(high)
}

/// What a forecast breaks; empty when it keeps every margin.
#[must_use]
pub fn breaches(forecast: &Forecast, limits: &LookAheadLimits) -> Vec<(FailureType, String)> {
    if !forecast.refused.is_empty() {
        return vec![(FailureType::SupportLost, forecast.refused.clone())];
    }
    let mut found = Vec::new();
    let mut put = |broken: bool, failure, text: String| {
        if broken {
            found.push((failure, text));
        }
    };
    put(forecast.fell, FailureType::RobotFall, "a robot falls".into());
    put(forecast.dropped, FailureType::PayloadDrop, "the payload falls".into());
    let lower = forecast.calls.contains(&SkillCall::LowerToTarget) && forecast.on_target;
    let duty = if lower { 1.0 } else { forecast.support_duty };
    put(duty < limits.support_duty, FailureType::SupportLost, format!("support duty {duty:.2} under {:.2}", limits.support_duty));
    let tilt = forecast.payload_tilt_rad;
    put(tilt > limits.tilt_rad, FailureType::Tilt, format!("payload tilt {tilt:.3} rad over {:.3} rad", limits.tilt_rad));
    if let Some(clearance) = forecast.clearance_m {
        let text = format!("clearance {clearance:.2} m under {:.2} m", limits.clearance_m);
        put(clearance < limits.clearance_m, FailureType::WallContact, text);
    }
    found
}

/// The predicate over all forecasts, with what the best one breaks. Without forecasts nothing is claimed.
#[must_use]
pub fn judge(forecasts: &[Forecast], limits: &LookAheadLimits) -> Option<(Predicate, Option<FailureType>, String)> {
    let all: Vec<_> = forecasts.iter().map(|f| breaches(f, limits)).collect();
    let best = all.iter().min_by_key(|b| b.len())?;
    let safe = all.iter().filter(|b| b.is_empty()).count();
    let predicate = Predicate::measured(predicate::LOOK_AHEAD, safe as f64, Comparator::Ge, 1.0, "1");
    let words: Vec<&str> = best.iter().map(|(_, text)| text.as_str()).collect();
    let failures: Vec<FailureType> = best.iter().map(|(f, _)| *f).collect();
    Some((predicate, crate::failure::most_severe(&failures), words.join(", ")))
}

/// Order of candidates by what their forecasts promise: rules that a verdict would find broken first, then
/// progress along the reference or around the corner (CE-155). Lower is better, and equal ones keep their order.
#[must_use]
pub fn rank(forecast: &Forecast, limits: &TransitionLimits, pairs: &PairLimits) -> (u32, f64) {
    let f = forecast;
    if !f.refused.is_empty() {
        return (u32::MAX, 0.0);
    }
    let lower = f.calls.contains(&SkillCall::LowerToTarget) && f.on_target;
    let broken = [
        f.fell,
        f.dropped,
        !lower && f.support_duty < limits.support_duty,
        f.payload_tilt_rad > limits.payload_tilt_rad,
        !lower && f.payload_z_min_m < limits.payload_z_min_m,
        f.formation_distance_m > limits.formation_distance_m,
        f.formation_heading_rad > limits.formation_heading_rad,
        f.clearance_m.is_some_and(|c| c < 0.0),
        !f.settled,
    ];
    let count = broken.into_iter().filter(|b| *b).count() as u32;
    // A turn counts as the way of a robot's arm's length, so that both kinds of progress compare; what a
    // pair would drift apart is taken off.
    let gain = f.progress_m + 0.4 * f.heading_gain_rad - 0.1 * (f.formation_distance_m - pairs.distance_m).max(0.0);
    (count, -gain)
}

/// Index of the best candidate; none without candidates or when none could be rolled out.
#[must_use]
pub fn best(forecasts: &[Forecast], limits: &TransitionLimits, pairs: &PairLimits) -> Option<usize> {
    let ranks = forecasts.iter().map(|f| rank(f, limits, pairs)).enumerate().filter(|(_, (broken, _))| *broken != u32::MAX);
    let order = |a: &(u32, f64), b: &(u32, f64)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
    ranks.min_by(|(i, a), (j, b)| order(a, b).then(i.cmp(j))).map(|(index, _)| index)
}

#[cfg(test)]
mod tests;
