//! CoEvolve's rules: catalog, pairing, phases, plan, loop states and failure tables; pure.
//!
//! Nothing here measures or moves: the guard and the verifier apply these rules, the orchestrator
//! walks the states.

pub mod catalog;
pub mod failure;
pub mod metrics;
pub mod pairing;
pub mod phase;
pub mod plan;
pub mod predicate;
pub mod run_state;
pub mod terminal;
