//! Where the loop writes its events.

use serde_json::Value;
use std::io::Write;
use troupe_core::ledger::{Ledger, LedgerError};

/// Takes events in order; an event is stored before the call returns.
pub trait Journal {
    /// Appends one event at simulated time `sim_s`.
    ///
    /// # Errors
    /// [`LedgerError`].
    fn append(&mut self, event: &str, sim_s: f64, data: Value) -> Result<(), LedgerError>;
}

impl<W: Write> Journal for Ledger<W> {
    fn append(&mut self, event: &str, sim_s: f64, data: Value) -> Result<(), LedgerError> {
        Self::append(self, event, sim_s, &data).map(|_| ())
    }
}
