//! The node's ROS side: it listens to everything and publishes nothing.

mod hear;
mod live;
mod links;
mod start;

pub use start::run;
