//! An exchange as text: request line, status line, the headers that matter, and the body.

use super::{kind, normalizer::Normalizer, places::Body};
use crate::exchange::{Response, headers::*};

/// The headers that matter, in this order.
const HEADERS: [&str; 10] = [
    "content-type",
    "allow",
    RETRY_AFTER,
    RATE_LIMIT,
    RATE_REMAINING,
    CREDIT_LIMIT,
    CREDITS_REMAINING,
    REQUEST_ID,
    "deprecation",
    "sunset",
];

/// Between a response and the next request. No body has such a line.
const BETWEEN: &str = "\n\n~~~\n\n";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Successive requests with the same response.
    pub(super) requests: Vec<String>,
    pub(super) response: String,
    /// The exchange of the first of them.
    pub(super) exchange: usize,
}

/// Status line, headers and body, with names in place of volatile values.
pub(super) fn response(
    normalizer: &mut Normalizer,
    response: &Response,
    body: Option<&Body>,
    random: &[&str],
) -> String {
    let mut text = response.status_line();
    for name in HEADERS {
        for value in response.headers.get_all(name) {
            let value = String::from_utf8_lossy(value.as_bytes());
            let value = header(response.status.as_u16(), name, &value);
            text.push_str(&format!("\n{name}: {value}"));
        }
    }
    let body = match (&response.json, body) {
        (Some(json), Some(body)) => format!("{:#}", normalizer.body(json, body, random)),
        (Some(json), None) => format!("{json:#}"),
        (None, _) => String::from_utf8_lossy(&response.body).into_owned(),
    };
    if !body.is_empty() {
        text.push_str("\n\n");
        text.push_str(&body);
    }
    text
}

/// A header's value, or its name if it is volatile and has the right form.
fn header(status: u16, name: &str, value: &str) -> String {
    let is_count = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    // If the response says that nothing is left, the value is known.
    let is_told = matches!((status, name), (402, CREDITS_REMAINING) | (429, RATE_REMAINING));
    let bound = match name {
        RETRY_AFTER if is_count => kind::SECONDS,
        REQUEST_ID if !value.is_empty() => kind::REQUEST_ID,
        name if name.starts_with("x-") && is_count && !is_told => kind::COUNT,
        _ => value,
    };
    bound.to_owned()
}

pub(super) fn write(entries: &[Entry]) -> String {
    let entries = entries.iter();
    let texts = entries.map(|entry| format!("{}\n\n{}", counted(&entry.requests), entry.response));
    texts.collect::<Vec<_>>().join(BETWEEN)
}

/// One request per line; repetitions are counted.
fn counted(requests: &[String]) -> String {
    let groups = requests.chunk_by(|one, other| one == other);
    let lines = groups.map(|group| match group {
        [one] => one.clone(),
        _ => format!("{}   × {}", group[0], group.len()),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The responses of a snapshot.
pub(super) fn responses(snapshot: &str) -> impl Iterator<Item = &str> {
    let entries = snapshot.split(BETWEEN);
    entries.filter_map(|entry| Some(entry.split_once("\n\n")?.1.trim_end()))
}
