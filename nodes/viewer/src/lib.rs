//! Shows and records the graph with rerun; publishes nothing.
//!
//! ROS hands [`event::Event`]s to one [`outlet::Outlet`] per destination (the file, and a live viewer).
//! An outlet is a bounded [`queue::Queue`] and a thread with a [`recorder::Recorder`]: a slow destination
//! loses its own events, which are counted, and never makes ROS, and so control, wait.

pub mod config;
pub mod event;
pub mod meter;
pub mod outlet;
pub mod queue;
pub mod recorder;
pub mod run_file;
pub mod scene;
pub mod urdf;

#[cfg(feature = "ros")]
pub mod ros;

#[cfg(test)]
mod testing;
