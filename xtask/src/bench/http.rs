//! Load over HTTP/1.1 from this process, on connections that stay open.
//!
//! Every response must be a 200: a 429 or 503 is cheap and would spoil the measurement. Only an
//! overload counts 503, and counts it separately.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use http_body_util::{BodyExt as _, Empty};
use hyper::{Method, StatusCode, body::Bytes, client::conn::http1, header};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, task::JoinSet, time::timeout};

use super::{
    cpu::{CpuTimes, Meter},
    stat::Round,
};
use crate::Result;

/// How long a round may exceed its time before the load gives up on missing responses.
const MAX_DELAY: Duration = Duration::from_secs(60);

pub(crate) type Request = hyper::Request<Empty<Bytes>>;

#[derive(Clone, Debug)]
pub(crate) struct HttpLoad {
    pub(crate) address: SocketAddr,
    /// Of the processes that handle the requests.
    pub(crate) meter: Meter,
    pub(crate) requests: Vec<Request>,
    /// Whether requests are chosen pseudo-randomly, as pgbench chooses organisations, the same in
    /// every round; otherwise they take turns.
    pub(crate) is_random: bool,
    /// Whether a 503 is counted instead of ending the bench.
    pub(crate) is_overload: bool,
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
    request.body(Empty::new()).expect("the bench builds valid paths and headers")
}

#[derive(Debug)]
pub(crate) struct Client {
    address: SocketAddr,
    sender: http1::SendRequest<Empty<Bytes>>,
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

    /// Sends a request and returns the body of its 200; nothing for a 503 in an overload.
    pub(crate) async fn send(
        &mut self,
        request: &Request,
        is_overload: bool,
    ) -> Result<Option<Bytes>> {
        if self.sender.ready().await.is_err() {
            // The server closed the connection after the previous response.
            *self = Self::connect(self.address).await?;
        }
        let response = self.sender.send_request(request.clone()).await?;
        let status = response.status();
        let body = response.into_body().collect().await?.to_bytes();
        match status {
            StatusCode::OK => Ok(Some(body)),
            StatusCode::SERVICE_UNAVAILABLE if is_overload => Ok(None),
            _ => {
                // Without the query, which may be a signature.
                let (method, path) = (request.method(), request.uri().path());
                let body = String::from_utf8_lossy(&body);
                let what = format!("{method} {path} got status {status} instead of 200");
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

/// Sends requests on one connection; returns the latencies of 200 and the number of 503.
async fn work(
    mut client: Client,
    seed: u64,
    load: Arc<HttpLoad>,
    next: Arc<AtomicUsize>,
    end: Option<Instant>,
) -> Result<(Vec<Duration>, usize)> {
    let (mut latencies, mut rejected) = (Vec::new(), 0);
    let (mut random, count) = (fastrand::Rng::with_seed(seed), load.requests.len());
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
        let request = &load.requests[index];
        let sent = Instant::now();
        match client.send(request, load.is_overload).await? {
            Some(_) => latencies.push(sent.elapsed()),
            None => rejected += 1,
        }
    }
}

#[cfg(test)]
mod tests;
