//! Code of the caller's around each request. The key is added after the last middleware, so that
//! no middleware sees it, and only to a request that still goes to the API.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use reqwest::{Request, Response, Url, header::HeaderValue};

use crate::{Operation, TransportError, transport::Transport};

const KEY_HEADER: &str = "x-api-key";

/// Sees and changes every request and its response, repetitions included, without the API key.
///
/// ```
/// use payout_client::{
///     BoxFuture, Client, Middleware, Next, Operation, TransportError, reqwest,
/// };
///
/// struct Log;
///
/// impl Middleware for Log {
///     fn handle<'a>(
///         &'a self,
///         request: reqwest::Request,
///         next: Next<'a>,
///     ) -> BoxFuture<'a, Result<reqwest::Response, TransportError>> {
///         Box::pin(async move {
///             let (operation, attempt) = (next.operation().map(Operation::id), next.attempt());
///             let response = next.run(request).await?;
///             println!("{} {attempt}: {}", operation.unwrap_or("request"), response.status());
///             Ok(response)
///         })
///     }
/// }
///
/// let builder = Client::builder().middleware(Log);
/// # let _ = builder;
/// ```
pub trait Middleware: Send + Sync + 'static {
    /// Handles one request; `next.run(request)` sends it.
    fn handle<'a>(
        &'a self,
        request: Request,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<Response, TransportError>>;
}

/// The rest of a request's way: the middlewares after this one, and the network. [`Middleware`] has
/// an example.
pub struct Next<'a> {
    pub(crate) http: &'a Transport,
    pub(crate) base_url: &'a Url,
    pub(crate) key: &'a HeaderValue,
    pub(crate) rest: &'a [Arc<dyn Middleware>],
    pub(crate) operation: Option<Operation>,
    pub(crate) attempt: u32,
}

impl Next<'_> {
    /// The operation; `None` for a [`Client::request`](crate::Client::request).
    #[must_use]
    pub fn operation(&self) -> Option<Operation> {
        self.operation
    }

    /// The number of this request of the call: 1, and more for repetitions.
    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Sends the request.
    ///
    /// # Errors
    /// No response arrived.
    pub async fn run(mut self, mut request: Request) -> Result<Response, TransportError> {
        match self.rest.split_first() {
            Some((middleware, rest)) => {
                self.rest = rest;
                middleware.handle(request, self).await
            }
            None => {
                if request.url().origin() == self.base_url.origin() {
                    request.headers_mut().insert(KEY_HEADER, self.key.clone());
                }
                self.http.send(request).await
            }
        }
    }
}
