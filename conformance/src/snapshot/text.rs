//! A response as text, and read again: status line, headers and body, with names in place of
//! volatile values.

use std::{fmt, sync::LazyLock};

use regex::{Captures, Regex};
use serde_json::Value;

use super::{kind, normalizer::Normalizer, places::Members};
use crate::exchange::{Response, headers::*};

/// The headers that come first, in this order.
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
/// Headers of a connection or of one moment, which no snapshot holds.
const TRANSPORT: [&str; 6] =
    ["connection", "content-length", "date", "keep-alive", "trailer", "transfer-encoding"];

/// Between a response and the next request. No body has such a line.
const BETWEEN: &str = "\n\n~~~\n\n";

/// Keys of either environment.
static KEYS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"pcp_(?:live|test)_\w+").expect("a regular expression"));
/// Addresses: the host, the path and the query.
static ADDRESSES: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"(https?://[^\s"'/?#]+)([^\s"'?#]*)(\?[^\s"'#]*)?"#;
    Regex::new(pattern).expect("a regular expression")
});
/// Segments of a path that no person chose, such as a ticket.
static OPAQUE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[A-Za-z0-9_~.%-]{20,}").expect("a regular expression"));

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    Empty,
    Json(Value),
    Text(String),
}

/// One response as a snapshot shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Snapshot {
    /// Such as `404 Not Found`.
    pub(crate) status: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Body,
}

impl Snapshot {
    pub(crate) fn of(
        normalizer: &mut Normalizer,
        response: &Response,
        members: Option<&Members>,
        random: &[&str],
    ) -> Self {
        let listed = HEADERS.iter().copied();
        let mut others: Vec<&str> = response.headers.keys().map(|name| name.as_str()).collect();
        others.retain(|name| !HEADERS.contains(name) && !TRANSPORT.contains(name));
        others.sort_unstable();
        let status = response.status.as_u16();
        let names: &Normalizer = normalizer;
        let sent = listed.chain(others).flat_map(|name| {
            let values = response.headers.get_all(name).iter();
            values.map(move |value| {
                let value = String::from_utf8_lossy(value.as_bytes());
                (name.to_owned(), names.header(status, name, &value))
            })
        });
        let headers = sent.collect();
        let body = match (&response.json, members) {
            (Some(json), Some(members)) => Body::Json(normalizer.body(json, members, random)),
            (Some(json), None) => Body::Json(json.clone()),
            (None, _) if response.body.is_empty() => Body::Empty,
            (None, _) => Body::Text(String::from_utf8_lossy(&response.body).into_owned()),
        };
        Self { status: response.status_line(), headers, body }
    }

    /// Reads what [`Display`](fmt::Display) wrote.
    pub(crate) fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
        let mut lines = head.lines();
        let status = lines.next().unwrap_or_default().to_owned();
        let headers = lines.filter_map(|line| line.split_once(':'));
        let headers = headers.map(|(name, value)| (name.to_owned(), value.trim().to_owned()));
        let body = match serde_json::from_str(body) {
            Ok(json) => Body::Json(json),
            Err(_) if body.is_empty() => Body::Empty,
            Err(_) => Body::Text(body.to_owned()),
        };
        Self { status, headers: headers.collect(), body }
    }

    pub(crate) fn status(&self) -> u16 {
        self.status.split(' ').next().and_then(|code| code.parse().ok()).unwrap_or_default()
    }

    pub(crate) fn json(&self) -> Option<&Value> {
        match &self.body {
            Body::Json(json) => Some(json),
            _ => None,
        }
    }

    /// The error code; empty if there is none.
    pub(crate) fn code(&self) -> &str {
        let code = self.json().and_then(|json| json.pointer("/error/code"));
        code.and_then(Value::as_str).unwrap_or_default()
    }

    /// This snapshot with each text replaced.
    pub(crate) fn map(&self, replace: &dyn Fn(&str) -> String) -> Self {
        let headers = self.headers.iter().map(|(name, value)| (name.clone(), replace(value)));
        let body = match &self.body {
            Body::Empty => Body::Empty,
            Body::Json(json) => Body::Json(mapped(json, replace)),
            Body::Text(text) => Body::Text(replace(text)),
        };
        Self { status: self.status.clone(), headers: headers.collect(), body }
    }
}

fn mapped(value: &Value, replace: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => replace(text).into(),
        Value::Array(items) => items.iter().map(|item| mapped(item, replace)).collect(),
        Value::Object(members) => {
            let members = members.iter();
            members.map(|(name, member)| (replace(name), mapped(member, replace))).collect()
        }
        other => other.clone(),
    }
}

impl fmt::Display for Snapshot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.status)?;
        for (name, value) in &self.headers {
            write!(formatter, "\n{name}: {value}")?;
        }
        match &self.body {
            Body::Empty => Ok(()),
            Body::Json(json) => write!(formatter, "\n\n{json:#}"),
            Body::Text(text) => write!(formatter, "\n\n{text}"),
        }
    }
}

/// A text without keys, and without what makes an address a secret: its query, such as the
/// signature of a link, and opaque segments, such as a ticket. Also where the document knows of
/// none.
pub(crate) fn without_secrets(text: &str) -> String {
    let text = KEYS.replace_all(text, kind::KEY);
    let shown = ADDRESSES.replace_all(&text, |found: &Captures<'_>| {
        let query = found.get(3).map_or(String::new(), |_| format!("?{}", kind::QUERY));
        format!("{}{}{query}", &found[1], OPAQUE.replace_all(&found[2], kind::OPAQUE))
    });
    shown.into_owned()
}

/// Successive requests with the same response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) requests: Vec<String>,
    pub(crate) response: String,
}

/// Adds a request with its response; neighbours with the same response share an entry.
pub(crate) fn push(entries: &mut Vec<Entry>, request: String, response: String) {
    match entries.last_mut().filter(|last| last.response == response) {
        Some(last) => last.requests.push(request),
        None => entries.push(Entry { requests: vec![request], response }),
    }
}

pub(crate) fn write(entries: &[Entry]) -> String {
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

/// The requests and the response of each entry of a file's text.
pub(crate) fn entries(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let entries = text.split(BETWEEN).filter_map(|entry| entry.split_once("\n\n"));
    entries.map(|(requests, response)| (requests, response.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_response_is_read_as_it_was_written() {
        for text in [
            "404 Not Found\ncontent-type: application/json\n\n{\n  \"a\": 1.50\n}",
            "204 No Content\nallow: GET, PATCH",
            "502 Bad Gateway\n\n<html>\n\n: no</html>",
        ] {
            assert_eq!(Snapshot::parse(text).to_string(), text);
        }
        let snapshot = Snapshot::parse("404 Not Found\n\n{\"error\": {\"code\": \"NOT_FOUND\"}}");
        assert_eq!((snapshot.status(), snapshot.code()), (404, "NOT_FOUND"));
    }

    #[test]
    fn keys_signatures_and_tickets_are_shown_nowhere() {
        for (text, shown) in [
            ("of pcp_test_0123 and ?limit=1", "of [key] and ?limit=1"),
            ("https://a.example/b?expires=1&signature=abc.", "https://a.example/b?[query]"),
            (
                "at http://p.example:1/enter/0123456789abcdefghij now",
                "at http://p.example:1/enter/[opaque] now",
            ),
            ("https://docs.example/errors#code", "https://docs.example/errors#code"),
        ] {
            assert_eq!(without_secrets(text), shown);
        }
    }
}
