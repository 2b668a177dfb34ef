//! The team as real processes, with something broken. Every case ends in a stop and a typed error, nothing
//! hangs, and no process is left.

mod bridge;
mod commands;
mod killed;
mod model_server;
mod viewer;
