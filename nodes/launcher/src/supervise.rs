//! Runs the processes of a launch to their end: restarts, shutdown in steps, exit code.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::output::{Outputs, note};
use crate::spawn::{self, Group};
use crate::spec::ProcessSpec;

/// What the system tells a running launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Someone asks the launch to end (Ctrl-C, SIGTERM). A second time it hurries.
    Interrupt,
    /// A child process may have ended.
    Child,
}

/// Signals of a shutdown, each sent when the one before has not helped for [`PATIENCE`].
const LADDER: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGKILL];
/// Time a process has to follow one signal.
const PATIENCE: Duration = Duration::from_secs(2);
/// Requests to end this soon after the last are the same request: a terminal's Ctrl-C also reaches
/// the script around the launcher, which may pass it on.
const SAME_REQUEST: Duration = Duration::from_millis(250);
/// How often a group without its leader is looked at: nothing reports its end.
const GROUP_POLL: Duration = Duration::from_millis(20);
/// Time for the last printed lines to come through once no process is left.
const DRAIN: Duration = Duration::from_millis(400);

/// Starts every process and returns when none is left. The value is the launch's exit code: that
/// of the first process to end that ends the launch, else 1 if one died unasked, else 0.
///
/// Call it from the main thread: processes die with the thread that started them. `events` must
/// report children, so its sender's signal handlers must be in place before.
pub fn run(specs: Vec<ProcessSpec>, log_dir: &Path, events: &Receiver<Event>) -> i32 {
    spawn::adopt_orphans();
    let mut supervisor = Supervisor {
        outputs: Outputs::new(log_dir),
        processes: specs.into_iter().map(Process::new).collect(),
        shutting_down: false,
        asked_at: None,
        code: None,
        died_unasked: false,
    };
    supervisor.start_due();
    while supervisor.is_busy() {
        match supervisor
            .next_deadline()
            .map(|at| at.saturating_duration_since(Instant::now()))
        {
            None => match events.recv() {
                Ok(event) => supervisor.hear(event),
                Err(_) => supervisor.shut_down(),
            },
            Some(wait) => match events.recv_timeout(wait) {
                Ok(event) => supervisor.hear(event),
                Err(RecvTimeoutError::Timeout) => {}
                // Without events there is no way to end the launch from outside.
                Err(RecvTimeoutError::Disconnected) => {
                    supervisor.shut_down();
                    std::thread::sleep(wait.min(GROUP_POLL));
                }
            },
        }
        supervisor.reap();
        supervisor.escalate();
        supervisor.start_due();
    }
    supervisor.outputs.finish(DRAIN);
    supervisor
        .code
        .unwrap_or(i32::from(supervisor.died_unasked))
}

struct Process {
    spec: ProcessSpec,
    /// The leader, until its exit code has been taken.
    child: Option<Child>,
    /// The leader's group, until nothing of it is left.
    group: Option<Group>,
    stopping: Option<Stopping>,
    start_at: Option<Instant>,
    starts: u32,
}

#[derive(Clone, Copy)]
struct Stopping {
    /// Index of the next signal in the ladder.
    next: usize,
    due: Instant,
}

impl Process {
    fn new(spec: ProcessSpec) -> Self {
        let start_at = Some(Instant::now());
        Self {
            spec,
            child: None,
            group: None,
            stopping: None,
            start_at,
            starts: 0,
        }
    }

    /// Begins to stop what is left of the group, from one step of the ladder on.
    fn stop(&mut self, step: usize) {
        if self.group.is_some() && self.stopping.is_none() {
            self.stopping = Some(Stopping {
                next: step,
                due: Instant::now(),
            });
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let poll =
            (self.child.is_none() && self.group.is_some()).then(|| Instant::now() + GROUP_POLL);
        let stop = self
            .stopping
            .filter(|_| self.group.is_some())
            .map(|s| s.due);
        let start = self.start_at.filter(|_| self.group.is_none());
        [poll, stop, start].into_iter().flatten().min()
    }
}

struct Supervisor {
    outputs: Outputs,
    processes: Vec<Process>,
    shutting_down: bool,
    /// When someone last asked for the end.
    asked_at: Option<Instant>,
    code: Option<i32>,
    died_unasked: bool,
}

impl Supervisor {
    fn is_busy(&self) -> bool {
        self.processes
            .iter()
            .any(|p| p.group.is_some() || p.start_at.is_some())
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.processes.iter().filter_map(Process::deadline).min()
    }

    fn hear(&mut self, event: Event) {
        if event == Event::Child {
            return;
        }
        let now = Instant::now();
        let last = self.asked_at.replace(now);
        if last.is_some_and(|at| now.duration_since(at) < SAME_REQUEST) {
            return;
        }
        if self.shutting_down {
            for stopping in self
                .processes
                .iter_mut()
                .filter_map(|p| p.stopping.as_mut())
            {
                stopping.due = now;
            }
        } else {
            note("INFO", "launch", "interrupted: shutting down");
            self.shut_down();
        }
    }

