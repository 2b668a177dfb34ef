//! A team without physics: robots go exactly where they are told, the payload keeps its place between
//! them. Verdicts can be scripted.

use crate::ports::{Announcement, Team, TeamError, TeamSample};
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use troupe_coordination::pairing::{self, PairLimits};
use troupe_coordination::phase::Stage;
use troupe_coordination::plan::TERMINAL_MILESTONE;
use troupe_core::decision::{Decision, Objective};
use troupe_core::evidence::{Comparator, Evidence, FailureType, Outcome, Predicate, Verdict, VerdictKind};
use troupe_core::forecast::Forecast;
use troupe_core::frames::{Planar, Pose, Twist};
use troupe_core::relation::Relation;
use troupe_core::recovery::{ConfirmRecovery, RecoveryKind, RecoveryReport, RecoveryRequest, RecoveryResponse};
use troupe_core::route::Route;
use troupe_core::skill::{SkillBounds, SkillCall, SkillCode, SkillGoal, SkillResult};
use troupe_core::state::{PayloadState, RobotMode, RobotState, TeamState};
use troupe_core::team::{
    BeginRun, Capabilities, ConfirmRestore, Dispatched, EndpointResponse, Finding, Restored, ValidateRequest,
    ValidateResponse, VerifyRequest, VerifyResponse, WindowReason,
};

/// What happens to a transaction instead of what it deserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Reject,
    Drop,
    Unresolved,
    Infra,
    /// One robot refuses its goal.
    GoalRefused,
    /// The window ends with a stop.
    Stopped,
    /// Judged on its merits.
    Fair,
}

#[derive(Clone)]
struct Body {
    robots: [Planar; 2],
    stage: Stage,
    payload_at_rest: Option<Planar>,
}

pub struct Double {
    pub tick: u64,
    pub epoch: u32,
    body: Body,
    saved: BTreeMap<String, Body>,
    route: Route,
    bounds: SkillBounds,
    milestones: Vec<String>,
    pub fates: VecDeque<Fate>,
    pub default_fate: Fate,
    path: Vec<TeamSample>,
    next_checkpoint: u32,
    checkpoint: String,
    pub restores_to_fail: u32,
    pub stop: Option<String>,
    pub stop_after_dispatches: Option<u32>,
    pub dispatches: u32,
    pub fingerprints: Vec<String>,
    rejected: Vec<String>,
    pub refuse_all: bool,
    pub start_offset: [Planar; 2],
    /// Share of a commanded walk that is really walked.
    pub slip: f64,
    /// Failed predicates of the next judgements of a recovery; none: trusted.
    pub untrusted: VecDeque<&'static str>,
    /// Kinds that were judged.
    pub confirmed: Vec<RecoveryKind>,
    /// Times that the payload was picked up.
    pub hoists: u32,
    /// What the next rejection is blamed on, and what its repair must do; once.
    pub blame: Option<(FailureType, Vec<Relation>)>,
    /// Requests that still arrive with the first decision that was sent.
    pub repeated_decisions: u32,
    /// A recovery that somebody asks for after two dispatches, and what they were told.
    pub asked: Option<RecoveryRequest>,
    pub reports: Vec<RecoveryReport>,
    /// Decisions with a parent that are refused yet.
    pub refused_children: u32,
    first_decision: Option<Decision>,
    current: Fate,
    before: Option<Body>,
}

