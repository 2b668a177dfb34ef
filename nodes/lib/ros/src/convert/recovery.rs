//! `verifier/confirm_recovery`.

use super::{ConvertError, evidence, verdict};
use r2r::troupe_msgs::srv::ConfirmRecovery as Wire;
use troupe_core::recovery::{ConfirmRecovery, RecoveryKind, RecoveryResponse};

/// A request.
#[must_use]
pub fn to_wire(request: &ConfirmRecovery) -> Wire::Request {
    Wire::Request {
        checkpoint_id: request.checkpoint_id.clone(),
        recovery_id: request.recovery_id.clone(),
        kind: request.kind.name().to_owned(),
        closed_tick: request.closed_tick,
    }
}

/// A request as sent.
///
/// # Errors
/// [`ConvertError::Name`].
pub fn from_wire(message: &Wire::Request) -> Result<ConfirmRecovery, ConvertError> {
    let kind = RecoveryKind::from_name(&message.kind).ok_or_else(|| ConvertError::Name {
        field: "kind",
        given: message.kind.clone(),
        allowed: RecoveryKind::ALL.map(RecoveryKind::name).join(", "),
    })?;
    Ok(ConfirmRecovery {
        checkpoint_id: message.checkpoint_id.clone(),
        recovery_id: message.recovery_id.clone(),
        kind,
        closed_tick: message.closed_tick,
    })
}

/// An answer.
#[must_use]
pub fn response_to_wire(response: &RecoveryResponse) -> Wire::Response {
    Wire::Response {
        verdict: verdict::to_wire(&response.verdict),
        evidence: evidence::to_wire(&response.evidence),
        checkpoint_id: response.checkpoint_id.clone(),
        carrying: response.carrying,
        error_msg: String::new(),
    }
}

/// An answer as sent; look at `error_msg` first.
///
/// # Errors
/// [`ConvertError`].
pub fn response_from_wire(message: &Wire::Response) -> Result<RecoveryResponse, ConvertError> {
    Ok(RecoveryResponse {
        verdict: verdict::from_wire(&message.verdict)?,
        evidence: evidence::from_wire(&message.evidence)?,
        checkpoint_id: message.checkpoint_id.clone(),
        carrying: message.carrying,
    })
}
