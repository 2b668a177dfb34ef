//! Starts processes, each in a group of its own, and signals groups.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use crate::spec::{Output, ProcessSpec};

/// Starts one process. It leads a new process group, reads nothing, and dies when the thread that
/// started it ends: call this from a thread that lives as long as the launcher.
///
/// # Errors
/// What the system reports when the program cannot be started.
pub fn spawn(spec: &ProcessSpec) -> io::Result<Child> {
    let (program, arguments) = spec
        .command
        .split_first()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "an empty command"))?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .process_group(0);
    if spec.output != Output::Raw {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
    }
    if let Some(directory) = &spec.directory {
        command.current_dir(directory);
    }
    for (name, value) in &spec.environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    die_with_launcher(&mut command);
    command.spawn()
}

/// Asks the kernel to kill the process when the launcher dies, even by SIGKILL.
#[allow(unsafe_code)]
fn die_with_launcher(command: &mut Command) {
    #[cfg(target_os = "linux")]
    {
        let launcher = std::process::id();
        // SAFETY: the closure runs in the child between fork and exec. It calls only prctl and
        // getppid, which are async-signal-safe, takes no lock and allocates nothing.
        unsafe {
            command.pre_exec(move || {
                if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                    return Err(io::Error::last_os_error());
                }
                // The launcher may have died before the request was in force.
                if u32::try_from(libc::getppid()) != Ok(launcher) {
                    return Err(io::Error::from_raw_os_error(libc::ESRCH));
                }
                Ok(())
            });
        }
    }
}

/// Makes orphans of the started processes children of the launcher, so that it can reap them where
/// process 1 does not.
#[allow(unsafe_code)]
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    // SAFETY: prctl with PR_SET_CHILD_SUBREAPER changes one flag of this process and touches no
    // memory. A failure leaves orphans to process 1, as they are everywhere else.
    unsafe {
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
    }
}

/// A process group that this launcher started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group(libc::pid_t);

impl Group {
    /// The group that a started process leads; `None` for a process id out of range.
    pub fn of(child: &Child) -> Option<Self> {
        libc::pid_t::try_from(child.id())
            .ok()
            .filter(|pid| *pid > 1)
            .map(Self)
    }

    /// Sends a signal to every process of the group. A group that is gone is no error.
    #[allow(unsafe_code)]
    pub fn signal(self, signal: libc::c_int) {
        // SAFETY: kill touches no memory. The id is above 1, so the negated id names one group and
        // neither "every process" nor the launcher's own group.
        unsafe {
            libc::kill(-self.0, signal);
        }
    }

    /// Reaps what orphans of the group have ended and says whether anything of it is left. Only
    /// for a group whose leader has been reaped already: it would take the leader's exit code.
    #[allow(unsafe_code)]
    pub fn is_left(self) -> bool {
        // SAFETY: waitpid gets a null status pointer, which it allows; kill with signal 0 only
        // asks. Neither touches memory of ours.
        unsafe {
            while libc::waitpid(-self.0, std::ptr::null_mut(), libc::WNOHANG) > 0 {}
            libc::kill(-self.0, 0) == 0
        }
    }
}
