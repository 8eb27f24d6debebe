//! Each phase, its time limit, and what restarts it.

use std::time::Duration;

use tokio::time::Instant;

use super::{ConnectionState, HTTP2_PREFACE, Phase, WRITE_PROGRESS_BYTES};
use crate::{config::ServeOptions, http::limits::LINGER};

/// A connection with its own clock.
struct Connection {
    state: ConnectionState,
    begun: Instant,
}

impl Connection {
    fn new() -> Self {
        let begun = Instant::now();
        let state = ConnectionState::new(begun);
        Self { state, begun }
    }

    /// Returns the phase at this second, and the second at which it must end.
    fn at(&mut self, second: u64) -> (Phase, Option<u64>) {
        let limits = ServeOptions::default().connection_limits();
        let (phase, deadline) = self.state.deadline(self.now(second), &limits);
        let deadline = deadline.map(|deadline| (deadline - self.begun).as_secs());
        (phase, deadline)
    }

    fn now(&self, second: u64) -> Instant {
        self.begun + Duration::from_secs(second)
    }

    /// Makes a request that is answered at once.
    fn exchange(&mut self) {
        self.state.read(b"GET / HTTP/1.1\r\n\r\n");
        self.state.request_began();
        self.state.response_began();
        self.state.wrote(100);
        self.state.response_ended();
    }
}

#[test]
fn every_request_restarts_the_keep_alive_time() {
    let mut connection = Connection::new();
    connection.exchange();
    assert_eq!(connection.at(0), (Phase::Idle, Some(75)));
    connection.exchange();
    assert_eq!(connection.at(70), (Phase::Idle, Some(145)));
    assert_eq!(connection.at(100), (Phase::Idle, Some(145)));
}

#[test]
fn work_has_no_time_limit_here() {
    let mut connection = Connection::new();
    connection.state.read(b"GET / HTTP/1.1\r\n\r\n");
    connection.state.request_began();
    assert_eq!(connection.at(1), (Phase::Working, None));
    connection.state.request_dropped();
    assert_eq!(connection.at(2), (Phase::Idle, Some(77)));
}

#[test]
fn response_must_progress_by_64_kib_at_a_time() {
    let mut connection = Connection::new();
    connection.state.read(b"GET / HTTP/1.1\r\n\r\n");
    connection.state.request_began();
    connection.state.response_began();
    connection.state.wrote(1000);
    connection.state.write_blocked();
    assert_eq!(connection.at(10), (Phase::Responding, Some(40)));
    connection.state.wrote(1000);
    assert_eq!(connection.at(20), (Phase::Responding, Some(40)), "fewer bytes are no progress");
    connection.state.wrote(usize::try_from(WRITE_PROGRESS_BYTES).unwrap());
    assert_eq!(connection.at(30), (Phase::Responding, Some(60)));
}

#[test]
fn blocked_write_after_the_response_is_not_idle() {
    let mut connection = Connection::new();
    connection.exchange();
    connection.state.write_blocked();
    assert_eq!(connection.at(0), (Phase::Responding, Some(30)));
    connection.state.wrote(100);
    assert_eq!(connection.at(1), (Phase::Idle, Some(76)));
}

#[test]
fn http2_bytes_without_a_request_are_idle() {
    let mut connection = Connection::new();
    let (begin, rest) = HTTP2_PREFACE.split_at(3);
    connection.state.read(begin);
    assert_eq!(connection.at(1), (Phase::Head, Some(11)));
    connection.state.read(rest);
    assert_eq!(connection.at(2), (Phase::Idle, Some(77)));
    assert!(connection.state.is_http2());
    connection.state.read(b"a ping");
    assert_eq!(connection.at(70), (Phase::Idle, Some(77)));
}

#[test]
fn partial_preface_is_not_http2() {
    let mut connection = Connection::new();
    connection.state.read(b"PRI * HTTP/1");
    assert_eq!(connection.at(1), (Phase::Head, Some(11)));
    assert!(!connection.state.is_http2());
}

#[test]
fn closing_lingers_only_where_the_client_may_still_send() {
    let mut talking = Connection::new();
    talking.exchange();
    assert!(talking.state.closes());
    assert_eq!(talking.at(1), (Phase::Closing, Some(1 + LINGER.as_secs())));
    let mut gone = Connection::new();
    gone.exchange();
    gone.state.read(b"");
    assert!(!gone.state.closes());
    let mut idle = Connection::new();
    idle.exchange();
    idle.state.needs_no_more();
    assert!(!idle.state.closes());
}
