//! The way of every call: from the request that a builder made to the response or the error by its
//! meaning. The key and the settings are kept apart from the HTTP client, so that neither the host
//! of a download link nor the target of a redirect receives the key.

use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use chrono::Timelike as _;
use openapi_client::{Location, Success, Unsent};
use reqwest::{
    Request, StatusCode, Url,
    header::{HeaderMap, HeaderValue},
};
use tokio::{
    sync::{AcquireError, Semaphore, SemaphorePermit},
    time::timeout_at,
};
use tracing::{Instrument, debug, debug_span, field::Empty, warn};

use crate::{
    Error, Idempotency, Meters, Middleware, Next, Operation, Response, TransportError,
    error_response::sent_at,
    key::Keys,
    pace::Pacer,
    retry::{Budget, Repetitions},
    settings::Options,
    trace::{CallTrace, CurrentTrace},
    transport::Transport,
};

/// The largest body that is read, far above the largest page.
const BODY_LIMIT_BYTES: usize = 16 * 1024 * 1024;
pub(crate) const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// The time limit of a request, from its first byte to the last of its response. The server gives
/// up on a statement after 30 seconds, so its error arrives first.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(45);
/// The time that a request has beyond that of the server, so that the server's own error arrives
/// first.
const TIMEOUT_MARGIN: Duration = Duration::from_secs(15);

/// The state that a call needs: what all clones of a client share, and this clone's options.
#[derive(Clone)]
pub(crate) struct Connection {
    /// Without a slash at its end.
    pub(crate) base_url: Arc<str>,
    pub(crate) http: Transport,
    pub(crate) shared: Arc<Shared>,
    pub(crate) options: Arc<Options>,
}

/// The state that all clones of a client share.
pub(crate) struct Shared {
    pub(crate) base_url: Url,
    pub(crate) keys: Keys,
    pub(crate) middleware: Arc<[Arc<dyn Middleware>]>,
    pub(crate) meters: Mutex<Meters>,
    pub(crate) trace: Option<CurrentTrace>,
    /// `None` where the caller switched it off.
    pub(crate) pacer: Option<Pacer>,
    pub(crate) in_flight: Arc<Semaphore>,
    pub(crate) budget: Arc<Budget>,
    /// True once the log has the end of this version of the API.
    pub(crate) has_warned: AtomicBool,
}

impl Shared {
    /// Returns the same connections and limits for other keys, whose meters are not known yet.
    pub(crate) fn with_keys(&self, keys: Keys) -> Self {
        Self {
            base_url: self.base_url.clone(),
            keys,
            middleware: Arc::clone(&self.middleware),
            meters: Mutex::default(),
            trace: self.trace.clone(),
            pacer: self.pacer.is_some().then(Pacer::default),
            in_flight: Arc::clone(&self.in_flight),
            budget: Arc::clone(&self.budget),
            has_warned: AtomicBool::new(false),
        }
    }

    /// Learns from the headers of a response.
    fn observe(&self, status: StatusCode, headers: &HeaderMap) {
        let seen = Meters::read(headers);
        self.meters.lock().unwrap_or_else(PoisonError::into_inner).update(seen);
        // The meter of a 401 is that of the caller's address.
        if let (Some(pacer), Some(rate)) = (&self.pacer, seen.rate)
            && status != StatusCode::UNAUTHORIZED
        {
            pacer.observe(rate, Duration::from_secs(sent_at(headers).second().into()));
        }
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        if let Some(since) = text("deprecation")
            && !self.has_warned.swap(true, Ordering::Relaxed)
        {
            let until = text("sunset").unwrap_or("an unknown date");
            warn!(since, until, "this version of the API is deprecated; update payout-client");
        }
    }
}

/// The purpose of a request: its operation, and the effect of repeating it.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    /// `None` for one that this version of the client does not know.
    pub(crate) operation: Option<Operation>,
    pub(crate) idempotency: Idempotency,
    /// The statuses beside 2XX that are successes.
    pub(crate) redirects: &'static [u16],
}

