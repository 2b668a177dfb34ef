//! Judges one executed transaction from the states between two ticks (CE-070 to CE-073, CE-075).

use crate::errors::Scene;
use crate::history::{History, WindowError};
use crate::measure::{Window, displacement, dropped, formation, measured, spread};
use crate::outcome::{evidence, evidence_blaming, reasons, verdict};
use crate::placement::gate_refusal;
use crate::progress::advance;
use crate::{lifecycle, measure, transport};
use troupe_coordination::phase::Stage;
use troupe_coordination::predicate;
use troupe_core::decision::{Kind, Mode};
use troupe_core::evidence::{Comparator, Evidence, FailureType, Outcome, Predicate, Verdict, VerdictKind};
use troupe_core::skill::SkillCode;
use troupe_core::team::{VerifyRequest, VerifyResponse};
use troupe_core::{TICK_S, ticks};

/// A judgement. On acceptance the caller saves checkpoint `save` and then commits.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Answer, valid as it stands when nothing is to be saved.
    pub response: VerifyResponse,
    /// Name of the checkpoint to save; only for accepted transactions.
    pub save: Option<String>,
    /// Stage after acceptance.
    pub(crate) stage: Stage,
}

/// Verdict and evidence of a transaction, before a checkpoint is named.
pub(crate) struct Ruling {
    pub evidence: Evidence,
    pub verdict: Verdict,
    pub drop: bool,
}

/// Cuts the windows that a judgement needs out of the history.
fn windows<'a>(scene: &Scene, history: &'a History, request: &VerifyRequest) -> Result<Window<'a>, WindowError> {
    let states = history.window(request.start_tick, request.closed_tick, scene.robots)?;
    if let Some(first) = states.first()
        && first.context_epoch != request.decision.context_epoch
    {
        return Err(WindowError::Epoch(first.tick));
    }
    let span = ticks(scene.task.transition.support_window_s);
    let tail = history.window(request.closed_tick.saturating_sub(span), request.closed_tick, scene.robots)?;
    // What was before motion only serves comparison; it may reach into another epoch.
    let lead = history.window(request.start_tick.saturating_sub(span), request.start_tick, scene.robots).unwrap_or_default();
    Ok(Window { states, tail, lead })
}

/// Outcome that skill codes force, apart from measurements.
fn forced(codes: &[SkillCode]) -> Option<(Outcome, String)> {
    let code = |wanted: &[SkillCode]| codes.iter().find(|c| wanted.contains(c));
    use SkillCode::{Busy, Canceled, Disabled, InvalidSkill, OutOfBounds, Stale, StartMissed, Stopped, WrongPhase};
    if let Some(code) = code(&[Stale, Busy, Disabled, StartMissed, InvalidSkill, OutOfBounds, WrongPhase]) {
        return Some((Outcome::InvalidInfra, format!("a robot refused or lost its goal: {code:?}")));
    }
    code(&[Stopped, Canceled]).map(|code| (Outcome::Unresolved, format!("the transaction was ended from outside: {code:?}")))
}

/// Judges a transaction whose decision was validated at the current checkpoint.
pub(crate) fn rule(scene: &Scene, history: &History, request: &VerifyRequest) -> Ruling {
    let window = match windows(scene, history, request) {
        Ok(window) => window,
        Err(error) => return unusable(scene, request, &error.to_string()),
    };
    if request.robot_codes.len() != scene.robots.len() {
        let given = request.robot_codes.len();
        return unusable(scene, request, &format!("{given} skill results; allowed: one for each of {} robots", scene.robots.len()));
    }
    let decision = &request.decision;
    let is_lifecycle = decision.kind == Kind::Lifecycle;
    let mut hints = Vec::new();
    let (kind, mut predicates) = if is_lifecycle {
        (VerdictKind::Lifecycle, lifecycle::predicates(scene, &window, &request.calls, &request.robot_codes))
    } else {
        let mut predicates = transport::carried(scene, &window, &request.robot_codes);
        let gain = advance(scene, decision, &request.calls, &window);
        predicates.extend(gain.predicates);
        hints.extend(gain.failure);
        (gain.kind, predicates)
    };
    for name in &decision.evidence_required {
        if !predicates.iter().any(|p| &p.name == name) {
            // Asked for, but nothing of this kind was measured here.
            predicates.push(Predicate::measured(name, 0.0, Comparator::Ge, 1.0, "1"));
        }
    }
    hints.extend(diagnosis(scene, request, &window, &predicates));
    let drop = window.states.iter().any(|s| dropped(s, scene.task.transition.drop_z_m));
    let mut reasons = reasons(&predicates);
    if let Some(gate) = predicates.iter().find(|p| p.name == predicate::RELEASE_GATE && !p.passed) {
        reasons.push(gate_refusal(scene.stage.name(), gate));
    }
    let mut outcome = if predicates.iter().all(|p| p.passed) { Outcome::Accepted } else { Outcome::Rejected };
    if let Some((other, text)) = forced(&request.robot_codes) {
        outcome = other;
        reasons.insert(0, text);
    }
    let mut milestones = scene.milestones.to_vec();
    if outcome == Outcome::Accepted && !is_lifecycle && let Some(end) = window.end() {
        milestones = scene.route.passed(&milestones, measure::payload_planar(scene.task, end));
    }
    let breached = breached(scene, &request.robot_codes);
    if !breached.is_empty() {
        hints.push(breach_type(scene, request, &window));
        reasons.insert(0, format!("{}: stopped at a safety limit; allowed: none", breached.join(", ")));
    }
    // A robot that had to stop is neither late nor at rest; that says nothing about the cause.
    let to_blame =
        |p: &Predicate| breached.is_empty() || !matches!(p.name.as_str(), predicate::SKILLS | predicate::SETTLED);
    let evidence = evidence_blaming(&request.transaction_id, measured(scene, &window), predicates, (&hints, &request.calls), to_blame);
    Ruling { verdict: verdict(&request.transaction_id, outcome, kind, reasons, &milestones), evidence, drop }
}

