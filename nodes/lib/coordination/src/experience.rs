//! What runs learn and later runs retrieve: strategy records and action exemplars (CE-090 to CE-097).

mod bank;
mod exemplar;
mod lint;
mod promote;
mod select;
mod strategy;
#[cfg(test)]
mod tests;

pub use bank::{Bank, BankCaps, Change};
pub use exemplar::{Exemplar, ExemplarQuery};
pub use lint::{LintError, lint};
pub use promote::{Claim, Executed, Refused, effects_of, exemplar, promote};
pub use select::TooSmall;
pub use strategy::{Polarity, StrategyQuery, StrategyRecord, score};

use troupe_core::closed_set;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use troupe_core::route::SegmentKind;

closed_set! {
    /// Kind of phase, the same in every layout, so that experience of one serves another.
    PhaseClass {
        /// A straight segment.
        Straight = "straight",
        /// A corner.
        Corner = "corner",
        /// The way to the target.
        Approach = "approach",
        /// Placement, release and retreat.
        Place = "place",
    }
}

impl PhaseClass {
    /// Class of a phase by its segment; the place phase has none.
    #[must_use]
    pub fn of(segment: Option<SegmentKind>) -> Self {
        match segment {
            Some(SegmentKind::Straight) => Self::Straight,
            Some(SegmentKind::Corner) => Self::Corner,
            Some(SegmentKind::Approach) => Self::Approach,
            None => Self::Place,
        }
    }
}
