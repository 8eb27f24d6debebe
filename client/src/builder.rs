//! Makes a client from a base URL, a key and settings.

use std::{
    env, fmt,
    sync::{Arc, Mutex, atomic::AtomicBool},
    time::Duration,
};

use hyper::Uri;
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::header::{ACCEPT, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use rustls::ClientConfig;
use tokio::sync::Semaphore;

use crate::{
    ApiKey, BuildError, Client, Middleware, RetryPolicy, TraceContext,
    build_error::usable,
    call::{Connection, Shared},
    key::{Keys, Provided},
    pace::Pacer,
    retry::Budget,
    settings::Options,
    tls,
    trace::CurrentTrace,
    transport::{Proxies, Transport},
};

/// The time limit for opening a connection.
const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The most requests in flight: the server has as many connections for an address.
const DEFAULT_IN_FLIGHT: usize = 64;
/// The repetitions that a client has before its first success.
const DEFAULT_RETRY_BUDGET: u32 = 100;
/// The environment variable of the base URL.
const BASE_URL_VARIABLE: &str = "PAYOUT_BASE_URL";
/// The environment variable of the key.
const KEY_VARIABLE: &str = "PAYOUT_API_KEY";

const API_VERSION: &str = "api-version";
const DEFAULT_USER_AGENT: &str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));

/// The settings of a new [`Client`], made by [`Client::builder`]. Base URL and key are required.
///
/// ```
/// use std::time::Duration;
///
/// use payout_client::{Client, RetryPolicy};
///
/// # fn run() -> Result<Client, payout_client::BuildError> {
/// let client = Client::builder()
///     .base_url("https://api.partner-payout.example")
///     .key("pcp_live_…")
///     .timeout(Duration::from_secs(20))
///     .retries(RetryPolicy::default().attempts(6))
///     .user_agent("nordwind-billing/2.4")
///     .build()?;
/// # Ok(client)
/// # }
/// ```
#[must_use = "`build` makes the client"]
pub struct ClientBuilder {
    base_url: Option<String>,
    key: Option<Key>,
    is_paced: bool,
    in_flight: usize,
    retry_budget: u32,
    connect_timeout: Duration,
    user_agent: String,
    api_version: Option<String>,
    tls: Option<ClientConfig>,
    proxies: Proxies,
    middleware: Vec<Arc<dyn Middleware>>,
    trace: Option<CurrentTrace>,
    options: Options,
}

/// The source of the key.
enum Key {
    Given(ApiKey),
    Provided(Box<dyn Fn() -> Provided + Send + Sync>),
}

impl Client {
    /// A builder with the defaults.
    pub fn builder() -> ClientBuilder {
        ClientBuilder {
            base_url: None,
            key: None,
            is_paced: true,
            in_flight: DEFAULT_IN_FLIGHT,
            retry_budget: DEFAULT_RETRY_BUDGET,
            connect_timeout: DEFAULT_CONNECT_TIMEOUT,
            user_agent: DEFAULT_USER_AGENT.to_owned(),
            api_version: None,
            tls: None,
            proxies: Proxies::Environment(Matcher::from_env()),
            middleware: Vec::new(),
            trace: None,
            options: Options {
                timeout: None,
                deadline: None,
                retries: RetryPolicy::default(),
                headers: HeaderMap::new(),
            },
        }
    }

    /// A client with the defaults, for the API at `$PAYOUT_BASE_URL` and the key in
    /// `$PAYOUT_API_KEY`.
    ///
    /// ```no_run
    /// # fn run() -> Result<(), payout_client::BuildError> {
    /// let client = payout_client::Client::from_env()?;
    /// # let _ = client;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A variable is missing, or its value cannot be used; the message says how to fix it.
    pub fn from_env() -> Result<Self, BuildError> {
        Self::builder().from_env().build()
    }
}

impl ClientBuilder {
    /// Sets the API's address, such as `https://api.partner-payout.example`, without `/api/v1`.
    /// Required.
    pub fn base_url(mut self, base_url: impl Into<String>) -> Self {
        self.base_url = Some(base_url.into());
        self
    }

