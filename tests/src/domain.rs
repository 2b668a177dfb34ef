//! ROS domains and turns: no two graphs hear each other, and only one runs at a time.

use crate::process::until;
use anyhow::{Context, Result, bail};
use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::time::Duration;

/// Domains that tests may take. Those from 91 to 100 are fixed by single tests, higher ones meet the system's own ports.
const DOMAINS: std::ops::RangeInclusive<u32> = 1..=90;
/// Longer than all graphs of all tests run.
const PATIENCE: Duration = Duration::from_secs(900);

/// A domain that no other test on this machine uses. The lock ends with the process, however it ends.
#[derive(Debug)]
pub struct Domain {
    /// `ROS_DOMAIN_ID`.
    pub id: u32,
    _lock: File,
}

fn lock_file(name: &str) -> Result<File> {
    let folder: PathBuf = std::env::temp_dir().join("troupe-tests");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(name);
    File::options().create(true).truncate(false).write(true).open(&path).with_context(|| path.display().to_string())
}

impl Domain {
    /// Takes a free one, beginning at one that differs from process to process.
    ///
    /// # Errors
    /// When none is free.
    pub fn take() -> Result<Self> {
        let count = DOMAINS.end() - DOMAINS.start() + 1;
        let first = std::process::id() % count;
        for step in 0..count {
            let id = DOMAINS.start() + (first + step) % count;
            let file = lock_file(&format!("domain-{id}"))?;
            match file.try_lock() {
                Ok(()) => return Ok(Self { id, _lock: file }),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
        }
        bail!("all domains {DOMAINS:?} are in use")
    }
}

/// The right to run a graph: several at once on a small machine would fail by slowness.
#[derive(Debug)]
pub struct Turn {
    _lock: File,
}

impl Turn {
    /// Waits for it.
    ///
    /// # Errors
    /// When the lock cannot be used, or is not free in time.
    pub fn take() -> Result<Self> {
        let file = lock_file("graph")?;
        until("turn", PATIENCE, || match file.try_lock() {
            Ok(()) => Ok(Some(())),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error.into()),
        })?;
        Ok(Self { _lock: file })
    }
}
