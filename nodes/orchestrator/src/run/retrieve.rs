//! Looking up experience before a decision and before its code (CE-050, CE-093, CE-094).

use super::Halt;
use super::session::Session;
use troupe_coordination::run_state::Event;

impl Session<'_> {
    /// Strategy records by phase and failure.
    pub(super) fn retrieve_strategies(&mut self) -> Result<Event, Halt> {
        Ok(Event::Retrieved)
    }

    /// Exemplars by the decision's kappa, d and m.
    pub(super) fn retrieve_exemplars(&mut self) -> Result<Event, Halt> {
        Ok(Event::Retrieved)
    }
}
