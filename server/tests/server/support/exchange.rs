//! A request, its response, and the invariants of every response.

use poem::http::{HeaderMap, StatusCode};
use serde_json::Value;

pub struct TestRequest(pub(super) reqwest::RequestBuilder);

impl TestRequest {
    pub fn header(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let value = reqwest::header::HeaderValue::from_bytes(value.as_ref()).unwrap();
        Self(self.0.header(name, value))
    }

    pub fn body(self, body: impl Into<reqwest::Body>) -> Self {
        Self(self.0.body(body))
    }

    pub fn json(self, body: &Value) -> Self {
        Self(self.0.json(body))
    }

    /// Sends it. The response must keep the invariants of every response.
    pub async fn send(self) -> TestResponse {
        let response = self.0.send().await.expect("the server responds");
        let (status, headers) = (response.status(), response.headers().clone());
        TestResponse::read(status, headers, response.text().await.unwrap())
    }

    /// Sends it, and expects this status.
    pub async fn expect(self, status: u16) -> TestResponse {
        let response = self.send().await;
        assert_eq!(response.status, status, "{}", response.text);
        response
    }
}

/// A response, read whole.
#[derive(Debug)]
pub struct TestResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Value,
    pub text: String,
}

impl TestResponse {
    /// Checks the invariants of every response.
    pub fn read(status: StatusCode, headers: HeaderMap, text: String) -> Self {
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        let response = Self { status, headers, body, text };
        response.assert_invariants();
        response
    }

    /// A header's text, where there is exactly one.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next()?;
        assert!(values.next().is_none(), "{name} was sent more than once");
        Some(value.to_str().unwrap())
    }

    pub fn number(&self, name: &str) -> Option<i64> {
        self.header(name).map(|text| text.parse().unwrap())
    }

    pub fn rate_remaining(&self) -> Option<i64> {
        self.number("x-ratelimit-remaining-minute")
    }

    pub fn credits_remaining(&self) -> Option<i64> {
        self.number("x-service-credits-remaining-month")
    }

    /// A text of the body; empty where there is none.
    pub fn text_at(&self, pointer: &str) -> &str {
        self.body.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    pub fn code(&self) -> &str {
        self.text_at("/error/code")
    }

    pub fn message(&self) -> &str {
        self.text_at("/error/message")
    }

    pub fn id(&self) -> String {
        self.text_at("/data/id").to_owned()
    }

    /// The ids of a list's items, in their order.
    pub fn ids(&self) -> Vec<String> {
        let items = self.body["data"].as_array().unwrap_or_else(|| panic!("{}", self.text));
        items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    }

    pub fn next_cursor(&self) -> Option<&str> {
        self.body["pagination"]["nextCursor"].as_str()
    }

    /// §2.5, §7, §8, A9 and R13: the envelope, the content type, the headers.
    fn assert_invariants(&self) {
        let (text, status) = (&self.text, self.status.as_u16());
        assert_eq!(self.header("content-type"), Some("application/json"), "{text}");
        assert!(self.header("x-request-id").is_some_and(|id| !id.is_empty()), "{text}");
        let limit = self.number("x-ratelimit-limit-minute").expect("a rate limit");
        assert!((0..=limit).contains(&self.rate_remaining().expect("what is left of it")));
        let credits = self.number("x-service-credits-limit-month");
        let remaining = self.credits_remaining();
        assert_eq!(credits.is_some(), remaining.is_some(), "one credit header without the other");
        assert!(remaining.is_none_or(|remaining| remaining >= 0 && Some(remaining) <= credits));
        let unmetered = [400, 401, 403, 405, 408, 413, 415, 429, 431, 500, 503];
        assert!(credits.is_none() || !unmetered.contains(&status), "{status} is not metered");
        assert_eq!(self.header("retry-after").is_some(), status == 402, "{text}");
        if self.status.is_success() {
            assert!(self.body.get("data").is_some(), "no data in {text}");
            return;
        }
        let members: Vec<&String> = self.body.as_object().expect("an envelope").keys().collect();
        assert_eq!(members, ["error"], "{text}");
        assert!(!self.code().is_empty() && !self.message().is_empty(), "{text}");
    }
}
