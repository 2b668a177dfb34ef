//! States of a run and the only edges between them (CE-058), with repair bounds (CE-056).
//!
//! With typed revision a restored run goes on with an approved child; without, with a new decision.

use crate::method::Revision;
use crate::terminal::{Label, winner};
use serde::{Deserialize, Serialize};
use troupe_core::budget::Budget;
use troupe_core::task::{RepairLimits, Task};

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum State {
    /// Before the first trusted checkpoint.
    Init,
    /// Reading the team's state.
    Observe,
    /// Updating the plan.
    Plan,
    /// Looking up strategy records by phase and failure.
    RetrieveD,
    /// Asking for a decision.
    Orchestrate,
    /// Looking up exemplars by the decision's kappa, d and m.
    RetrieveA,
    /// Asking for policies.
    Code,
    /// Checking before dispatch.
    Validate,
    /// Sending goals.
    Dispatch,
    /// Robots move and come to rest.
    Settle,
    /// Judging.
    Verify,
    /// Accepted; checkpoint taken.
    Accept,
    /// Rejected or not judged; evidence frozen.
    Reject,
    /// Going back to the trusted checkpoint.
    Restore,
    /// Asking for a typed revision of what was rejected.
    Revise,
    /// Over.
    Terminal(Label),
}

/// What happened in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// The first trusted checkpoint exists.
    Started,
    /// An observation was taken.
    Observed,
    /// The plan is up to date.
    Planned,
    /// Experience was looked up.
    Retrieved,
    /// A decision was made.
    Decided,
    /// Policies were written.
    Coded,
    /// A role gave no answer at all within its attempts.
    RoleFailed,
    /// A role answered, and none of its attempts passed the checks.
    RoleRefused,
    /// May be dispatched.
    Valid,
    /// Refused before dispatch.
    Refused,
    /// Refused before dispatch, and an approved child leaves nothing to write differently.
    ChildRefused,
    /// All robots took their goals; charged.
    Dispatched,
    /// The window closed.
    Settled,
    /// Verdict: accepted.
    Accepted,
    /// Verdict: rejected, unresolved or invalid.
    Rejected,
    /// The endpoint holds.
    EndpointMet,
    /// The endpoint does not hold yet.
    EndpointOpen,
    /// Evidence is frozen.
    Frozen,
    /// Restored and confirmed.
    Restored,
    /// The restoration failed or was not confirmed.
    RestoreFailed,
    /// A child was approved.
    Revised,
    /// Nobody's decision is to blame; the next one is free.
    NothingToRevise,
    /// An authorised person or the stop signal ended the run.
    Stopped,
    /// Something outside the decisions failed.
    InfrastructureFailed,
}

impl Event {
    /// Every event.
    pub const ALL: [Self; 24] = [
        Self::Started,
        Self::Observed,
        Self::Planned,
        Self::Retrieved,
        Self::Decided,
        Self::Coded,
        Self::RoleFailed,
        Self::RoleRefused,
        Self::Valid,
        Self::Refused,
        Self::ChildRefused,
        Self::Dispatched,
        Self::Settled,
        Self::Accepted,
        Self::Rejected,
        Self::EndpointMet,
        Self::EndpointOpen,
        Self::Frozen,
        Self::Restored,
        Self::RestoreFailed,
        Self::Revised,
        Self::NothingToRevise,
        Self::Stopped,
        Self::InfrastructureFailed,
    ];
}

/// An event that has no edge in the current state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {event:?} has no edge from state {state:?}")]
pub struct NoEdge {
    /// State, which stays.
    pub state: State,
    /// Event.
    pub event: Event,
}

/// A run's state with the counters of CE-056.
#[derive(Clone, Debug)]
pub struct Machine {
    state: State,
    repair: RepairLimits,
    drop_limit: u32,
    revision: Revision,
    /// Policies refused for the current decision.
    code_attempts: u32,
    /// Refused answers in a row, of whatever role.
    refusals: u32,
    /// Rejections in a row at the current checkpoint.
    rejections: u32,
    /// Failed restorations in a row.
    restore_failures: u32,
}

impl Machine {
    /// A run of `task`, not yet started.
    #[must_use]
    pub fn new(task: &Task, revision: Revision) -> Self {
        Self {
            state: State::Init,
            repair: task.repair,
            drop_limit: task.drop_limit,
            revision,
            code_attempts: 0,
            refusals: 0,
            rejections: 0,
            restore_failures: 0,
        }
    }

