//! Expected lines become pending (X19): an operator's daily command matures those whose
//! conversion's hold is over, and any line by its id.

pub mod store;

use chrono::{DateTime, Utc};

/// Expected lines that one transaction looks at: its locks are brief, and its memory is bounded.
pub const CHUNK_LINES: i64 = 5_000;

/// What one transaction did.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// Lines that became pending.
    pub matured: i64,
    /// The last line that was looked at; `None` where there was none.
    pub last: Option<(DateTime<Utc>, String)>,
}

/// Returns the position before every line.
pub fn start() -> (DateTime<Utc>, String) {
    (DateTime::UNIX_EPOCH, String::new())
}
