//! The `g1` node.
fn main() {}
