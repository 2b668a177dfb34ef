//! Ctrl-C and SIGTERM as a flag that every loop asks.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a node may take to leave the graph once its work is done.
const FAREWELL: Duration = Duration::from_millis(700);

/// Whether the process shall end. Clones share one flag.
#[derive(Clone, Debug, Default)]
pub struct Shutdown(Arc<AtomicBool>);

impl Shutdown {
    /// A flag raised by SIGINT and SIGTERM.
    ///
    /// # Errors
    /// When the system refuses to watch them.
    pub fn on_signals() -> std::io::Result<Self> {
        let flag = Self::default();
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register(signal, Arc::clone(&flag.0))?;
        }
        Ok(flag)
    }

    /// True once the process shall end.
    #[must_use]
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Raises the flag.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Call when a node's work is done and stored, before it leaves the graph: should the middleware not
/// let go of it, the process ends all the same, with `code`.
pub fn farewell(code: i32) {
    std::thread::spawn(move || {
        std::thread::sleep(FAREWELL);
        signal_hook::low_level::exit(code);
    });
}
