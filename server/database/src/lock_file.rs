//! File locks that the kernel releases however their holder ends.
//!
//! A lock file is never removed: a process waiting on a removed file would hold a lock that no
//! other process sees.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::cluster_error::ClusterError;

const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Takes the lock shared. An exclusive lock is only ever held for an instant.
pub(crate) fn lock_shared(path: &Path) -> Result<File, ClusterError> {
    let file = open_lock(path)?;
    file.lock_shared().map_err(ClusterError::io("lock a file"))?;
    Ok(file)
}

/// Waits for the exclusive lock.
pub(crate) fn lock_until(path: &Path, deadline: Instant) -> Result<File, ClusterError> {
    loop {
        if let Some(file) = try_lock(path)? {
            return Ok(file);
        }
        if Instant::now() >= deadline {
            return Err(ClusterError::Timeout {
                log: format!("{} is still held by another process", path.display()),
            });
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Takes the exclusive lock if it is free.
pub(crate) fn try_lock(path: &Path) -> Result<Option<File>, ClusterError> {
    let file = open_lock(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(source)) => Err(ClusterError::io("lock a file")(source)),
    }
}

fn open_lock(path: &Path) -> Result<File, ClusterError> {
    File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(ClusterError::io("open a lock file"))
}
