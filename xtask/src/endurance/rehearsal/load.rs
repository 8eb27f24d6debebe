//! Operations at a fixed rate over several servers, whether responses come or not: 60 % reads, 40 %
//! creations of a line with an idempotency key. A creation that fails is repeated with its key, and
//! a third of the lines is detached, which is repeated in the same way.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use fastrand::Rng;
use serde_json::{Value, json};
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{sleep, sleep_until, timeout},
};

use super::{
    GROWING,
    attempt::{Attempt, Kind},
    description,
};
use crate::{
    Result,
    http::{Api, Client, Request, payout_id},
};

/// Connections to one server, below `--connections` of it.
const CONNECTIONS: usize = 768;
/// More than `--request-seconds` of a server: no response until then is none at all.
const RESPONSE_LIMIT: Duration = Duration::from_secs(30);
/// Operations that failed are repeated for so long after the last one has begun.
const REPETITION_LIMIT: Duration = Duration::from_secs(60);
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(8);
const TICK: Duration = Duration::from_millis(2);
const NO_PANIC: &str = "an operation does not panic";
/// The amount of each line, in cents.
const LINE: i64 = 100;

/// What the operations are sent to, and how fast.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    pub(crate) addresses: Vec<SocketAddr>,
    pub(crate) keys: Arc<[String]>,
    /// Operations a second.
    pub(crate) rate: u32,
    pub(crate) seed: u64,
}

/// A server, and the connections to it.
struct Target {
    api: Api,
    permits: Semaphore,
    idle: Mutex<Vec<Client>>,
}

/// The load while it runs.
struct Running {
    targets: Vec<Target>,
    seed: u64,
    begun: Instant,
    /// Per growing payout, in cents: the amount that answered creations have made, and the largest
    /// one that was read.
    created: Vec<AtomicI64>,
    seen: Vec<AtomicI64>,
    gives_up: AtomicBool,
    attempts: Mutex<Vec<Attempt>>,
}

impl Load {
    /// Begins operations, numbered from `first` on, until `event` ends; then waits until each has
    /// ended. `amounts` are those of the growing payouts. Returns all attempts, the number of the
    /// next operation, and what the event returned.
    pub(crate) async fn run<T>(
        &self,
        first: u64,
        amounts: &[i64],
        event: impl AsyncFnOnce(Instant) -> Result<T>,
    ) -> (Vec<Attempt>, u64, Result<T>) {
        let running = Arc::new(Running::new(self, amounts));
        let begun = running.begun;
        let (mut tasks, mut next) = (JoinSet::new(), first);
        let mut event = Box::pin(event(begun));
        let ended = loop {
            let due = begun.elapsed().as_micros() * u128::from(self.rate) / 1_000_000;
            while u128::from(next - first) < due {
                tasks.spawn(Arc::clone(&running).operate(next));
                next += 1;
            }
            // Tasks that have ended free their memory.
            while let Some(ended) = tasks.try_join_next() {
                ended.expect(NO_PANIC);
            }
            tokio::select! {
                ended = &mut event => break ended,
                () = sleep_until((Instant::now() + TICK).into()) => {}
            }
        };
        if timeout(REPETITION_LIMIT, all(&mut tasks)).await.is_err() {
            running.gives_up.store(true, Ordering::Relaxed);
            all(&mut tasks).await;
        }
        let mut attempts = std::mem::take(&mut *running.attempts.lock().expect("not poisoned"));
        attempts.sort_by_key(|attempt| attempt.sent);
        (attempts, next, ended)
    }
}

async fn all(operations: &mut JoinSet<()>) {
    while let Some(ended) = operations.join_next().await {
        ended.expect(NO_PANIC);
    }
}

impl Running {
    fn new(load: &Load, amounts: &[i64]) -> Self {
        let target = |address: &SocketAddr| Target {
            api: Api { address: *address, keys: Arc::clone(&load.keys) },
            permits: Semaphore::new(CONNECTIONS),
            idle: Mutex::default(),
        };
        let amounts = || amounts.iter().copied().map(AtomicI64::new).collect();
        Self {
            targets: load.addresses.iter().map(target).collect(),
            seed: load.seed,
            begun: Instant::now(),
            created: amounts(),
            seen: amounts(),
            gives_up: AtomicBool::new(false),
            attempts: Mutex::default(),
        }
    }

    async fn operate(self: Arc<Self>, operation: u64) {
        let mut random = Rng::with_seed(self.seed.wrapping_add(operation));
        let organization = random.usize(..GROWING);
        if random.u8(..10) < 6 {
            self.attempt((operation, Kind::Read), organization, "", &mut random).await;
            return;
        }
        let is_detached = random.u8(..3) == 0;
        let organization = organization + if is_detached { GROWING } else { 0 };
        let created = self.repeat((operation, Kind::Create), organization, "", &mut random).await;
        match created {
            Some(line) if is_detached => {
                self.repeat((operation, Kind::Detach), organization, &line, &mut random).await;
            }
            Some(_) => {
                self.created[organization].fetch_add(LINE, Ordering::SeqCst);
            }
            None => {}
        }
    }

