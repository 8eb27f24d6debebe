//! The folder for temporary clusters and files.

use std::{
    env,
    path::{Path, PathBuf},
};

use crate::account::Account;

/// A folder in memory. A disk's file system is slow to create many small files where as many were
/// just removed, and tests do that: each has its own database.
const MEMORY: &str = "/dev/shm";

/// The free memory below which the disk is used, so that a run never takes the machine's last.
pub(crate) const ROOM_BYTES: u64 = 4 << 30;

/// The folder for clusters and files of one run: in memory if [`ROOM_BYTES`] are free, else this
/// user's temporary folder.
pub fn scratch_directory() -> PathBuf {
    let room = rustix::fs::statvfs(MEMORY).map(|volume| volume.f_bavail * volume.f_frsize);
    if has_room(room.ok()) {
        return MEMORY.into();
    }
    match Account::current() {
        // Root's TMPDIR may be closed to the account PostgreSQL runs as; /tmp is open to all.
        Ok(account) if account.is_root => Path::new("/tmp").to_owned(),
        _ => env::temp_dir(),
    }
}

fn has_room(free_bytes: Option<u64>) -> bool {
    free_bytes.is_some_and(|bytes| bytes >= ROOM_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_taken_only_where_it_has_room() {
        assert!(has_room(Some(ROOM_BYTES)));
        assert!(!has_room(Some(ROOM_BYTES - 1)));
        assert!(!has_room(None));
    }
}
