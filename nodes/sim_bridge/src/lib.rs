//! The MuJoCo world behind the vendor's own topics, `/clock` and `simulation_interfaces`.
//!
//! [`Bridge`] holds no socket and no clock: it says what to publish ([`Bridge::frame`]), takes the
//! robots' commands and steps. The binary puts ROS around it, `local_graph` calls it directly.

mod bridge;
mod checkpoint;
mod error;
mod route_progress;
mod varying;
mod window;

pub use bridge::{Bridge, Frame, HOIST_LIFT_M};
pub use checkpoint::Controllers;
pub use error::BridgeError;
pub use window::{Window, WindowStep};
#[cfg(feature = "ros")]
pub mod ros;
