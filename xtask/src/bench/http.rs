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

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinSet,
    time::timeout,
};

use super::{
    cpu::{CpuTimes, Meter},
    stat::Round,
};
use crate::Result;

/// A load gives up on missing responses when its round exceeds its time by this much.
const MAX_DELAY: Duration = Duration::from_secs(120);

/// Connections of a load that has a rate, so that one slow response delays no other request.
const PACED_CONNECTIONS: usize = 32;

/// More than any response has.
const MAX_HEADERS: usize = 32;

/// A request, as it is sent.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The first line and the headers.
    head: String,
    body: String,
}

/// A server, and an API key of each of its organisations, by their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Api {
    pub(crate) address: SocketAddr,
    pub(crate) keys: Arc<[String]>,
}

#[derive(Clone)]
pub(crate) struct HttpLoad {
    pub(crate) address: SocketAddr,
    /// Reads the processor time of the processes that handle the requests.
    pub(crate) meter: Meter,
    /// The number of requests.
    pub(crate) count: usize,
    /// Makes a request by its number when it is sent: a million of them would take a gigabyte.
    pub(crate) make: Arc<dyn Fn(usize) -> Request + Send + Sync>,
    /// Requests are chosen pseudo-randomly, as pgbench chooses organisations, and equally in every
    /// round; otherwise they take turns.
    pub(crate) is_random: bool,
    /// A 503 is counted and does not end the bench.
    pub(crate) counts_503: bool,
    /// Requests begin so many a second, or later where the server is slower; without it, each
    /// begins when the one before it ends.
    pub(crate) per_second: Option<u32>,
}

/// The payout of the organisation of this number.
pub(crate) fn payout_id(number: usize) -> String {
    format!("pay_01BE{number:022}")
}

/// A request for the server at `address`; `key` is the API key.
pub(crate) fn request(
    address: SocketAddr,
    method: &'static str,
    path: &str,
    key: Option<&str>,
) -> Request {
    let head = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\n");
    let request = Request { head, body: String::new() };
    match key {
        Some(key) => request.with_header("x-api-key", key),
        None => request,
    }
}

impl Request {
    pub(crate) fn with_header(mut self, name: &'static str, value: &str) -> Self {
        for part in [name, ": ", value, "\r\n"] {
            self.head.push_str(part);
        }
        self
    }

    pub(crate) fn with_json(self, body: String) -> Self {
        let head = self.with_header("content-length", &body.len().to_string());
        Self { body, ..head.with_header("content-type", "application/json") }
    }
}

/// Method and path, without the query, which may be a signature.
impl fmt::Display for Request {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = self.head.split([' ', '?']);
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        write!(formatter, "{method} {path}")
    }
}

impl Api {
    pub(crate) fn request(&self, method: &'static str, path: &str, organization: usize) -> Request {
        request(self.address, method, path, Some(&self.keys[organization]))
    }

    pub(crate) fn get_payout(&self, organization: usize, payout: usize) -> Request {
        let path = format!("/api/v1/payouts/{}", payout_id(payout));
        self.request("GET", &path, organization)
    }
}

/// A connection. It does no more than the load needs, because its time is taken from the server on
/// the same cores: hyper's client takes about twice as long.
#[derive(Debug)]
pub(crate) struct Client {
    address: SocketAddr,
    stream: TcpStream,
    /// The response to the latest request.
    response: Vec<u8>,
    /// The server closes the connection after that response.
    is_closing: bool,
}

