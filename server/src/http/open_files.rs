//! Files enough for all connections: each is one, and many systems begin a process with 1,024.
//!
//! It refuses more than the system's hard limit, and says so where that is too low.

use rustix::process::{Resource, getrlimit, setrlimit};

/// What a server opens beside its connections: to the database, to the object store, its own files.
const BESIDE: u64 = 1_024;

/// Raises the soft limit, so that `connections` fit; warns where they do not.
pub fn allow(connections: usize) {
    let wanted = connections as u64 + BESIDE;
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
            "the hard limit of open files is too low for --connections; raise it with ulimit -Hn or LimitNOFILE"
        );
    }
}
