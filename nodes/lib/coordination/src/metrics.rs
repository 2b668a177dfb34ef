//! Figures of runs and of groups of runs, from plain facts (CE-110 to CE-116, CE-124).
//!
//! SR, VP, EA and PAUC are percentages. A group is a [`cohort::Cohort`], which refuses to exist over runs
//! that reach for different endpoints.

pub mod cohort;
pub mod facts;
pub mod pauc;
pub mod run_time;
pub mod versus;

#[cfg(test)]
mod golden;

pub use cohort::{Bound, Cohort, Figures, PoolError};
pub use facts::{Attained, RunFacts};
pub use pauc::pauc;
pub use versus::{Metric, Versus, versus};
