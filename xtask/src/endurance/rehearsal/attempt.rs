//! One request of a rehearsal with its response.

use std::{fmt, time::Duration};

/// The change or the read that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// getPayout of a payout whose amount may only grow.
    Read,
    /// createCommissionLine with the operation's idempotency key.
    Create,
    /// detachCommissionLine of the operation's line, with another idempotency key.
    Detach,
}

/// A request and its response. Repetitions are attempts of the same operation.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    pub(crate) operation: u64,
    pub(crate) kind: Kind,
    pub(crate) organization: usize,
    /// The index of the server that got it.
    pub(crate) server: usize,
    /// Since the load began.
    pub(crate) sent: Duration,
    pub(crate) took: Duration,
    /// 0 without a response.
    pub(crate) status: u16,
    /// The response repeats that of an earlier attempt, which had done the work (X9).
    pub(crate) is_replayed: bool,
    /// The line of a success; for anything else than a success or 503, what came instead.
    pub(crate) text: String,
    /// The amount that a read returned, in cents.
    pub(crate) amount: i64,
    /// The amount that a read must have at least: of all that was answered before it was sent.
    pub(crate) at_least: i64,
}

impl Attempt {
    pub(crate) fn is_success(&self) -> bool {
        matches!(self.status, 200..300)
    }

    pub(crate) fn ended(&self) -> Duration {
        self.sent + self.took
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Read => "read",
            Self::Create => "create",
            Self::Detach => "detach",
        })
    }
}
