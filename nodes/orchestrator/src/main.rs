//! The `orchestrator` node.

fn main() -> anyhow::Result<std::process::ExitCode> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_target(false).init();
    troupe_orchestrator::ros::run()
}
