//! The verifier: history, run, trusted checkpoint; what may change them and when.

use crate::config::Setup;
use crate::errors::Scene;
use crate::history::{History, usable};
use crate::judge::{Judged, Ruling, rule, unusable};
use crate::outcome::{reason, verdict};
use crate::restore::{confirm, held_as};
use crate::transport::always;
use crate::validate::{Present, validate};
use crate::{endpoint, foresight, measure, recovery};
use std::collections::{BTreeMap, BTreeSet};
use troupe_coordination::look_ahead::breaches;
use troupe_coordination::phase::Stage;
use troupe_coordination::revision::Parent;
use troupe_core::decision::Kind;
use troupe_core::evidence::{Outcome, Verdict, VerdictKind};
use troupe_core::forecast::{Forecast, ForecastRules};
use troupe_core::recovery::{ConfirmRecovery, RecoveryResponse};
use troupe_core::skill::SkillCall;
use troupe_core::state::TeamState;
use troupe_core::task::Task;
use troupe_core::team::{
    BeginRun, CheckpointInfo, ConfirmRestore, EndpointResponse, Finding, ValidateRequest, ValidateResponse, VerifyRequest,
    VerifyResponse,
};
use troupe_core::ticks;

/// Why the verifier cannot begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifierError {
    /// No task record given.
    #[error("tasks: none is configured; allowed: at least one task record")]
    NoTask,
    /// Too few robots or segments.
    #[error("{field}: none; allowed: at least one")]
    Empty {
        /// `robots` or `route.segments`.
        field: &'static str,
    },
    /// No such task record.
    #[error("task_id = `{given}`; allowed: {allowed}")]
    Task {
        /// Task asked for.
        given: String,
        /// Known tasks.
        allowed: String,
    },
    /// The first state cannot be trusted.
    #[error("tick {tick} cannot become the first trusted checkpoint: {reason}")]
    State {
        /// Tick asked for.
        tick: u64,
        /// Predicate, value and limit, or what is missing.
        reason: String,
    },
}

/// A policy pair that may be dispatched.
#[derive(Clone, Debug, PartialEq)]
struct Valid {
    decision_id: String,
    calls: Vec<SkillCall>,
}

/// A run under way.
#[derive(Clone, Debug)]
struct Run {
    task: Task,
    checkpoint_id: String,
    /// Number of the next checkpoint.
    next: u32,
    stage: Stage,
    milestones: Vec<String>,
    /// Fingerprints rejected; they hold their checkpoint's name.
    rejected: BTreeSet<String>,
    /// By fingerprint, at the current checkpoint.
    valid: BTreeMap<String, Vec<Valid>>,
    /// Not accepted at the current checkpoint, by decision id: what a typed revision may start from.
    parents: BTreeMap<String, Parent>,
}

/// Validates, measures, judges. One run at a time.
#[derive(Clone, Debug)]
pub struct Verifier {
    setup: Setup,
    history: History,
    run: Option<Run>,
}

impl Verifier {
    /// A verifier that has seen nothing.
    ///
    /// # Errors
    /// [`VerifierError::NoTask`] or [`VerifierError::Empty`].
    pub fn new(setup: Setup) -> Result<Self, VerifierError> {
        if setup.tasks.is_empty() {
            return Err(VerifierError::NoTask);
        }
        if setup.robots.is_empty() {
            return Err(VerifierError::Empty { field: "robots" });
        }
        if setup.route.segments.is_empty() {
            return Err(VerifierError::Empty { field: "route.segments" });
        }
        let history = History::new(ticks(setup.config.history_s));
        Ok(Self { setup, history, run: None })
    }

    /// Shows the state of one tick; every tick once, in order. A tick that falls means another world.
    pub fn observe(&mut self, state: TeamState) {
        self.history.push(state);
    }

    /// True when this tick, or a later one, was shown: a request about it can be answered.
    #[must_use]
    pub fn has_tick(&self, tick: u64) -> bool {
        self.history.newest().is_some_and(|s| s.tick >= tick)
    }

    /// Trusted checkpoint in force; empty without a run.
    #[must_use]
    pub fn checkpoint_id(&self) -> &str {
        self.run.as_ref().map_or("", |r| &r.checkpoint_id)
    }

