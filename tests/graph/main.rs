//! The team as real processes over ROS.

mod ctrl_c;
mod equal_ledgers;
mod robots;
