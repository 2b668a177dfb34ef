//! CoEvolve's rules: catalog, pairing, phases, plan, loop states and failure tables; pure.
//!
//! Nothing here measures or moves: the guard and the verifier apply these rules, the orchestrator
//! walks the states.

pub mod catalog;
pub mod failure;
pub mod look_ahead;
pub mod pairing;
pub mod phase;
pub mod plan;
pub mod predicate;
pub mod quota;
pub mod recovery;
pub mod response;
pub mod run_state;
pub mod terminal;