    /// Milestones certified so far.
    #[must_use]
    pub fn milestones(&self) -> &[String] {
        self.run.as_ref().map_or(&[], |r| &r.milestones)
    }

    /// What has become of the payload, by accepted transactions.
    #[must_use]
    pub fn stage(&self) -> Stage {
        self.run.as_ref().map_or(Stage::Carrying, |r| r.stage)
    }

    /// Begins a run and names the first trusted checkpoint, which the caller saves at once; when that
    /// fails the caller calls [`Self::abort_run`]. Forgets milestones, checkpoints and refused fingerprints.
    ///
    /// # Errors
    /// [`VerifierError::Task`] or [`VerifierError::State`]; no run is under way then.
    pub fn begin_run(&mut self, request: &BeginRun) -> Result<String, VerifierError> {
        self.run = None;
        let allowed = || self.setup.tasks.iter().map(|t| t.name.as_str()).collect::<Vec<_>>().join(", ");
        let task = self.setup.tasks.iter().find(|t| t.name == request.task_id).cloned();
        let task = task.ok_or_else(|| VerifierError::Task { given: request.task_id.clone(), allowed: allowed() })?;
        let run = Run {
            task,
            checkpoint_id: "ckpt-0".into(),
            next: 1,
            stage: Stage::Carrying,
            milestones: vec![],
            rejected: BTreeSet::new(),
            valid: BTreeMap::new(),
            parents: BTreeMap::new(),
        };
        self.first_state(&run, request.tick).map_err(|reason| VerifierError::State { tick: request.tick, reason })?;
        let id = run.checkpoint_id.clone();
        self.run = Some(run);
        Ok(id)
    }

    /// Ends the run; everything is refused until the next one begins.
    pub fn abort_run(&mut self) {
        self.run = None;
    }

    /// The first state must satisfy what is asked of every later one.
    fn first_state(&self, run: &Run, tick: u64) -> Result<(), String> {
        let scene = self.scene(run);
        let start = tick.saturating_sub(ticks(run.task.transition.support_window_s));
        let tail = self.history.window(start, tick, &self.setup.robots).map_err(|e| e.to_string())?;
        if tail.iter().any(|s| s.payload().is_some_and(|p| p.held)) {
            return Err("the payload is still held from outside".into());
        }
        let window = measure::Window { states: tail.clone(), tail: tail.clone(), lead: vec![] };
        let mut predicates = always(&scene, &window, &[]);
        predicates.push(held_as(&scene, &tail));
        match predicates.iter().find(|p| !p.passed) {
            Some(failed) => Err(reason(failed)),
            None => Ok(()),
        }
    }

    fn scene<'a>(&'a self, run: &'a Run) -> Scene<'a> {
        Scene {
            task: &run.task,
            route: &self.setup.route,
            robots: &self.setup.robots,
            config: &self.setup.config,
            estimate: self.setup.estimate,
            milestones: &run.milestones,
            stage: run.stage,
        }
    }

    /// Checks a decision and its policies; nothing moves and nothing is charged.
    pub fn validate(&mut self, request: &ValidateRequest) -> ValidateResponse {
        let Some(run) = &self.run else {
            let finding =
                Finding { code: "E_CONTEXT".into(), robot: String::new(), message: "no run is under way; begin one first".into() };
            return ValidateResponse { findings: vec![finding], ..ValidateResponse::default() };
        };
        let present = Present {
            checkpoint_id: &run.checkpoint_id,
            newest: self.history.newest(),
            rejected: &run.rejected,
            parents: &run.parents,
            bounds: &self.setup.bounds,
        };
        let response = validate(&self.scene(run), &present, request);
        if response.ok && let Some(run) = &mut self.run {
            let valid = Valid { decision_id: request.decision.id.clone(), calls: response.calls.clone() };
            run.valid.entry(response.fingerprint.clone()).or_default().push(valid);
        }
        response
    }

