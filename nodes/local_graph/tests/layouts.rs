//! One whole episode through a right corner: placement in world L2.

use std::path::{Path, PathBuf};
use troupe_local_graph::eval::evaluate;
use troupe_local_graph::provider::Provider;
use troupe_local_graph::team::Folders;

#[test]
fn the_bar_is_placed_behind_a_right_corner() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let assets = std::env::var_os("TROUPE_ASSETS").map_or_else(|| root.join(".troupe/assets"), PathBuf::from);
    let folders = Folders { config: root.join("config"), assets };
    let runs = tempfile::tempdir().unwrap();
    let done = evaluate(&folders, "placement", "l2", "nominal", &Provider::parse("builtin").unwrap(), &[0], 1, runs.path()).unwrap();
    let run = &done.per_run[0];
    assert!(run.accepted, "{}", run.reason);
    assert_eq!((run.drops, run.milestones), (0, 5));
    assert!(run.transactions <= 80, "{}", run.transactions);
}
