//! Each phase, its time, and what begins that time anew.

use std::time::Duration;

use tokio::time::Instant;

use super::{Activity, HTTP2_OPENING, Phase, WRITE_PROGRESS_BYTES};
use crate::{config::ServeOptions, http::limits::LINGER};

/// A connection, and a clock of its own.
struct Connection {
    activity: Activity,
    begun: Instant,
}

impl Connection {
    fn new() -> Self {
        let begun = Instant::now();
        let activity = Activity::new(begun);
        Self { activity, begun }
    }

    /// At this second: what it does, and the second at which that must end.
    fn at(&mut self, second: u64) -> (Phase, Option<u64>) {
        let limits = ServeOptions::default().connection_limits();
        let (phase, due) = self.activity.due(self.now(second), &limits);
        let due = due.map(|due| (due - self.begun).as_secs());
        (phase, due)
    }

    fn now(&self, second: u64) -> Instant {
        self.begun + Duration::from_secs(second)
    }

    /// A request that is answered within one turn.
    fn exchange(&mut self) {
        self.activity.read(b"GET / HTTP/1.1\r\n\r\n");
        self.activity.request_began();
        self.activity.answer_began();
        self.activity.wrote(100);
        self.activity.answer_ended();
    }
}

#[test]
fn silence_ends_after_the_first_byte_time() {
    let mut connection = Connection::new();
    assert_eq!(connection.at(0), (Phase::Silent, Some(5)));
    assert_eq!(connection.at(4), (Phase::Silent, Some(5)));
}

#[test]
fn dripping_head_wins_no_time() {
    let mut connection = Connection::new();
    for second in 1..10 {
        connection.activity.read(b"G");
        assert_eq!(connection.at(second), (Phase::Head, Some(11)));
    }
}

#[test]
fn next_head_has_its_own_time() {
    let mut connection = Connection::new();
    connection.exchange();
    assert_eq!(connection.at(3), (Phase::Idle, Some(78)));
    connection.activity.read(b"GET /");
    assert_eq!(connection.at(50), (Phase::Head, Some(60)));
}

#[test]
fn every_request_begins_the_keep_alive_time_anew() {
    let mut connection = Connection::new();
    connection.exchange();
    assert_eq!(connection.at(0), (Phase::Idle, Some(75)));
    connection.exchange();
    assert_eq!(connection.at(70), (Phase::Idle, Some(145)));
    assert_eq!(connection.at(100), (Phase::Idle, Some(145)));
}

#[test]
fn work_has_no_end_here() {
    let mut connection = Connection::new();
    connection.activity.read(b"GET / HTTP/1.1\r\n\r\n");
    connection.activity.request_began();
    assert_eq!(connection.at(1), (Phase::Working, None));
    connection.activity.request_dropped();
    assert_eq!(connection.at(2), (Phase::Idle, Some(77)));
}

#[test]
fn answer_must_go_on_by_64_kib_at_a_time() {
    let mut connection = Connection::new();
    connection.activity.read(b"GET / HTTP/1.1\r\n\r\n");
    connection.activity.request_began();
    connection.activity.answer_began();
    connection.activity.wrote(1000);
    connection.activity.write_blocked();
    assert_eq!(connection.at(10), (Phase::Answering, Some(40)));
    connection.activity.wrote(1000);
    assert_eq!(
        connection.at(20),
        (Phase::Answering, Some(40)),
        "a little is no progress"
    );
    connection
        .activity
        .wrote(usize::try_from(WRITE_PROGRESS_BYTES).unwrap());
    assert_eq!(connection.at(30), (Phase::Answering, Some(60)));
}

#[test]
fn answer_that_the_library_holds_and_the_client_does_not_take_is_not_idle() {
    let mut connection = Connection::new();
    connection.exchange();
    connection.activity.write_blocked();
    assert_eq!(connection.at(0), (Phase::Answering, Some(30)));
    connection.activity.wrote(100);
    assert_eq!(connection.at(1), (Phase::Idle, Some(76)));
}

#[test]
fn bytes_of_http2_that_are_no_request_are_idle() {
    let mut connection = Connection::new();
    let (begin, rest) = HTTP2_OPENING.split_at(3);
    connection.activity.read(begin);
    assert_eq!(connection.at(1), (Phase::Head, Some(11)));
    connection.activity.read(rest);
    assert_eq!(connection.at(2), (Phase::Idle, Some(77)));
    assert!(connection.activity.is_http2());
    connection.activity.read(b"a ping");
    assert_eq!(connection.at(70), (Phase::Idle, Some(77)));
}

#[test]
fn opening_that_only_begins_like_http2_is_not() {
    let mut connection = Connection::new();
    connection.activity.read(b"PRI * HTTP/1");
    assert_eq!(connection.at(1), (Phase::Head, Some(11)));
    assert!(!connection.activity.is_http2());
}

#[test]
fn server_that_stops_ends_idle_connections_and_leaves_busy_ones_their_time() {
    let mut idle = Connection::new();
    idle.exchange();
    idle.activity.idle_until(idle.now(1));
    assert_eq!(idle.at(0), (Phase::Idle, Some(1)));
    idle.activity.read(b"GET");
    assert_eq!(idle.at(2), (Phase::Head, Some(12)));
}

#[test]
fn closing_lingers_only_where_the_client_may_still_send() {
    let mut talking = Connection::new();
    talking.exchange();
    assert!(talking.activity.closes());
    assert_eq!(talking.at(1), (Phase::Closing, Some(1 + LINGER.as_secs())));
    let mut gone = Connection::new();
    gone.exchange();
    gone.activity.read(b"");
    assert!(!gone.activity.closes());
    let mut idle = Connection::new();
    idle.exchange();
    idle.activity.needs_no_more();
    assert!(!idle.activity.closes());
}
