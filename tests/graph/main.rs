//! The team as real processes over ROS.

mod ending;
mod equal_ledgers;
mod robots;
