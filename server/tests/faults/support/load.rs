//! Connections that send one request after the other, until they are stopped or their number is
//! reached. A response that does not come within [`TIMEOUT`] fails the scenario.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::task::JoinHandle;

use super::{
    dataset::{BUSY, Organization},
    http::Connection,
    journal::{Journal, Outcome, Record},
    random::Random,
    request::Operation,
};

/// Longer than any deadline of the server.
pub const TIMEOUT: Duration = Duration::from_secs(45);
/// Between two attempts to connect to a server that is down.
const RETRY_INTERVAL: Duration = Duration::from_millis(5);
/// Below the server's default limits for one address and for one organisation.
pub const CONNECTIONS: usize = 32;

/// Chooses the next request: the organisation's index, and the request.
pub type Choose = Arc<dyn Fn(&mut Random, &Target) -> (usize, Operation) + Send + Sync>;

/// The target of a load. A restarted server has a new address.
#[derive(Debug)]
pub struct Target {
    pub organizations: Vec<Organization>,
    pub addresses: [Mutex<SocketAddr>; 2],
    numbers: AtomicU64,
    /// The number of detach requests of each organisation.
    detachments: Vec<AtomicU64>,
}

impl Target {
    pub fn new(organizations: Vec<Organization>, addresses: [SocketAddr; 2]) -> Self {
        Self {
            detachments: organizations.iter().map(|_| AtomicU64::new(0)).collect(),
            organizations,
            addresses: addresses.map(Mutex::new),
            numbers: AtomicU64::new(1),
        }
    }

    /// A unique number for a request.
    pub fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// The current address of a replica.
    pub fn address(&self, replica: usize) -> SocketAddr {
        *self.addresses[replica].lock().unwrap()
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
    pub connections: usize,
    /// The number of requests; `None`: until [`Load::stop`].
    pub requests: Option<u64>,
    pub choose: Choose,
}

impl Plan {
    /// Reads and changes, most of them of the busy organisation, until it is stopped.
    pub fn mixed() -> Self {
        Self::of(|random, target| {
            let organization = match random.below(10) {
                0..=6 => BUSY,
                _ => random.index(target.organizations.len()),
            };
            let place = random.index(target.organizations[organization].partners.len());
            let operation = match random.below(20) {
                0..=6 => Operation::GetPayout(place),
                7..=10 => Operation::GetPartner(place),
                11..=13 => Operation::ListPartners,
                14..=15 => Operation::UpdatePartner(place),
                16..=18 => Operation::DetachLine(target.line(organization)),
                _ => Operation::GetAbsentPartner,
            };
            (organization, operation)
        })
    }

    /// Requests chosen by this function, until it is stopped.
    pub fn of(
        choose: impl Fn(&mut Random, &Target) -> (usize, Operation) + Send + Sync + 'static,
    ) -> Self {
        Self { connections: CONNECTIONS, requests: None, choose: Arc::new(choose) }
    }

    /// Sets the number of connections.
    pub fn connections(self, connections: usize) -> Self {
        Self { connections, ..self }
    }

    /// Sets the number of all requests.
    pub fn requests(self, requests: u64) -> Self {
        Self { requests: Some(requests), ..self }
    }
}

/// A running load.
pub struct Load {
    pub journal: Arc<Journal>,
    stop: Arc<AtomicBool>,
    connections: Vec<JoinHandle<()>>,
}

impl Load {
    /// Starts it, alternating between the replicas.
    pub fn start(target: &Arc<Target>, plan: &Plan) -> Self {
        let journal = Arc::new(Journal::default());
        let stop = Arc::new(AtomicBool::new(false));
        let left = plan.requests.map(|requests| i64::try_from(requests).unwrap());
        let left = Arc::new(AtomicI64::new(left.unwrap_or(i64::MAX)));
        let connections = (0..plan.connections).map(|place| {
            let client = Client {
                target: Arc::clone(target),
                journal: Arc::clone(&journal),
                stop: Arc::clone(&stop),
                left: Arc::clone(&left),
                choose: Arc::clone(&plan.choose),
                replica: place % 2,
                random: Random::of_stream(u64::try_from(place).unwrap()),
            };
            tokio::spawn(client.run())
        });
        Self { connections: connections.collect(), journal, stop }
    }

    /// Lets each connection finish its request; returns all records.
    pub async fn stop(self) -> Vec<Record> {
        self.stop.store(true, Ordering::SeqCst);
        self.finish().await
    }

    /// Waits until the plan's number of requests is sent; returns all records.
    pub async fn finish(self) -> Vec<Record> {
        for connection in self.connections {
            connection.await.expect("a connection got an invalid response");
        }
        self.journal.records()
    }
}

/// The state of one connection.
struct Client {
    target: Arc<Target>,
    journal: Arc<Journal>,
    stop: Arc<AtomicBool>,
    left: Arc<AtomicI64>,
    choose: Choose,
    replica: usize,
    random: Random,
}

impl Client {
    async fn run(mut self) {
        let mut connection = None;
        while !self.stop.load(Ordering::SeqCst) {
            let open = match connection.take() {
                Some(open) => open,
                None => match Connection::open(self.target.address(self.replica)).await {
                    Ok(open) => open,
                    Err(_) => {
                        tokio::time::sleep(RETRY_INTERVAL).await;
                        continue;
                    }
                },
            };
            if self.left.fetch_sub(1, Ordering::SeqCst) <= 0 {
                return;
            }
            connection = self.request(open).await;
        }
    }

    /// Sends one request; returns the connection if it can be reused.
    async fn request(&mut self, mut connection: Connection) -> Option<Connection> {
        let (organization, operation) = (self.choose)(&mut self.random, &self.target);
        let number = self.target.number();
        let bytes = operation.bytes(&self.target.organizations[organization], number);
        let begun = Instant::now();
        let exchanged = tokio::time::timeout(TIMEOUT, connection.exchange(&bytes)).await;
        let exchanged =
            exchanged.unwrap_or_else(|_| panic!("{operation:?} got no response in {TIMEOUT:?}"));
        let is_usable = exchanged.is_ok() && !connection.is_over();
        self.journal.add(Record {
            number,
            organization,
            operation,
            replica: self.replica,
            begun,
            ended: Instant::now(),
            outcome: exchanged.map_or(Outcome::Unanswered, Outcome::Answered),
        });
        is_usable.then_some(connection)
    }
}
