//! The node: the loop on its thread, and a thread that spins for it.

mod dispatch;
mod experience;
mod listen;
mod notes;
mod recover;
mod start;
mod team;

pub use start::run;
