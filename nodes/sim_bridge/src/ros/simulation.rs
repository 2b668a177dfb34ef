//! The standard services of `simulation_interfaces`.

use crate::ros::entities::{matches, to_wire};
use crate::ros::shell::{Shell, answer};
use crate::ros::windows::{Open, Owner, failed, ok};
use troupe_core::team::WindowReason;
use troupe_ros::convert::geometry;
use troupe_ros::mode::Mode;
use troupe_ros::r2r::simulation_interfaces::msg::{Result as SimResult, SimulationState, SimulatorFeatures};
use troupe_ros::r2r::simulation_interfaces::srv as sim;

/// What this simulator can do. `/clock` never runs back, so that time alone cannot be reset.
const FEATURES: [u16; 10] = [
    SimulatorFeatures::ENTITY_STATE_GETTING as u16,
    SimulatorFeatures::ENTITY_STATE_SETTING as u16,
    SimulatorFeatures::SIMULATION_RESET as u16,
    SimulatorFeatures::SIMULATION_RESET_STATE as u16,
    SimulatorFeatures::SIMULATION_STATE_GETTING as u16,
    SimulatorFeatures::SIMULATION_STATE_SETTING as u16,
    SimulatorFeatures::SIMULATION_STATE_PAUSE as u16,
    SimulatorFeatures::STEP_SIMULATION_SINGLE as u16,
    SimulatorFeatures::STEP_SIMULATION_MULTIPLE as u16,
    SimulatorFeatures::STEP_SIMULATION_ACTION as u16,
];

const PLAYING: u8 = SimulationState::STATE_PLAYING as u8;
const PAUSED: u8 = SimulationState::STATE_PAUSED as u8;
const LOADING: u8 = SimulationState::STATE_LOADING_WORLD as u8;
const ALREADY_IN_TARGET_STATE: u8 = 101;
const INCORRECT_TRANSITION: u8 = 103;

impl Shell {
    /// Serves them; what moves the world waits until every robot is there.
    pub fn serve_simulation(&mut self) {
        while let Some(request) = self.links.simulation.features.take() {
            let features = FEATURES.to_vec();
            let custom_info = "one step is one control tick of 20 ms; checkpoints: /checkpoint/save, /checkpoint/restore".to_owned();
            let features = SimulatorFeatures { features, spawn_formats: Vec::new(), custom_info };
            answer(request, sim::GetSimulatorFeatures::Response { features });
        }
        while let Some(request) = self.links.simulation.get_state.take() {
            let state = SimulationState { state: self.state() };
            answer(request, sim::GetSimulationState::Response { state, result: ok() });
        }
        while let Some(request) = self.links.simulation.entities.take() {
            let response = match matches(self.bridge.world(), &request.message.filters) {
                Ok(entities) => sim::GetEntities::Response { result: ok(), entities },
                Err(result) => sim::GetEntities::Response { result, entities: Vec::new() },
            };
            answer(request, response);
        }
        while let Some(request) = self.links.simulation.entity.take() {
            let response = match to_wire(&self.bridge, &request.message.entity) {
                Ok(state) => sim::GetEntityState::Response { result: ok(), state },
                Err(result) => sim::GetEntityState::Response { result, ..Default::default() },
            };
            answer(request, response);
        }
        if self.ready {
            self.serve_changes();
        }
    }

    fn serve_changes(&mut self) {
        while let Some(request) = self.links.simulation.set_state.take() {
            let result = self.set_state(request.message.state.state);
            answer(request, sim::SetSimulationState::Response { result });
        }
        while let Some(request) = self.links.simulation.reset.take() {
            let result = self.reset_scope(request.message.scope);
            answer(request, sim::ResetSimulation::Response { result });
        }
        while let Some(request) = self.links.simulation.step.take() {
            match self.steps_window(request.message.steps) {
                Ok(window) => self.begin(Open::new(window, Owner::Step(request))),
                Err(result) => answer(request, sim::StepSimulation::Response { result }),
            }
        }
        while let Some(request) = self.links.simulation.set_entity.take() {
            let result = self.set_entity(&request.message);
            answer(request, sim::SetEntityState::Response { result });
        }
    }

    fn state(&self) -> u8 {
        match (self.ready, self.playing) {
            (false, _) => LOADING,
            (true, true) => PLAYING,
            (true, false) => PAUSED,
        }
    }

    fn set_state(&mut self, wanted: u8) -> SimResult {
        let refuse = |result: u8, why: &str| SimResult { result, error_message: why.to_owned() };
        if wanted == self.state() {
            return refuse(ALREADY_IN_TARGET_STATE, "the simulation is in this state already");
        }
        match wanted {
            PLAYING if self.open.is_some() => {
                refuse(INCORRECT_TRANSITION, "a window is open: time passes until it closes")
            }
            PLAYING => {
                self.play();
                ok()
            }
            PAUSED => {
                self.playing = false;
                if self.mode == Mode::Lockstep {
                    self.close(WindowReason::Stopped, "");
                } else if self.open.is_some() {
                    self.close(WindowReason::Stopped, "the simulation is paused");
                }
                ok()
            }
            _ => refuse(INCORRECT_TRANSITION, "allowed: playing (1), paused (2)"),
        }
    }

    fn reset_scope(&mut self, scope: u8) -> SimResult {
        type Request = sim::ResetSimulation::Request;
        let all = [Request::SCOPE_DEFAULT as u8, Request::SCOPE_STATE as u8, Request::SCOPE_ALL as u8];
        if !all.contains(&scope) {
            let error_message = format!("scope = {scope}; allowed: 0 (default), 2 (state), 255 (all); /clock never runs back");
            return SimResult { result: SimResult::RESULT_FEATURE_UNSUPPORTED as u8, error_message };
        }
        let playing = self.playing;
        let result = match self.reset(self.bridge.world().seed()) {
            Ok(()) => ok(),
            Err(why) => failed(&why),
        };
        if playing && self.mode == Mode::Lockstep {
            self.play();
        }
        result
    }

    fn set_entity(&mut self, request: &sim::SetEntityState::Request) -> SimResult {
        if self.open.as_ref().is_some_and(|o| !matches!(o.owner, Owner::Playing)) {
            let error_message = "a window is open".to_owned();
            return SimResult { result: SimResult::RESULT_INCORRECT_STATE as u8, error_message };
        }
        if request.set_acceleration {
            let error_message = "accelerations follow from forces and cannot be set".to_owned();
            return SimResult { result: SimResult::RESULT_FEATURE_UNSUPPORTED as u8, error_message };
        }
        let frame = &request.state.header.frame_id;
        if !frame.is_empty() && frame != troupe_ros::stamp::WORLD {
            return failed(&format!("frame_id = `{frame}`; allowed: world, or empty"));
        }
        let pose = request.set_pose.then(|| geometry::pose_from_wire(&request.state.pose));
        let twist = request.set_twist.then(|| geometry::twist_from_wire(&request.state.twist));
        match self.bridge.set_entity(&request.entity, pose.as_ref(), twist.as_ref()) {
            Ok(()) => {
                self.moved_by_hand();
                ok()
            }
            Err(error) => crate::ros::entities::refusal(&error),
        }
    }
}