/// Robots whose skill ended at a safety limit (AR-107).
fn breached(scene: &Scene, codes: &[SkillCode]) -> Vec<String> {
    let robots = scene.robots.iter().zip(codes);
    robots.filter(|(_, code)| **code == SkillCode::LimitBreached).map(|(robot, _)| robot.clone()).collect()
}

/// What brought the team to a safety limit, by what was measured on the way: the robots' distance, else
/// motions that did not fit each other, else a motion of the wrong amount.
fn breach_type(scene: &Scene, request: &VerifyRequest, window: &Window) -> FailureType {
    let (wanted, limits) = (scene.task.formation, scene.task.transition);
    let drift = window.most(|s| (formation(scene, s).0 - wanted.distance_m).abs());
    if drift > limits.formation_distance_m {
        return FailureType::FormationDrift;
    }
    if request.decision.mode == Mode::Sync && moved_apart(scene, window) {
        return FailureType::UnequalDisplacement;
    }
    FailureType::InsufficientProgress
}

/// The robots moved by amounts that differ too much.
fn moved_apart(scene: &Scene, window: &Window) -> bool {
    let (Some(start), Some(end)) = (window.start(), window.end()) else { return false };
    let moved: Vec<f64> = scene.robots.iter().map(|r| displacement(start, end, r)).collect();
    spread(&moved) >= scene.config.unequal_displacement_m
}

/// What measurements tell about a failure beyond the predicate that failed.
fn diagnosis(scene: &Scene, request: &VerifyRequest, window: &Window, predicates: &[Predicate]) -> Vec<FailureType> {
    let mut hints = Vec::new();
    for code in &request.robot_codes {
        match code {
            SkillCode::Timeout => hints.push(FailureType::Timeout),
            SkillCode::Fault => hints.push(FailureType::RobotFall),
            _ => {}
        }
    }
    let drifted = predicates
        .iter()
        .any(|p| !p.passed && matches!(p.name.as_str(), predicate::FORMATION_DISTANCE | predicate::FORMATION_HEADING));
    if drifted && request.decision.mode == Mode::Sync && moved_apart(scene, window) {
        hints.push(FailureType::UnequalDisplacement);
    }
    hints
}

/// Measurements are missing: nobody's decision is to blame.
pub(crate) fn unusable(scene: &Scene, request: &VerifyRequest, why: &str) -> Ruling {
    let seconds = request.closed_tick.saturating_sub(request.start_tick) as f64 * TICK_S;
    let sensor = Predicate { passed: false, ..Predicate::measured(predicate::SENSOR, seconds, Comparator::Ge, 0.0, "s") };
    let kind = if request.decision.kind == Kind::Lifecycle { VerdictKind::Lifecycle } else { VerdictKind::Progress };
    Ruling {
        evidence: evidence(&request.transaction_id, vec![], vec![sensor], &[], &[]),
        verdict: verdict(&request.transaction_id, Outcome::InvalidInfra, kind, vec![why.to_owned()], scene.milestones),
        drop: false,
    }
}

#[cfg(test)]
mod tests;
