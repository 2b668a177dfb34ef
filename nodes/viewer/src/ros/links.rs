//! Every topic that the viewer listens to.

use troupe_ros::inbox::Inbox;
use troupe_ros::names::{self, robot};
use troupe_ros::r2r::diagnostic_msgs::msg::DiagnosticArray;
use troupe_ros::r2r::sensor_msgs::msg::{CompressedImage, JointState};
use troupe_ros::r2r::std_msgs::msg::{Bool, String as Text};
use troupe_ros::r2r::troupe_msgs::msg::{BudgetState, CheckpointInfo, Decision, Evidence, TeamState, Verdict};
use troupe_ros::{RosError, RosNode, qos};

/// What the node hears.
#[derive(Debug)]
pub struct Links {
    pub state: Inbox<TeamState>,
    pub joints: Vec<(String, Inbox<JointState>)>,
    pub images: Vec<(String, Inbox<CompressedImage>)>,
    pub decision: Inbox<Decision>,
    pub verdict: Inbox<Verdict>,
    pub evidence: Inbox<Evidence>,
    pub checkpoint: Inbox<CheckpointInfo>,
    pub budget: Inbox<BudgetState>,
    pub text: Inbox<Text>,
    pub stop: Inbox<Bool>,
    pub diagnostics: Inbox<DiagnosticArray>,
}

impl Links {
    /// Opens all of them. Readers of what comes often acknowledge nothing, so that no writer ever waits for the viewer
    /// or sends to it again, even when it stands still. What it misses shows as a gap in the ticks.
    pub fn open(node: &mut RosNode, robots: &[String], cameras: &[String]) -> Result<Self, RosError> {
        let mut joints = Vec::new();
        for name in robots {
            joints.push((name.clone(), node.subscribe(&robot(name, "joint_states"), qos::STREAM.unacknowledged())?));
        }
        let mut images = Vec::new();
        for name in cameras {
            let topic = format!("{}/compressed", names::camera(name));
            images.push((name.clone(), node.subscribe(&topic, qos::PICTURE)?));
        }
        Ok(Self {
            state: node.subscribe(names::TEAM_STATE, qos::TEAM_STATE_STREAM.unacknowledged())?,
            joints,
            images,
            decision: node.subscribe(names::TEAM_DECISION, qos::LATCHED)?,
            verdict: node.subscribe(names::TEAM_VERDICT, qos::LATCHED)?,
            evidence: node.subscribe(names::TEAM_EVIDENCE, qos::LATCHED)?,
            checkpoint: node.subscribe(names::TEAM_CHECKPOINT, qos::LATCHED)?,
            budget: node.subscribe(names::TEAM_BUDGET, qos::LATCHED)?,
            text: node.subscribe(names::TEAM_TEXT, qos::STREAM)?,
            stop: node.subscribe(names::TEAM_STOP, qos::LATCHED)?,
            diagnostics: node.subscribe(names::DIAGNOSTICS, qos::DIAGNOSTICS.unacknowledged())?,
        })
    }
}
