//! The `verifier` node.
fn main() {}
