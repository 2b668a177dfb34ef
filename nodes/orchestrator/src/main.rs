//! The `orchestrator` node.
fn main() {}
