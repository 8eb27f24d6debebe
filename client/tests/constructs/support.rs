//! Stands in for the parts of the client that belong to its own document, or need a server.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use reqwest::{Request, StatusCode, header::HeaderMap};

use crate::{
    Client, Operation, Response, Success, request::Unsent, types::Cursor, types::Violation,
};

pub(crate) mod transport {
    #[derive(Clone, Debug)]
    pub(crate) struct Transport;
}

pub(crate) mod call {
    use std::sync::{Arc, Mutex};

    /// The response to every request, and the last request.
    #[derive(Clone, Debug)]
    pub(crate) struct Connection {
        pub(crate) status: u16,
        pub(crate) body: Vec<u8>,
        pub(crate) sent: Arc<Mutex<String>>,
    }
}

pub(crate) mod error_response {
    pub(crate) fn excerpt(body: &[u8], _: usize) -> String {
        String::from_utf8_lossy(body).into_owned()
    }
}

#[derive(Debug)]
pub enum Error {
    InvalidRequest { issues: Vec<Violation> },
    Decode(Box<DecodeError>),
    UnreadableItem(Box<DecodeError>),
    Response(StatusCode),
    RepeatedCursor { cursor: Cursor },
    TooManyPages { max_pages: usize, cursor: Cursor },
    Transport(TransportError),
}

#[derive(Debug)]
pub struct DecodeError {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) problem: String,
    pub(crate) body: Bytes,
}

impl DecodeError {
    pub(crate) fn new(status: StatusCode, headers: HeaderMap, problem: String) -> Self {
        Self { status, headers, problem, body: Bytes::new() }
    }
}

pub(crate) struct ErrorResponse(StatusCode);

impl ErrorResponse {
    pub(crate) fn read(status: StatusCode, _: HeaderMap, _: &[u8]) -> Self {
        Self(status)
    }
}

impl From<ErrorResponse> for Error {
    fn from(response: ErrorResponse) -> Self {
        Self::Response(response.0)
    }
}

#[derive(Debug)]
pub struct TransportError(String);

impl TransportError {
    pub(crate) fn new(problem: &str) -> Self {
        Self(problem.to_owned())
    }
}

impl From<reqwest::Error> for TransportError {
    fn from(error: reqwest::Error) -> Self {
        Self(error.to_string())
    }
}

pub(crate) struct Meters;

impl Meters {
    pub(crate) fn read(_: &HeaderMap) -> Self {
        Self
    }
}

/// A client that gets this response to every request.
pub(crate) fn client(status: u16, body: &str) -> Client {
    let sent = Arc::new(Mutex::default());
    let inner = call::Connection { status, body: body.as_bytes().to_vec(), sent };
    Client { baseurl: "http://api".to_owned(), client: transport::Transport, inner }
}

impl Client {
    pub(crate) async fn call<T>(
        &self,
        operation: Operation,
        request: Result<Request, Unsent>,
        read: fn(Success) -> Result<Response<T>, Error>,
    ) -> Result<Response<T>, Error> {
        self.call_redirected(operation, &[], request, read).await
    }

    pub(crate) async fn call_redirected<T>(
        &self,
        _: Operation,
        redirects: &'static [u16],
        request: Result<Request, Unsent>,
        read: fn(Success) -> Result<Response<T>, Error>,
    ) -> Result<Response<T>, Error> {
        let request = request.map_err(|Unsent(issues)| Error::InvalidRequest { issues })?;
        *self.inner.sent.lock().unwrap() = shown(&request);
        let response = hyper::Response::builder().status(self.inner.status);
        let response = response.body(self.inner.body.clone()).unwrap();
        read(Success::read(response.into(), redirects).await?)
    }
}

/// Method, target, headers other than the version, and body.
fn shown(request: &Request) -> String {
    let url = request.url();
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut text = format!("{} {}{query}", request.method(), url.path());
    for (name, value) in request.headers().iter().filter(|(name, _)| *name != "api-version") {
        text.push_str(&format!(" {name}: {}", value.to_str().unwrap()));
    }
    if let Some(body) = request.body().and_then(|body| body.as_bytes()) {
        text.push_str(&format!(" | {}", String::from_utf8_lossy(body)));
    }
    text
}
