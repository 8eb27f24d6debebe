//! The settings of calls, and clones of a client with other ones.

use std::{
    sync::{Arc, PoisonError},
    time::Duration,
};

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::{ApiKey, BuildError, Client, Meters, RetryPolicy, key::Keys};

/// The headers that the client sets itself, and how a caller chooses their values.
const RESERVED_HEADERS: [(&str, &str); 9] = [
    ("accept", "responses are JSON"),
    ("api-version", "use `api_version` of the builder"),
    ("connection", "HTTP sets it"),
    ("content-length", "HTTP sets it"),
    ("content-type", "bodies are JSON"),
    ("host", "use `base_url` of the builder"),
    ("idempotency-key", "use `idempotency_key` of the call"),
    ("transfer-encoding", "HTTP sets it"),
    ("x-api-key", "use `with_key`"),
];

/// The settings of calls.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The limit of each request; `None` for the default of its operation.
    pub(crate) timeout: Option<Duration>,
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
    /// let patient = client.with_timeout(Duration::from_secs(120));
    /// let payouts = patient.list_payouts().send().await?;
    /// # let _ = payouts;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        self.with(|options| options.timeout = Some(timeout))
    }

    /// A clone whose calls take no longer, each page of a list for itself, with all repetitions and
    /// the pauses between them.
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
    /// # fn run(client: payout_client::Client) -> Result<(), payout_client::BuildError> {
    /// let name = HeaderName::from_static("x-request-id");
    /// let traced = client.with_header(name, HeaderValue::from_static("order-5001"))?;
    /// # let _ = traced;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`BuildError::ReservedHeader`]: the client sets this header itself.
    pub fn with_header(&self, name: HeaderName, value: HeaderValue) -> Result<Self, BuildError> {
        let reserved = RESERVED_HEADERS.iter().find(|(reserved, _)| name.as_str() == *reserved);
        match reserved {
            Some((_, help)) => Err(BuildError::ReservedHeader { name, help }),
            None => Ok(self.with(|options| drop(options.headers.insert(name, value)))),
        }
    }

    /// A clone with another key, which shares connections and settings, and has meters of its own.
    ///
    /// ```
    /// # fn run(client: payout_client::Client) -> Result<(), payout_client::BuildError> {
    /// let rotated = client.with_key("pcp_live_…")?;
    /// # let _ = rotated;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`BuildError::UnusableKey`]: the key cannot be one.
    pub fn with_key(&self, key: impl Into<ApiKey>) -> Result<Self, BuildError> {
        let shared = self.connection.shared.with_keys(Keys::fixed(&key.into())?);
        let mut client = self.clone();
        client.connection.shared = Arc::new(shared);
        Ok(client)
    }

    /// The requests and credits that the last responses to this client and its clones showed.
    ///
    /// ```
    /// # fn run(client: payout_client::Client) {
    /// let nearly_used_up = client.meters().credits.is_some_and(|credits| credits.remaining < 100);
    /// # let _ = nearly_used_up;
    /// # }
    /// ```
    #[must_use]
    pub fn meters(&self) -> Meters {
        *self.connection.shared.meters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with(&self, change: impl FnOnce(&mut Options)) -> Self {
        let mut client = self.clone();
        change(Arc::make_mut(&mut client.connection.options));
        client
    }
}
