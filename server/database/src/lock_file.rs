//! Locks that the kernel takes back however their holder ends.
//!
//! It refuses to remove a lock file: whoever waits for one that is gone would hold nothing.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::cluster::ClusterError;

const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Takes the lock together with others; who wants it alone holds it for an instant only.
pub(crate) fn lock_shared(path: &Path) -> Result<File, ClusterError> {
    let file = open_lock(path)?;
    file.lock_shared()
        .map_err(ClusterError::io("lock a file"))?;
    Ok(file)
}

/// Waits for the lock, alone.
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

/// Takes the lock alone, if nobody has it.
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
