//! The limits of connections: how many, how slow, how large a head may be.
//!
//! It refuses a connection without an end: whatever a client does or leaves undone, one of these times runs out.

use std::time::Duration;

use super::client_address::Network;

/// The head of a request, all its lines together; above it the HTTP library answers 431, without a body.
pub const HEAD_SIZE_BYTES: usize = 32 * 1024;
/// The address in a request's first line; above it: 414.
pub const URI_SIZE_BYTES: usize = 8 * 1024;
/// How much of an answer a client takes within the write time, at least: else it could hold a connection with a byte a minute.
pub const WRITE_PROGRESS_BYTES: u64 = 64 * 1024;
/// How long a connection that is told to end may go on to send what nobody reads: closed at once, it would be reset, and
/// the client might lose the answer that says why.
pub const LINGER: Duration = Duration::from_secs(2);
/// How long idle connections stay open once the server stops: a request that is on its way shall meet an answer.
pub const LAST_WORD: Duration = Duration::from_millis(100);
/// How long a client of HTTP/2 has to agree to the end of its connection.
pub const GOODBYE: Duration = Duration::from_secs(5);

/// Requests at once over one connection of HTTP/2; those beyond are refused to the client, who may send them again.
pub const HTTP2_STREAMS: u32 = 64;
/// What is kept of one of them in memory, in each direction.
pub const HTTP2_BUFFER_BYTES: usize = 64 * 1024;
/// Requests that a client of HTTP/2 may take back before they are looked at; above it the connection is closed.
pub const HTTP2_PENDING_RESETS: usize = 20;
/// Requests that are reset for errors of the client; above it the connection is closed.
pub const HTTP2_ERROR_RESETS: usize = 64;
/// Time between two questions whether the client of HTTP/2 is still there.
pub const HTTP2_PING_INTERVAL: Duration = Duration::from_secs(20);
/// Time in which it must answer.
pub const HTTP2_PING_TIMEOUT: Duration = Duration::from_secs(10);

/// What one listener allows.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    /// Connections at once; those beyond wait in the system's queue until one closes.
    pub connections: usize,
    /// Connections at once from one address, or from one /64 of IPv6; those beyond are closed.
    pub connections_per_address: usize,
    /// Whose addresses are not limited, because they speak for many clients.
    pub trusted_proxies: Vec<Network>,
    /// Time to the first byte.
    pub first_byte: Duration,
    /// Time from the first byte of a request to the end of its head.
    pub head: Duration,
    /// Time in which the client must take [`WRITE_PROGRESS_BYTES`] of an answer, or the rest of it.
    pub write: Duration,
    /// Time between two requests.
    pub keep_alive: Duration,
    /// Time for what is running when the server stops.
    pub drain: Duration,
}
