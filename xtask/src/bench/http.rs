//! Load over HTTP/1.1 from this process, on connections that stay open.
//!
//! Every response must be a success: a 429 or 503 is cheap and would spoil the measurement. Some
//! loads count 503, separately.

use std::{
    fmt,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use http_body_util::{BodyExt as _, Full};
use hyper::{
    Method, StatusCode,
    body::Bytes,
    client::conn::http1,
    header::{self, HeaderValue},
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, task::JoinSet, time::timeout};

use super::{
    cpu::{CpuTimes, Meter},
    data::payout_id,
    stat::Round,
};
use crate::Result;

/// How long a round may exceed its time before the load gives up on missing responses.
const MAX_DELAY: Duration = Duration::from_secs(60);

const JSON: HeaderValue = HeaderValue::from_static("application/json");

pub(crate) type Request = hyper::Request<Full<Bytes>>;

/// The requests of a load, by their numbers.
#[derive(Clone)]
pub(crate) struct Requests {
    count: usize,
    make: Arc<dyn Fn(usize) -> Request + Send + Sync>,
}

/// A server, and an API key of each of its organisations, by their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Api {
    pub(crate) address: SocketAddr,
    pub(crate) keys: Arc<[String]>,
}

#[derive(Clone, Debug)]
pub(crate) struct HttpLoad {
    pub(crate) address: SocketAddr,
    /// Of the processes that handle the requests.
    pub(crate) meter: Meter,
    pub(crate) requests: Requests,
    /// Whether requests are chosen pseudo-randomly, as pgbench chooses organisations, the same in
    /// every round; otherwise they take turns.
    pub(crate) is_random: bool,
    /// Whether a 503 is counted instead of ending the bench.
    pub(crate) counts_503: bool,
}

/// A request for the server at `address`; `key` is the API key.
pub(crate) fn request(
    address: SocketAddr,
    method: Method,
    path: &str,
    key: Option<&str>,
) -> Request {
    let mut request = hyper::Request::builder().method(method).uri(path);
    request = request.header(header::HOST, address.to_string());
    if let Some(key) = key {
        request = request.header("x-api-key", key);
    }
    request.body(Full::default()).expect("the bench builds valid paths and headers")
}

/// The request with a body of JSON.
pub(crate) fn with_json(mut request: Request, body: String) -> Request {
    request.headers_mut().insert(header::CONTENT_TYPE, JSON);
    *request.body_mut() = body.into();
    request
}

impl Requests {
    /// Makes each request when it is sent, because a million of them would take a gigabyte.
    pub(crate) fn made(
        count: usize,
        make: impl Fn(usize) -> Request + Send + Sync + 'static,
    ) -> Self {
        Self { count, make: Arc::new(make) }
    }
}

impl FromIterator<Request> for Requests {
    fn from_iter<I: IntoIterator<Item = Request>>(requests: I) -> Self {
        let requests: Vec<Request> = requests.into_iter().collect();
        Self::made(requests.len(), move |number| requests[number].clone())
    }
}

impl fmt::Debug for Requests {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} requests", self.count)
    }
}

impl Api {
    pub(crate) fn request(&self, method: Method, path: &str, organization: usize) -> Request {
        request(self.address, method, path, Some(&self.keys[organization]))
    }

    pub(crate) fn get_payout(&self, organization: usize, payout: usize) -> Request {
        let path = format!("/api/v1/payouts/{}", payout_id(payout));
        self.request(Method::GET, &path, organization)
    }
}

#[derive(Debug)]
pub(crate) struct Client {
    address: SocketAddr,
    sender: http1::SendRequest<Full<Bytes>>,
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // It ends when its sender is dropped, and reports its errors to the sender.
        tokio::spawn(connection);
        Ok(Self { address, sender })
    }

    /// Sends a request and returns the body of its success; nothing for a 503 that counts.
    pub(crate) async fn send(
        &mut self,
        request: Request,
        counts_503: bool,
    ) -> Result<Option<Bytes>> {
        if self.sender.ready().await.is_err() {
            // The server closed the connection after the previous response.
            *self = Self::connect(self.address).await?;
        }
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let response = self.sender.send_request(request).await?;
        let status = response.status();
        let body = response.into_body().collect().await?.to_bytes();
        match status {
            _ if status.is_success() => Ok(Some(body)),
            StatusCode::SERVICE_UNAVAILABLE if counts_503 => Ok(None),
            _ => {
                // Without the query, which may be a signature.
                let path = uri.path();
                let body = String::from_utf8_lossy(&body);
                let what = format!("{method} {path} got status {status} instead of a success");
                Err(format!("{what}, so nothing was measured: {body}").into())
            }
        }
    }
}

impl HttpLoad {
    /// Opens the connections, then sends requests on all of them: again and again for this time,
    /// or each request once.
    pub(crate) async fn run(&self, connections: usize, time: Option<Duration>) -> Result<Round> {
        let mut clients = Vec::new();
        for _ in 0..connections {
            clients.push(Client::connect(self.address).await?);
        }
        let (load, next) = (Arc::new(self.clone()), Arc::new(AtomicUsize::new(0)));
        let (before, begun) = (self.meter.now(), Instant::now());
        let end = time.map(|time| begun + time);
        let workers: JoinSet<_> = (0..)
            .zip(clients)
            .map(|(seed, client)| work(client, seed, load.clone(), next.clone(), end))
            .collect();
        let limit = time.unwrap_or_default() + MAX_DELAY;
        let ended = timeout(limit, workers.join_all()).await.map_err(|_| {
            format!(
                "some of {connections} connections still waited for a response {} s after the \
                 round. Does the server accept that many connections from one address?",
                MAX_DELAY.as_secs()
            )
        })?;
        let (elapsed, cpu) = (begun.elapsed(), CpuTimes::between(before, self.meter.now()));
        let mut round = Round { elapsed, cpu, ..Round::default() };
        for worker in ended {
            let (latencies, rejected) = worker?;
            round.latencies.extend(latencies);
            round.rejected += rejected;
        }
        round.latencies.sort_unstable();
        Ok(round)
    }
}

/// Sends requests on one connection; returns the latencies of successes and the number of 503.
async fn work(
    mut client: Client,
    seed: u64,
    load: Arc<HttpLoad>,
    next: Arc<AtomicUsize>,
    end: Option<Instant>,
) -> Result<(Vec<Duration>, usize)> {
    let (mut latencies, mut rejected) = (Vec::new(), 0);
    let mut random = fastrand::Rng::with_seed(seed);
    let Requests { count, ref make } = load.requests;
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let is_over = match end {
            Some(end) => Instant::now() >= end,
            None => number >= count,
        };
        if is_over {
            return Ok((latencies, rejected));
        }
        let index = if load.is_random { random.usize(..count) } else { number % count };
        let request = make(index);
        let sent = Instant::now();
        match client.send(request, load.counts_503).await? {
            Some(_) => latencies.push(sent.elapsed()),
            None => rejected += 1,
        }
    }
}

#[cfg(test)]
mod tests;
