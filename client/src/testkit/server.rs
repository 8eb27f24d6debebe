//! The server, its scripts, and the requests that it received.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    net::TcpListener,
    pin::pin,
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
};

use bytes::Bytes;
use futures_util::{FutureExt, future};
use reqwest::{
    Method, Url,
    header::{ALLOW, HeaderMap},
};
use rustls::ClientConfig;
use serde_json::Value;
use tokio::sync::{oneshot, watch};

use super::{answer::Answer, documented, http, surprise::SLOW};
use crate::{Client, Middleware, Next, Operation, RetryPolicy, TransportError, tls};

/// The key of [`Server::client`]. The server accepts any.
const KEY: &str = "pcp_test_testkit";
const KEY_HEADER: &str = "x-api-key";
const IDEMPOTENCY_KEY: &str = "idempotency-key";
const REPLAYED: &str = "idempotent-replayed";

/// Shared by all clients of servers, because it reads the system's certificates.
static TLS: LazyLock<Option<ClientConfig>> =
    LazyLock::new(|| tls::of_system(false).expect("plain HTTP needs no certificates"));

/// The paths of the links in documented answers.
static LINK_PATHS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    documented::links().filter_map(|link| Some(Url::parse(link).ok()?.path().to_owned())).collect()
});

/// A server on this machine that answers as the document says.
///
/// Every operation succeeds with its first documented success, unless it has a script. A link in an
/// answer leads to this server, and to a small PDF. A page that is asked for with the cursor of an
/// answer is the last one. A second request with an idempotency key is marked as a replay.
///
/// The server has a thread of its own, so it also answers code that blocks. It ends when dropped.
#[derive(Debug)]
pub struct Server {
    pub(super) state: Arc<State>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// A request that the server received.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request {
    /// The operation; none for a link and for what the document does not know.
    pub operation: Option<Operation>,
    /// The method.
    pub method: Method,
    /// The path, as it was sent.
    pub path: String,
    /// The parameters of the query, decoded.
    pub query: Vec<(String, String)>,
    /// The headers. The API key is marked sensitive, so `Debug` does not show it.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Request {
    /// The body as JSON; null if it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) base_url: String,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    scripts: HashMap<Route, Script>,
    was_observed_answer_sent: bool,
    requests: Vec<Request>,
    /// The idempotency keys whose requests had an answer that the API keeps.
    used_keys: HashSet<(Operation, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Route {
    Operation(Operation),
    Link,
}

#[derive(Debug, Default)]
struct Script {
    next: VecDeque<Answer>,
    /// After those.
    rest: Option<Answer>,
    /// True as soon as a walk's server has a request that it does not answer.
    is_unanswered: watch::Sender<bool>,
}

impl Server {
    /// Starts a server on a free port of this machine.
    ///
    /// # Panics
    /// The system has no port or no thread to give.
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        listener.set_nonblocking(true).expect("a socket of the system");
        let address = listener.local_addr().expect("a bound socket has an address");
        let base_url = format!("http://{address}");
        let state = Arc::new(State { base_url, inner: Mutex::default() });
        let (stop, stopped) = oneshot::channel();
        let served = Arc::clone(&state);
        let thread = std::thread::Builder::new().name("testkit".to_owned());
        let thread = thread.spawn(move || http::serve(listener, &served, stopped));
        Self { state, stop: Some(stop), thread: Some(thread.expect("a thread")) }
    }

    /// The base URL, for a client of your own.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.state.base_url
    }

    /// A client of this server, which repeats what is safe to repeat, and without pauses.
    ///
    /// # Panics
    /// TLS cannot be set up.
    #[must_use]
    pub fn client(&self) -> Client {
        let mut builder = Client::builder().base_url(self.base_url()).key(KEY).timeout(SLOW);
        builder = builder.middleware(GivesUp(Arc::clone(&self.state)));
        if let Some(config) = &*TLS {
            builder = builder.tls(config.clone());
        }
        let retries = RetryPolicy::default().without_pauses();
        let builder = builder.retries(retries).pacing(false).no_proxy();
        builder.build().expect("the base URL is usable")
    }

    /// Answers the next requests of an operation with these, one each; then it succeeds again.
    pub fn script(&self, operation: Operation, answers: impl IntoIterator<Item = Answer>) {
        self.state.lock().script(Route::Operation(operation)).next.extend(answers);
    }

    /// Answers every request of an operation so, once its script is at its end.
    pub fn always(&self, operation: Operation, answer: Answer) {
        self.state.lock().script(Route::Operation(operation)).rest = Some(answer);
    }

    /// Answers the next requests of links with these, one each; then each leads to its PDF again.
    pub fn script_links(&self, answers: impl IntoIterator<Item = Answer>) {
        self.state.lock().script(Route::Link).next.extend(answers);
    }

    /// Answers every request of a link so, once the script of links is at its end.
    pub fn always_links(&self, answer: Answer) {
        self.state.lock().script(Route::Link).rest = Some(answer);
    }

    /// Answers every request of an operation so, unless it has such an answer already.
    pub(super) fn otherwise(&self, operation: Operation, answer: Answer) {
        self.state.lock().script(Route::Operation(operation)).rest.get_or_insert(answer);
    }