impl Double {
    pub fn new(route: Route, bounds: SkillBounds) -> Self {
        let robots = [Planar { x: 0.0, y: 0.4, yaw: 0.0 }, Planar { x: 0.0, y: -0.4, yaw: 0.0 }];
        Self {
            tick: 0,
            epoch: 0,
            body: Body { robots, stage: Stage::Carrying, payload_at_rest: None },
            saved: BTreeMap::new(),
            route,
            bounds,
            milestones: Vec::new(),
            fates: VecDeque::new(),
            default_fate: Fate::Fair,
            path: Vec::new(),
            next_checkpoint: 0,
            checkpoint: String::new(),
            restores_to_fail: 0,
            stop: None,
            stop_after_dispatches: None,
            dispatches: 0,
            fingerprints: Vec::new(),
            rejected: Vec::new(),
            refuse_all: false,
            start_offset: [Planar::default(); 2],
            slip: 1.0,
            untrusted: VecDeque::new(),
            confirmed: Vec::new(),
            hoists: 0,
            blame: None,
            repeated_decisions: 0,
            asked: None,
            reports: Vec::new(),
            refused_children: 0,
            first_decision: None,
            current: Fate::Fair,
            before: None,
        }
    }

    pub fn payload(&self) -> Planar {
        if let Some(rest) = self.body.payload_at_rest {
            return rest;
        }
        let [a, b] = self.body.robots;
        let yaw = (a.yaw.sin() + b.yaw.sin()).atan2(a.yaw.cos() + b.yaw.cos());
        let middle = Planar { x: 0.5 * (a.x + b.x), y: 0.5 * (a.y + b.y), yaw };
        middle.compose(Planar { x: 0.13, ..Planar::default() })
    }

    fn make_state(&self) -> TeamState {
        let robots = self.body.robots.iter().enumerate().map(|(i, p)| RobotState {
            robot: format!("g1_{i}"),
            kind: "g1".into(),
            base: Pose::upright([p.x, p.y, 0.78], p.yaw),
            twist: Twist::default(),
            torso_tilt_rad: 0.02,
            mode: RobotMode::Idle,
            controller_epoch: self.epoch,
            privileged: true,
            pose_std_m: 0.0,
        });
        let p = self.payload();
        TeamState {
            tick: self.tick,
            stamp_s: self.tick as f64 * troupe_core::TICK_S,
            context_epoch: self.epoch,
            robots: robots.collect(),
            payloads: vec![PayloadState {
                name: "payload".into(),
                pose: Pose::upright([p.x, p.y, 0.92], p.yaw),
                twist: Twist::default(),
                half_extents_m: [0.05, 0.65, 0.015],
                z_min_m: 0.9,
                tilt_rad: 0.01,
                mass_kg: 0.5,
                held: false,
            }],
            contacts: vec![],
            route: self.route.segments[0].reference(),
        }
    }

    fn pass(&mut self, ticks: u64) {
        for _ in 0..ticks {
            self.tick += 1;
            self.path.extend(TeamSample::due(&self.make_state()));
        }
    }

    fn verdict(&self, subject: &str, outcome: Outcome, kind: VerdictKind, reason: &str) -> Verdict {
        Verdict {
            id: String::new(),
            subject: subject.into(),
            outcome,
            kind,
            reasons: vec![reason.into()],
            milestones: self.milestones.clone(),
        }
    }

    fn apply(&mut self, i: usize, call: &SkillCall) {
        let mut step = call.intended();
        step.x *= self.slip;
        step.y *= self.slip;
        if self.body.payload_at_rest.is_none() && matches!(call, SkillCall::LowerToTarget) {
            self.body.payload_at_rest = Some(self.payload());
        }
        self.body.robots[i] = self.body.robots[i].compose(step);
    }

    /// Distance of payload to target in the plane, m.
    pub fn miss_m(&self) -> f64 {
        let [x, y, _] = self.route.target.position;
        self.payload().distance(&Planar { x, y, yaw: 0.0 })
    }
}

fn evidence(id: &str) -> Evidence {
    Evidence {
        id: String::new(),
        transaction_id: id.into(),
        measured: vec![],
        predicates: vec![],
        failure_type: None,
        failure_level: None,
            required_relations: vec![],
    }
}

