//! Topics and services of the bridge that belong to no single robot.

use troupe_ros::goals::ActionServer;
use troupe_ros::inbox::Inbox;
use troupe_ros::names::{self, simulation};
use troupe_ros::r2r::rosgraph_msgs::msg::Clock;
use troupe_ros::r2r::simulation_interfaces::action::SimulateSteps;
use troupe_ros::r2r::simulation_interfaces::srv as sim;
use troupe_ros::r2r::std_msgs::msg::Bool;
use troupe_ros::r2r::troupe_msgs::action::RunWindow;
use troupe_ros::r2r::troupe_msgs::msg::TeamState;
use troupe_ros::r2r::troupe_msgs::srv;
use troupe_ros::r2r::{Publisher, ServiceRequest};
use troupe_ros::{RosError, RosNode, qos};

type Requests<S> = Inbox<ServiceRequest<S>>;

/// What the bridge hears and says.
#[derive(Debug)]
pub struct Links {
    pub clock: Publisher<Clock>,
    pub team_state: Publisher<TeamState>,
    pub team_stop: Inbox<Bool>,
    pub run_window: ActionServer<RunWindow::Action>,
    pub capabilities: Requests<srv::WorldCapabilities::Service>,
    pub reset: Requests<srv::ResetWorld::Service>,
    pub place_payload: Requests<srv::PlacePayload::Service>,
    pub hoist_payload: Requests<srv::HoistPayload::Service>,
    pub save: Requests<srv::SaveCheckpoint::Service>,
    pub restore: Requests<srv::RestoreCheckpoint::Service>,
    pub simulation: Simulation,
}

/// The standard services.
#[derive(Debug)]
pub struct Simulation {
    pub steps: ActionServer<SimulateSteps::Action>,
    pub features: Requests<sim::GetSimulatorFeatures::Service>,
    pub get_state: Requests<sim::GetSimulationState::Service>,
    pub set_state: Requests<sim::SetSimulationState::Service>,
    pub reset: Requests<sim::ResetSimulation::Service>,
    pub step: Requests<sim::StepSimulation::Service>,
    pub entities: Requests<sim::GetEntities::Service>,
    pub entity: Requests<sim::GetEntityState::Service>,
    pub set_entity: Requests<sim::SetEntityState::Service>,
}

impl Links {
    /// Opens all of them.
    pub fn open(node: &mut RosNode) -> Result<Self, RosError> {
        Ok(Self {
            clock: node.publish(names::CLOCK, qos::CLOCK)?,
            team_state: node.publish(names::TEAM_STATE, qos::TEAM_STATE)?,
            team_stop: node.subscribe(names::TEAM_STOP, qos::LATCHED)?,
            run_window: ActionServer::open(node, names::WORLD_RUN_WINDOW)?,
            capabilities: node.serve(names::WORLD_CAPABILITIES)?,
            reset: node.serve(names::WORLD_RESET)?,
            place_payload: node.serve(names::WORLD_PLACE_PAYLOAD)?,
            hoist_payload: node.serve(names::WORLD_HOIST_PAYLOAD)?,
            save: node.serve(names::CHECKPOINT_SAVE)?,
            restore: node.serve(names::CHECKPOINT_RESTORE)?,
            simulation: Simulation::open(node)?,
        })
    }
}

impl Simulation {
    fn open(node: &mut RosNode) -> Result<Self, RosError> {
        Ok(Self {
            steps: ActionServer::open(node, &simulation("simulate_steps"))?,
            features: node.serve(&simulation("get_simulator_features"))?,
            get_state: node.serve(&simulation("get_simulation_state"))?,
            set_state: node.serve(&simulation("set_simulation_state"))?,
            reset: node.serve(&simulation("reset_simulation"))?,
            step: node.serve(&simulation("step_simulation"))?,
            entities: node.serve(&simulation("get_entities"))?,
            entity: node.serve(&simulation("get_entity_state"))?,
            set_entity: node.serve(&simulation("set_entity_state"))?,
        })
    }
}