/// The head of a response.
#[derive(Clone, Copy, Debug)]
struct Head {
    status: u16,
    length: usize,
    body_length: usize,
    closes: bool,
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { address, stream, response: Vec::new(), is_closing: false })
    }

    /// Sends a request and returns the body of its success; nothing for a 503 that counts.
    pub(crate) async fn send(
        &mut self,
        request: &Request,
        counts_503: bool,
    ) -> Result<Option<&[u8]>> {
        if self.is_closing || self.is_closed() {
            *self = Self::connect(self.address).await?;
        }
        let bytes = [request.head.as_bytes(), b"\r\n", request.body.as_bytes()].concat();
        self.stream.write_all(&bytes).await?;
        let head = self.receive().await.map_err(|error| format!("{request}: {error}"))?;
        self.is_closing = head.closes;
        let body = &self.response[head.length..];
        match head.status {
            200..400 => Ok(Some(body)),
            503 if counts_503 => Ok(None),
            status => {
                let body = String::from_utf8_lossy(body);
                let what = format!("{request} got status {status} instead of a success");
                Err(format!("{what}, so nothing was measured: {body}").into())
            }
        }
    }

    /// Returns true if the server has closed the connection since the latest response, as far as is
    /// known without asking the system.
    fn is_closed(&self) -> bool {
        matches!(self.stream.try_read(&mut [0]), Ok(0))
    }

    /// Ends when the server has closed its side too, so that the connections of the next load are
    /// not too many for it.
    async fn close(mut self) {
        let _ = self.stream.shutdown().await;
        // An error is an end as well.
        let _ = self.stream.read(&mut [0]).await;
    }

    /// Reads a response to its end.
    async fn receive(&mut self) -> Result<Head> {
        self.response.clear();
        let mut head = None;
        loop {
            if self.stream.read_buf(&mut self.response).await? == 0 {
                return Err("the server closed the connection before the end of a response".into());
            }
            if head.is_none() {
                head = Head::parse(&self.response)?;
            }
            match head {
                Some(head) if self.response.len() >= head.length + head.body_length => {
                    return Ok(head);
                }
                _ => {}
            }
        }
    }
}

impl Head {
    /// `None` where it is not complete.
    fn parse(response: &[u8]) -> Result<Option<Self>> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = httparse::Response::new(&mut headers);
        let httparse::Status::Complete(length) = parsed.parse(response)? else {
            return Ok(None);
        };
        let value = |name: &str| {
            let mut headers = parsed.headers.iter();
            headers.find(|header| header.name.eq_ignore_ascii_case(name)).map(|it| it.value)
        };
        let body_length = value("content-length").map(str::from_utf8).transpose()?;
        Ok(Some(Self {
            status: parsed.code.unwrap_or_default(),
            length,
            body_length: body_length.ok_or("a response has no content-length")?.parse()?,
            closes: value("connection").is_some_and(|value| value.eq_ignore_ascii_case(b"close")),
        }))
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

    /// The same load at this rate.
    pub(crate) fn paced(self, per_second: u32) -> Self {
        Self { per_second: Some(per_second), ..self }
    }

    /// Sends requests for as long as each request of `once` takes on another connection, or on
    /// several where it has a rate.
    pub(crate) async fn run_beside(&self, connections: usize, once: &Self) -> Result<Round> {
        let once = once.clone();
        let once = tokio::spawn(async move {
            let connections = once.per_second.map_or(1, |_| PACED_CONNECTIONS);
            once.run(connections, None).await.map(drop).map_err(|error| error.to_string())
        });
        let mut all = Round::default();
        while !once.is_finished() {
            let round = self.run(connections, Some(Duration::from_secs(1))).await?;
            all.elapsed += round.elapsed;
            all.latencies.extend(round.latencies);
        }
        all.latencies.sort_unstable();
        once.await??;
        Ok(all)
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
    let begun = Instant::now();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let is_over = match end {
            Some(end) => Instant::now() >= end,
            None => number >= load.count,
        };
        if is_over {
            client.close().await;
            return Ok((latencies, rejected));
        }
        if let Some(per_second) = load.per_second {
            let due = Duration::from_micros(number as u64 * 1_000_000 / u64::from(per_second));
            tokio::time::sleep_until((begun + due).into()).await;
        }
        let index = if load.is_random { random.usize(..load.count) } else { number % load.count };
        let request = (load.make)(index);
        let sent = Instant::now();
        match client.send(&request, load.counts_503).await? {
            Some(_) => latencies.push(sent.elapsed()),
            None => rejected += 1,
        }
    }
}

#[cfg(test)]
mod tests;