    /// Repeats a request with its key until it succeeds, and returns the line of its success.
    async fn repeat(
        &self,
        of: (u64, Kind),
        organization: usize,
        line: &str,
        random: &mut Rng,
    ) -> Option<String> {
        let mut pause = FIRST_PAUSE;
        loop {
            let answered = self.attempt(of, organization, line, random).await;
            if answered.is_some() || self.gives_up.load(Ordering::Relaxed) {
                return answered;
            }
            // Half of the pause is random, so that clients do not come all at once.
            let half = pause / 2;
            sleep(half + half * random.u32(..=100) / 100).await;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    /// Sends one request to any server, records its response, and returns the line of a success.
    async fn attempt(
        &self,
        (operation, kind): (u64, Kind),
        organization: usize,
        line: &str,
        random: &mut Rng,
    ) -> Option<String> {
        let server = random.usize(..self.targets.len());
        let target = &self.targets[server];
        let request = request(&target.api, (operation, kind), organization, line);
        let _permit = target.permits.acquire().await.expect("it is never closed");
        let at_least = match kind {
            Kind::Read => self.at_least(organization),
            _ => 0,
        };
        let sent = self.begun.elapsed();
        let (status, body, is_replayed) = match target.exchange(&request).await {
            Ok(response) => response,
            Err(error) => (0, error.to_string(), false),
        };
        let (status, text, amount) = match status {
            200..300 => match parse(kind, &body) {
                Some((text, amount)) => (status, text, amount),
                None => (0, format!("status {status} with {body}"), 0),
            },
            503 => (status, String::new(), 0),
            _ => (status, body, 0),
        };
        let took = self.begun.elapsed().saturating_sub(sent);
        if kind == Kind::Read {
            self.seen[organization].fetch_max(amount, Ordering::SeqCst);
        }
        let attempt = Attempt {
            operation,
            kind,
            organization,
            server,
            sent,
            took,
            status,
            is_replayed,
            text,
            amount,
            at_least,
        };
        let answered = attempt.is_success().then(|| attempt.text.clone());
        self.attempts.lock().expect("not poisoned").push(attempt);
        answered
    }

    fn at_least(&self, organization: usize) -> i64 {
        let read = |amounts: &[AtomicI64]| amounts[organization].load(Ordering::SeqCst);
        read(&self.created).max(read(&self.seen))
    }
}

impl Target {
    /// Sends a request on an idle connection, or else on a new one; returns status and body, and
    /// whether an earlier response is repeated.
    async fn exchange(&self, request: &Request) -> Result<(u16, String, bool)> {
        let exchange = async {
            let idle = self.idle.lock().expect("not poisoned").pop();
            let mut client = match idle {
                Some(client) => client,
                None => Client::connect(self.api.address).await?,
            };
            let (status, body) = client.exchange(request).await?;
            let body = String::from_utf8_lossy(body).into_owned();
            let is_replayed = client.is_replayed();
            self.idle.lock().expect("not poisoned").push(client);
            Ok((status, body, is_replayed))
        };
        let late = |_| format!("no response within {} s", RESPONSE_LIMIT.as_secs());
        timeout(RESPONSE_LIMIT, exchange).await.map_err(late)?
    }
}

/// A repetition of it is the same to the byte. The server's log has the request id.
fn request(api: &Api, (operation, kind): (u64, Kind), organization: usize, line: &str) -> Request {
    let key = format!("{kind}-{operation}");
    let request = match kind {
        Kind::Read => api.get_payout(organization, organization),
        Kind::Create => {
            let body = json!({
                "partnerId": "ptn_01BE0000000000000000000000",
                "payoutId": payout_id(organization),
                "amount": "1.00",
                "currency": "EUR",
                "description": description(operation),
                "periodEnd": "2026-04-30T00:00:00.000Z",
            });
            let path = "/api/v1/commission-lines";
            let request = api.request("POST", path, organization);
            request.with_header("idempotency-key", &key).with_json(body.to_string())
        }
        Kind::Detach => {
            let path = format!("/api/v1/commission-lines/{line}/detach");
            api.request("POST", &path, organization).with_header("idempotency-key", &key)
        }
    };
    request.with_header("x-request-id", &key)
}

/// The line of a success, and the amount of a read in cents.
fn parse(kind: Kind, body: &str) -> Option<(String, i64)> {
    let body: Value = serde_json::from_str(body).ok()?;
    let data = &body["data"];
    if kind == Kind::Read {
        return Some((String::new(), cents(data["amount"]["value"].as_str()?)?));
    }
    Some((data["id"].as_str()?.to_owned(), 0))
}

/// `1234.50` is 123450.
pub(super) fn cents(amount: &str) -> Option<i64> {
    let (whole, fraction) = amount.split_once('.')?;
    (fraction.len() == 2).then_some(())?;
    format!("{whole}{fraction}").parse().ok()
}

#[cfg(test)]
mod tests;
