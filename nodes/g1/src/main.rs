//! The `g1` node.

use std::io::IsTerminal;
use std::process::ExitCode;

fn main() -> ExitCode {
    let colour = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(colour).with_target(false).init();
    match troupe_g1::ros::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
