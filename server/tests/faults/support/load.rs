//! Clients that send one request after the other, until they are stopped or their number is
//! reached. A response that does not come within [`TIMEOUT`] fails the scenario.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use fastrand::Rng;
use reqwest::{Method, RequestBuilder};
use tokio::task::JoinHandle;

use super::{
    dataset::{BUSY, Organization},
    journal::{Journal, Record},
    request::{Operation, Response},
    scale::random,
};

/// Longer than any deadline of the server.
pub const TIMEOUT: Duration = Duration::from_secs(150);
/// Between two attempts to connect to a server that is down.
pub const RETRY_INTERVAL: Duration = Duration::from_millis(5);
/// Below the server's default limits for one address and for one organisation.
pub const CLIENTS: usize = 32;

/// Chooses the next request: the organisation's index, and the request.
pub type Choose = Arc<dyn Fn(&mut Rng, &Target) -> (usize, Operation) + Send + Sync>;

/// The target of a load. A restarted server has a new address.
#[derive(Debug)]
pub struct Target {
    pub organizations: Vec<Organization>,
    pub addresses: [Mutex<SocketAddr>; 2],
    http: reqwest::Client,
    numbers: AtomicU64,
    /// The number of detach requests of each organisation.
    detachments: Vec<AtomicU64>,
}

impl Target {
    pub fn new(organizations: Vec<Organization>, addresses: [SocketAddr; 2]) -> Self {
        // reqwest is built with the server's TLS, which panics unless its cryptography is set. An
        // error means that another test has already set it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().timeout(TIMEOUT).tcp_nodelay(true);
        Self {
            detachments: organizations.iter().map(|_| AtomicU64::new(0)).collect(),
            organizations,
            addresses: addresses.map(Mutex::new),
            http: http.build().unwrap(),
            numbers: AtomicU64::new(1),
        }
    }

    /// A request to a replica with the text of a key.
    pub fn request(&self, replica: usize, method: Method, path: &str, key: &str) -> RequestBuilder {
        let address = *self.addresses[replica].lock().unwrap();
        self.http.request(method, format!("http://{address}{path}")).header("x-api-key", key)
    }

    /// Sends a request; `None` if the replica accepts no connection.
    pub async fn record(
        &self,
        replica: usize,
        (organization, operation): (usize, Operation),
        change: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Option<Record> {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let request = change(operation.request(self, replica, organization, number));
        let begun = Instant::now();
        let response = match Response::read(request).await {
            Ok(response) => Some(response),
            Err(error) if error.is_connect() => return None,
            Err(error) => {
                assert!(!error.is_timeout(), "{operation:?} got no response in {TIMEOUT:?}");
                None
            }
        };
        let ended = Instant::now();
        Some(Record { number, organization, operation, replica, begun, ended, response })
    }

    /// The next line to detach: each comes twice in a row, so that two requests race for it.
    pub fn line(&self, organization: usize) -> usize {
        let count = self.detachments[organization].fetch_add(1, Ordering::Relaxed) / 2;
        usize::try_from(count).unwrap() % self.organizations[organization].lines.len()
    }
}

/// The options of a load.
#[derive(Clone)]
pub struct Plan {
    pub clients: usize,
    /// The number of requests; `None`: until [`Load::stop`].
    pub requests: Option<u64>,
    pub choose: Choose,
}

impl Plan {
    /// Reads, changes and statements, most of them of the busy organisation, until it is stopped.
    pub fn mixed() -> Self {
        Self::of(|random, target| {
            let organization = match random.u8(..10) {
                0..=6 => BUSY,
                _ => random.usize(..target.organizations.len()),
            };
            let index = random.usize(..4);
            let operation = match random.u8(..40) {
                0..=13 => Operation::GetPayout(index),
                14..=21 => Operation::GetPartner(index),
                22..=27 => Operation::ListPartners,
                28..=31 => Operation::UpdatePartner(index),
                32..=37 => Operation::DetachLine(target.line(organization)),
                38 => Operation::Statement(index),
                _ => Operation::GetAbsentPartner,
            };
            (organization, operation)
        })
    }

    /// Requests chosen by this function, until it is stopped.
    pub fn of(
        choose: impl Fn(&mut Rng, &Target) -> (usize, Operation) + Send + Sync + 'static,
    ) -> Self {
        Self { clients: CLIENTS, requests: None, choose: Arc::new(choose) }
    }
}

/// A running load.
pub struct Load {
    pub journal: Arc<Journal>,
    stop: Arc<AtomicBool>,
    clients: Vec<JoinHandle<()>>,
}

impl Load {
    /// Starts it, alternating between the replicas.
    pub fn start(target: &Arc<Target>, plan: &Plan) -> Self {
        let journal = Arc::new(Journal::default());
        let stop = Arc::new(AtomicBool::new(false));
        let left = plan.requests.map_or(i64::MAX, |requests| i64::try_from(requests).unwrap());
        let left = Arc::new(AtomicI64::new(left));
        let clients = (0..plan.clients).map(|number| {
            let (target, journal, choose) =
                (Arc::clone(target), Arc::clone(&journal), Arc::clone(&plan.choose));
            let (stop, left) = (Arc::clone(&stop), Arc::clone(&left));
            let mut random = random(u64::try_from(number).unwrap());
            tokio::spawn(async move {
                while !stop.load(Ordering::SeqCst) && left.fetch_sub(1, Ordering::SeqCst) > 0 {
                    let chosen = choose(&mut random, &target);
                    match target.record(number % 2, chosen, |request| request).await {
                        Some(record) => journal.add(record),
                        None => {
                            left.fetch_add(1, Ordering::SeqCst);
                            tokio::time::sleep(RETRY_INTERVAL).await;
                        }
                    }
                }
            })
        });
        Self { clients: clients.collect(), journal, stop }
    }

    /// Lets each client finish its request; returns all records.
    pub async fn stop(self) -> Vec<Record> {
        self.stop.store(true, Ordering::SeqCst);
        self.finish().await
    }

    /// Waits until the plan's number of requests is sent; returns all records.
    pub async fn finish(self) -> Vec<Record> {
        for client in self.clients {
            client.await.expect("a client got an invalid response");
        }
        self.journal.records()
    }
}