    /// The key of the organisation. Required.
    pub fn key(mut self, key: impl Into<ApiKey>) -> Self {
        self.key = Some(Key::Given(key.into()));
        self
    }

    /// Asks for the key: before the first request, and again after a 401, when the key has been
    /// rotated or revoked. A call that got the 401 is repeated with the new key.
    ///
    /// ```
    /// use payout_client::{ApiKey, Client};
    ///
    /// let builder = Client::builder().key_provider(|| async {
    ///     let key = tokio::fs::read_to_string("/run/secrets/payout-key").await?;
    ///     Ok(ApiKey::from(key.trim()))
    /// });
    /// # let _ = builder;
    /// ```
    pub fn key_provider<F>(mut self, provider: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<ApiKey, Box<dyn std::error::Error + Send + Sync>>>
            + Send
            + 'static,
    {
        self.key = Some(Key::Provided(Box::new(move || Box::pin(provider()))));
        self
    }

    /// Base URL and key from `$PAYOUT_BASE_URL` and `$PAYOUT_API_KEY`, where they are set.
    pub fn from_env(mut self) -> Self {
        self.base_url = env::var(BASE_URL_VARIABLE).ok().or(self.base_url);
        self.key = env::var(KEY_VARIABLE).ok().map(|key| Key::Given(key.into())).or(self.key);
        self
    }

    /// Limits the time for opening a connection; five seconds unless set.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Limits the time of one request, from its first byte to the last of its response. Unless set
    /// it is 45 seconds, and for an operation with a time limit of its own
    /// ([`Operation::time_limit`](crate::Operation::time_limit)) 15 seconds more than that.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = Some(timeout);
        self
    }

