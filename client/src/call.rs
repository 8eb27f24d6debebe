//! The way of every call: from the request that a builder made to the response or the error by its
//! meaning. The key and the settings are kept apart from the HTTP client, so that neither the host
//! of a download link nor the target of a redirect receives the key.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use reqwest::{
    Request,
    header::{HeaderMap, HeaderName, HeaderValue},
};
use serde::de::DeserializeOwned;
use tracing::{Instrument, debug, debug_span, field::Empty};

use crate::{
    Client, Error, Idempotency, Meters, Middleware, Next, Operation, Response, RetryPolicy,
    request::Unsent, response::Success, rules, types::ViolationLocation as Location,
};

const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// What a client has beside its HTTP client.
#[derive(Clone)]
pub(crate) struct Connection {
    pub(crate) shared: Arc<Shared>,
    pub(crate) options: Options,
}

/// What all clones of a client share.
pub(crate) struct Shared {
    pub(crate) key: HeaderValue,
    pub(crate) middleware: Vec<Arc<dyn Middleware>>,
    pub(crate) meters: Mutex<Meters>,
}

/// The settings of calls.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) timeout: Duration,
    pub(crate) deadline: Option<Duration>,
    pub(crate) retries: RetryPolicy,
    pub(crate) headers: HeaderMap,
}

