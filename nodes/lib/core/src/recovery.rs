//! Getting on after a rejected transaction by moving, not by bringing a stored state back (CE-150).

use crate::evidence::{Evidence, Verdict};
use serde::{Deserialize, Serialize};

/// One way back to a state that may be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecoveryKind {
    /// Stand and go on from here.
    Hold,
    /// Undo the last motion.
    BackOff,
    /// Walk into formation and back to the poses of the trusted checkpoint.
    Home,
    /// Lower the payload onto what is under it.
    Lower,
    /// Raise the arms into the support posture again.
    Regrip,
    /// An operator picks the payload up, the robots walk home, the operator lays it on again.
    Relay,
}

impl RecoveryKind {
    /// Every kind, the least intrusive first.
    pub const ALL: [Self; 6] = [Self::Hold, Self::BackOff, Self::Home, Self::Lower, Self::Regrip, Self::Relay];

    /// Name as in messages and ledgers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hold => "hold",
            Self::BackOff => "back_off",
            Self::Home => "home",
            Self::Lower => "lower",
            Self::Regrip => "regrip",
            Self::Relay => "relay",
        }
    }

    /// The kind of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.name() == name)
    }
}

/// `verifier/confirm_recovery`, request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmRecovery {
    /// Trusted checkpoint that the team left.
    pub checkpoint_id: String,
    /// Name of this recovery, unique in the run; subject of the verdict.
    pub recovery_id: String,
    /// Relay or regrip when the arms were raised in this recovery, else what was done last.
    pub kind: RecoveryKind,
    /// Tick on which the settling window closed.
    pub closed_tick: u64,
}

/// `verifier/confirm_recovery`, answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecoveryResponse {
    /// Judgement.
    pub verdict: Verdict,
    /// What it rests on; its failed predicates choose the next kind.
    pub evidence: Evidence,
    /// New trusted checkpoint on acceptance, else the old one. Nothing is stored under it.
    pub checkpoint_id: String,
    /// The robots carry the payload again: the stage of placing begins anew.
    pub carrying: bool,
}

/// `team/recover`, goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoveryRequest {
    /// The one way to be tried; as the verifier's predicates ask when absent.
    pub kind: Option<RecoveryKind>,
    /// Epoch that the asker has seen.
    pub context_epoch: u32,
}

/// How a recovery that was asked for ended; numbers as in `Recover.action`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u16)]
pub enum RecoveryCode {
    /// The verifier trusts the team.
    #[default]
    None = 0,
    /// No such kind.
    InvalidKind = 140,
    /// Asked for an epoch that is over.
    Stale = 141,
    /// Another recovery is under way.
    Busy = 142,
    /// No run is under way.
    NoRun = 143,
    /// The verifier trusts nothing that was reached.
    NotTrusted = 144,
    /// The team was stopped.
    Stopped = 145,
    /// Whoever asked changed their mind.
    Canceled = 146,
    /// An operator has to act, and none can be asked.
    Operator = 147,
    /// This run brings stored states back.
    Restores = 148,
    /// A node did not answer.
    Failed = 149,
}

/// `team/recover`, result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecoveryReport {
    /// How it ended.
    pub code: RecoveryCode,
    /// In words; empty when all is well.
    pub message: String,
    /// Name in ledger and verdict.
    pub recovery_id: String,
    /// What was tried, in order.
    pub kinds: Vec<RecoveryKind>,
    /// The last judgement.
    pub verdict: Option<Verdict>,
    /// Trusted checkpoint that is now in force.
    pub checkpoint_id: String,
    /// Times that an operator was asked for.
    pub operator_interventions: u32,
    /// It took, simulated s.
    pub sim_s: f64,
}

impl RecoveryReport {
    /// A recovery that did not begin, or not end.
    #[must_use]
    pub fn without(code: RecoveryCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_serde_agrees() {
        for kind in RecoveryKind::ALL {
            assert_eq!(RecoveryKind::from_name(kind.name()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
        assert_eq!(RecoveryKind::from_name("fly"), None);
    }
}
