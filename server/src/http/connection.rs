//! One connection from its acceptance to its end: HTTP/1.1 or HTTP/2, within its time limits. When
//! the server stops, requests that are in transit are answered first.

use std::{
    convert::Infallible,
    future::Future,
    io,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use hyper::{
    body::{Body, Incoming},
    service::service_fn,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use poem::{
    Addr, Endpoint, Request, Response,
    http::{self, HeaderValue, Version, header, uri::Scheme},
    web::{LocalAddr, RemoteAddr},
};
use tokio::{
    net::TcpStream,
    sync::watch,
    time::{Instant, Sleep, sleep_until},
};

use super::{
    connection_state::{ConnectionState, Phase},
    limits::{self, ConnectionLimits, GOAWAY_GRACE, IDLE_CLOSE_GRACE},
    monitored_io::{MonitoredIo, SharedState},
    request_guard::{GuardedBody, RequestGuard},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListenerState {
    /// Connections are accepted.
    Serving,
    /// No connection is accepted; running requests may end.
    Draining,
    /// Running requests are cut off.
    Over,
}

pub(super) struct Shared<E> {
    endpoint: E,
    limits: ConnectionLimits,
    builder: auto::Builder<TokioExecutor>,
    local: LocalAddr,
}

impl<E> Shared<E> {
    pub(super) fn new(endpoint: E, limits: ConnectionLimits, local: SocketAddr) -> Self {
        Self { endpoint, limits, builder: builder(), local: LocalAddr(Addr::SocketAddr(local)) }
    }
}

/// Serves both protocols, within our limits. The library's one time for HTTP/1.1 covers both the
/// pause between two requests and the head, so we keep times ourselves.
fn builder() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .header_read_timeout(None)
        .max_headers(limits::READABLE_HEADERS)
        // A head must fit into the buffer.
        .max_buf_size(limits::READABLE_HEAD_BYTES);
    let buffer = u32::try_from(limits::HTTP2_BUFFER_BYTES).expect("a small constant");
    let head = u32::try_from(limits::READABLE_HEAD_BYTES).expect("a small constant");
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(limits::HTTP2_PING_INTERVAL)
        .keep_alive_timeout(limits::HTTP2_PING_TIMEOUT)
        .max_concurrent_streams(limits::HTTP2_STREAMS)
        .max_pending_accept_reset_streams(limits::HTTP2_PENDING_RESETS)
        .max_local_error_reset_streams(limits::HTTP2_ERROR_RESETS)
        .max_header_list_size(head)
        .max_send_buf_size(limits::HTTP2_BUFFER_BYTES)
        .initial_stream_window_size(buffer)
        .initial_connection_window_size(4 * buffer);
    builder
}

/// Answers the requests on `stream` until one side ends it.
pub(super) async fn serve<E>(
    stream: TcpStream,
    peer: SocketAddr,
    shared: Arc<Shared<E>>,
    mut stage: watch::Receiver<ListenerState>,
) where
    E: Endpoint<Output = Response> + 'static,
{
    let now = Instant::now();
    let state = SharedState::new(ConnectionState::new(now));
    let stage_of_requests = stage.clone();
    let service = service_fn(|request: http::Request<Incoming>| {
        let guard = RequestGuard::begin(&state);
        let remote = RemoteAddr(Addr::SocketAddr(peer));
        let (shared, stage) = (Arc::clone(&shared), stage_of_requests.clone());
        async move { Ok::<_, Infallible>(answer(request, remote, &shared, guard, &stage).await) }
    });
    let io = TokioIo::new(MonitoredIo::new(stream, state.clone()));
    let mut connection = pin!(shared.builder.serve_connection(io, service));
    let mut deadline = Deadline::new(state.clone(), &shared.limits, now);
    let mut has_sent_goaway = false;
    loop {
        tokio::select! {
            // The connection comes first: its deadline depends on what it has just done.
            biased;
            // An error is the client's: it disconnected, or did not speak HTTP.
            _ = connection.as_mut() => return,
            phase = &mut deadline => {
                if phase != Phase::Idle || has_sent_goaway {
                    return;
                }
            }
            changed = stage.changed() => {
                if changed.is_err() || *stage.borrow_and_update() == ListenerState::Over {
                    return;
                }
                if !state.lock().is_http2() {
                    // The next response says `connection: close`. A connection closed just when a
                    // request arrives would leave that one unanswered.
                    state.lock().idle_until(Instant::now() + IDLE_CLOSE_GRACE);
                    continue;
                }
            }
        }
        // Over HTTP/2 this names the requests that will be answered.
        has_sent_goaway = true;
        state.lock().needs_no_more();
        state.lock().idle_until(Instant::now() + GOAWAY_GRACE);
        connection.as_mut().graceful_shutdown();
    }
}

async fn answer<E>(
    request: http::Request<Incoming>,
    remote: RemoteAddr,
    shared: &Shared<E>,
    guard: RequestGuard,
    stage: &watch::Receiver<ListenerState>,
) -> http::Response<GuardedBody<impl Body<Data = Bytes, Error = io::Error> + Unpin + use<E>>>
where
    E: Endpoint<Output = Response>,
{
    let is_http1 = request.version() <= Version::HTTP_11;
    let request = Request::from((request, shared.local.clone(), remote, Scheme::HTTP));
    let response = shared.endpoint.call(request).await;
    let mut response = response.unwrap_or_else(|error| error.into_response());
    if is_http1 && *stage.borrow() != ListenerState::Serving {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    let (head, body) = http::Response::from(response).into_parts();
    http::Response::from_parts(head, guard.respond(body))
}

/// Ready when the connection's time is over. The timer is moved only where it would be too late:
/// most requests start and end without touching it.
struct Deadline<'a> {
    state: SharedState,
    limits: &'a ConnectionLimits,
    timer: Pin<Box<Sleep>>,
}

impl<'a> Deadline<'a> {
    fn new(state: SharedState, limits: &'a ConnectionLimits, now: Instant) -> Self {
        let timer = Box::pin(sleep_until(now + limits.first_byte));
        Self { state, limits, timer }
    }
}

impl Future for Deadline<'_> {
    type Output = Phase;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Phase> {
        let (phase, deadline) = self.state.lock().deadline(Instant::now(), self.limits);
        let Some(deadline) = deadline else {
            return Poll::Pending;
        };
        if deadline < self.timer.deadline() {
            self.timer.as_mut().reset(deadline);
        }
        loop {
            ready!(self.timer.as_mut().poll(context));
            if Instant::now() >= deadline {
                return Poll::Ready(phase);
            }
            self.timer.as_mut().reset(deadline);
        }
    }
}
