//! Which way back is tried next, and its bounded calls: a closed loop from states, no stored world (CE-150).

use crate::predicate;
use serde::{Deserialize, Serialize};
use troupe_core::decision::Formation;
use troupe_core::frames::{Planar, wrap};
use troupe_core::recovery::RecoveryKind;
use troupe_core::skill::{Direction, SkillBounds, SkillCall};
use troupe_core::state::TeamState;

/// Numbers of the recoveries.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecoveryLimits {
    /// Kinds tried for one rejected transaction.
    pub kinds: u32,
    /// Dispatches of one kind.
    pub dispatches: u32,
    /// A robot this close to its place is there, m.
    pub position_m: f64,
    /// A robot turned this close to its heading is there, rad.
    pub yaw_rad: f64,
    /// Longest step while the payload is carried, m.
    pub step_m: f64,
    /// Largest turn in one step, rad.
    pub turn_rad: f64,
    /// Forward and backward, m/s.
    pub speed_mps: f64,
    /// Sideways, m/s.
    pub lateral_speed_mps: f64,
    /// Turns, rad/s.
    pub speed_rps: f64,
    /// Rest before each judgement, simulated s.
    pub settle_s: f64,
    /// Rest after the payload was laid on again, simulated s.
    pub place_settle_s: f64,
}

/// What the next step is made from.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// Newest state.
    pub state: &'a TeamState,
    /// Bases at the trusted checkpoint, in team order, world frame.
    pub home: &'a [Planar],
    /// Calls of the rejected transaction, in team order.
    pub last: &'a [SkillCall],
    /// Wanted formation.
    pub formation: Formation,
    /// Allowed magnitudes.
    pub bounds: &'a SkillBounds,
    /// Numbers.
    pub limits: &'a RecoveryLimits,
}

/// One step of a recovery.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// One call for each robot, started on one tick.
    Dispatch(Vec<SkillCall>),
    /// An operator picks the payload up.
    Hoist,
    /// An operator lays it on the forearms.
    Place,
    /// Stand for a while.
    Wait,
}

/// The way back that the verifier's failed predicates ask for; `None` when nothing that was not tried may
/// help. The least intrusive comes first: an operator is asked last. `stopped` robots take no goals until an
/// operator clears them.
#[must_use]
pub fn choose(failed: &[String], last: &[SkillCall], tried: &[RecoveryKind], stopped: bool) -> Option<RecoveryKind> {
    use RecoveryKind::{BackOff, Hold, Home, Regrip, Relay};
    let fails = |names: &[&str]| failed.iter().any(|f| names.contains(&f.as_str()));
    let untried = |kinds: &[RecoveryKind]| kinds.iter().copied().find(|k| !tried.contains(k));
    // A transaction may have seen a dip that is over; a judgement of the team at rest has not.
    if !tried.is_empty() && fails(&[predicate::TORSO_TILT, predicate::PELVIS_Z]) {
        return None;
    }
    if stopped {
        return untried(&[Relay]);
    }
    // Arms that were lowered carry nothing until they are raised again.
    let lowered = last.iter().any(|c| matches!(c, SkillCall::LowerToTarget | SkillCall::Release));
    if lowered && !tried.contains(&Regrip) && !tried.contains(&Relay) {
        return Some(if fails(&[predicate::DROP]) { Relay } else { Regrip });
    }
    if tried.is_empty() {
        return Some(Hold);
    }
    if fails(&[predicate::DROP, predicate::PAYLOAD_Z_MIN, predicate::PAYLOAD_TILT, predicate::PAYLOAD_CARRIED]) {
        return untried(&[Relay]);
    }
    let back = inverse(last).is_some();
    if fails(&[predicate::FORMATION_DISTANCE, predicate::FORMATION_HEADING, predicate::PAYLOAD_WALL_CONTACT, predicate::WALL_IMPULSE]) {
        let way = untried(if back { &[BackOff, Home, Relay] } else { &[Home, Relay] });
        // Laid on again, but not yet in formation.
        let again = tried.last() == Some(&Relay) && tried.iter().filter(|k| **k == Home).count() < 2;
        return way.or(again.then_some(Home));
    }
    if fails(&[predicate::SUPPORT, predicate::TARGET_SUPPORT]) {
        return untried(if back { &[BackOff, Relay] } else { &[Relay] });
    }
    if fails(&[predicate::SETTLED]) && tried.iter().filter(|k| **k == Hold).count() < 3 {
        return Some(Hold);
    }
    untried(&[Relay])
}

