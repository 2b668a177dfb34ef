//! The `sim_bridge` node.

use std::io::IsTerminal;
use std::process::ExitCode;

fn main() -> ExitCode {
    let colour = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(colour).with_target(false).init();
    match troupe_sim_bridge::ros::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