    fn shut_down(&mut self) {
        self.shutting_down = true;
        for process in &mut self.processes {
            process.start_at = None;
            process.stop(0);
        }
    }

    /// Starts every process whose time has come. One that cannot be started ends the launch.
    fn start_due(&mut self) {
        let now = Instant::now();
        let mut failed = false;
        for process in &mut self.processes {
            if process.group.is_some() || process.start_at.is_none_or(|at| at > now) {
                continue;
            }
            process.start_at = None;
            let label = process.spec.label.clone();
            let mut child = match spawn::spawn(&process.spec) {
                Ok(child) => child,
                Err(error) => {
                    let program = process.spec.command.first().map_or("", String::as_str);
                    note(
                        "ERROR",
                        &label,
                        &format!("cannot start `{program}`: {error}"),
                    );
                    failed = true;
                    break;
                }
            };
            note(
                "INFO",
                &label,
                &format!("process started with pid [{}]", child.id()),
            );
            if let Err(error) = self.outputs.attach(&process.spec, &mut child) {
                note("ERROR", &label, &format!("cannot write its log: {error}"));
            }
            process.group = Group::of(&child);
            process.child = Some(child);
            process.stopping = None;
            process.starts = process.starts.saturating_add(1);
        }
        if failed {
            self.died_unasked = true;
            self.shut_down();
        }
    }

    /// Takes the exit codes of leaders that ended and looks what is left of their groups.
    fn reap(&mut self) {
        let mut end_launch = false;
        for process in &mut self.processes {
            let status = process.child.as_mut().map(Child::try_wait);
            match status {
                None | Some(Ok(None)) => {}
                Some(Ok(Some(status))) => {
                    end_launch |= take_exit(
                        process,
                        status,
                        self.shutting_down,
                        &mut self.code,
                        &mut self.died_unasked,
                    );
                }
                Some(Err(error)) => {
                    note(
                        "ERROR",
                        &process.spec.label,
                        &format!("cannot be watched: {error}"),
                    );
                    process.child = None;
                }
            }
            if process.child.is_none() {
                match process.group {
                    // A group without its leader has no duty left; it gets no second SIGINT.
                    Some(group) if group.is_left() => process.stop(1),
                    _ => process.group = None,
                }
            }
        }
        if end_launch && !self.shutting_down {
            self.shut_down();
        }
    }

    /// Sends the next signal to every group that is due for one.
    fn escalate(&mut self) {
        let now = Instant::now();
        for process in &mut self.processes {
            let (Some(group), Some(stopping)) = (process.group, process.stopping.as_mut()) else {
                continue;
            };
            if stopping.due > now {
                continue;
            }
            let label = &process.spec.label;
            let Some(&signal) = LADDER.get(stopping.next) else {
                note("ERROR", label, "is still there after SIGKILL; giving it up");
                self.died_unasked = true;
                process.child = None;
                process.group = None;
                continue;
            };
            if stopping.next > 0 && process.child.is_some() {
                let name = if signal == libc::SIGKILL {
                    "SIGKILL"
                } else {
                    "SIGTERM"
                };
                note(
                    "ERROR",
                    label,
                    &format!("has not ended after the last signal; sending {name}"),
                );
            }
            group.signal(signal);
            group.signal(libc::SIGCONT); // a process that was stopped takes no other signal
            stopping.next += 1;
            stopping.due = now + PATIENCE;
        }
    }
}

/// Notes the end of a leader; true when it ends the launch.
fn take_exit(
    process: &mut Process,
    status: ExitStatus,
    shutting_down: bool,
    code: &mut Option<i32>,
    died_unasked: &mut bool,
) -> bool {
    let label = &process.spec.label;
    let pid = process.child.take().map_or(0, |child| child.id());
    let exit_code = status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    if status.success() {
        note(
            "INFO",
            label,
            &format!("process has finished cleanly [pid {pid}]"),
        );
    } else {
        let shown = status
            .code()
            .unwrap_or_else(|| -status.signal().unwrap_or(0));
        let command = process.spec.command.join(" ");
        let text = format!("process has died [pid {pid}, exit code {shown}, cmd '{command}']");
        note(if shutting_down { "INFO" } else { "ERROR" }, label, &text);
    }
    if process.spec.ends_launch {
        code.get_or_insert(exit_code);
        if !shutting_down {
            note("INFO", label, "process was required: shutting down");
        }
        return true;
    }
    if shutting_down {
        return false;
    }
    let retry = process
        .spec
        .respawn
        .filter(|r| r.max_retries.is_none_or(|most| process.starts <= most));
    match retry {
        Some(respawn) => process.start_at = Some(Instant::now() + respawn.delay),
        None => *died_unasked |= !status.success(),
    }
    false
}