/// Reads `name(k=v, …)` and `stop()`.
pub fn parse(source: &str) -> Option<SkillCall> {
    let mut lines = source.lines();
    let call = lines.next()?;
    if lines.next() != Some("stop()") || lines.next().is_some() {
        return None;
    }
    let (name, rest) = call.split_once('(')?;
    let inside = rest.strip_suffix(')')?;
    let mut direction = String::new();
    let mut numbers = Vec::new();
    for part in inside.split(", ").filter(|p| !p.is_empty()) {
        let (key, value) = part.split_once('=')?;
        if key == "direction" {
            direction = value.trim_matches('"').into();
        } else {
            numbers.push((key.to_owned(), value.parse().ok()?));
        }
    }
    SkillCall::from_parts(name, &direction, &numbers).ok()
}

impl Team for Double {
    fn capabilities(&mut self) -> Result<Capabilities, TeamError> {
        Ok(Capabilities {
            lockstep: true,
            checkpoint: true,
            place_payload: true,
            privileged_state: true,
            world: "l1".into(),
            robots: vec!["g1_0".into(), "g1_1".into()],
            seed: 0,
        })
    }

    fn reset(&mut self, _: u64) -> Result<TeamState, TeamError> {
        self.tick += 1;
        self.epoch += 1;
        for (robot, offset) in self.body.robots.iter_mut().zip(self.start_offset) {
            *robot = robot.compose(offset);
        }
        Ok(self.make_state())
    }

    fn state(&mut self) -> Result<TeamState, TeamError> {
        Ok(self.make_state())
    }

    fn begin_run(&mut self, _: &BeginRun) -> Result<String, TeamError> {
        self.checkpoint = "c0".into();
        self.saved.insert("c0".into(), self.body.clone());
        Ok("c0".into())
    }

    fn validate(&mut self, request: &ValidateRequest) -> Result<ValidateResponse, TeamError> {
        let refuse = |code: &str, message: String| {
            let findings = vec![Finding { code: code.into(), robot: String::new(), message }];
            Ok(ValidateResponse { findings, ..ValidateResponse::default() })
        };
        if self.refuse_all {
            return refuse("E_PAIR", "refused by the test".into());
        }
        if self.refused_children > 0 && !request.decision.parent_id.is_empty() {
            self.refused_children -= 1;
            return refuse("E_DUPLICATE", "refused by the test".into());
        }
        let first = self.first_decision.get_or_insert_with(|| request.decision.clone());
        let repeated = self.repeated_decisions > 0 && first.checkpoint_id != request.decision.checkpoint_id;
        let decision = if repeated { first.clone() } else { request.decision.clone() };
        self.repeated_decisions -= u32::from(repeated);
        if decision.checkpoint_id != self.checkpoint || decision.context_epoch != self.epoch {
            return refuse("E_CONTEXT", "stale".into());
        }
        let calls: Option<Vec<SkillCall>> = request.policies.iter().map(|p| parse(&p.source)).collect();
        let Some(calls) = calls else { return refuse("E_SYNTAX", "not a policy".into()) };
        for call in &calls {
            if let Err(error) = self.bounds.check(call) {
                return refuse("E_BOUNDS", error.to_string());
            }
        }
        let limits = PairLimits { distance_m: 0.02, yaw_rad: 0.018 };
        let errors = pairing::check(request.decision.mode, &request.decision.roles, &calls, &limits, 0.0);
        if let Some(error) = errors.first() {
            return refuse("E_PAIR", error.to_string());
        }
        let fingerprint = format!("{} {calls:.2?}", self.checkpoint);
        if self.rejected.contains(&fingerprint) {
            return refuse("E_DUPLICATE", "rejected here before".into());
        }
        Ok(ValidateResponse { ok: true, findings: vec![], calls, fingerprint })
    }

