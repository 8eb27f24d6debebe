//! Each phase, its time limit, and what restarts it.

use std::time::Duration;

use tokio::time::Instant;

use super::ConnectionState;
use crate::{config::ServeOptions, outcomes::outcomes};

/// Returns the phase at each second of a row of `events.txt`, and the second at which it must end.
fn phases(events: &str) -> String {
    let limits = ServeOptions::default().connection_limits();
    let begun = Instant::now();
    let mut state = ConnectionState::new(begun);
    let mut seen = Vec::new();
    for event in events.split(", ") {
        match event.split_once(' ').unwrap_or((event, "")) {
            ("read", text) => state.read(text.as_bytes()),
            ("request", "began") => state.request_began(),
            ("request", _) => state.request_dropped(),
            ("response", "began") => state.response_began(),
            ("response", _) => state.response_ended(),
            ("wrote", bytes) => state.wrote(bytes.parse().unwrap()),
            ("blocked", _) => state.write_blocked(),
            ("enough", _) => state.needs_no_more(),
            ("closes", _) => seen.push(format!("reads on: {}", state.closes())),
            ("at", second) => {
                let now = begun + Duration::from_secs(second.parse().unwrap());
                let (phase, deadline) = state.deadline(now, &limits);
                let end = deadline.map(|deadline| (deadline - begun).as_secs());
                let protocol = if state.is_http2() { "HTTP/2 " } else { "" };
                seen.push(format!("{second}: {protocol}{phase:?} to {end:?}"));
            }
            _ => panic!("{event} is no event"),
        }
    }
    seen.join(", ")
}

#[test]
fn phases_follow_from_events() {
    // A request that is answered at once.
    let exchange = "read GET, request began, response began, wrote 100, response ended";
    // The preface of HTTP/2 has line ends.
    let rest = " * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    insta::assert_snapshot!(outcomes(include_str!("events.txt"), |row| {
        phases(&row.replace("exchange", exchange).replace("<rest of the preface>", rest))
    }));
}
