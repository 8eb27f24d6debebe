//! An exchange as text: request line, status line, the headers that matter, and the body.

use serde_json::Value;

use super::{kind, normalizer::Normalizer, places::Schema};
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
    schema: Option<&Schema<'_>>,
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
    let body = match (&response.json, schema) {
        (Some(json), Some(schema)) => pretty(&normalizer.body(json, schema, random)),
        (Some(json), None) => pretty(json),
        (None, _) => String::from_utf8_lossy(&response.body).into_owned(),
    };
    if !body.is_empty() {
        text.push_str("\n\n");
        text.push_str(&body);
    }
    text
}

fn pretty(value: &Value) -> String {
    format!("{value:#}")
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

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use hyper::{HeaderMap, StatusCode};

    use super::*;

    /// A response with these headers and this JSON.
    pub(in crate::snapshot) fn told(
        status: u16,
        headers: &[(&'static str, &str)],
        body: &str,
    ) -> Response {
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            all.append(*name, value.parse().unwrap());
        }
        Response {
            exchange: 0,
            status: StatusCode::from_u16(status).unwrap(),
            headers: all,
            json: serde_json::from_str(body).ok(),
            body: Bytes::copy_from_slice(body.as_bytes()),
            elapsed: Duration::ZERO,
        }
    }

    fn text(response: &Response) -> String {
        super::response(&mut Normalizer::default(), response, None, &[])
    }

    #[test]
    fn headers_are_sorted_and_counts_are_named() {
        let response = told(
            404,
            &[
                ("x-request-id", "abc"),
                ("date", "today"),
                ("x-ratelimit-limit-minute", "120"),
                ("x-ratelimit-remaining-minute", "0"),
                ("content-type", "application/json"),
                ("retry-after", "soon"),
            ],
            "",
        );
        assert_eq!(
            text(&response),
            "404 Not Found\ncontent-type: application/json\nretry-after: soon\n\
             x-ratelimit-limit-minute: [count]\nx-ratelimit-remaining-minute: [count]\n\
             x-request-id: [request-id]"
        );
    }

    #[test]
    fn used_up_allowance_is_shown_by_value() {
        let credits = [(CREDIT_LIMIT, "10"), (CREDITS_REMAINING, "0")];
        assert_eq!(
            text(&told(402, &credits, "")),
            "402 Payment Required\nx-service-credits-limit-month: [count]\n\
             x-service-credits-remaining-month: 0"
        );
        let left = [(RATE_REMAINING, "3")];
        assert!(text(&told(429, &left, "")).ends_with(": 3"));
    }

    #[test]
    fn repeated_header_is_written_twice() {
        let twice = [("content-type", "a/b"), ("content-type", "c/d")];
        assert_eq!(text(&told(200, &twice, "")), "200 OK\ncontent-type: a/b\ncontent-type: c/d");
    }

    #[test]
    fn requests_with_one_response_share_it_and_are_read_back() {
        let entries = [
            (&["GET /a", "GET /a", "GET /b"][..], "404 Not Found\n\n{}"),
            (&["GET /c"], "200 OK\n\n[\n  1\n]"),
            (&["GET /d"], "405 Method Not Allowed"),
        ];
        let entries = entries.map(|(requests, response)| Entry {
            requests: requests.iter().map(|request| (*request).to_owned()).collect(),
            response: response.to_owned(),
            exchange: 0,
        });
        let text = write(&entries);
        assert_eq!(
            text,
            "GET /a   × 2\nGET /b\n\n404 Not Found\n\n{}\n\n~~~\n\nGET /c\n\n200 OK\n\n[\n  1\n]\n\
             \n~~~\n\nGET /d\n\n405 Method Not Allowed"
        );
        let read: Vec<&str> = responses(&text).collect();
        assert_eq!(read, ["404 Not Found\n\n{}", "200 OK\n\n[\n  1\n]", "405 Method Not Allowed"]);
    }
}
