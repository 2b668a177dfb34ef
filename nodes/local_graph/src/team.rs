//! The orchestrator's port, served in process.

use crate::crew::{Crew, CrewError};
use crate::forecast::{roll, roll_all};
use std::path::{Path, PathBuf};
use troupe_core::evidence::Verdict;
use troupe_core::forecast::Forecast;
use troupe_core::recovery::{ConfirmRecovery, RecoveryResponse};
use troupe_core::skill::{SkillCall, SkillGoal};
use troupe_core::state::TeamState;
use troupe_core::team::{
    BeginRun, Capabilities, ConfirmRestore, Dispatched, EndpointResponse, Restored, ValidateRequest, ValidateResponse,
    VerifyRequest, VerifyResponse,
};
use troupe_core::ticks;
use troupe_core::variation::Variation;
use troupe_orchestrator::ports::{Announcement, Team, TeamError, TeamSample};
use troupe_verifier::{Setup, Verifier, VerifierError};
use troupe_world::WorldError;
use troupe_world::camera::{Camera, PictureOptions, mesh_folder};

/// Why a local team cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// A configuration file does not fit.
    #[error(transparent)]
    Config(#[from] troupe_core::config::ConfigError),
    /// Bridge or robots cannot start.
    #[error(transparent)]
    Crew(#[from] CrewError),
    /// The verifier cannot start.
    #[error(transparent)]
    Verifier(#[from] VerifierError),
}

/// Width and height of camera stills, pixels.
const STILL_PX: [u32; 2] = [960, 540];

/// Where everything lies.
#[derive(Clone, Debug)]
pub struct Folders {
    /// `config/`.
    pub config: PathBuf,
    /// Fetched policies and meshes.
    pub assets: PathBuf,
}

/// Bridge, robots and verifier in one process.
pub struct LocalTeam {
    crew: Crew,
    witness: Witness,
    assets: PathBuf,
    camera: Option<Camera>,
    look_ahead: bool,
}

/// Who sees every state.
struct Witness {
    verifier: Verifier,
    latest: Option<TeamState>,
    samples: Vec<TeamSample>,
}

impl Witness {
    fn observe(&mut self, state: &TeamState) {
        self.samples.extend(TeamSample::due(state));
        self.verifier.observe(state.clone());
        self.latest = Some(state.clone());
    }
}

fn failed(what: &str) -> impl Fn(CrewError) -> TeamError {
    let what = what.to_owned();
    move |error| match error {
        CrewError::Refused { robot, refusal } => {
            TeamError::Refused { robot, code: refusal.code, message: refusal.message }
        }
        other => TeamError::Failed { what: what.clone(), reason: other.to_string() },
    }
}

impl LocalTeam {
    /// A team in world `world`, judged by `tasks/<task>.yaml`.
    ///
    /// # Errors
    /// [`LocalError`] naming what does not fit.
    pub fn new(folders: &Folders, task: &str, world: &str, seed: u64) -> Result<Self, LocalError> {
        Self::varied(folders, task, world, seed, &Variation::nominal())
    }

    /// The same under a variation (CE-153, CE-154).
    ///
    /// # Errors
    /// [`LocalError`] naming what does not fit.
    pub fn varied(
        folders: &Folders,
        task: &str,
        world: &str,
        seed: u64,
        variation: &Variation,
    ) -> Result<Self, LocalError> {
        let varied = variation.in_world(&folders.config, world, seed, |file| std::fs::read_to_string(file))?;
        let verifier = Verifier::new(Setup::load(&folders.config, &[task], world)?.varied(&varied))?;
        let crew = Crew::varied(&folders.config, &folders.assets, world, seed, variation)?;
        let witness = Witness { verifier, latest: None, samples: Vec::new() };
        Ok(Self { crew, witness, assets: folders.assets.clone(), camera: None, look_ahead: false })
    }

    /// Bridge and robots, for tests that reach behind the port.
    pub fn crew(&mut self) -> &mut Crew {
        &mut self.crew
    }

    /// Whether the verifier looks one move ahead before it accepts (CE-151). Off at first.
    pub fn set_look_ahead(&mut self, on: bool) {
        self.look_ahead = on;
    }

    /// Rolls out the host's next moves, the likeliest first, until one is safe.
    fn foresee(&self, moves: &[Vec<SkillCall>]) -> Vec<Forecast> {
        let Some(rules) = self.witness.verifier.forecast_rules() else { return Vec::new() };
        let Some((first, others)) = moves.split_first() else { return Vec::new() };
        let mut forecasts = vec![roll(self.crew.fork(), first, &rules)];
        if !forecasts.iter().any(|f| self.witness.verifier.is_safe(f)) {
            forecasts.extend(roll_all(&self.crew, others, &rules));
        }
        forecasts
    }

    /// Made at the first picture: most runs take none.
    fn camera(&mut self) -> Result<&mut Camera, WorldError> {
        match &mut self.camera {
            Some(camera) => Ok(camera),
            none => {
                let description = self.crew.bridge().world().description();
                let kind = description.robots.first().map_or("g1", |r| r.config.kind.as_str());
                let options = PictureOptions {
                    max_width: STILL_PX[0],
                    max_height: STILL_PX[1],
                    shadows: true,
                    mesh_folder: mesh_folder(&self.assets, kind),
                };
                Ok(none.insert(Camera::new(description, &options)?))
            }
        }
    }
}

/// Ticks that a window may last: the longest goal and what settling may add.
fn limit(goals: &[SkillGoal]) -> u64 {
    goals.iter().map(|g| ticks(g.deadline_s)).max().unwrap_or_default() + 2
}

impl Team for LocalTeam {
    fn capabilities(&mut self) -> Result<Capabilities, TeamError> {
        Ok(self.crew.bridge().capabilities(true))
    }

    fn reset(&mut self, seed: u64) -> Result<TeamState, TeamError> {
        self.witness.samples.clear();
        self.crew.reset(seed, &mut |s| self.witness.observe(s)).map_err(failed("world/reset"))?;
        self.state()
    }

    fn state(&mut self) -> Result<TeamState, TeamError> {
        self.witness.latest.clone().ok_or_else(|| TeamError::Silent { what: "team/state".into() })
    }

    fn begin_run(&mut self, request: &BeginRun) -> Result<String, TeamError> {
        let fail = |reason: String| TeamError::Failed { what: "verifier/begin_run".into(), reason };
        let id = self.witness.verifier.begin_run(request).map_err(|e| fail(e.to_string()))?;
        if let Err(error) = self.crew.save(&id, "") {
            self.witness.verifier.abort_run();
            return Err(failed("checkpoint/save")(error));
        }
        Ok(id)
    }

    fn validate(&mut self, request: &ValidateRequest) -> Result<ValidateResponse, TeamError> {
        Ok(self.witness.verifier.validate(request))
    }

    fn dispatch(&mut self, goals: &[SkillGoal]) -> Result<Dispatched, TeamError> {
        self.crew.dispatch(goals, limit(goals), &mut |s| self.witness.observe(s)).map_err(failed("dispatch"))
    }

    fn run_for(&mut self, ticks: u64) -> Result<u64, TeamError> {
        let window = self.crew.window(ticks, false, &mut |s| self.witness.observe(s));
        window.map(|(tick, _)| tick).map_err(failed("world/run_window"))
    }

    fn place_payload(&mut self) -> Result<(), TeamError> {
        self.crew.place_payload(&mut |s| self.witness.observe(s)).map_err(failed("world/place_payload"))
    }

    fn verify(&mut self, request: &VerifyRequest) -> Result<VerifyResponse, TeamError> {
        let mut judged = self.witness.verifier.judge(request);
        if self.look_ahead {
            let forecasts = self.foresee(&self.witness.verifier.look_ahead_moves(&judged));
            self.witness.verifier.look_ahead(&mut judged, request, &forecasts);
        }
        let saved = match &judged.save {
            Some(id) => self.crew.save(id, &request.transaction_id).map_err(|e| e.to_string()),
            None => Err(String::new()),
        };
        Ok(self.witness.verifier.commit(judged, saved))
    }

    fn endpoint(&mut self, closed_tick: u64) -> Result<EndpointResponse, TeamError> {
        Ok(self.witness.verifier.endpoint(closed_tick))
    }

    fn restore(&mut self, checkpoint_id: &str) -> Result<Restored, TeamError> {
        self.crew.restore(checkpoint_id, false, &mut |s| self.witness.observe(s)).map_err(failed("checkpoint/restore"))
    }

    fn confirm_restore(&mut self, request: &ConfirmRestore) -> Result<Verdict, TeamError> {
        Ok(self.witness.verifier.confirm_restore(request))
    }

    fn forecast(&mut self, candidates: &[Vec<SkillCall>]) -> Result<Vec<Forecast>, TeamError> {
        let fail = |reason: &str| TeamError::Failed { what: "forecast".into(), reason: reason.into() };
        let rules = self.witness.verifier.forecast_rules().ok_or_else(|| fail("no run is under way"))?;
        Ok(roll_all(&self.crew, candidates, &rules))
    }

    fn hoist_payload(&mut self) -> Result<(), TeamError> {
        // The operator who picks the payload up also clears what stopped the robots.
        for robot in self.crew.robots() {
            robot.clear_stop().map_err(|reason| TeamError::Failed { what: "clear_stop".into(), reason })?;
        }
        self.crew.hoist_payload(&mut |s| self.witness.observe(s)).map_err(failed("world/hoist_payload"))
    }

    fn confirm_recovery(&mut self, request: &ConfirmRecovery) -> Result<RecoveryResponse, TeamError> {
        Ok(self.witness.verifier.confirm_recovery(request))
    }

    fn path(&mut self) -> Vec<TeamSample> {
        std::mem::take(&mut self.witness.samples)
    }

    fn announce(&mut self, _: &Announcement) {}

    fn hidden_truth(&mut self) -> Option<TeamState> {
        let bridge = self.crew.bridge();
        if bridge.capabilities(true).privileged_state { None } else { bridge.true_state().ok() }
    }

    fn still(&mut self, camera: &str, file: &Path) -> Result<(), TeamError> {
        let fail = |reason: String| TeamError::Failed { what: format!("camera {camera}"), reason };
        let qpos = self.crew.bridge().world().qpos().to_vec();
        let picture = self.camera().and_then(|c| c.picture_of(&qpos, camera, STILL_PX[0], STILL_PX[1]));
        picture.and_then(|p| p.write_png(file)).map_err(|e| fail(e.to_string()))
    }
}
