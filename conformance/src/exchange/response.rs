//! A response: status, headers, body, and the values that cases read from them.

use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use hyper::{HeaderMap, StatusCode};
use serde_json::Value;

#[derive(Clone, Debug)]
pub(crate) struct Response {
    /// Index of its exchange in the case.
    pub(crate) exchange: usize,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) json: Option<Value>,
    /// The time from sending to the last byte.
    pub(crate) elapsed: Duration,
}

impl Response {
    pub(crate) fn new(status: StatusCode, headers: HeaderMap, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let json = serde_json::from_slice(&body).ok();
        Self { exchange: 0, status, headers, body, json, elapsed: Duration::ZERO }
    }

    /// A header's value, where it was sent once and is text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next()?.to_str().ok()?;
        values.next().is_none().then_some(value)
    }

    /// Returns the time of the response by the deployment's clock, in whole seconds; by this
    /// machine's where there is no `date`.
    pub(crate) fn responded_at(&self) -> DateTime<Utc> {
        let date = self.header("date");
        let read = date.and_then(|date| DateTime::parse_from_rfc2822(date).ok());
        read.map_or_else(Utc::now, |at| at.to_utc())
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.header(name)?.parse().ok()
    }

    /// The value at a JSON pointer; `Null` where there is none.
    pub(crate) fn at(&self, pointer: &str) -> &Value {
        let found = self.json.as_ref().and_then(|json| json.pointer(pointer));
        found.unwrap_or(&Value::Null)
    }

    /// The string at a JSON pointer, or an empty one.
    pub(crate) fn text(&self, pointer: &str) -> &str {
        self.at(pointer).as_str().unwrap_or_default()
    }

    pub(crate) fn items(&self) -> &[Value] {
        self.at("/data").as_array().map_or(&[], Vec::as_slice)
    }

    pub(crate) fn is_success(&self) -> bool {
        self.status.is_success()
    }

    pub(crate) fn status_line(&self) -> String {
        let reason = self.status.canonical_reason().unwrap_or_default();
        format!("{} {reason}", self.status.as_u16()).trim_end().to_owned()
    }
}
