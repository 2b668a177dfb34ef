//! The same node libraries in one process without DDS, for studies and fast tests.

pub mod bank;
pub mod bench;
pub mod cli;
pub mod crew;
pub mod eval;
pub mod forecast;
pub mod ledger;
pub mod pool;
pub mod provider;
pub mod seeds;
pub mod study;
pub mod team;

#[cfg(test)]
mod breach_tests;
