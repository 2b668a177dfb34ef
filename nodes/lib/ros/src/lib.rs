//! ROS 2 through r2r: nodes, parameters, QoS, calls with deadlines, actions and messages to core types.
//!
//! The only crate that names r2r; the nodes' shells use it as `troupe_ros::r2r`. A shell is one plain
//! loop: [`node::RosNode::spin`] waits for something to arrive, [`inbox::Inbox::take`] hands it out.
//! There are no callbacks and no tasks, so that a node's state has one owner and a tick no thread hop.

pub use r2r;

pub mod action_client;
pub mod call;
pub mod convert;
pub mod crc;
pub mod diagnostics;
pub mod error;
pub mod goals;
pub mod heartbeat;
pub mod inbox;
pub mod mode;
pub mod names;
pub mod node;
pub mod params;
pub mod qos;
pub mod settings;
pub mod shutdown;
pub mod stamp;

pub use error::RosError;
pub use node::RosNode;