/// Settings for some calls: clones of the client with other ones, which share its connections.
impl Client {
    /// A clone with another limit of the time of one request, from its first byte to the last of
    /// its response.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// # async fn run(client: payout_client::Client) -> Result<(), payout_client::Error> {
    /// let patient = client.with_timeout(Duration::from_mins(2));
    /// let payouts = patient.list_payouts().send().await?;
    /// # let _ = payouts;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        self.with(|options| options.timeout = timeout)
    }

    /// A clone whose calls take no longer, with all repetitions and the pauses between them.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// # async fn run(client: payout_client::Client) -> Result<(), payout_client::Error> {
    /// let quick = client.with_deadline(Duration::from_secs(2));
    /// let payout = quick.get_payout("pay_01JV3N8Q5RHWXK2M4P6S7T9V0A").send().await?;
    /// # let _ = payout;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_deadline(&self, deadline: Duration) -> Self {
        self.with(|options| options.deadline = Some(deadline))
    }

    /// A clone that repeats other calls, or at other times.
    ///
    /// ```
    /// # fn run(client: payout_client::Client) {
    /// let once = client.with_retries(payout_client::RetryPolicy::none());
    /// # let _ = once;
    /// # }
    /// ```
    #[must_use]
    pub fn with_retries(&self, retries: RetryPolicy) -> Self {
        self.with(|options| options.retries = retries)
    }

    /// A clone with another header in every request, such as the id of a trace.
    ///
    /// ```
    /// use payout_client::reqwest::header::{HeaderName, HeaderValue};
    ///
    /// # fn run(client: payout_client::Client) {
    /// let name = HeaderName::from_static("x-request-id");
    /// let traced = client.with_header(name, HeaderValue::from_static("order-5001"));
    /// # let _ = traced;
    /// # }
    /// ```
    #[must_use]
    pub fn with_header(&self, name: HeaderName, value: HeaderValue) -> Self {
        self.with(|options| drop(options.headers.insert(name, value)))
    }

    /// The requests and credits that the last responses to this client and its clones showed. (§8)
    ///
    /// ```
    /// # fn run(client: payout_client::Client) {
    /// let nearly_used_up = client.meters().credits.is_some_and(|credits| credits.remaining < 100);
    /// # let _ = nearly_used_up;
    /// # }
    /// ```
    #[must_use]
    pub fn meters(&self) -> Meters {
        *self.inner.shared.meters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with(&self, change: impl FnOnce(&mut Options)) -> Self {
        let mut client = self.clone();
        change(&mut client.inner.options);
        client
    }

    /// Sends a request, repeats it where that is safe, and decodes the response.
    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        operation: Operation,
        request: Result<Request, Unsent>,
    ) -> Result<Response<T>, Error> {
        let mut request = request.map_err(unsent)?;
        self.prepare(operation, &mut request)?;
        let span = debug_span!("call", %operation, status = Empty, request_id = Empty);
        let called = match span.is_disabled() {
            true => self.repeat(operation, request).await,
            false => self.repeat(operation, request).instrument(span.clone()).await,
        };
        let (status, request_id) = match &called {
            Ok(success) => (Some(success.status), crate::response::request_id(&success.headers)),
            Err(error) => (error.status(), error.request_id()),
        };
        span.record("status", status.map(|status| status.as_u16()));
        span.record("request_id", request_id);
        called?.decode()
    }

    fn prepare(&self, operation: Operation, request: &mut Request) -> Result<(), Error> {
        let headers = request.headers_mut();
        for (name, value) in &self.inner.options.headers {
            headers.insert(name, value.clone());
        }
        if operation.idempotency() == Idempotency::ByKey && !headers.contains_key(IDEMPOTENCY_KEY) {
            headers.insert(IDEMPOTENCY_KEY, random_key()?);
        }
        Ok(())
    }

    async fn repeat(&self, operation: Operation, request: Request) -> Result<Success, Error> {
        let Options { deadline, retries, .. } = &self.inner.options;
        let retries = deadline.map_or(*retries, |deadline| retries.no_longer_than(deadline));
        let began = Instant::now();
        let mut attempt = 1;
        loop {
            let again = request.try_clone().expect("the body is a text, and no stream");
            let error = match self.attempt(operation, again, attempt, began).await {
                Ok(success) => return Ok(success),
                Err(error) => error,
            };
            // Without random numbers the pause is as long as it may be.
            let random = random_bytes().map_or(u16::MAX, u16::from_ne_bytes);
            let pause = retries.pause(operation, &error, attempt, began.elapsed(), random);
            let Some(pause) = pause else { return Err(error) };
            debug!(attempt, ?pause, %error, "the request will be repeated");
            tokio::time::sleep(pause).await;
            attempt += 1;
        }
    }

    async fn attempt(
        &self,
        operation: Operation,
        mut request: Request,
        attempt: u32,
        began: Instant,
    ) -> Result<Success, Error> {
        let Connection { shared, options } = &self.inner;
        let left = options.deadline.map(|deadline| deadline.saturating_sub(began.elapsed()));
        let timeout = left.map_or(options.timeout, |left| left.min(options.timeout));
        *request.timeout_mut() = Some(timeout);
        let next = Next {
            http: &self.client,
            key: &shared.key,
            rest: &shared.middleware,
            operation,
            attempt,
        };
        let response = next.run(request).await.map_err(Error::Transport)?;
        debug!(attempt, status = response.status().as_u16(), "response");
        let seen = Meters::read(response.headers());
        shared.meters.lock().unwrap_or_else(PoisonError::into_inner).update(seen);
        Success::read(response).await
    }
}

/// Without the key, which is sensitive, and without functions.
impl fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Connection").field("options", &self.options).finish_non_exhaustive()
    }
}

/// Why there is no request.
fn unsent(Unsent(problem): Unsent) -> Error {
    let (name, problem) = problem.split_once(": ").unwrap_or(("", &problem));
    rules::unsent(Location::Body, &format!("/{name}"), problem)
}

/// A key that no other call has.
fn random_key() -> Result<HeaderValue, Error> {
    let failed = |error| {
        let problem = format!("there are no random numbers to make one: {error}");
        rules::unsent(Location::Header, "/idempotency-key", problem)
    };
    let key = format!("{:032x}", u128::from_ne_bytes(random_bytes().map_err(failed)?));
    Ok(HeaderValue::from_str(&key).expect("hexadecimal digits are visible ASCII"))
}

fn random_bytes<const N: usize>() -> Result<[u8; N], getrandom::Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}