/// Reads a success.
pub(crate) type Reader<T> =
    fn(Success) -> Result<openapi_client::Response<T>, openapi_client::Error>;

/// One of the requests in flight. The semaphore is never closed, so this is never an error.
type Permit<'a> = Result<SemaphorePermit<'a>, AcquireError>;
/// Takes a success, unless it cannot be decoded.
type Accept<'a> = &'a mut (dyn FnMut(Success) -> Result<(), Error> + Send);

impl Connection {
    /// The base URL, without a slash at its end.
    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Sends the request of an operation, whose successes may have the statuses `redirects` beside
    /// 2XX; see [`Self::send`].
    pub(crate) async fn call<T: Send>(
        &self,
        operation: Operation,
        redirects: &'static [u16],
        request: Result<Request, Unsent>,
        read: Reader<T>,
    ) -> Result<Response<T>, Error> {
        let idempotency = operation.idempotency();
        self.send(Target { operation: Some(operation), idempotency, redirects }, request, read)
            .await
    }

    /// Sends a request, repeats it where that is safe, and decodes the response.
    pub(crate) async fn send<T: Send>(
        &self,
        target: Target,
        request: Result<Request, Unsent>,
        read: Reader<T>,
    ) -> Result<Response<T>, Error> {
        let mut request = request?;
        let operation = target.operation.map_or("request", Operation::id);
        let span = debug_span!("call", operation, status = Empty, request_id = Empty);
        self.prepare(target, &mut request)?;
        let mut response = None;
        // Decoded before the call is over, so that a body that ends in the middle is repeated.
        let mut accept = |success: Success| {
            response = Some(Response(read(success)?));
            Ok(())
        };
        let repeated = match span.is_disabled() {
            true => self.repeat(target, request, &mut accept).await,
            false => self.repeat(target, request, &mut accept).instrument(span.clone()).await,
        };
        let called: Result<Response<T>, Error> =
            repeated.map(|()| response.expect("a success was accepted"));
        let (status, request_id) = match &called {
            Ok(response) => (Some(response.status()), response.request_id()),
            Err(error) => (error.status(), error.request_id()),
        };
        span.record("status", status.map(|status| status.as_u16()));
        span.record("request_id", request_id);
        called
    }

    fn prepare(&self, target: Target, request: &mut Request) -> Result<(), Error> {
        let headers = request.headers_mut();
        for (name, value) in &self.options.headers {
            headers.insert(name, value.clone());
        }
        if target.idempotency == Idempotency::ByKey && !headers.contains_key(IDEMPOTENCY_KEY) {
            headers.insert(IDEMPOTENCY_KEY, random_key()?);
        }
        Ok(())
    }

    async fn repeat(
        &self,
        target: Target,
        request: Request,
        accept: Accept<'_>,
    ) -> Result<(), Error> {
        let Self { shared, options, .. } = self;
        let until = options.deadline.and_then(|deadline| Instant::now().checked_add(deadline));
        let mut key = before(until, shared.keys.get(None)).await??;
        let mut permit = self.turn(until).await?;
        let mut is_renewed = false;
        let mut repetitions = Repetitions::new(options.retries, &shared.budget, target.idempotency);
        let trace = CallTrace::begin(request.headers(), shared.trace.as_ref());
        let began = Instant::now();
        let mut attempt = 1;
        loop {
            let mut again = request.try_clone().expect("the body is a text, and no stream");
            let span = debug_span!("attempt", attempt);
            trace.send(again.headers_mut(), &span);
            let received = self.attempt(target, again, &key, attempt, until);
            let received = received.instrument(span).await;
            drop(permit);
            let Err(error) = received.and_then(&mut *accept) else {
                shared.budget.earn();
                return Ok(());
            };
            let pause = match error {
                Error::Unauthorized { .. } if !is_renewed => {
                    is_renewed = true;
                    let other = before(until, shared.keys.get(Some(&key))).await??;
                    let is_new = other != key;
                    key = other;
                    is_new.then_some(Duration::ZERO)
                }
                _ => repetitions.pause(&error, began.elapsed(), random()),
            };
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            let Some(pause) = pause.filter(|pause| left.is_none_or(|left| *pause < left)) else {
                return Err(error);
            };
            debug!(attempt, ?pause, %error, "the request will be repeated");
            tokio::time::sleep(pause).await;
            permit = before(until, shared.in_flight.acquire()).await?;
            if let Some(pacer) = &shared.pacer {
                pacer.count(true);
            }
            attempt += 1;
        }
    }