    /// Observes the answers that are scripted so far.
    pub(super) fn observe(&self) {
        for script in self.state.lock().scripts.values_mut() {
            let answers = script.next.iter_mut().chain(&mut script.rest);
            answers.for_each(|answer| answer.is_observed = true);
        }
    }

    pub(super) fn was_observed_answer_sent(&self) -> bool {
        self.state.lock().was_observed_answer_sent
    }

    pub(super) fn was_asked_for(&self, operation: Operation) -> bool {
        self.requests().iter().any(|request| request.operation == Some(operation))
    }

    /// The requests so far, in the order of their arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.state.lock().requests.clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the server has been printed; the test that dropped it goes on.
            drop(thread.join());
        }
    }
}

impl Inner {
    fn script(&mut self, route: Route) -> &mut Script {
        self.scripts.entry(route).or_default()
    }

    fn take(&mut self, route: Route) -> Answer {
        let script = self.script(route);
        let scripted = script.next.pop_front().or_else(|| script.rest.clone());
        if let Some(answer) = scripted.as_ref().filter(|answer| answer.is_observed) {
            if answer.delay >= SLOW {
                script.is_unanswered.send_replace(true);
            }
            self.was_observed_answer_sent = true;
        }
        scripted.unwrap_or_else(|| match route {
            Route::Operation(operation) => Answer::success(operation),
            Route::Link => Answer::pdf(),
        })
    }
}

impl State {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a request, and chooses its answer.
    pub(super) fn answer(&self, mut request: Request) -> Answer {
        if let Some(key) = request.headers.get_mut(KEY_HEADER) {
            key.set_sensitive(true);
        }
        let of_path = of_path(&request.path);
        let called = |known: &&Operation| known.method() == request.method.as_str();
        request.operation = of_path.iter().find(called).copied();
        let mut inner = self.lock();
        let answer = if let Some(operation) = request.operation {
            self.of_operation(&mut inner, operation, &request)
        } else if LINK_PATHS.contains(&request.path) {
            inner.take(Route::Link)
        } else {
            unrouted(&of_path)
        };
        inner.requests.push(request);
        answer
    }

    fn of_operation(&self, inner: &mut Inner, operation: Operation, request: &Request) -> Answer {
        let mut answer = inner.take(Route::Operation(operation));
        answer.edit(|places| &places.links, |link| self.lead_here(link));
        answer.edit(
            |places| &places.cursors,
            |cursor| {
                if request.query.iter().any(|(_, value)| cursor == value) {
                    *cursor = Value::Null;
                }
            },
        );
        let key = request.headers.get(IDEMPOTENCY_KEY).and_then(|key| key.to_str().ok());
        let used = key.map(|key| (operation, key.to_owned()));
        if !used.as_ref().is_some_and(|used| inner.used_keys.contains(used)) {
            answer.headers.remove(REPLAYED);
        }
        inner.used_keys.extend(used.filter(|_| answer.status.is_success() && answer.cut.is_none()));
        answer
    }

    fn lead_here(&self, link: &mut Value) {
        let url = link.as_str().and_then(|link| Url::parse(link).ok());
        if let Some(url) = url {
            let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
            *link = format!("{}{}{query}", self.base_url, url.path()).into();
        }
    }
}

/// Ends a request as a time-out when a walk's server decides that it gets no answer, so that no
/// clock decides what a walk reports.
struct GivesUp(Arc<State>);

impl Middleware for GivesUp {
    fn handle<'a>(
        &'a self,
        request: reqwest::Request,
        next: Next<'a>,
    ) -> future::BoxFuture<'a, Result<reqwest::Response, TransportError>> {
        let mut of_path = of_path(request.url().path()).into_iter();
        let operation = of_path.find(|known| known.method() == request.method());
        let route = operation.map_or(Route::Link, Route::Operation);
        let mut is_unanswered = self.0.lock().script(route).is_unanswered.subscribe();
        Box::pin(async move {
            let time_out = |_| Err(TransportError::new("no answer comes").timed_out());
            let unanswered = is_unanswered.wait_for(|is_so| *is_so).map(time_out);
            future::select(pin!(unanswered), pin!(next.run(request))).await.factor_first().0
        })
    }
}

/// The documented 404, or the 405 of a path with these operations.
fn unrouted(of_path: &[Operation]) -> Answer {
    let status = if of_path.is_empty() { 404 } else { 405 };
    let documented = documented::unrouted(status);
    let Some((response, body)) = documented.and_then(|known| Some((known, known.bodies.first()?)))
    else {
        return Answer::empty(status);
    };
    let mut answer = Answer::of(status, response, body);
    if answer.headers.contains_key(ALLOW) {
        let methods: Vec<&str> = of_path.iter().map(|operation| operation.method()).collect();
        answer = answer.header(ALLOW.as_str(), &methods.join(", "));
    }
    answer
}

fn of_path(path: &str) -> Vec<Operation> {
    Operation::ALL.iter().copied().filter(|known| fits(known.path(), path)).collect()
}

/// Returns true if a path fits a template such as `/pets/{id}`.
fn fits(template: &str, path: &str) -> bool {
    let mut segments = template.split('/').zip(path.split('/'));
    template.split('/').count() == path.split('/').count()
        && segments.all(|(expected, sent)| {
            expected == sent || expected.starts_with('{') && !sent.is_empty()
        })
}
