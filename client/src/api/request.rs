//! The request of a call, built without a `reqwest::Client`. The generated methods use it.

use std::error::Error;

use reqwest::{
    Method, Request, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderValue},
};
use serde::Serialize;
use serde_json::Value;

use crate::{
    rules::violation,
    types::{Violation, ViolationCode, ViolationLocation},
};

/// Why there is no request.
pub(crate) struct Unsent(pub(crate) Vec<Violation>);

impl<E: Error> From<E> for Unsent {
    fn from(error: E) -> Self {
        Self(vec![violation(ViolationLocation::Body, "", ViolationCode::BadFormat, error)])
    }
}

pub(crate) struct RequestBuilder(Result<Request, Unsent>);

impl RequestBuilder {
    pub(crate) fn new(method: Method, url: String) -> Self {
        Self(Url::parse(&url).map(|url| Request::new(method, url)).map_err(Unsent::from))
    }

    /// Adds a parameter of the query: a list once for each of its values, `None` not at all.
    pub(crate) fn query(self, (name, value): &(&str, &impl Serialize)) -> Self {
        self.and(|request| {
            let values = match serde_json::to_value(value)? {
                Value::Null => Vec::new(),
                Value::Array(values) => values,
                value => vec![value],
            };
            for value in values {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                request.url_mut().query_pairs_mut().append_pair(name, &text);
            }
            Ok(())
        })
    }

    pub(crate) fn headers(self, headers: HeaderMap) -> Self {
        self.and(|request| {
            request.headers_mut().extend(headers);
            Ok(())
        })
    }

    pub(crate) fn json(self, body: &impl Serialize) -> Self {
        self.and(|request| {
            *request.body_mut() = Some(serde_json::to_vec(body)?.into());
            let json = HeaderValue::from_static("application/json");
            Ok(request.headers_mut().insert(CONTENT_TYPE, json))
        })
    }

    pub(crate) fn build(self) -> Result<Request, Unsent> {
        self.0
    }

    fn and<T>(self, change: impl FnOnce(&mut Request) -> Result<T, Unsent>) -> Self {
        Self(self.0.and_then(|mut request| change(&mut request).map(|_| request)))
    }
}
