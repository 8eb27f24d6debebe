//! A request, its response, and the invariants of every response.

use poem::http::{HeaderMap, Method, StatusCode};
use serde_json::Value;

/// A request before it is sent.
pub struct TestRequest(reqwest::RequestBuilder);

impl TestRequest {
    pub(super) fn new(request: reqwest::RequestBuilder) -> Self {
        Self(request)
    }

    /// Adds a header.
    pub fn header(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let value = reqwest::header::HeaderValue::from_bytes(value.as_ref()).unwrap();
        Self(self.0.header(name, value))
    }

    /// Sets the body.
    pub fn body(self, body: impl Into<reqwest::Body>) -> Self {
        Self(self.0.body(body))
    }

    /// Sends it. The response must keep the invariants of every response.
    pub async fn send(self) -> TestResponse {
        let (client, request) = self.0.build_split();
        let request = request.unwrap();
        let has_body = request.method() != Method::HEAD;
        let response = client.execute(request).await.expect("the server responds");
        let (status, headers) = (response.status(), response.headers().clone());
        let text = response.text().await.unwrap();
        TestResponse::read(status, headers, text, has_body)
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
    /// Checks the invariants of every response; one to HEAD has no body.
    pub(super) fn read(
        status: StatusCode,
        headers: HeaderMap,
        text: String,
        has_body: bool,
    ) -> Self {
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        let response = Self { status, headers, body, text };
        response.assert_invariants();
        if has_body {
            response.assert_shape();
        }
        response
    }

    /// A header's text, where there is exactly one.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next()?;
        assert!(values.next().is_none(), "{name} was sent more than once");
        Some(value.to_str().unwrap())
    }

    /// A header's whole number.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.header(name).map(|text| text.parse().unwrap())
    }

    /// `error.code`.
    pub fn code(&self) -> &str {
        self.body["error"]["code"]
            .as_str()
            .unwrap_or_else(|| panic!("no error code in {}", self.text))
    }

    /// `error.message`.
    pub fn message(&self) -> &str {
        self.body["error"]["message"]
            .as_str()
            .unwrap_or_else(|| panic!("no error message in {}", self.text))
    }

    /// The ids of a list's items, in their order.
    pub fn ids(&self) -> Vec<String> {
        let items =
            self.body["data"].as_array().unwrap_or_else(|| panic!("no list in {}", self.text));
        items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    }

    /// The cursor of the next page.
    pub fn next_cursor(&self) -> Option<&str> {
        let next = self.body["pagination"]
            .get("nextCursor")
            .unwrap_or_else(|| panic!("no nextCursor in {}", self.text));
        next.as_str()
    }

    /// §7 and §8, A9 and R13, of every response of the API: the envelope, the content type, the
    /// headers.
    fn assert_invariants(&self) {
        let text = &self.text;
        assert_eq!(self.header("content-type"), Some("application/json"), "{text}");
        let id = self.header("x-request-id").expect("a request id");
        assert!(!id.is_empty() && id.len() <= 128, "{id}");
        let limit = self.number("x-ratelimit-limit-minute").expect("a rate limit");
        let remaining = self.number("x-ratelimit-remaining-minute").expect("what is left of it");
        assert!((0..=limit).contains(&remaining), "{remaining} of {limit}");
        let credits = (
            self.number("x-service-credits-limit-month"),
            self.number("x-service-credits-remaining-month"),
        );
        match credits {
            (Some(limit), Some(remaining)) => {
                assert!((0..=limit).contains(&remaining), "{remaining} of {limit}")
            }
            (None, None) => {}
            one => panic!("one credit header without the other: {one:?}"),
        }
        assert_eq!(
            self.header("retry-after").is_some(),
            self.status == 402,
            "retry-after is for 402 alone"
        );
        let unmetered = [400, 401, 403, 405, 408, 413, 415, 429, 500, 503];
        assert!(
            credits.0.is_none() || !unmetered.contains(&self.status.as_u16()),
            "{} is not metered",
            self.status
        );
    }

    /// §2.5 and §7: data in an envelope, or an error in its own.
    fn assert_shape(&self) {
        let text = &self.text;
        if self.status.is_success() {
            assert!(self.body.get("data").is_some(), "no data in {text}");
        } else {
            self.assert_error_envelope();
        }
    }

    fn assert_error_envelope(&self) {
        let text = &self.text;
        let members: Vec<&String> = self.body.as_object().expect("an envelope").keys().collect();
        assert_eq!(members, ["error"], "{text}");
        let error = self.body["error"].as_object().expect("an error");
        assert!(error["code"].is_string() && error["message"].is_string(), "{text}");
        if self.status == 422 {
            assert!(error["details"].is_object(), "{text}");
        }
        let known = |name: &String| ["code", "message", "details"].contains(&name.as_str());
        assert!(error.keys().all(known), "{text}");
    }
}
