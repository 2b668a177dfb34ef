//! CoEvolve's rules: catalog, pairing, phases, plan, loop states, revision, experience and failure tables; pure.
//!
//! Nothing here measures or moves: the guard and the verifier apply these rules, the orchestrator
//! walks the states.

pub mod catalog;
pub mod experience;
pub mod failure;
pub mod look_ahead;
pub mod method;
pub mod metrics;
pub mod pairing;
pub mod phase;
pub mod plan;
pub mod predicate;
pub mod quota;
pub mod recovery;
pub mod response;
pub mod revision;
pub mod run_state;
pub mod terminal;
