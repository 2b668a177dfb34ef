//! `verifier/confirm_recovery` and `team/recover`.

use super::{ConvertError, evidence, verdict};
use r2r::troupe_msgs::action::Recover;
use r2r::troupe_msgs::srv::ConfirmRecovery as Wire;
use troupe_core::recovery::{ConfirmRecovery, RecoveryKind, RecoveryReport, RecoveryRequest, RecoveryResponse};

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
    Ok(ConfirmRecovery {
        checkpoint_id: message.checkpoint_id.clone(),
        recovery_id: message.recovery_id.clone(),
        kind: kind(&message.kind)?,
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

/// A goal of `team/recover` as sent; an empty kind leaves the choice to the verifier's predicates.
///
/// # Errors
/// [`ConvertError::Name`].
pub fn request_from_wire(message: &Recover::Goal) -> Result<RecoveryRequest, ConvertError> {
    let kind = if message.kind.is_empty() { None } else { Some(kind(&message.kind)?) };
    Ok(RecoveryRequest { kind, context_epoch: message.context_epoch })
}

/// The result of `team/recover`.
#[must_use]
pub fn report_to_wire(report: &RecoveryReport) -> Recover::Result {
    Recover::Result {
        error_code: report.code as u16,
        error_msg: report.message.clone(),
        recovery_id: report.recovery_id.clone(),
        kinds: report.kinds.iter().map(|k| k.name().to_owned()).collect(),
        verdict: report.verdict.as_ref().map(verdict::to_wire).unwrap_or_default(),
        checkpoint_id: report.checkpoint_id.clone(),
        operator_interventions: report.operator_interventions,
        sim_time: report.sim_s,
    }
}

fn kind(name: &str) -> Result<RecoveryKind, ConvertError> {
    RecoveryKind::from_name(name).ok_or_else(|| ConvertError::Name {
        field: "kind",
        given: name.to_owned(),
        allowed: RecoveryKind::ALL.map(RecoveryKind::name).join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use troupe_core::recovery::RecoveryCode;

    #[test]
    fn codes_are_those_of_the_file() {
        let pairs = [
            (RecoveryCode::None, Recover::Result::NONE as u64),
            (RecoveryCode::InvalidKind, Recover::Result::INVALID_KIND as u64),
            (RecoveryCode::Stale, Recover::Result::STALE as u64),
            (RecoveryCode::Busy, Recover::Result::BUSY as u64),
            (RecoveryCode::NoRun, Recover::Result::NO_RUN as u64),
            (RecoveryCode::NotTrusted, Recover::Result::NOT_TRUSTED as u64),
            (RecoveryCode::Stopped, Recover::Result::STOPPED as u64),
            (RecoveryCode::Canceled, Recover::Result::CANCELED as u64),
            (RecoveryCode::Operator, Recover::Result::OPERATOR as u64),
            (RecoveryCode::Restores, Recover::Result::RESTORES as u64),
            (RecoveryCode::Failed, Recover::Result::FAILED as u64),
        ];
        for (code, wire) in pairs {
            let report = report_to_wire(&RecoveryReport::without(code, "why"));
            assert_eq!(u64::from(report.error_code), wire);
        }
    }

    #[test]
    fn a_kind_is_a_name_or_left_open() {
        let goal = |kind: &str| request_from_wire(&Recover::Goal { kind: kind.to_owned(), context_epoch: 3 });
        assert_eq!(goal("").unwrap(), RecoveryRequest { kind: None, context_epoch: 3 });
        assert_eq!(goal("back_off").unwrap().kind, Some(RecoveryKind::BackOff));
        assert!(goal("fly").unwrap_err().to_string().contains("regrip"));
    }
}
