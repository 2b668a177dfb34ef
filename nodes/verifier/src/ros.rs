//! The node: the stream of `team/state` and five services around a [`Verifier`](crate::Verifier).

mod answers;
mod shell;
mod start;

pub use start::run;
