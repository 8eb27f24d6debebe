//! One connection, from its acceptance to its end: HTTP/1.1 or HTTP/2, within its times.
//!
//! It refuses to leave a request without an answer because the server stops: what is on its way is answered first.

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
    activity::{Activity, Phase},
    exchanging::{AnswerBody, Exchanging},
    limits::{self, ConnectionLimits, GOODBYE, LAST_WORD},
    watched::{Watch, Watched},
};

/// Where the listener stands; its connections follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Connections are accepted.
    Serving,
    /// No more; what is running may end.
    Draining,
    /// Whatever is still running is cut off.
    Over,
}

/// What all connections of a listener share.
pub(super) struct Shared<E> {
    pub(super) endpoint: E,
    pub(super) limits: ConnectionLimits,
    builder: auto::Builder<TokioExecutor>,
    local: LocalAddr,
}

impl<E> Shared<E> {
    pub(super) fn new(endpoint: E, limits: ConnectionLimits, local: SocketAddr) -> Self {
        Self {
            endpoint,
            limits,
            builder: builder(),
            local: LocalAddr(Addr::SocketAddr(local)),
        }
    }
}

/// Both protocols, within our bounds. The times of HTTP/1.1 are not the library's, which knows one for all that comes
/// before the end of a head, the pause between two requests included.
fn builder() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .header_read_timeout(None)
        // A head must fit into the buffer.
        .max_buf_size(limits::HEAD_SIZE_BYTES);
    let buffer = u32::try_from(limits::HTTP2_BUFFER_BYTES).expect("a small constant");
    let head = u32::try_from(limits::HEAD_SIZE_BYTES).expect("a small constant");
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

/// Answers what comes over `stream`, until one of both ends it.
pub(super) async fn serve<E>(
    stream: TcpStream,
    peer: SocketAddr,
    shared: Arc<Shared<E>>,
    mut stage: watch::Receiver<Stage>,
) where
    E: Endpoint<Output = Response> + 'static,
{
    let now = Instant::now();
    let watch = Watch::new(Activity::new(now));
    let follows = stage.clone();
    let service = service_fn(|request: http::Request<Incoming>| {
        let exchanging = Exchanging::begin(&watch);
        let remote = RemoteAddr(Addr::SocketAddr(peer));
        let (shared, stage) = (Arc::clone(&shared), follows.clone());
        async move { Ok::<_, Infallible>(answer(request, remote, &shared, exchanging, &stage).await) }
    });
    let io = TokioIo::new(Watched::new(stream, watch.clone()));
    let mut connection = pin!(shared.builder.serve_connection(io, service));
    let mut due = Due::new(watch.clone(), &shared.limits, now);
    let mut has_said_goodbye = false;
    loop {
        tokio::select! {
            // The connection comes first: its time is judged by what it has just done.
            biased;
            // An error is the client's: it went away, or spoke no HTTP.
            _ = connection.as_mut() => return,
            phase = &mut due => {
                if phase != Phase::Idle || has_said_goodbye {
                    return;
                }
                has_said_goodbye = true;
                say_goodbye(&watch);
                connection.as_mut().graceful_shutdown();
            }
            changed = stage.changed() => {
                if changed.is_err() || *stage.borrow_and_update() == Stage::Over {
                    return;
                }
                if watch.activity().is_http2() {
                    // It is told which of its requests will be answered, and may go on with those.
                    has_said_goodbye = true;
                    say_goodbye(&watch);
                    connection.as_mut().graceful_shutdown();
                } else {
                    // Over HTTP/1.1 the next answer says so; a connection that is closed just when a request arrives
                    // would leave that one without an answer.
                    watch.activity().idle_until(Instant::now() + LAST_WORD);
                }
            }
        }
    }
}

fn say_goodbye(watch: &Watch) {
    let mut activity = watch.activity();
    activity.needs_no_more();
    activity.idle_until(Instant::now() + GOODBYE);
}

async fn answer<E>(
    request: http::Request<Incoming>,
    remote: RemoteAddr,
    shared: &Shared<E>,
    exchanging: Exchanging,
    stage: &watch::Receiver<Stage>,
) -> http::Response<AnswerBody<impl Body<Data = Bytes, Error = io::Error> + Unpin + use<E>>>
where
    E: Endpoint<Output = Response>,
{
    let is_http1 = request.version() <= Version::HTTP_11;
    let request = Request::from((request, shared.local.clone(), remote, Scheme::HTTP));
    let answered = shared.endpoint.call(request).await;
    let mut response = answered.unwrap_or_else(|error| error.into_response());
    if is_http1 && *stage.borrow() != Stage::Serving {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    let (head, body) = http::Response::from(response).into_parts();
    http::Response::from_parts(head, exchanging.answer(body))
}

/// Ready when the connection has had its time. The alarm is moved only where it would come too late: most requests
/// come and go without touching it.
struct Due<'a> {
    watch: Watch,
    limits: &'a ConnectionLimits,
    alarm: Pin<Box<Sleep>>,
}

impl<'a> Due<'a> {
    fn new(watch: Watch, limits: &'a ConnectionLimits, now: Instant) -> Self {
        let alarm = Box::pin(sleep_until(now + limits.first_byte));
        Self {
            watch,
            limits,
            alarm,
        }
    }
}

impl Future for Due<'_> {
    type Output = Phase;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Phase> {
        let (phase, due) = self.watch.activity().due(Instant::now(), self.limits);
        let Some(due) = due else {
            return Poll::Pending;
        };
        if due < self.alarm.deadline() {
            self.alarm.as_mut().reset(due);
        }
        loop {
            ready!(self.alarm.as_mut().poll(context));
            if Instant::now() >= due {
                return Poll::Ready(phase);
            }
            self.alarm.as_mut().reset(due);
        }
    }
}
