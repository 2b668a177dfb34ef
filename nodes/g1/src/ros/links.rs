//! Every topic and service of the node.

use troupe_ros::inbox::Inbox;
use troupe_ros::names::{self, robot};
use troupe_ros::r2r::sensor_msgs::msg::JointState;
use troupe_ros::r2r::std_msgs::msg::{Bool, Header, String as Text};
use troupe_ros::r2r::std_srvs::srv::{SetBool, Trigger};
use troupe_ros::r2r::tf2_msgs::msg::TFMessage;
use troupe_ros::r2r::troupe_msgs::msg::TeamState;
use troupe_ros::r2r::troupe_msgs::srv::{RestoreController, SaveController};
use troupe_ros::r2r::unitree_api::msg::{Request, Response};
use troupe_ros::r2r::unitree_hg::msg::{LowCmd, LowState};
use troupe_ros::r2r::{Publisher, ServiceRequest};
use troupe_ros::{RosError, RosNode, qos};

/// What the node hears and says.
#[derive(Debug)]
pub struct Links {
    pub low_state: Inbox<LowState>,
    pub team_state: Inbox<TeamState>,
    pub team_stop: Inbox<Bool>,
    pub heartbeat: Inbox<Header>,
    pub api: Inbox<Request>,
    pub save: Inbox<ServiceRequest<SaveController::Service>>,
    pub restore: Inbox<ServiceRequest<RestoreController::Service>>,
    pub enable: Inbox<ServiceRequest<SetBool::Service>>,
    pub clear_stop: Inbox<ServiceRequest<Trigger::Service>>,
    pub low_cmd: Publisher<LowCmd>,
    pub api_response: Publisher<Response>,
    pub joint_states: Publisher<JointState>,
    pub tf: Publisher<TFMessage>,
    pub description: Publisher<Text>,
}

impl Links {
    /// Opens all of them under the robot's namespace.
    pub fn open(node: &mut RosNode, name: &str) -> Result<Self, RosError> {
        let own = |leaf: &str| robot(name, leaf);
        Ok(Self {
            low_state: node.subscribe(&own("lowstate"), qos::DEVICE)?,
            team_state: node.subscribe(names::TEAM_STATE, qos::TEAM_STATE)?,
            team_stop: node.subscribe(names::TEAM_STOP, qos::LATCHED)?,
            heartbeat: node.subscribe(names::TEAM_HEARTBEAT, qos::HEARTBEAT)?,
            api: node.subscribe(&own("api/sport/request"), qos::API)?,
            save: node.serve(&own("controller/save"))?,
            restore: node.serve(&own("controller/restore"))?,
            enable: node.serve(&own("enable"))?,
            clear_stop: node.serve(&own("clear_stop"))?,
            low_cmd: node.publish(&own("lowcmd"), qos::DEVICE)?,
            api_response: node.publish(&own("api/sport/response"), qos::API)?,
            joint_states: node.publish(&own("joint_states"), qos::STREAM)?,
            tf: node.publish(names::TF, qos::STREAM)?,
            description: node.publish(&own("robot_description"), qos::LATCHED)?,
        })
    }
}
