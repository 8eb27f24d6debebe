//! Phases of a connection and their deadlines: a pure state machine over reads, writes, requests
//! and responses. A time begins when [`ConnectionState::deadline`] first sees the phase,
//! so a request that starts and ends between two calls costs none.

use std::time::Duration;

use tokio::time::Instant;

use super::limits::{ConnectionLimits, LINGER, WRITE_PROGRESS_BYTES};

const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// No byte was read.
    Silent,
    /// A request has begun, and its head is incomplete.
    Head,
    /// The server works; body and request have times of their own.
    Working,
    /// A response is ready, and the client has not taken all of it.
    Responding,
    /// Between two requests.
    Idle,
    /// Everything was sent; what the client still sends is dropped.
    Closing,
}

/// The history of one connection, as far as its phase depends on it.
pub(super) struct ConnectionState {
    protocol: Protocol,
    head_has_begun: bool,
    requests: u64,
    working: usize,
    responding: usize,
    written_bytes: u64,
    is_write_blocked: bool,
    is_closing: bool,
    has_read_all: bool,
    /// The phase, the round within it, and since when.
    current: (Phase, u64, Instant),
    idle_until: Option<Instant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    /// Number of preface bytes seen so far.
    Undecided(usize),
    Http1,
    Http2,
}

impl ConnectionState {
    /// Begins with a connection accepted at `now`.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            protocol: Protocol::Undecided(0),
            head_has_begun: false,
            requests: 0,
            working: 0,
            responding: 0,
            written_bytes: 0,
            is_write_blocked: false,
            is_closing: false,
            has_read_all: false,
            current: (Phase::Silent, 0, now),
            idle_until: None,
        }
    }

    /// These bytes were read; none means that the client sends no more.
    pub(super) fn read(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            self.has_read_all = true;
            return;
        }
        if let Protocol::Undecided(known) = self.protocol {
            self.protocol = protocol(known, bytes);
        }
        // HTTP/2 bytes need not belong to a request, so without a request the connection is idle.
        if self.protocol == Protocol::Http2 {
            self.head_has_begun = false;
        } else if self.working == 0 && self.responding == 0 {
            self.head_has_begun = true;
        }
    }

    /// The system took so many bytes.
    pub(super) fn wrote(&mut self, bytes: usize) {
        self.written_bytes += bytes as u64;
        self.is_write_blocked = false;
    }

    /// The system takes no more: the client does not read.
    pub(super) fn write_blocked(&mut self) {
        self.is_write_blocked = true;
    }

    /// A head is complete.
    pub(super) fn request_began(&mut self) {
        self.requests += 1;
        self.working += 1;
        self.head_has_begun = false;
    }

    /// The response of a request is ready to be sent.
    pub(super) fn response_began(&mut self) {
        self.working -= 1;
        self.responding += 1;
    }

    /// A request ended without a response.
    pub(super) fn request_dropped(&mut self) {
        self.working -= 1;
    }

    /// A response was sent, or given up.
    pub(super) fn response_ended(&mut self) {
        self.responding -= 1;
    }

    /// The server has shut its side down. Returns whether it should read on, so that the client
    /// can read its response.
    pub(super) fn closes(&mut self) -> bool {
        self.is_closing = true;
        !self.has_read_all
    }

    /// No response is awaited, so nothing more needs to be read.
    pub(super) fn needs_no_more(&mut self) {
        self.has_read_all = true;
    }

    /// Ends an idle connection at this time, instead of after its keep-alive time.
    pub(super) fn idle_until(&mut self, end: Instant) {
        self.idle_until = Some(end);
    }

    pub(super) fn is_http2(&self) -> bool {
        self.protocol == Protocol::Http2
    }

    /// Returns the phase, and the time at which it must end.
    pub(super) fn deadline(
        &mut self,
        now: Instant,
        limits: &ConnectionLimits,
    ) -> (Phase, Option<Instant>) {
        let phase = self.phase();
        let round = match phase {
            Phase::Responding => self.written_bytes / WRITE_PROGRESS_BYTES,
            Phase::Head | Phase::Idle => self.requests,
            Phase::Silent | Phase::Working | Phase::Closing => 0,
        };
        if (phase, round) != (self.current.0, self.current.1) {
            self.current = (phase, round, now);
        }
        let deadline = time_limit(phase, limits).map(|time| self.current.2 + time);
        let deadline = match phase {
            Phase::Silent | Phase::Idle => self.idle_until.or(deadline),
            _ => deadline,
        };
        (phase, deadline)
    }

    fn phase(&self) -> Phase {
        if self.is_closing {
            Phase::Closing
        } else if self.responding > 0 || self.is_write_blocked {
            Phase::Responding
        } else if self.working > 0 {
            Phase::Working
        } else if self.head_has_begun {
            Phase::Head
        } else if self.protocol == Protocol::Undecided(0) {
            Phase::Silent
        } else {
            Phase::Idle
        }
    }
}

fn time_limit(phase: Phase, limits: &ConnectionLimits) -> Option<Duration> {
    match phase {
        Phase::Silent => Some(limits.first_byte),
        Phase::Head => Some(limits.head),
        Phase::Working => None,
        Phase::Responding => Some(limits.write),
        Phase::Idle => Some(limits.keep_alive),
        Phase::Closing => Some(LINGER),
    }
}

fn protocol(known: usize, bytes: &[u8]) -> Protocol {
    let rest = &HTTP2_PREFACE[known..];
    let length = bytes.len().min(rest.len());
    if bytes[..length] != rest[..length] {
        Protocol::Http1
    } else if length == rest.len() {
        Protocol::Http2
    } else {
        Protocol::Undecided(known + length)
    }
}

#[cfg(test)]
mod tests;
