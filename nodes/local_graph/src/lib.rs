//! The same node libraries in one process without DDS, for studies and fast tests.

pub mod bench;
pub mod cli;
pub mod crew;
pub mod eval;
pub mod ledger;
pub mod seeds;
pub mod team;

#[cfg(test)]
mod breach_tests;
