//! What the steps of one run share.

use super::{Ending, Journal, RunError};
use crate::experience::Experience;
use crate::model::LanguageModel;
use crate::model::image::ImagePart;
use crate::ports::{Announcement, Team, TeamError};
use crate::progress::{Progress, Snapshot};
use crate::report::truth::Truth;
use crate::role::answers::EvaluationProposal;
use crate::role::context::{Closed, ExecutedView, RejectedTry, RoleContext};
use crate::setup::Setup;
use serde_json::{Value, json};
use std::path::Path;
use troupe_coordination::experience::{Exemplar, PhaseClass, StrategyRecord};
use troupe_coordination::method::Arguments;
use troupe_coordination::phase::{PLACE_PHASE, Stage};
use troupe_coordination::plan::Plan;
use troupe_coordination::predicate;
use troupe_coordination::quota::SetupQuota;
use troupe_coordination::response::ResponseModel;
use troupe_coordination::revision::{Child, Escalation, Parent};
use troupe_coordination::run_state::Machine;
use troupe_coordination::terminal::Label;
use troupe_core::budget::Budget;
use troupe_core::decision::{Decision, PolicyCode};
use troupe_core::evidence::{Evidence, Level, Verdict};
use troupe_core::frames::Planar;
use troupe_core::observation::Observation;
use troupe_core::skill::SkillResult;
use troupe_core::state::TeamState;
use troupe_core::team::{Capabilities, Finding, ValidateResponse, WindowReason};

/// What a run may use apart from team, model and ledger.
pub struct Hooks<'a> {
    /// Shown to people.
    pub progress: &'a mut dyn Progress,
    /// Wall-clock seconds since some fixed moment; only for records that the digest leaves out.
    pub wall_s: &'a mut dyn FnMut() -> f64,
    /// Folder for camera stills; none are taken without it.
    pub stills: Option<&'a Path>,
    /// What the run retrieves from and adds to (CE-090).
    pub experience: &'a mut dyn Experience,
}

/// Cameras that an evaluator looks through (CE-R2, CE-R4).
const CAMERAS: [&str; 2] = ["payload", "overview"];

/// A transaction between dispatch and verdict.
pub(super) struct Running {
    /// 1-based number; 0 when it was not charged.
    pub seq: u32,
    pub id: String,
    pub start_tick: u64,
    pub closed_tick: u64,
    pub window: WindowReason,
    pub results: Vec<SkillResult>,
    /// Set when the infrastructure, not the decision, failed.
    pub failure: Option<String>,
    pub start: Value,
}

/// The state of one run.
pub(super) struct Session<'a> {
    pub team: &'a mut dyn Team,
    pub model: &'a mut dyn LanguageModel,
    pub setup: &'a Setup,
    pub journal: &'a mut dyn Journal,
    pub hooks: Hooks<'a>,
    pub machine: Machine,
    pub budget: Budget,
    pub plan: Plan,
    pub stage: Stage,
    pub milestones: Vec<String>,
    pub capabilities: Option<Capabilities>,
    /// Trusted checkpoint in force.
    pub checkpoint: String,
    /// Newest state; absent before the reset.
    pub state: Option<TeamState>,
    /// What failed at this checkpoint.
    pub rejected: Vec<RejectedTry>,
    /// Refusals since the last dispatch.
    pub findings: Vec<Finding>,
    /// Phase that the planner was last asked about.
    pub planned: String,
    pub decision: Option<Decision>,
    /// What was executed last and not accepted.
    pub parent: Option<Parent>,
    /// Approved revision that the next decision follows.
    pub child: Option<Child>,
    /// Failed revisions at this checkpoint.
    pub escalation: Escalation,
    /// Retrieved for the next decision.
    pub strategies: Vec<StrategyRecord>,
    /// Retrieved for its code.
    pub exemplars: Vec<Exemplar>,
    /// Words of failed checks, newest first.
    pub reflections: Vec<String>,
    /// What the evaluator said last.
    pub evaluation: Option<EvaluationProposal>,
    /// What an evaluator that sees is shown: from before a transaction, then from after it (CE-R4).
    pub images: Vec<ImagePart>,
    /// For evaluator and writer: what they are asked about.
    pub executed: Option<ExecutedView>,
    /// Evidence of the latest rejection at this checkpoint.
    pub failed_evidence: Option<Evidence>,
    /// Attempts of the coder under the present decision.
    pub code_attempts: u32,
    /// Candidates of the coder: policies, or why an answer could not be read.
    pub candidates: Vec<Result<Vec<PolicyCode>, String>>,
    /// The candidate that was validated and chosen.
    pub policies: Vec<PolicyCode>,
    pub validated: ValidateResponse,
    pub running: Option<Running>,
    /// Infrastructure failures in a row.
    pub infra: u32,
    pub restores: u32,
    /// Bases at the trusted checkpoint, in team order, world frame.
    pub home: Vec<Planar>,
    /// Releases that were rejected since the payload was laid on last.
    pub releases: u32,
    /// Recoveries by motion so far (CE-150).
    pub recoveries: u32,
    /// What robots did with what they were told.
    pub responses: ResponseModel,
    /// Accepted set-ups.
    pub quota: SetupQuota,
    /// The last accepted set-up's strategy.
    pub set_up: Option<Closed>,
    /// Times that an operator had to pick the payload up.
    pub operator_interventions: u32,
    /// What will be the end's reason.
    pub reason: String,
    pub snapshot: Snapshot,
    sim_start_s: f64,
    wall_start_s: f64,
    calls: u64,
}

