//! `troupe_msgs/Verdict`.

use super::{ConvertError, named};
use r2r::troupe_msgs::msg;
use troupe_core::evidence::{Outcome, Verdict, VerdictKind};

/// A message.
#[must_use]
pub fn to_wire(verdict: &Verdict) -> msg::Verdict {
    msg::Verdict {
        id: verdict.id.clone(),
        subject: verdict.subject.clone(),
        outcome: verdict.outcome as u8,
        kind: verdict.kind.name().to_owned(),
        reasons: verdict.reasons.clone(),
        milestones: verdict.milestones.clone(),
    }
}

/// A verdict as sent.
///
/// # Errors
/// [`ConvertError`].
pub fn from_wire(message: &msg::Verdict) -> Result<Verdict, ConvertError> {
    let outcome = [Outcome::Accepted, Outcome::Rejected, Outcome::Unresolved, Outcome::InvalidInfra]
        .into_iter()
        .find(|o| *o as u8 == message.outcome)
        .ok_or(ConvertError::Code { field: "outcome", given: u64::from(message.outcome), allowed: "0 to 3" })?;
    Ok(Verdict {
        id: message.id.clone(),
        subject: message.subject.clone(),
        outcome,
        kind: named!(VerdictKind, "kind", message.kind.as_str())?,
        reasons: message.reasons.clone(),
        milestones: message.milestones.clone(),
    })
}