    /// Waits until the call may send its first request, and is one of those in flight.
    async fn turn(&self, until: Option<Instant>) -> Result<Permit<'_>, Error> {
        let Shared { pacer, in_flight, .. } = &*self.shared;
        let Some(pacer) = pacer else { return before(until, in_flight.acquire()).await };
        loop {
            let is_taken = pacer.turn(until).await;
            let permit = before(until, in_flight.acquire()).await?;
            // While it waited for others, their first response may have shown that none is left.
            if is_taken || pacer.count(false) {
                return Ok(permit);
            }
        }
    }

    async fn attempt(
        &self,
        target: Target,
        mut request: Request,
        key: &HeaderValue,
        attempt: u32,
        until: Option<Instant>,
    ) -> Result<Success, Error> {
        let Self { shared, options, .. } = self;
        let timeout = options.timeout.unwrap_or_else(|| default_timeout(target.operation));
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        *request.timeout_mut() = Some(left.map_or(timeout, |left| left.min(timeout)));
        let next = Next {
            http: &self.http,
            base_url: &shared.base_url,
            key,
            rest: &shared.middleware,
            operation: target.operation,
            attempt,
        };
        let response = next.run(request).await.map_err(Error::Transport)?;
        debug!(attempt, status = response.status().as_u16(), "response");
        shared.observe(response.status(), response.headers());
        Ok(Success::read(response, target.redirects, BODY_LIMIT_BYTES).await?)
    }
}

/// Waits until the deadline of a call at most.
async fn before<T>(until: Option<Instant>, wait: impl Future<Output = T>) -> Result<T, Error> {
    let done = match until {
        None => Some(wait.await),
        Some(until) if until <= Instant::now() => None,
        Some(until) => timeout_at(until.into(), wait).await.ok(),
    };
    done.ok_or_else(|| {
        let problem = "the deadline passed before the request could be sent";
        Error::Transport(TransportError::new(problem).not_sent().timed_out())
    })
}

/// Returns how long a request of an operation may take.
fn default_timeout(operation: Option<Operation>) -> Duration {
    let works = operation.and_then(Operation::time_limit);
    works.map_or(DEFAULT_TIMEOUT, |works| DEFAULT_TIMEOUT.max(works + TIMEOUT_MARGIN))
}

/// Shows address and options alone: the key is a secret, and functions have no text.
impl fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("Connection");
        shown.field("base_url", &self.base_url).field("options", &self.options);
        shown.finish_non_exhaustive()
    }
}

/// A key that no other call has.
fn random_key() -> Result<HeaderValue, Error> {
    let failed = |error| {
        let problem = format!("there are no random numbers to make one: {error}");
        Error::invalid_request(Location::Header, "/idempotency-key", problem)
    };
    let key = format!("{:032x}", u128::from_ne_bytes(random_bytes().map_err(failed)?));
    Ok(HeaderValue::from_str(&key).expect("hexadecimal digits are visible ASCII"))
}

/// A random number; the largest one, for the longest pause, where the system has none.
pub(crate) fn random() -> u16 {
    random_bytes().map_or(u16::MAX, u16::from_ne_bytes)
}

pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N], getrandom::Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}
