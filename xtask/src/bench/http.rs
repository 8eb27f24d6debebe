//! Load over HTTP/1.1 from this process, on connections that stay open.
//!
//! Every response must be a success: a 429 or 503 is cheap and would spoil the measurement. Some
//! loads count 503, separately.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{task::JoinSet, time::timeout};

use super::{
    cpu::{CpuTimes, Meter},
    stat::Round,
};
use crate::{
    Result,
    http::{Client, Request},
};

/// A load gives up on missing responses when its round exceeds its time by this much.
const MAX_DELAY: Duration = Duration::from_secs(120);

/// Connections of a load that has a rate, so that one slow response delays no other request.
const PACED_CONNECTIONS: usize = 32;

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