/// The next step of a kind after the steps in `done`; `None` when it is through.
#[must_use]
pub fn next(kind: RecoveryKind, done: &[Step], now: &Situation<'_>) -> Option<Step> {
    let robots = now.state.robots.len();
    let dispatches = done.iter().filter(|s| matches!(s, Step::Dispatch(_))).count();
    let first = |step: Option<Step>| if done.is_empty() { step } else { None };
    let more = dispatches < now.limits.dispatches as usize;
    match kind {
        RecoveryKind::Hold => first(Some(Step::Wait)),
        RecoveryKind::BackOff => first(inverse(now.last).map(Step::Dispatch)),
        RecoveryKind::Lower => first(Some(Step::Dispatch(vec![SkillCall::LowerToTarget; robots]))),
        RecoveryKind::Regrip => first(Some(Step::Dispatch(vec![SkillCall::InitSupport; robots]))),
        RecoveryKind::Home if more => together(now).map(Step::Dispatch),
        RecoveryKind::Home => None,
        RecoveryKind::Relay => relay(done, now, more),
    }
}

/// Pick up, walk home, raise the arms, lay on, rest.
fn relay(done: &[Step], now: &Situation<'_>, more: bool) -> Option<Step> {
    if !done.contains(&Step::Hoist) {
        return Some(Step::Hoist);
    }
    let raised = vec![SkillCall::InitSupport; now.state.robots.len()];
    let is_raised = done.contains(&Step::Dispatch(raised.clone()));
    if !is_raised {
        let walk = if more { alone(now) } else { None };
        return Some(Step::Dispatch(walk.unwrap_or(raised)));
    }
    match done.last() {
        Some(Step::Place) => Some(Step::Wait),
        Some(Step::Wait) => None,
        _ => Some(Step::Place),
    }
}

/// The calls that undo a motion; `None` when there is nothing to undo, or no way to.
#[must_use]
pub fn inverse(calls: &[SkillCall]) -> Option<Vec<SkillCall>> {
    let undo = |call: &SkillCall| match *call {
        SkillCall::Walk { distance_m, direction, speed_mps } => {
            let direction = match direction {
                Direction::Forward => Direction::Back,
                Direction::Back => Direction::Forward,
                Direction::Left => Direction::Right,
                Direction::Right => Direction::Left,
            };
            Some(SkillCall::Walk { distance_m, direction, speed_mps })
        }
        SkillCall::Turn { yaw_rad, speed_rps } => Some(SkillCall::Turn { yaw_rad: -yaw_rad, speed_rps }),
        SkillCall::Arc { distance_m, yaw_rad, speed_mps } => {
            Some(SkillCall::Arc { distance_m: -distance_m, yaw_rad: -yaw_rad, speed_mps })
        }
        SkillCall::Hold { duration_s } => Some(SkillCall::Hold { duration_s }),
        _ => None,
    };
    let moves = calls.iter().any(|c| c.intended() != Planar::default());
    if moves { calls.iter().map(undo).collect() } else { None }
}

