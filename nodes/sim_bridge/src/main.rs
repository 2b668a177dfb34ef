//! The `sim_bridge` node.
fn main() {}
