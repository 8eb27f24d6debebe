//! What a connection is doing, and until when it may: a pure state machine, told of bytes, requests and answers.
//!
//! It refuses to ask a clock. A time begins when [`Activity::due`] first sees what it is for, so a request that comes and
//! goes within one turn costs none.

use std::time::Duration;

use tokio::time::Instant;

use super::limits::{ConnectionLimits, LINGER, WRITE_PROGRESS_BYTES};

/// How every connection of HTTP/2 begins.
const HTTP2_OPENING: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// No byte has come.
    Silent,
    /// A request has begun, and its head is not whole.
    Head,
    /// The server works; the body and the request have times of their own.
    Working,
    /// An answer is ready, and the client has not taken all of it.
    Answering,
    /// Nothing is going on between two requests.
    Idle,
    /// Everything is said, and what the client still sends is thrown away.
    Closing,
}

/// What has happened on one connection.
#[derive(Debug)]
pub(super) struct Activity {
    opening: Opening,
    head_has_begun: bool,
    requests: u64,
    working: usize,
    answering: usize,
    written_bytes: u64,
    is_write_blocked: bool,
    is_closing: bool,
    has_read_all: bool,
    /// The phase, the turn within it, and since when.
    turn: (Phase, u64, Instant),
    idle_until: Option<Instant>,
}

/// Which protocol the first bytes speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opening {
    /// So many bytes are those of HTTP/2.
    Undecided(usize),
    Http1,
    Http2,
}

impl Activity {
    /// A connection that is accepted now.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            opening: Opening::Undecided(0),
            head_has_begun: false,
            requests: 0,
            working: 0,
            answering: 0,
            written_bytes: 0,
            is_write_blocked: false,
            is_closing: false,
            has_read_all: false,
            turn: (Phase::Silent, 0, now),
            idle_until: None,
        }
    }

    /// These bytes came; none means that the client sends no more.
    pub(super) fn read(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            self.has_read_all = true;
            return;
        }
        if let Opening::Undecided(known) = self.opening {
            self.opening = opening(known, bytes);
        }
        // Over HTTP/2 bytes need not be a request's; there, what is no request is idle.
        if self.opening == Opening::Http2 {
            self.head_has_begun = false;
        } else if self.working == 0 && self.answering == 0 {
            self.head_has_begun = true;
        }
    }

    /// So many bytes were taken by the system.
    pub(super) fn wrote(&mut self, bytes: usize) {
        self.written_bytes += bytes as u64;
        self.is_write_blocked = false;
    }

    /// The system takes no more: the client does not read.
    pub(super) fn write_blocked(&mut self) {
        self.is_write_blocked = true;
    }

    /// A head was whole.
    pub(super) fn request_began(&mut self) {
        self.requests += 1;
        self.working += 1;
        self.head_has_begun = false;
    }

    /// Its answer is ready to be sent.
    pub(super) fn answer_began(&mut self) {
        self.working -= 1;
        self.answering += 1;
    }

    /// The request was given up before its answer.
    pub(super) fn request_dropped(&mut self) {
        self.working -= 1;
    }

    /// Its answer was handed over whole, or given up.
    pub(super) fn answer_ended(&mut self) {
        self.answering -= 1;
    }

    /// The server has said everything. Whether it shall read what still comes, so that the client gets to read its answer.
    pub(super) fn closes(&mut self) -> bool {
        self.is_closing = true;
        !self.has_read_all
    }

    /// Nobody waits for an answer, so nothing needs to be read any more.
    pub(super) fn needs_no_more(&mut self) {
        self.has_read_all = true;
    }

    /// Without a request the connection ends at this time, and not when its own is over.
    pub(super) fn idle_until(&mut self, end: Instant) {
        self.idle_until = Some(end);
    }

    /// Whether the connection speaks HTTP/2.
    pub(super) fn is_http2(&self) -> bool {
        self.opening == Opening::Http2
    }

    /// What the connection is doing, and when that must end.
    pub(super) fn due(
        &mut self,
        now: Instant,
        limits: &ConnectionLimits,
    ) -> (Phase, Option<Instant>) {
        let phase = self.phase();
        let turn = match phase {
            Phase::Answering => self.written_bytes / WRITE_PROGRESS_BYTES,
            Phase::Head | Phase::Idle => self.requests,
            Phase::Silent | Phase::Working | Phase::Closing => 0,
        };
        if (phase, turn) != (self.turn.0, self.turn.1) {
            self.turn = (phase, turn, now);
        }
        let due = time(phase, limits).map(|time| self.turn.2 + time);
        let due = match phase {
            Phase::Silent | Phase::Idle => self.idle_until.or(due),
            _ => due,
        };
        (phase, due)
    }

    fn phase(&self) -> Phase {
        if self.is_closing {
            Phase::Closing
        } else if self.answering > 0 || self.is_write_blocked {
            Phase::Answering
        } else if self.working > 0 {
            Phase::Working
        } else if self.head_has_begun {
            Phase::Head
        } else if self.opening == Opening::Undecided(0) {
            Phase::Silent
        } else {
            Phase::Idle
        }
    }
}

fn time(phase: Phase, limits: &ConnectionLimits) -> Option<Duration> {
    match phase {
        Phase::Silent => Some(limits.first_byte),
        Phase::Head => Some(limits.head),
        Phase::Working => None,
        Phase::Answering => Some(limits.write),
        Phase::Idle => Some(limits.keep_alive),
        Phase::Closing => Some(LINGER),
    }
}

fn opening(known: usize, bytes: &[u8]) -> Opening {
    let awaited = &HTTP2_OPENING[known..];
    let seen = &bytes[..bytes.len().min(awaited.len())];
    if *seen != awaited[..seen.len()] {
        Opening::Http1
    } else if seen.len() == awaited.len() {
        Opening::Http2
    } else {
        Opening::Undecided(known + seen.len())
    }
}

#[cfg(test)]
mod tests;
