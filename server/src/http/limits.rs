//! The limits of connections: how many, how slow, how large a head. Whatever a client does, one of
//! the times ends its connection.

use std::time::Duration;

use ipnet::IpNet;

/// All lines of a request's head; above it: 431.
pub const HEAD_SIZE_BYTES: usize = 32 * 1024;
/// The headers of a request; above it: 431.
pub const HEADERS_LIMIT: usize = 100;
/// The largest head that the HTTP library reads. It answers larger ones itself, with a 431 that has
/// neither body nor headers of ours.
pub const READABLE_HEAD_BYTES: usize = 2 * HEAD_SIZE_BYTES;
/// The library reads twice the headers, so that our response to too many has the envelope.
pub const READABLE_HEADERS: usize = 2 * HEADERS_LIMIT;
/// The URI in a request's first line; above it: 414.
pub const URI_SIZE_BYTES: usize = 8 * 1024;
/// A client must take this much of a response within the write time. A client that takes a byte a
/// minute loses its connection.
pub(crate) const WRITE_PROGRESS_BYTES: u64 = 64 * 1024;
/// The server reads a connection for this time after it closed it. Without that the connection
/// would be reset, and the client could lose the response that says why.
pub(super) const LINGER: Duration = Duration::from_secs(2);
/// Idle connections stay open for this time once the server stops, so that it answers requests
/// already in transit.
pub(super) const IDLE_CLOSE_GRACE: Duration = Duration::from_millis(100);
/// An HTTP/2 client must agree to the end of its connection within this time.
pub(super) const GOAWAY_GRACE: Duration = Duration::from_secs(5);

/// Concurrent requests on one HTTP/2 connection; a client may retry those beyond.
pub(crate) const HTTP2_STREAMS: u32 = 64;
/// The buffer of one of them, in each direction.
pub(super) const HTTP2_BUFFER_BYTES: usize = 64 * 1024;
/// Requests that an HTTP/2 client may cancel before they are read; above it: closed.
pub(super) const HTTP2_PENDING_RESETS: usize = 20;
/// Requests that are reset for errors of the client; above it: closed.
pub(super) const HTTP2_ERROR_RESETS: usize = 64;
/// The interval of pings to an HTTP/2 client.
pub(super) const HTTP2_PING_INTERVAL: Duration = Duration::from_secs(20);
/// The client must answer a ping within this time.
pub(super) const HTTP2_PING_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    /// Open connections; those beyond wait in the system's queue until one closes.
    pub connections: usize,
    /// Open connections of one address, or one /64 of IPv6; those beyond are closed.
    pub connections_per_address: usize,
    /// Proxies, which serve many clients: their addresses are not limited.
    pub trusted_proxies: Vec<IpNet>,
    /// Time to the first byte.
    pub first_byte: Duration,
    /// Time from the first byte of a request to the end of its head.
    pub head: Duration,
    /// Time for the client to take [`WRITE_PROGRESS_BYTES`] of a response, or the rest of it.
    pub write: Duration,
    /// Time between two requests.
    pub keep_alive: Duration,
    /// Time for running requests when the server stops.
    pub drain: Duration,
}
