//! What came: status, headers, body, and what a case reads of them.
//!
//! It refuses to guess: a body that is no JSON has no values.

use std::time::Duration;

use bytes::Bytes;
use hyper::{HeaderMap, StatusCode};
use serde_json::Value;

/// An response.
#[derive(Clone, Debug)]
pub struct Response {
    /// Index of its exchange in the case.
    pub exchange: usize,
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// The body's value, where it is JSON.
    pub json: Option<Value>,
    /// From sending to the last byte.
    pub elapsed: Duration,
}

impl Response {
    /// A header's value, where it stands once and is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next()?.to_str().ok()?;
        values.next().is_none().then_some(value)
    }

    /// A header's value as a whole number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.header(name)?.parse().ok()
    }

    /// What stands at a JSON pointer; `Null` where nothing does.
    pub fn at(&self, pointer: &str) -> &Value {
        let found = self.json.as_ref().and_then(|json| json.pointer(pointer));
        found.unwrap_or(&Value::Null)
    }

    /// The string at a JSON pointer, or an empty one.
    pub fn text(&self, pointer: &str) -> &str {
        self.at(pointer).as_str().unwrap_or_default()
    }

    /// The items of a list; none where it is none.
    pub fn items(&self) -> &[Value] {
        self.at("/data").as_array().map_or(&[], Vec::as_slice)
    }

    /// Whether the response is of the 200s.
    pub fn is_success(&self) -> bool {
        self.status.is_success()
    }

    /// `200 OK`.
    pub fn status_line(&self) -> String {
        let reason = self.status.canonical_reason().unwrap_or_default();
        format!("{} {reason}", self.status.as_u16())
            .trim_end()
            .to_owned()
    }
}