impl<'a> Session<'a> {
    pub fn new(
        team: &'a mut dyn Team,
        model: &'a mut dyn LanguageModel,
        setup: &'a Setup,
        journal: &'a mut dyn Journal,
        hooks: Hooks<'a>,
    ) -> Result<Self, RunError> {
        let wall_start_s = (hooks.wall_s)();
        let limit = setup.task.budget_transactions;
        Ok(Self {
            team,
            model,
            setup,
            journal,
            hooks,
            machine: Machine::new(&setup.task, setup.method.revision),
            budget: Budget::new(limit),
            plan: Plan::for_route(&setup.route)?,
            stage: Stage::default(),
            milestones: Vec::new(),
            capabilities: None,
            checkpoint: String::new(),
            state: None,
            rejected: Vec::new(),
            findings: Vec::new(),
            planned: String::new(),
            decision: None,
            code_attempts: 0,
            parent: None,
            child: None,
            escalation: Escalation::default(),
            strategies: Vec::new(),
            exemplars: Vec::new(),
            reflections: Vec::new(),
            evaluation: None,
            images: Vec::new(),
            executed: None,
            failed_evidence: None,
            candidates: Vec::new(),
            policies: Vec::new(),
            validated: ValidateResponse::default(),
            running: None,
            infra: 0,
            restores: 0,
            home: Vec::new(),
            releases: 0,
            recoveries: 0,
            operator_interventions: 0,
            responses: ResponseModel::default(),
            quota: SetupQuota::new(setup.method.setup_quota),
            set_up: None,
            reason: String::new(),
            snapshot: Snapshot { phase: "preparation".into(), limit, ..Snapshot::default() },
            sim_start_s: 0.0,
            wall_start_s,
            calls: 0,
        })
    }

    /// Simulated time of the newest state, s.
    pub fn sim_s(&self) -> f64 {
        self.state.as_ref().map_or(0.0, |s| s.stamp_s)
    }

    /// Wall-clock time since the start of the run, s.
    pub fn wall_s(&mut self) -> f64 {
        (self.hooks.wall_s)() - self.wall_start_s
    }

    /// Appends an event.
    pub fn log(&mut self, event: &str, data: Value) -> Result<(), RunError> {
        let sim_s = self.sim_s();
        Ok(self.journal.append(event, sim_s, data)?)
    }

    /// Reads the newest state.
    pub fn refresh(&mut self) -> Result<&TeamState, TeamError> {
        let state = self.team.state()?;
        Ok(self.state.insert(state))
    }

    /// Takes a state as the first of the run.
    pub fn begin(&mut self, state: TeamState) {
        self.sim_start_s = state.stamp_s;
        self.state = Some(state);
    }

    /// The newest state, or words when there is none.
    pub fn newest(&self) -> Result<&TeamState, TeamError> {
        let missing = || TeamError::Failed { what: "team/state".into(), reason: "no state before the reset".into() };
        self.state.as_ref().ok_or_else(missing)
    }

    /// Id of the active phase.
    pub fn phase(&self) -> String {
        self.plan.active().map_or_else(|| "end".to_owned(), |p| p.id.clone())
    }

    /// What a role may know now.
    pub fn context(&self) -> Result<RoleContext, TeamError> {
        let bad = |reason: &str| TeamError::Failed { what: "team/state".into(), reason: reason.into() };
        let state = self.newest()?;
        if !state.is_finite() {
            return Err(bad("numbers that are not finite"));
        }
        let segment = self.setup.route.active(&self.milestones).ok_or_else(|| bad("the route has no segment"))?;
        let observation = Observation::new(state, segment, self.setup.task.formation.heading_offset_rad).ok_or_else(|| bad("no payload"))?;
        Ok(RoleContext {
            goal: self.setup.task.goal.clone(),
            observation,
            target: self.setup.route.target,
            plan: self.plan.phases().to_vec(),
            phase_id: self.phase(),
            stage: self.stage,
            formation: self.setup.task.formation,
            bounds: self.setup.bounds,
            predicates: predicate::NAMES.iter().map(|n| (*n).to_owned()).collect(),
            decision: self.decision.clone(),
            rejected: self.rejected.clone(),
            findings: self.findings.clone(),
            strategies: self.strategies.clone(),
            exemplars: self.exemplars.clone(),
            reflections: self.reflections.clone(),
            child: self.child.clone(),
            parent: self.parent.clone(),
            suggested: self.suggested(),
            forced: self.quota.forced_scope(),
            evaluation: self.evaluation.clone(),
            executed: self.executed.clone(),
            grid: (self.setup.method.arguments == Arguments::Grid).then(|| self.setup.config.grid.clone()),
            responses: if self.setup.method.response_model { self.responses.responses() } else { Vec::new() },
            pairing: self.setup.method.response_model.then_some(self.setup.pairing),
            closed: self.quota.forced_scope().and(self.set_up),
        })
    }

