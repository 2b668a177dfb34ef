//! `troupe_msgs/CheckpointInfo`, and what a restore answers.

use r2r::troupe_msgs::msg;
use r2r::troupe_msgs::srv::RestoreCheckpoint;
use troupe_core::team::{CheckpointInfo, Restored};

/// A message.
#[must_use]
pub fn to_wire(info: &CheckpointInfo) -> msg::CheckpointInfo {
    msg::CheckpointInfo {
        id: info.id.clone(),
        parent: info.parent.clone(),
        trusted: info.trusted,
        digest: info.digest.clone(),
        tick: info.tick,
        context_epoch: info.context_epoch,
        created_by: info.created_by.clone(),
    }
}

/// A checkpoint as sent.
#[must_use]
pub fn from_wire(message: &msg::CheckpointInfo) -> CheckpointInfo {
    CheckpointInfo {
        id: message.id.clone(),
        parent: message.parent.clone(),
        trusted: message.trusted,
        digest: message.digest.clone(),
        tick: message.tick,
        context_epoch: message.context_epoch,
        created_by: message.created_by.clone(),
    }
}

/// The answer to a restore that worked.
#[must_use]
pub fn restored_to_wire(restored: &Restored) -> RestoreCheckpoint::Response {
    RestoreCheckpoint::Response {
        ok: true,
        max_error: restored.max_error,
        context_epoch: restored.context_epoch,
        controller_epochs: restored.controller_epochs.clone(),
        error_msg: String::new(),
    }
}

/// A restore as answered; look at `ok` first.
#[must_use]
pub fn restored_from_wire(message: &RestoreCheckpoint::Response) -> Restored {
    Restored {
        max_error: message.max_error,
        context_epoch: message.context_epoch,
        controller_epochs: message.controller_epochs.clone(),
    }
}
