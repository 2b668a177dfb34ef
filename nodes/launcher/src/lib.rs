//! Runs ROS 2 XML launch files where `ros2 launch` is not installed.
//!
//! Reading ([`evaluate::evaluate`]) turns a file and its arguments into a list of processes and
//! starts nothing; [`supervise::run`] starts them, passes their output on and ends them. The files
//! it reads run unchanged under the real `ros2 launch`.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))] // a test fails by panicking

pub mod cli;
pub mod declared;
pub mod element;
pub mod error;
pub mod evaluate;
pub mod names;
pub mod output;
pub mod packages;
pub mod parameter;
mod process_elements;
pub mod schema;
pub mod scope;
pub mod source;
pub mod spawn;
pub mod spec;
pub mod supervise;
pub mod template;
pub mod words;
pub mod xml;
