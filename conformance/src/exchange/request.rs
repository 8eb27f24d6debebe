//! A request: a method, a path, and what a case sends with them. There are no defaults, not even
//! the key.

use std::slice;

use bytes::Bytes;
use hyper::{
    HeaderMap, Method,
    header::{CONTENT_TYPE, HeaderName, HeaderValue},
};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use serde_json::Value;

use crate::secret::Secret;

/// Characters that are escaped in a segment of a path and in a value of a query.
const SEGMENT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'&')
    .add(b'+')
    .add(b'/')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    None,
    Secret(Secret),
    /// Not a key, but made from one: as secret as that one, with another placeholder.
    Altered(Secret),
    Repeated(Vec<Secret>),
}

impl Key {
    /// The keys, each sent in an `x-api-key` of its own.
    pub(crate) fn secrets(&self) -> &[Secret] {
        match self {
            Self::None => &[],
            Self::Secret(secret) | Self::Altered(secret) => slice::from_ref(secret),
            Self::Repeated(secrets) => secrets,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) target: String,
    pub(crate) key: Key,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Bytes>,
}

impl Request {
    /// A request with this method, to a path that is sent as it is written.
    pub(crate) fn new(method: Method, target: impl Into<String>) -> Self {
        Self {
            method,
            target: target.into(),
            key: Key::None,
            headers: HeaderMap::new(),
            body: None,
        }
    }

    pub(crate) fn get(target: impl Into<String>) -> Self {
        Self::new(Method::GET, target)
    }

    pub(crate) fn post(target: impl Into<String>) -> Self {
        Self::new(Method::POST, target)
    }

    pub(crate) fn patch(target: impl Into<String>, body: &Value) -> Self {
        Self::new(Method::PATCH, target).json(body)
    }

    pub(crate) fn with(mut self, key: &Secret) -> Self {
        self.key = Key::Secret(key.clone());
        self
    }

    pub(crate) fn with_key(mut self, key: Key) -> Self {
        self.key = key;
        self
    }

    /// Adds a parameter to the query, and escapes its value.
    pub(crate) fn query(mut self, name: &str, value: &str) -> Self {
        let joint = if self.target.contains('?') { '&' } else { '?' };
        self.target = format!("{}{joint}{name}={}", self.target, escaped(value));
        self
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        let name = HeaderName::try_from(name).expect("cases write names of headers");
        let value = HeaderValue::from_bytes(value.as_bytes()).expect("and values that can be sent");
        self.headers.append(name, value);
        self
    }

    /// Sets this JSON as body, and declares it as such.
    pub(crate) fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string())
    }

    pub(crate) fn body(self, content_type: &str, body: impl Into<Bytes>) -> Self {
        let declared = match content_type {
            "" => self,
            content_type => self.header(CONTENT_TYPE.as_str(), content_type),
        };
        Self { body: Some(body.into()), ..declared }
    }

    pub(crate) fn path(&self) -> &str {
        self.target.split_once('?').map_or(&self.target, |(path, _)| path)
    }
}

/// Text as one segment of a path, or as a value of a query.
pub(crate) fn escaped(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

/// The text of such a segment or value.
pub(crate) fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_is_joined_and_escaped() {
        let request =
            Request::get("/api/v1/partners").query("limit", "1").query("cursor", "a&b=c d/ü");
        assert_eq!(request.target, "/api/v1/partners?limit=1&cursor=a%26b=c%20d%2F%C3%BC");
        assert_eq!(request.path(), "/api/v1/partners");
    }
}
