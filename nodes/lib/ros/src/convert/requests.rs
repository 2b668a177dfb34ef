//! Requests and answers of the verifier's services.

use super::{ConvertError, checkpoint, decision, evidence, skill, verdict};
use r2r::troupe_msgs::msg::Finding as FindingMessage;
use r2r::troupe_msgs::srv;
use troupe_core::team::{
    BeginRun, ConfirmRestore, EndpointResponse, Finding, Restored, ValidateRequest, ValidateResponse, VerifyRequest,
    VerifyResponse,
};

/// `verifier/begin_run`, request.
#[must_use]
pub fn begin_run_to_wire(request: &BeginRun) -> srv::BeginRun::Request {
    srv::BeginRun::Request {
        run_id: request.run_id.clone(),
        task_id: request.task_id.clone(),
        tick: request.tick,
    }
}

/// `verifier/begin_run`, request as sent.
#[must_use]
pub fn begin_run_from_wire(message: &srv::BeginRun::Request) -> BeginRun {
    BeginRun { run_id: message.run_id.clone(), task_id: message.task_id.clone(), tick: message.tick }
}

/// `verifier/validate`, request.
#[must_use]
pub fn validate_to_wire(request: &ValidateRequest) -> srv::Validate::Request {
    srv::Validate::Request {
        decision: decision::to_wire(&request.decision),
        policies: request.policies.iter().map(decision::policy_to_wire).collect(),
    }
}

/// `verifier/validate`, request as sent.
///
/// # Errors
/// [`ConvertError`].
pub fn validate_from_wire(message: &srv::Validate::Request) -> Result<ValidateRequest, ConvertError> {
    Ok(ValidateRequest {
        decision: decision::from_wire(&message.decision)?,
        policies: message.policies.iter().map(decision::policy_from_wire).collect(),
    })
}

/// `verifier/validate`, answer.
#[must_use]
pub fn validated_to_wire(response: &ValidateResponse) -> srv::Validate::Response {
    let finding = |f: &Finding| FindingMessage {
        code: f.code.clone(),
        robot: f.robot.clone(),
        message: f.message.clone(),
    };
    srv::Validate::Response {
        ok: response.ok,
        findings: response.findings.iter().map(finding).collect(),
        calls: response.calls.iter().map(skill::call_to_wire).collect(),
        fingerprint: response.fingerprint.clone(),
        error_msg: String::new(),
    }
}

/// `verifier/validate`, answer as sent.
///
/// # Errors
/// [`ConvertError`].
pub fn validated_from_wire(message: &srv::Validate::Response) -> Result<ValidateResponse, ConvertError> {
    let finding = |f: &FindingMessage| Finding {
        code: f.code.clone(),
        robot: f.robot.clone(),
        message: f.message.clone(),
    };
    Ok(ValidateResponse {
        ok: message.ok,
        findings: message.findings.iter().map(finding).collect(),
        calls: message.calls.iter().map(skill::call_from_wire).collect::<Result<_, _>>()?,
        fingerprint: message.fingerprint.clone(),
    })
}

/// `verifier/verify`, request.
#[must_use]
pub fn verify_to_wire(request: &VerifyRequest) -> srv::Verify::Request {
    srv::Verify::Request {
        transaction_id: request.transaction_id.clone(),
        decision: decision::to_wire(&request.decision),
        fingerprint: request.fingerprint.clone(),
        calls: request.calls.iter().map(skill::call_to_wire).collect(),
        start_tick: request.start_tick,
        closed_tick: request.closed_tick,
        robot_error_codes: request.robot_codes.iter().map(|c| *c as u16).collect(),
    }
}

/// `verifier/verify`, request as sent.
///
/// # Errors
/// [`ConvertError`].
pub fn verify_from_wire(message: &srv::Verify::Request) -> Result<VerifyRequest, ConvertError> {
    Ok(VerifyRequest {
        transaction_id: message.transaction_id.clone(),
        decision: decision::from_wire(&message.decision)?,
        fingerprint: message.fingerprint.clone(),
        calls: message.calls.iter().map(skill::call_from_wire).collect::<Result<_, _>>()?,
        start_tick: message.start_tick,
        closed_tick: message.closed_tick,
        robot_codes: message.robot_error_codes.iter().map(|c| skill::code_from_wire(*c)).collect::<Result<_, _>>()?,
    })
}

/// `verifier/verify`, answer.
#[must_use]
pub fn verified_to_wire(response: &VerifyResponse) -> srv::Verify::Response {
    srv::Verify::Response {
        evidence: evidence::to_wire(&response.evidence),
        verdict: verdict::to_wire(&response.verdict),
        drop: response.drop,
        checkpoint_id: response.checkpoint_id.clone(),
        error_msg: String::new(),
    }
}

/// `verifier/verify`, answer as sent.
///
/// # Errors
/// [`ConvertError`].
pub fn verified_from_wire(message: &srv::Verify::Response) -> Result<VerifyResponse, ConvertError> {
    Ok(VerifyResponse {
        evidence: evidence::from_wire(&message.evidence)?,
        verdict: verdict::from_wire(&message.verdict)?,
        drop: message.drop,
        checkpoint_id: message.checkpoint_id.clone(),
    })
}

/// `verifier/endpoint`, answer.
#[must_use]
pub fn endpoint_to_wire(response: &EndpointResponse) -> srv::Endpoint::Response {
    srv::Endpoint::Response {
        verdict: verdict::to_wire(&response.verdict),
        evidence: evidence::to_wire(&response.evidence),
        observe_s: response.observe_s,
        error_msg: String::new(),
    }
}

/// `verifier/endpoint`, answer as sent.
///
/// # Errors
/// [`ConvertError`].
pub fn endpoint_from_wire(message: &srv::Endpoint::Response) -> Result<EndpointResponse, ConvertError> {
    Ok(EndpointResponse {
        verdict: verdict::from_wire(&message.verdict)?,
        evidence: evidence::from_wire(&message.evidence)?,
        observe_s: message.observe_s,
    })
}

/// `verifier/confirm_restore`, request.
#[must_use]
pub fn confirm_to_wire(request: &ConfirmRestore) -> srv::ConfirmRestore::Request {
    srv::ConfirmRestore::Request {
        checkpoint_id: request.checkpoint_id.clone(),
        max_error: request.restored.max_error,
        context_epoch: request.restored.context_epoch,
        controller_epochs: request.restored.controller_epochs.clone(),
        closed_tick: request.closed_tick,
    }
}

/// `verifier/confirm_restore`, request as sent.
#[must_use]
pub fn confirm_from_wire(message: &srv::ConfirmRestore::Request) -> ConfirmRestore {
    ConfirmRestore {
        checkpoint_id: message.checkpoint_id.clone(),
        restored: Restored {
            max_error: message.max_error,
            context_epoch: message.context_epoch,
            controller_epochs: message.controller_epochs.clone(),
        },
        closed_tick: message.closed_tick,
    }
}

/// `checkpoint/save`, the checkpoint that it made; look at `ok` first.
#[must_use]
pub fn saved_from_wire(message: &srv::SaveCheckpoint::Response) -> troupe_core::team::CheckpointInfo {
    checkpoint::from_wire(&message.info)
}
