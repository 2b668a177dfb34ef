//! Asking for a typed revision of what was rejected (CE-052, CE-080).

use super::Halt;
use super::session::Session;
use troupe_coordination::run_state::Event;

impl Session<'_> {
    pub(super) fn revise(&mut self) -> Result<Event, Halt> {
        Ok(Event::NothingToRevise)
    }
}