    /// Current state.
    #[must_use]
    pub fn state(&self) -> State {
        self.state
    }

    /// The label, once the run is over.
    #[must_use]
    pub fn label(&self) -> Option<Label> {
        match self.state {
            State::Terminal(label) => Some(label),
            _ => None,
        }
    }

    /// Takes the edge of `event`; `budget` is the account after the event.
    ///
    /// # Errors
    /// [`NoEdge`]; the state then stays.
    pub fn step(&mut self, event: Event, budget: &Budget) -> Result<State, NoEdge> {
        let next = match (self.state, event) {
            (State::Terminal(_), _) => return Err(NoEdge { state: self.state, event }),
            (_, Event::Stopped) => State::Terminal(Label::C),
            (_, Event::InfrastructureFailed) => State::Terminal(Label::I),
            (State::Init, Event::Started) => State::Observe,
            (State::Observe, Event::Observed) => State::Plan,
            (State::Plan, Event::Planned) => State::RetrieveD,
            (State::RetrieveD, Event::Retrieved) => State::Orchestrate,
            (State::Orchestrate, Event::Decided) => {
                self.code_attempts = 0;
                State::RetrieveA
            }
            (State::RetrieveA, Event::Retrieved) => State::Code,
            (State::Code, Event::Coded) => State::Validate,
            (State::Plan | State::Orchestrate | State::Code | State::Revise, Event::RoleFailed) => State::Terminal(Label::G),
            // One more call for who plans or decides; a reviser without a legal revision leaves the decision free.
            (State::Plan, Event::RoleRefused) => self.refused(self.repair.attempts_per_call, State::Plan),
            (State::Orchestrate | State::Revise, Event::RoleRefused) => {
                self.refused(self.repair.attempts_per_call, State::RetrieveD)
            }
            (State::Validate, Event::Valid) => {
                self.refusals = 0;
                State::Dispatch
            }
            (State::Validate, Event::Refused) => {
                self.code_attempts += 1;
                let again = if self.code_attempts >= self.repair.attempts_per_call { State::Orchestrate } else { State::Code };
                self.refused(1, again)
            }
            (State::Validate, Event::ChildRefused) => self.refused(1, State::Revise),
            (State::Dispatch, Event::Dispatched) => State::Settle,
            (State::Settle, Event::Settled) => State::Verify,
            (State::Verify, Event::Accepted) => {
                self.rejections = 0;
                State::Accept
            }
            (State::Verify, Event::Rejected) => {
                self.rejections += 1;
                State::Reject
            }
            (State::Accept, Event::EndpointMet) => State::Terminal(Label::S),
            (State::Accept, Event::EndpointOpen) => self.ended(budget).map_or(State::Observe, State::Terminal),
            (State::Reject, Event::Frozen) => self.ended(budget).map_or(State::Restore, State::Terminal),
            (State::Restore, Event::Restored) => {
                self.restore_failures = 0;
                match self.revision {
                    Revision::Typed => State::Revise,
                    Revision::Flat => State::RetrieveD,
                }
            }
            (State::Revise, Event::Revised) => State::Orchestrate,
            (State::Revise, Event::NothingToRevise) => State::RetrieveD,
            (State::Restore, Event::RestoreFailed) => {
                self.restore_failures += 1;
                if self.restore_failures >= 2 { State::Terminal(Label::I) } else { State::Restore }
            }
            (state, event) => return Err(NoEdge { state, event }),
        };
        self.state = next;
        Ok(next)
    }

    /// Counts refused answers (CE-056): `next`, or the end once there were too many in a row.
    fn refused(&mut self, answers: u32, next: State) -> State {
        self.refusals += answers;
        if self.refusals > self.repair.refusals { State::Terminal(Label::G) } else { next }
    }

    /// The checks after every dispatch.
    fn ended(&self, budget: &Budget) -> Option<Label> {
        let mut labels = Vec::new();
        if budget.drops >= self.drop_limit {
            labels.push(Label::D);
        }
        if budget.transactions >= budget.limit {
            labels.push(Label::B);
        }
        if self.rejections > self.repair.rejections_at_checkpoint {
            labels.push(Label::G);
        }
        winner(&labels)
    }
}

#[cfg(test)]
mod tests;