    /// Judges a transaction. A rejected one is blocked at this checkpoint from now on.
    pub fn judge(&mut self, request: &VerifyRequest) -> Judged {
        let Some(run) = &self.run else {
            let verdict = verdict(
                &request.transaction_id,
                Outcome::InvalidInfra,
                if request.decision.kind == Kind::Lifecycle { VerdictKind::Lifecycle } else { VerdictKind::Progress },
                vec!["no run is under way".into()],
                &[],
            );
            let evidence = crate::outcome::evidence(&request.transaction_id, vec![], vec![], &[], &[]);
            let response = VerifyResponse { evidence, verdict, drop: false, checkpoint_id: String::new() };
            return Judged { response, save: None, stage: Stage::Carrying };
        };
        let scene = self.scene(run);
        let Ruling { evidence, verdict, drop } = match unknown(run, request) {
            Some(why) => unusable(&scene, request, &why),
            None => rule(&scene, &self.history, request),
        };
        let accepted = verdict.outcome == Outcome::Accepted;
        let save = accepted.then(|| format!("ckpt-{}", run.next));
        let stage = match request.calls.first() {
            Some(call) if accepted => run.stage.after(call),
            _ => run.stage,
        };
        let checkpoint_id = save.clone().unwrap_or_else(|| run.checkpoint_id.clone());
        if verdict.outcome == Outcome::Rejected && let Some(run) = &mut self.run {
            run.rejected.insert(request.fingerprint.clone());
            let parent = Parent {
                decision: request.decision.clone(),
                calls: request.calls.clone(),
                relations: evidence.required_relations.clone(),
            };
            run.parents.insert(request.decision.id.clone(), parent);
        }
        Judged { response: VerifyResponse { evidence, verdict, drop, checkpoint_id }, save, stage }
    }

    /// Makes an accepted judgement final once its checkpoint is stored. Without one to store, or when the
    /// store failed, the trusted checkpoint stays; the latter turns the verdict into `invalid_infra`.
    pub fn commit(&mut self, judged: Judged, saved: Result<CheckpointInfo, String>) -> VerifyResponse {
        let Judged { mut response, save, stage } = judged;
        let (Some(id), Some(run)) = (save, &mut self.run) else { return response };
        let failure = match saved {
            Ok(info) if info.id == id && id == format!("ckpt-{}", run.next) => {
                run.next += 1;
                run.checkpoint_id = id;
                run.stage = stage;
                run.milestones.clone_from(&response.verdict.milestones);
                run.valid.clear();
                run.parents.clear();
                return response;
            }
            Ok(info) => format!("checkpoint `{}` was stored, `{id}` was asked for", info.id),
            Err(error) => format!("checkpoint `{id}` could not be stored: {error}"),
        };
        let old = &response.verdict;
        response.verdict = verdict(&old.subject, Outcome::InvalidInfra, old.kind, vec![failure], &run.milestones);
        response.checkpoint_id.clone_from(&run.checkpoint_id);
        response
    }

    /// Judges whether a restoration may be trusted, after it settled.
    pub fn confirm_restore(&mut self, request: &ConfirmRestore) -> Verdict {
        match &self.run {
            Some(run) => confirm(&self.scene(run), &self.history, &run.checkpoint_id, request),
            None => {
                let why = vec!["no run is under way".into()];
                verdict(&request.checkpoint_id, Outcome::InvalidInfra, VerdictKind::Lifecycle, why, &[])
            }
        }
    }

    /// Judges whether the team may be trusted again after a recovery by motion, and names the trusted
    /// checkpoint anew. Nothing is stored under the new name and milestones stay (CE-150).
    pub fn confirm_recovery(&mut self, request: &ConfirmRecovery) -> RecoveryResponse {
        let Some(run) = &self.run else {
            let why = vec!["no run is under way".into()];
            return RecoveryResponse {
                verdict: verdict(&request.recovery_id, Outcome::InvalidInfra, VerdictKind::Lifecycle, why, &[]),
                evidence: crate::outcome::evidence(&request.recovery_id, vec![], vec![], &[], &[]),
                checkpoint_id: String::new(),
                carrying: false,
            };
        };
        let stage = recovery::stage_after(run.stage, request.kind);
        let scene = Scene { stage, ..self.scene(run) };
        let (verdict, evidence) = recovery::confirm(&scene, &self.history, &run.checkpoint_id, request);
        let mut checkpoint_id = run.checkpoint_id.clone();
        if verdict.outcome == Outcome::Accepted && let Some(run) = &mut self.run {
            run.checkpoint_id = format!("ckpt-{}", run.next);
            run.next += 1;
            run.stage = stage;
            run.valid.clear();
            checkpoint_id.clone_from(&run.checkpoint_id);
        }
        RecoveryResponse { verdict, evidence, checkpoint_id, carrying: stage == Stage::Carrying }
    }

