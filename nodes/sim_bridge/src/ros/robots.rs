//! The topics and controller services of one robot in the scene.

use std::time::Duration;
use troupe_core::device::LowCommand;
use troupe_ros::call::{CallError, Caller, Pending};
use troupe_ros::convert::low_command;
use troupe_ros::inbox::Inbox;
use troupe_ros::names::robot;
use troupe_ros::r2r::Publisher;
use troupe_ros::r2r::troupe_msgs::srv::{RestoreController, SaveController};
use troupe_ros::r2r::unitree_hg::msg::{LowCmd, LowState};
use troupe_ros::{RosError, RosNode, qos};

/// What links the bridge to one robot.
#[derive(Debug)]
pub struct Robot {
    /// Namespace.
    pub name: String,
    /// Device state out.
    pub low_state: Publisher<LowState>,
    low_cmd: Inbox<LowCmd>,
    save: Caller<SaveController::Service>,
    restore: Caller<RestoreController::Service>,
    /// Robot clock of the newest state that was answered, ms.
    pub answered_ms: Option<u32>,
    /// Commands dropped for crc, length or unsound numbers.
    pub dropped: u64,
    /// Why the last one was dropped.
    pub reason: String,
}

impl Robot {
    /// Opens topics and services under its namespace.
    pub fn open(node: &mut RosNode, name: &str) -> Result<Self, RosError> {
        Ok(Self {
            name: name.to_owned(),
            low_state: node.publish(&robot(name, "lowstate"), qos::DEVICE)?,
            low_cmd: node.subscribe(&robot(name, "lowcmd"), qos::DEVICE)?,
            save: node.caller(&robot(name, "controller/save"))?,
            restore: node.caller(&robot(name, "controller/restore"))?,
            answered_ms: None,
            dropped: 0,
            reason: String::new(),
        })
    }

    /// The next command that arrived whole.
    pub fn take(&mut self) -> Option<LowCommand> {
        while let Some(message) = self.low_cmd.take() {
            match low_command::from_wire(&message) {
                Ok(command) => return Some(command),
                Err(error) => self.drop_command(&error),
            }
        }
        None
    }

    /// Counts a command that is not used.
    pub fn drop_command(&mut self, reason: &dyn std::fmt::Display) {
        self.dropped += 1;
        self.reason = reason.to_string();
        // One line for the first; the count goes to /diagnostics.
        if self.dropped == 1 {
            tracing::warn!(robot = %self.name, reason = %self.reason, "command dropped");
        }
    }

    /// Asks for the controller's memory.
    pub fn ask_save(&self, limit: Duration) -> Ask {
        Ask::Save(self.save.start(SaveController::Request::default(), limit))
    }

    /// Gives the controller its memory back, or a fresh one.
    pub fn ask_restore(&self, context_epoch: u32, memory: Option<Vec<u8>>, resume: bool, limit: Duration) -> Ask {
        let request = RestoreController::Request {
            context_epoch,
            reinitialise: memory.is_none(),
            resume,
            state: memory.unwrap_or_default(),
        };
        Ask::Restore(self.restore.start(request, limit))
    }
}

/// A question to a robot's controller under way.
#[derive(Debug)]
pub enum Ask {
    Save(Pending<SaveController::Response>),
    Restore(Pending<RestoreController::Response>),
}

/// A controller's answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// As acknowledged.
    pub controller_epoch: u32,
    /// Of a save.
    pub memory: Vec<u8>,
}

impl Ask {
    /// The answer, why there is none, or nothing yet.
    pub fn poll(&mut self) -> Option<Result<Answer, String>> {
        let late = |e: CallError| e.to_string();
        match self {
            Self::Save(pending) => Some(pending.poll()?.map_err(late).and_then(|r| {
                if r.ok { Ok(Answer { controller_epoch: r.controller_epoch, memory: r.state }) } else { Err(r.error_msg) }
            })),
            Self::Restore(pending) => Some(pending.poll()?.map_err(late).and_then(|r| {
                let answer = Answer { controller_epoch: r.controller_epoch, memory: Vec::new() };
                if r.ok { Ok(answer) } else { Err(r.error_msg) }
            })),
        }
    }
}
