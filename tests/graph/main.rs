//! The team as real processes over ROS.