    /// How forecasts are measured, so that they foresee this verifier's verdicts; none without a run.
    #[must_use]
    pub fn forecast_rules(&self) -> Option<ForecastRules> {
        self.run.as_ref().map(|run| ForecastRules::of(&run.task, self.setup.config.look_ahead.robot_radius_m))
    }

    /// The host's next moves after an accepted transition, the likeliest first; empty when it was not accepted
    /// or the payload is no longer carried. Each is to be rolled out in a copy of the world for
    /// [`Self::look_ahead`].
    #[must_use]
    pub fn look_ahead_moves(&self, judged: &Judged) -> Vec<Vec<SkillCall>> {
        let (Some(run), Some(newest), Some(_)) = (&self.run, self.history.newest(), &judged.save) else { return vec![] };
        let milestones = &judged.response.verdict.milestones;
        let scene = Scene { milestones, stage: judged.stage, ..self.scene(run) };
        foresight::moves(&scene, newest, &self.setup.bounds)
    }

    /// True when a forecast keeps every margin: rolling out further moves would change nothing.
    #[must_use]
    pub fn is_safe(&self, forecast: &Forecast) -> bool {
        breaches(forecast, &self.setup.config.look_ahead).is_empty()
    }

    /// Turns an accepted judgement into a rejection when no forecast keeps the margins; call it before
    /// [`Self::commit`]. Without forecasts nothing changes.
    pub fn look_ahead(&mut self, judged: &mut Judged, request: &VerifyRequest, forecasts: &[Forecast]) {
        let Some(run) = &self.run else { return };
        let rejected = foresight::apply(judged, &request.calls, forecasts, &self.scene(run), &run.checkpoint_id);
        if rejected && let Some(run) = &mut self.run {
            run.rejected.insert(request.fingerprint.clone());
            let parent = Parent {
                decision: request.decision.clone(),
                calls: request.calls.clone(),
                relations: judged.response.evidence.required_relations.clone(),
            };
            run.parents.insert(request.decision.id.clone(), parent);
        }
    }

    /// Judges the whole task at a tick that was seen; certifies the terminal milestone.
    pub fn endpoint(&mut self, closed_tick: u64) -> EndpointResponse {
        let Some(run) = &self.run else {
            let why = vec!["no run is under way".into()];
            return EndpointResponse {
                verdict: verdict("", Outcome::InvalidInfra, VerdictKind::Endpoint, why, &[]),
                evidence: crate::outcome::evidence("", vec![], vec![], &[], &[]),
                observe_s: 0.0,
            };
        };
        let response = endpoint::judge(&self.scene(run), &self.history, closed_tick);
        if response.verdict.outcome == Outcome::Accepted && let Some(run) = &mut self.run {
            run.milestones.clone_from(&response.verdict.milestones);
        }
        response
    }

    /// True when the newest state is complete and finite.
    #[must_use]
    pub fn is_sensing(&self) -> bool {
        self.history.newest().is_some_and(|s| usable(s, &self.setup.robots).is_ok())
    }
}

/// Why a transaction does not follow from a validated decision at the current checkpoint.
fn unknown(run: &Run, request: &VerifyRequest) -> Option<String> {
    if request.decision.checkpoint_id != run.checkpoint_id {
        return Some(format!("checkpoint_id = `{}`; allowed: `{}`", request.decision.checkpoint_id, run.checkpoint_id));
    }
    match run.valid.get(&request.fingerprint) {
        // Candidates that differ by less than the fingerprint's rounding share it.
        Some(valid) if valid.iter().any(|v| v.decision_id == request.decision.id && v.calls == request.calls) => None,
        Some(_) => Some("decision or calls differ from what was validated under this fingerprint".into()),
        None => Some(format!("fingerprint `{}` was not validated at this checkpoint", request.fingerprint)),
    }
}
