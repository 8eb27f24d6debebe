//! Requests that this version of the client does not know.

use std::fmt::Display;

use openapi_client::{Location, Success, Unsent, request::RequestBuilder, rules::given};
use reqwest::{
    Method,
    header::{HeaderMap, HeaderName, HeaderValue},
};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    Client, Error, Idempotency, Response,
    call::{IDEMPOTENCY_KEY, Target},
    types::{self, IdempotencyKey},
};

/// A request of any path, with the client's key, retries, errors and meters; made by
/// [`Client::request`].
#[must_use = "nothing is sent until `send` is called"]
pub struct AnyRequest {
    client: Client,
    request: Result<RequestBuilder, Error>,
    idempotency: Idempotency,
}

impl Client {
    /// A request of a path that this version of the client does not know, below the base URL.
    ///
    /// It is repeated as those of operations are: if its method is idempotent by HTTP, or with an
    /// idempotency key.
    ///
    /// ```
    /// use payout_client::{Client, Error, reqwest::Method};
    /// use serde_json::Value;
    ///
    /// async fn audit(client: &Client, payout: &str) -> Result<Value, Error> {
    ///     let call = client.request(Method::GET, "/api/v1/audit").query("payoutId", payout);
    ///     Ok(call.send::<Value>().await?.into_inner())
    /// }
    /// ```
    pub fn request(&self, method: Method, path: &str) -> AnyRequest {
        let idempotency = match method.is_idempotent() {
            true => Idempotency::ByNature,
            false => Idempotency::None,
        };
        let request =
            url(self.connection.base_url(), path).map(|url| RequestBuilder::new(method, url));
        AnyRequest { client: self.clone(), request, idempotency }
    }
}

impl AnyRequest {
    /// Adds a parameter to the query, which is encoded.
    pub fn query(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.map(|request| request.query(&(name, &value)));
        self
    }

    /// Sets the body.
    pub fn json(mut self, body: &impl Serialize) -> Self {
        self.request = self.request.map(|request| request.json(body));
        self
    }

    /// Makes a POST or PATCH safe to repeat, where the operation knows the header
    /// `idempotency-key`.
    pub fn idempotency_key(mut self, key: impl TryInto<IdempotencyKey, Error: Display>) -> Self {
        self.idempotency = Idempotency::ByKey;
        self.request = self.request.and_then(|request| {
            let rules = types::rules::IDEMPOTENCY_KEY;
            let (header, path) = (Location::Header, "/idempotency-key");
            let key = given(header, path, key.try_into(), rules).map_err(Unsent)?;
            let key = HeaderValue::try_from(key.as_str())
                .map_err(|problem| Error::invalid_request(header, path, problem))?;
            let name = HeaderName::from_static(IDEMPOTENCY_KEY);
            Ok(request.headers(HeaderMap::from_iter([(name, key)])))
        });
        self
    }

    /// Sends the request, and reads the body of a success: a [`serde_json::Value`], or a type of
    /// the caller's. A 204 is read as null.
    ///
    /// # Errors
    /// The errors are those of an operation's call.
    pub async fn send<T: DeserializeOwned + Send>(self) -> Result<Response<T>, Error> {
        let Self { client, request, idempotency } = self;
        let target = Target { operation: None, idempotency, redirects: &[] };
        client.connection.send(target, request?.build(), Success::json).await
    }
}

/// The URL of a path, unless it leads to another one than it seems to.
fn url(base_url: &str, path: &str) -> Result<String, Error> {
    let segments = path.split(['?', '#']).next().unwrap_or_default();
    let is_dots = |segment: &str| matches!(&*segment.replace("%2e", "."), "." | "..");
    if !segments.starts_with('/')
        // A URL parser reads a backslash as `/`, and skips line breaks and tabs.
        || segments.contains(|character: char| character == '\\' || character.is_control())
        || segments.to_ascii_lowercase().split('/').any(is_dots)
    {
        let problem = "not a path: begin it with `/`; it has no `.`, `..`, `\\` or line breaks";
        return Err(Error::invalid_request(Location::Path, path, problem));
    }
    Ok(format!("{base_url}{path}"))
}

#[cfg(test)]
mod tests {
    use super::url;

    #[test]
    fn paths_stay_below_the_base_url() {
        let base = "https://api.example/payouts";
        let of = |path| url(base, path).ok();
        assert_eq!(
            of("/api/v1/x?y=1").as_deref(),
            Some("https://api.example/payouts/api/v1/x?y=1")
        );
        for path in [
            "",
            "api",
            "@evil.example/",
            ".evil.example/",
            "/a/../b",
            "/%2E%2e/b",
            "/.\t./b",
            r"/a\..\b",
        ] {
            assert_eq!(of(path), None, "{path}");
        }
    }
}
