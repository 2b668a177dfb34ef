//! The `viewer` node.
fn main() {}
