//! The loop: walks the states of a run and does in each what it asks for (CE-058).

mod evaluate;
mod execute;
mod foresee;
mod journal;
mod prepare;
mod propose;
mod remember;
mod requested;
mod recover;
mod restore;
mod retrieve;
mod revise;
mod session;
mod validate;
#[cfg(test)]
mod double;
#[cfg(test)]
mod requirements;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod traps;

pub use journal::Journal;
pub use session::Hooks;

use crate::model::LanguageModel;
use crate::ports::{Team, TeamError};
use crate::setup::Setup;
use session::Session;
use troupe_coordination::plan::PlanError;
use troupe_coordination::run_state::{Event, NoEdge, State};
use troupe_coordination::terminal::Label;
use troupe_core::budget::Budget;
use troupe_core::identity::IdentityError;
use troupe_core::ledger::LedgerError;

/// Why a run could not even end with a label.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The ledger cannot be written; without it nothing may move.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A record cannot be written as JSON.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// The route makes no plan.
    #[error("plan: {0}")]
    Plan(#[from] PlanError),
    /// Experience cannot be kept.
    #[error(transparent)]
    Experience(#[from] crate::experience::ExperienceError),
    /// The states of the run do not fit together.
    #[error(transparent)]
    NoEdge(#[from] NoEdge),
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// The one label (CE-100).
    pub label: Label,
    /// What set it, in words.
    pub reason: String,
    /// Counters.
    pub budget: Budget,
    /// Certified milestones.
    pub milestones: Vec<String>,
}

/// Why a step gave no event.
#[derive(Debug)]
enum Halt {
    Team(TeamError),
    Fatal(RunError),
}

impl From<TeamError> for Halt {
    fn from(error: TeamError) -> Self {
        Self::Team(error)
    }
}

impl<E: Into<RunError>> From<E> for Halt {
    fn from(error: E) -> Self {
        Self::Fatal(error.into())
    }
}

/// Runs one episode to its label. Every event is in the journal before the next step begins.
///
/// # Errors
/// [`RunError`]; failures of team and models are labels, not errors.
pub fn run<'a>(
    team: &'a mut dyn Team,
    model: &'a mut dyn LanguageModel,
    setup: &'a Setup,
    journal: &'a mut dyn Journal,
    hooks: Hooks<'a>,
) -> Result<Ending, RunError> {
    let mut session = Session::new(team, model, setup, journal, hooks)?;
    let label = loop {
        let state = session.machine.state();
        if let State::Terminal(label) = state {
            break label;
        }
        let event = match session.team.stop_requested() {
            Some(reason) => {
                session.reason = reason;
                Event::Stopped
            }
            None => match session.recover_if_asked(state).and_then(|end| end.map_or_else(|| step(&mut session, state), Ok)) {
                Ok(event) => event,
                Err(Halt::Team(TeamError::Stopped { reason })) => {
                    session.reason = reason;
                    Event::Stopped
                }
                Err(Halt::Team(error)) => {
                    session.reason = error.to_string();
                    Event::InfrastructureFailed
                }
                Err(Halt::Fatal(error)) => return Err(error),
            },
        };
        session.machine.step(event, &session.budget)?;
    };
    session.end(label)
}

fn step(session: &mut Session<'_>, state: State) -> Result<Event, Halt> {
    match state {
        State::Init => session.prepare(),
        State::Observe => session.observe(),
        State::Plan => session.plan(),
        State::RetrieveD => session.retrieve_strategies(),
        State::Orchestrate => session.decide(),
        State::RetrieveA => session.retrieve_exemplars(),
        State::Code => session.code(),
        State::Validate => session.validate(),
        State::Dispatch => session.dispatch(),
        State::Settle => session.settle(),
        State::Verify => session.verify(),
        State::Accept => session.accept(),
        State::Reject => session.reject(),
        State::Restore => session.restore(),
        State::Revise => session.revise(),
        other => Err(Halt::Fatal(RunError::NoEdge(NoEdge { state: other, event: Event::Observed }))),
    }
}
