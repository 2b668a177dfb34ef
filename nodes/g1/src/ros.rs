//! The node: topics, the skill action and services around a [`G1`](crate::G1).

mod links;
mod pairing;
mod shell;
mod shown;
mod skills;
mod start;
mod watchdog;

pub use start::run;