    fn dispatch(&mut self, goals: &[SkillGoal]) -> Result<Dispatched, TeamError> {
        assert!(goals.iter().all(|g| g.start_tick == self.tick + 1 && g.context_epoch == self.epoch));
        let start_tick = self.tick;
        if goals.iter().any(|g| g.call != SkillCall::InitSupport) {
            self.dispatches += 1;
            if self.stop_after_dispatches == Some(self.dispatches) {
                self.stop = Some("an operator".into());
            }
            self.current = self.fates.pop_front().unwrap_or(self.default_fate);
            self.before = Some(self.body.clone());
            if self.current == Fate::GoalRefused {
                let message = "another goal is executing".into();
                return Err(TeamError::Refused { robot: "g1_1".into(), code: SkillCode::Busy, message });
            }
        }
        for (i, goal) in goals.iter().enumerate() {
            self.apply(i, &goal.call);
        }
        self.pass(60);
        let reason = if self.current == Fate::Stopped { WindowReason::Stopped } else { WindowReason::Idle };
        Ok(Dispatched { start_tick, closed_tick: self.tick, reason, results: vec![SkillResult::default(); goals.len()] })
    }

    fn run_for(&mut self, ticks: u64) -> Result<u64, TeamError> {
        self.pass(ticks);
        Ok(self.tick)
    }

    fn place_payload(&mut self) -> Result<(), TeamError> {
        Ok(())
    }

    fn verify(&mut self, request: &VerifyRequest) -> Result<VerifyResponse, TeamError> {
        assert_eq!(request.closed_tick, self.tick);
        let before = self.before.take().unwrap_or_else(|| self.body.clone());
        let moved = self.body.robots.iter().zip(&before.robots).any(|(a, b)| {
            a.distance(b) > 0.015 || troupe_core::frames::wrap(a.yaw - b.yaw).abs() > 0.005
        });
        let lifecycle = request.calls.iter().all(SkillCall::is_lifecycle);
        let near = !matches!(request.calls.first(), Some(SkillCall::LowerToTarget)) || self.miss_m() < 0.1;
        let outcome = match self.current {
            Fate::Fair | Fate::GoalRefused | Fate::Stopped if (moved || lifecycle) && near => Outcome::Accepted,
            Fate::Unresolved => Outcome::Unresolved,
            Fate::Infra => Outcome::InvalidInfra,
            _ => Outcome::Rejected,
        };
        if outcome == Outcome::Accepted {
            self.milestones = self.route.passed(&self.milestones, self.payload());
            if let Some(call) = request.calls.first() {
                self.body.stage = self.body.stage.after(call);
            }
            self.next_checkpoint += 1;
            self.checkpoint = format!("c{}", self.next_checkpoint);
            self.saved.insert(self.checkpoint.clone(), self.body.clone());
            self.rejected.clear();
        } else {
            self.rejected.push(request.fingerprint.clone());
        }
        self.fingerprints.push(request.fingerprint.clone());
        let mut evidence = evidence(&request.transaction_id);
        // What a claim about the transaction may name.
        let gained = if outcome == Outcome::Accepted { 0.2 } else { 0.0 };
        let progress = Predicate::measured(troupe_coordination::predicate::PROGRESS, gained, Comparator::Ge, 0.1, "m");
        evidence.predicates.push(progress);
        if outcome == Outcome::Rejected && let Some((failure, relations)) = self.blame.take() {
            evidence.failure_type = Some(failure);
            evidence.failure_level = troupe_coordination::failure::level(failure);
            evidence.required_relations = relations;
        }
        let tidied = [Objective::CentreInCorridor, Objective::EqualiseFormation].contains(&request.decision.objective);
        let kind = if tidied { VerdictKind::Setup } else { VerdictKind::Progress };
        Ok(VerifyResponse {
            evidence,
            verdict: self.verdict(&request.transaction_id, outcome, kind, "scripted"),
            drop: self.current == Fate::Drop,
            checkpoint_id: self.checkpoint.clone(),
        })
    }