    /// Limits the time of a call, with all repetitions and the pauses between them. Unless set only
    /// the [`RetryPolicy`] limits it.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.options.deadline = Some(deadline);
        self
    }

    /// Which calls are repeated, and when; [`RetryPolicy::default`] unless set.
    pub fn retries(mut self, retries: RetryPolicy) -> Self {
        self.options.retries = retries;
        self
    }

    /// Limits the requests that the client and its clones repeat because of lost connections and
    /// servers in trouble, beyond one for every five successes; 100 unless set.
    pub fn retry_budget(mut self, repetitions: u32) -> Self {
        self.retry_budget = repetitions;
        self
    }

    /// Limits the requests of the client and its clones that are in flight at once, to at least
    /// one; further ones wait. 64 unless set, as many as the server has connections for an address.
    pub fn most_in_flight(mut self, requests: usize) -> Self {
        self.in_flight = requests.clamp(1, Semaphore::MAX_PERMITS);
        self
    }

    /// Lets calls wait while the organisation has no request left in this minute, and sends those
    /// that have waited evenly over the next one; true unless set. If false, they are sent at once,
    /// and the server rejects them with a 429.
    pub fn pacing(mut self, is_paced: bool) -> Self {
        self.is_paced = is_paced;
        self
    }

    /// The header `user-agent`; name and version of this crate unless set.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = user_agent.into();
        self
    }

    /// The header `api-version`; the version that the client was generated from unless set.
    pub fn api_version(mut self, version: impl Into<String>) -> Self {
        self.api_version = Some(version.into());
        self
    }

    /// Adds a [`Middleware`]; the first one added is the outermost.
    pub fn middleware(mut self, middleware: impl Middleware) -> Self {
        self.middleware.push(Arc::new(middleware));
        self
    }

    /// Asks for the trace of the work that makes a call, such as the request that a server of yours
    /// answers, and sends it as `traceparent`: each request of the call has an id of its own.
    /// A call for which it returns `None` begins a new trace.
    ///
    /// ```
    /// use payout_client::{Client, TraceContext};
    ///
    /// tokio::task_local! {
    ///     static TRACE: TraceContext;
    /// }
    ///
    /// let builder = Client::builder().trace_context(|| TRACE.try_get().ok());
    /// # let _ = builder;
    /// ```
    pub fn trace_context(
        mut self,
        current: impl Fn() -> Option<TraceContext> + Send + Sync + 'static,
    ) -> Self {
        self.trace = Some(Arc::new(current));
        self
    }

    /// Uses this TLS instead of the system's certificates and the feature's cryptography: for an
    /// authority of your own, a client certificate, or another provider such as aws-lc.
    ///
    /// ```
    /// use payout_client::{Client, rustls};
    ///
    /// fn with(roots: rustls::RootCertStore) -> payout_client::ClientBuilder {
    ///     let tls = rustls::ClientConfig::builder().with_root_certificates(roots);
    ///     Client::builder().tls(tls.with_no_client_auth())
    /// }
    /// ```
    pub fn tls(mut self, config: ClientConfig) -> Self {
        self.tls = Some(config);
        self
    }

    /// Sends everything through this proxy, such as `http://user:password@proxy.example.com:3128`,
    /// by a tunnel (CONNECT). Unless set, the environment's `HTTPS_PROXY`, `HTTP_PROXY`,
    /// `ALL_PROXY` and `NO_PROXY` say which proxy leads where; none does to this machine.
    pub fn proxy(mut self, url: impl Into<String>) -> Self {
        self.proxies = Proxies::Given(Matcher::builder().all(url.into()).build());
        self
    }

    /// Uses no proxy, whatever the environment says.
    pub fn no_proxy(mut self) -> Self {
        self.proxies = Proxies::None;
        self
    }

    /// Makes the client. Sends nothing yet.
    ///
    /// # Errors
    /// A setting is missing or cannot be used; the message says how to fix it.
    pub fn build(self) -> Result<Client, BuildError> {
        let missing = |what, help| BuildError::Missing { what, help };
        let base_url = self.base_url.ok_or_else(|| {
            missing("base URL", "pass it to `base_url`, or set PAYOUT_BASE_URL for `from_env`")
        })?;
        let key = self.key.ok_or_else(|| {
            missing("API key", "pass it to `key`, or set PAYOUT_API_KEY for `from_env`")
        })?;
        let url = usable(&base_url)?;
        let keys = match key {
            Key::Given(key) => Keys::fixed(&key)?,
            Key::Provided(ask) => Keys::provided(ask),
        };
        let mut options = self.options;
        let version = self.api_version.as_deref().unwrap_or(Client::api_version());
        let unusable = |_| BuildError::UnusableVersion(version.to_owned());
        let version = HeaderValue::from_str(version).map_err(unusable)?;
        options.headers.insert(HeaderName::from_static(API_VERSION), version);
        options.headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let user_agent = HeaderValue::from_str(&self.user_agent)
            .map_err(|_| BuildError::UnusableUserAgent(self.user_agent))?;
        options.headers.insert(USER_AGENT, user_agent);
        let has_proxy = matches!(self.proxies, Proxies::Given(_));
        if has_proxy && !leads_by_http(&self.proxies) {
            return Err(BuildError::UnusableProxy);
        }
        let tls = match self.tls {
            None => tls::of_system(has_proxy || url.scheme() == "https")?,
            given => given,
        };
        let http = Transport::new(tls, self.proxies, self.connect_timeout);
        let shared = Arc::new(Shared {
            base_url: url.clone(),
            keys,
            middleware: self.middleware.into(),
            trace: self.trace,
            meters: Mutex::default(),
            pacer: self.is_paced.then(Pacer::default),
            in_flight: Arc::new(Semaphore::new(self.in_flight)),
            budget: Arc::new(Budget::new(self.retry_budget)),
            has_warned: AtomicBool::new(false),
        });
        let (base_url, options) = (url.as_str().trim_end_matches('/').into(), Arc::new(options));
        Ok(Client { connection: Connection { base_url, http, shared, options } })
    }
}

/// Leaves out the key, which is a secret, and functions, which have no text.
impl fmt::Debug for ClientBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ClientBuilder")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

fn leads_by_http(proxies: &Proxies) -> bool {
    let proxy = proxies.of(&Uri::from_static("https://api.example"));
    proxy.is_some_and(|proxy| matches!(proxy.uri().scheme_str(), Some("http" | "https")))
}
