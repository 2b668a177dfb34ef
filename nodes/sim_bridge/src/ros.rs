//! The node: `/clock`, the vendor's topics, `team/state`, windows, checkpoints and
//! `simulation_interfaces` around a [`Bridge`](crate::Bridge).

mod cameras;
mod entities;
mod links;
mod pace;
mod robots;
mod shell;
mod simulation;
mod start;
mod told;
mod windows;
mod world;

pub use start::run;