    fn endpoint(&mut self, _: u64) -> Result<EndpointResponse, TeamError> {
        let waited = self.tick.is_multiple_of(2);
        if waited {
            self.milestones.push(TERMINAL_MILESTONE.into());
        }
        let outcome = if waited { Outcome::Accepted } else { Outcome::Unresolved };
        Ok(EndpointResponse {
            verdict: self.verdict("endpoint", outcome, VerdictKind::Endpoint, "watched"),
            evidence: evidence(""),
            observe_s: if waited { 0.0 } else { troupe_core::TICK_S },
        })
    }

    fn restore(&mut self, checkpoint_id: &str) -> Result<Restored, TeamError> {
        assert_eq!(checkpoint_id, self.checkpoint);
        self.tick += 1;
        self.epoch += 1;
        if let Some(body) = self.saved.get(checkpoint_id) {
            self.body = body.clone();
        }
        Ok(Restored { max_error: 0.0, context_epoch: self.epoch, controller_epochs: vec![self.epoch; 2] })
    }

    fn confirm_restore(&mut self, request: &ConfirmRestore) -> Result<Verdict, TeamError> {
        let fail = self.restores_to_fail > 0;
        self.restores_to_fail = self.restores_to_fail.saturating_sub(1);
        let outcome = if fail { Outcome::InvalidInfra } else { Outcome::Accepted };
        Ok(self.verdict(&request.checkpoint_id, outcome, VerdictKind::Lifecycle, "compared"))
    }

    fn forecast(&mut self, candidates: &[Vec<SkillCall>]) -> Result<Vec<Forecast>, TeamError> {
        let ahead = |calls: &Vec<SkillCall>| calls.iter().map(|c| c.intended().x).sum::<f64>() / calls.len() as f64;
        let of = |calls: &Vec<SkillCall>| Forecast {
            support_duty: 1.0,
            payload_z_min_m: 0.9,
            settled: true,
            progress_m: ahead(calls),
            refused: String::new(),
            ..Forecast::refused(calls, "")
        };
        Ok(candidates.iter().map(of).collect())
    }

    fn hoist_payload(&mut self) -> Result<(), TeamError> {
        self.hoists += 1;
        Ok(())
    }

    fn confirm_recovery(&mut self, request: &ConfirmRecovery) -> Result<RecoveryResponse, TeamError> {
        assert_eq!((request.checkpoint_id.as_str(), request.closed_tick), (self.checkpoint.as_str(), self.tick));
        let failed = self.untrusted.pop_front();
        self.confirmed.push(request.kind);
        let raised = matches!(request.kind, RecoveryKind::Regrip | RecoveryKind::Relay);
        if raised && failed.is_none() {
            self.body.stage = Stage::Carrying;
            self.body.payload_at_rest = None;
        }
        let mut evidence = evidence(&request.recovery_id);
        evidence.predicates.extend(failed.map(|name| Predicate::measured(name, 0.0, Comparator::Ge, 1.0, "1")));
        let outcome = if failed.is_some() { Outcome::Rejected } else { Outcome::Accepted };
        if failed.is_none() {
            self.next_checkpoint += 1;
            self.checkpoint = format!("c{}", self.next_checkpoint);
        }
        Ok(RecoveryResponse {
            verdict: self.verdict(&request.recovery_id, outcome, VerdictKind::Lifecycle, "stood"),
            evidence,
            checkpoint_id: self.checkpoint.clone(),
            carrying: self.body.stage == Stage::Carrying,
        })
    }

    fn path(&mut self) -> Vec<TeamSample> {
        std::mem::take(&mut self.path)
    }

    fn announce(&mut self, _: &Announcement) {}

    fn still(&mut self, _: &str, _: &Path) -> Result<(), TeamError> {
        Ok(())
    }

    fn recovery_wanted(&mut self) -> Option<RecoveryRequest> {
        if self.dispatches < 2 { None } else { self.asked.take() }
    }

    fn recovery_ended(&mut self, report: &RecoveryReport) {
        self.reports.push(report.clone());
    }

    fn stop_requested(&mut self) -> Option<String> {
        self.stop.clone()
    }
}
