//! A node that only tests start.
fn main() {}
