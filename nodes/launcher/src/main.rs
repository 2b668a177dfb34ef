//! `launcher FILE name:=value …`: see `launcher --help`.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver};

use anyhow::Context;
use clap::Parser;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use troupe_launcher::cli::{self, Cli};
use troupe_launcher::supervise::{self, Event};

/// Exit code for a launch that could not be started, as command lines use it.
const CANNOT_START: u8 = 2;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match launch(&cli) {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(io::stderr(), "launcher: {error:#}");
            ExitCode::from(CANNOT_START)
        }
    }
}

fn launch(cli: &Cli) -> anyhow::Result<ExitCode> {
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let launcher = std::env::current_exe().ok();
    let request = cli::request(cli, environment, launcher.as_deref())?;
    if cli.show_args {
        let arguments: Vec<_> = request.declared.iter().map(ToString::to_string).collect();
        print(&format!(
            "Arguments (pass arguments as '<name>:=<value>'):\n\n{}",
            arguments.join("\n")
        ));
        return Ok(ExitCode::SUCCESS);
    }
    let specs = cli::processes(&request, &cli.raw)?;
    if cli.print {
        for spec in &specs {
            print(&format!("[{}] {}\n", spec.label, spec.command.join(" ")));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let events = listen().context("cannot listen to signals")?;
    let code = supervise::run(specs, &cli::log_dir(&request.around.environment), &events);
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

/// Prints for people; whoever stops reading, as `head` does, causes no error.
fn print(text: &str) {
    let _ = io::stdout().write_all(text.as_bytes());
}

/// Signals as events, from a thread of their own.
fn listen() -> io::Result<Receiver<Event>> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGCHLD])?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let event = if signal == SIGCHLD {
                Event::Child
            } else {
                Event::Interrupt
            };
            if sender.send(event).is_err() {
                return;
            }
        }
    });
    Ok(receiver)
}
