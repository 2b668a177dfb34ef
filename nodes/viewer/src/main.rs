//! The `viewer` node.

fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_target(false).init();
    troupe_viewer::ros::run()
}
