//! Promotion needs agreement of claim, executed behaviour and verdict (CE-095).

use super::lint::{LintError, lint};
use super::strategy::{Polarity, StrategyRecord};
use super::{Exemplar, PhaseClass};
use serde::{Deserialize, Serialize};
use troupe_core::decision::{Decision, PolicyCode};
use troupe_core::evidence::{Evidence, Outcome, Verdict};
use troupe_core::identity::IdentityError;
use troupe_core::skill::SkillCall;

/// What an experience writer claims (CE-R6).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// kappa, d and m of the transaction it speaks of, as the writer saw them.
    pub kind: troupe_core::decision::Kind,
    /// d.
    pub objective: troupe_core::decision::Objective,
    /// m.
    pub mode: troupe_core::decision::Mode,
    /// Whether it worked.
    pub polarity: Polarity,
    /// Name of the predicate that changed.
    pub effect: String,
    /// When it applies.
    pub applicability: String,
    /// How the robots coordinate.
    pub principle: String,
    /// What goes wrong.
    pub failure_pattern: String,
    /// What mends it.
    pub repair: String,
}

/// A transaction that was executed and judged.
#[derive(Clone, Copy, Debug)]
pub struct Executed<'a> {
    /// Its decision.
    pub decision: &'a Decision,
    /// Its code.
    pub policies: &'a [PolicyCode],
    /// Its effective calls.
    pub calls: &'a [SkillCall],
    /// What was measured.
    pub evidence: &'a Evidence,
    /// The judgement.
    pub verdict: &'a Verdict,
    /// Where it was.
    pub phase: PhaseClass,
    /// Layout.
    pub layout: &'a str,
    /// Failure of the transaction before it at the same checkpoint, which it may have repaired.
    pub repaired: Option<&'a Evidence>,
}

/// Why a claim is not promoted.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The claim speaks of something else than what was done.
    #[error("{field}: `{claimed}` was not executed; allowed: `{executed}`")]
    Disagrees {
        /// Field.
        field: &'static str,
        /// Claimed.
        claimed: String,
        /// Executed.
        executed: String,
    },
    /// The claimed effect did not happen.
    #[error("effect: `{0}` did not change that way; allowed: {1}")]
    Effect(String, String),
    /// Not judged accepted or rejected.
    #[error("verdict: the transaction was neither accepted nor rejected")]
    Unjudged,
    /// The text holds numbers of the scene.
    #[error(transparent)]
    Lint(#[from] LintError),
    /// The record has no identity.
    #[error(transparent)]
    Identity(#[from] IdentityError),
}

/// A record from a claim that agrees with what was executed; an exemplar as well when it was accepted.
///
/// # Errors
/// [`Refused`].
pub fn promote(claim: &Claim, executed: &Executed<'_>) -> Result<(StrategyRecord, Option<Exemplar>), Refused> {
    let d = executed.decision;
    let differs = |field, claimed: &str, executed: &str| {
        if claimed == executed {
            return Ok(());
        }
        Err(Refused::Disagrees { field, claimed: claimed.to_owned(), executed: executed.to_owned() })
    };
    differs("kind", claim.kind.name(), d.kind.name())?;
    differs("objective", claim.objective.name(), d.objective.name())?;
    differs("mode", claim.mode.name(), d.mode.name())?;
    let (polarity, effects) = effects(executed)?;
    differs("polarity", claim.polarity.name(), polarity.name())?;
    if !effects.contains(&claim.effect.as_str()) {
        return Err(Refused::Effect(claim.effect.chars().take(60).collect(), effects.join(", ")));
    }
    let failure = if polarity == Polarity::Positive { executed.repaired } else { Some(executed.evidence) };
    let record = StrategyRecord {
        id: String::new(),
        polarity,
        phase: executed.phase,
        layout: executed.layout.to_owned(),
        kind: d.kind,
        objective: d.objective,
        mode: d.mode,
        failure_type: failure.and_then(|e| e.failure_type),
        failure_level: failure.and_then(|e| e.failure_level),
        applicability: claim.applicability.clone(),
        principle: claim.principle.clone(),
        failure_pattern: claim.failure_pattern.clone(),
        repair: claim.repair.clone(),
        n_accept: u32::from(polarity == Polarity::Positive),
        n_reject: u32::from(polarity == Polarity::Counterexample),
        created: 0,
    };
    record.texts().into_iter().try_for_each(|(field, text)| lint(field, text))?;
    let exemplar = match polarity {
        Polarity::Positive => Some(exemplar(executed)?),
        Polarity::Counterexample => None,
    };
    Ok((record.identified()?, exemplar))
}

/// The exemplar of an accepted transaction.
///
/// # Errors
/// When a number in it is not finite.
pub fn exemplar(executed: &Executed<'_>) -> Result<Exemplar, IdentityError> {
    let d = executed.decision;
    Exemplar {
        id: String::new(),
        kind: d.kind,
        objective: d.objective,
        mode: d.mode,
        phase: executed.phase,
        roles: d.roles.clone(),
        sources: executed.policies.iter().map(|p| p.source.clone()).collect(),
        calls: executed.calls.to_vec(),
        n_accept: 1,
        n_reject: 0,
        created: 0,
    }
    .identified()
}

/// What a claim may name: for an accepted transaction what it achieved or repaired, for a rejected one
/// what failed.
fn effects<'a>(executed: &Executed<'a>) -> Result<(Polarity, Vec<&'a str>), Refused> {
    let names = |passed: bool| executed.evidence.predicates.iter().filter(move |p| p.passed == passed).map(|p| p.name.as_str());
    match executed.verdict.outcome {
        Outcome::Accepted => {
            let repaired: Vec<&str> =
                executed.repaired.iter().flat_map(|e| &e.predicates).filter(|p| !p.passed).map(|p| p.name.as_str()).collect();
            let achieved = names(true).filter(|n| repaired.contains(n) || crate::predicate::is_achievement(n));
            Ok((Polarity::Positive, achieved.collect()))
        }
        Outcome::Rejected => Ok((Polarity::Counterexample, names(false).collect())),
        Outcome::Unresolved | Outcome::InvalidInfra => Err(Refused::Unjudged),
    }
}
