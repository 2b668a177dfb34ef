//! `local_graph`.
fn main() {}