    /// Level that the host suggests for a repair: the failure's own, raised by failed revisions (CE-083).
    fn suggested(&self) -> Option<Level> {
        let level = self.failed_evidence.as_ref()?.failure_level?;
        Some(self.escalation.suggest(level))
    }

    /// Class of the active phase.
    pub fn phase_class(&self) -> PhaseClass {
        if self.phase() == PLACE_PHASE {
            return PhaseClass::Place;
        }
        PhaseClass::of(self.setup.route.active(&self.milestones).map(|s| s.kind))
    }

    /// Sampling seed of the next model call.
    pub fn next_seed(&mut self) -> u64 {
        self.calls += 1;
        self.setup.seed.wrapping_mul(1_000_003).wrapping_add(self.calls)
    }

    /// Shows where the run stands.
    pub fn show(&mut self) {
        let wall_s = self.wall_s();
        self.snapshot.transaction = self.budget.transactions;
        self.snapshot.sim_s = self.sim_s() - self.sim_start_s;
        self.snapshot.real_time_factor = if wall_s > 1e-9 { self.snapshot.sim_s / wall_s } else { 0.0 };
        if let Some(payload) = self.state.as_ref().and_then(TeamState::payload) {
            self.snapshot.tilt_rad = payload.tilt_rad;
        }
        self.hooks.progress.update(&self.snapshot);
        self.team.announce(&Announcement::Budget(self.budget.clone()));
    }

    /// Shows a verdict.
    pub fn show_verdict(&mut self, verdict: &Verdict) {
        self.snapshot.verdict = serde_json::to_value(verdict.outcome)
            .ok()
            .and_then(|v| v.as_str().map(str::to_owned))
            .unwrap_or_default();
        self.snapshot.reason = verdict.reasons.first().cloned().unwrap_or_default();
        self.show();
    }

    /// Takes a camera still, if any are wanted; a missing picture changes nothing.
    pub fn still(&mut self, name: &str) {
        let Some(folder) = self.hooks.stills else { return };
        if let Err(error) = self.team.still("overview", &folder.join(format!("{name}.png"))) {
            self.hooks.progress.text(&format!("no still `{name}`: {error}"));
        }
    }

    /// Adds pictures of the team for an evaluator that sees; a missing one changes nothing.
    pub fn look(&mut self, id: &str, when: &str) {
        let Some(folder) = self.hooks.stills.filter(|_| self.model.sees()) else { return };
        let folder = folder.join("images");
        if let Err(error) = std::fs::create_dir_all(&folder) {
            self.hooks.progress.text(&format!("no images: {error}: {}", folder.display()));
            return;
        }
        for camera in CAMERAS {
            let file = folder.join(format!("{id}_{when}_{camera}.png"));
            let png = self.team.still(camera, &file).map_err(|e| e.to_string());
            match png.and_then(|()| std::fs::read(&file).map_err(|e| e.to_string())) {
                Ok(png) => self.images.push(ImagePart { png, caption: format!("{camera} camera, {when} the step") }),
                Err(error) => self.hooks.progress.text(&format!("no image of camera {camera}: {error}")),
            }
        }
    }

    /// Writes the last event.
    pub fn end(mut self, label: Label) -> Result<Ending, RunError> {
        if self.reason.is_empty() {
            label.meaning().clone_into(&mut self.reason);
        }
        self.still("after");
        self.note_added()?;
        let path = self.team.path();
        let wall_s = self.wall_s();
        let truth = self.team.hidden_truth().map(|s| Truth::of(&s, &self.setup.task, &self.setup.route));
        let mut data = json!({
            "label": label.letter(),
            "meaning": label.meaning(),
            "reason": self.reason,
            "budget": self.budget,
            "milestones": self.milestones,
            "stage": self.stage,
            "recoveries": self.recoveries,
            "operator_interventions": self.operator_interventions,
            "path": path,
            "wall_s": wall_s,
        });
        if let (Some(truth), Some(data)) = (truth, data.as_object_mut()) {
            data.insert("truth".into(), json!(truth));
        }
        self.log("end", data)?;
        self.snapshot.phase = "end".into();
        self.snapshot.verdict = label.letter().into();
        self.snapshot.reason.clone_from(&self.reason);
        self.show();
        self.team.announce(&Announcement::Text(format!("end {}: {}", label.letter(), self.reason)));
        Ok(Ending { label, reason: self.reason, budget: self.budget, milestones: self.milestones })
    }
}
