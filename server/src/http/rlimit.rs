//! The system's limit of open files: each connection is one, and many systems start a process
//! with 1,024.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Files other than connections of clients: to the database, to the object store, our own.
const OTHER_FILES: u64 = 1_024;

/// Raises the soft limit so that `connections` fit; logs a warning where they do not.
pub fn raise_open_files(connections: usize) {
    let wanted = connections as u64 + OTHER_FILES;
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= wanted) {
        return;
    }
    let possible = limit.maximum.map_or(wanted, |maximum| maximum.min(wanted));
    limit.current = Some(possible);
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, wanted, "the limit of open files cannot be raised");
    } else if possible < wanted {
        tracing::warn!(
            possible,
            wanted,
            "the hard limit of open files is too low for --connections; \
             raise it with ulimit -Hn or LimitNOFILE"
        );
    }
}