/// One step of each robot toward its own place; robots that are there hold. `None` when all are there.
fn alone(now: &Situation<'_>) -> Option<Vec<SkillCall>> {
    let calls: Vec<Option<SkillCall>> = now
        .state
        .robots
        .iter()
        .zip(now.home)
        .map(|(robot, home)| toward(now, robot.base.planar().inverse_of(*home), now.bounds.distance_m[1]))
        .collect();
    if calls.len() != now.state.robots.len() || calls.iter().all(Option::is_none) {
        return None;
    }
    let hold = SkillCall::Hold { duration_s: now.bounds.duration_s[0] };
    Some(calls.into_iter().map(|c| c.unwrap_or(hold)).collect())
}

/// The call that takes most off an error given in the robot's own frame; `None` when it is small enough.
fn toward(now: &Situation<'_>, error: Planar, most_m: f64) -> Option<SkillCall> {
    let l = now.limits;
    if error.yaw.abs() > l.yaw_rad {
        let yaw_rad = error.yaw.signum() * clamp(error.yaw.abs().min(l.turn_rad), now.bounds.yaw_rad);
        return Some(SkillCall::Turn { yaw_rad, speed_rps: clamp(l.speed_rps, now.bounds.speed_rps) });
    }
    let along = error.x.abs() >= error.y.abs();
    let (size, direction, speed) = if along {
        (error.x.abs(), if error.x > 0.0 { Direction::Forward } else { Direction::Back }, l.speed_mps)
    } else {
        (error.y.abs(), if error.y > 0.0 { Direction::Left } else { Direction::Right }, l.lateral_speed_mps)
    };
    (size > l.position_m).then(|| SkillCall::Walk {
        distance_m: clamp(size.min(most_m), now.bounds.distance_m),
        direction,
        speed_mps: clamp(speed, now.bounds.speed_mps),
    })
}

/// One step of the team with the payload on its arms: first back into formation across the line between the
/// robots, so that the payload need not turn, then all together toward the checkpoint.
fn together(now: &Situation<'_>) -> Option<Vec<SkillCall>> {
    let poses: Vec<Planar> = now.state.robots.iter().map(|r| r.base.planar()).collect();
    let [a, b] = poses.as_slice() else { return None };
    let (side, left, right) = if a.inverse_of(*b).y < 0.0 { (1.0, a, b) } else { (-1.0, b, a) };
    let yaw = (left.y - right.y).atan2(left.x - right.x) - std::f64::consts::FRAC_PI_2;
    let middle = Planar { x: 0.5 * (a.x + b.x), y: 0.5 * (a.y + b.y), yaw: wrap(yaw) };
    let half = 0.5 * side * now.formation.distance_m;
    let turn = 0.5 * now.formation.heading_offset_rad;
    let places = [Planar { x: 0.0, y: half, yaw: -turn }, Planar { x: 0.0, y: -half, yaw: turn }];
    let step = |(pose, place): (&Planar, &Planar)| toward(now, pose.inverse_of(middle.compose(*place)), now.limits.step_m);
    let calls: Vec<Option<SkillCall>> = poses.iter().zip(&places).map(step).collect();
    if calls.iter().any(Option::is_some) {
        let hold = SkillCall::Hold { duration_s: clamp(1.0, now.bounds.duration_s) };
        return Some(calls.into_iter().map(|c| c.unwrap_or(hold)).collect());
    }
    let error = mean(&poses)?.inverse_of(mean(now.home)?);
    let step = toward(now, Planar { yaw: 0.0, ..error }, now.limits.step_m)?;
    Some(vec![step; poses.len()])
}

fn mean(poses: &[Planar]) -> Option<Planar> {
    if poses.is_empty() {
        return None;
    }
    let n = poses.len() as f64;
    let (x, y) = poses.iter().fold((0.0, 0.0), |(x, y), p| (x + p.x / n, y + p.y / n));
    let (s, c) = poses.iter().fold((0.0, 0.0), |(s, c), p| (s + p.yaw.sin(), c + p.yaw.cos()));
    Some(Planar { x, y, yaw: s.atan2(c) })
}

fn clamp(value: f64, [low, high]: [f64; 2]) -> f64 {
    value.max(low).min(high)
}

#[cfg(test)]
mod tests;
