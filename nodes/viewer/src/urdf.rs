//! What of a URDF is needed to draw a robot: the tree of links, and primitive shapes with colours.

mod body;
mod read;

pub use body::{Body, Joint, Link, Shape, Visual, isometry};
pub use read::{UrdfError, parse};
