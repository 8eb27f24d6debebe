//! Starts cluster and servers, and lets one event after the other happen under load.

use std::{
    fs,
    net::SocketAddr,
    path::Path,
    time::{Duration, Instant},
};

use payout_database::{Roles, ensure_roles_and_database};
use sqlx::{Connection as _, PgConnection};
use tokio::{runtime::Runtime, time::sleep};

use super::{
    Options,
    cluster::Cluster,
    events::{EVENTS, Event, Role},
    report::{Report, Round},
};
use crate::{
    Result,
    deployment::{Installation, Server},
    endurance::{
        progress,
        rehearsal::{Before, GROWING, Journal, Load, connect, evidence, fill, judge},
    },
    http::{Client, request},
};

const DATABASE: &str = "payout";
/// Of the namespaces; nothing else is there.
const FOLDER: &str = "/run/rehearsal";
const ALLOWED: [u16; 3] = [200, 201, 503];
/// The load before an event, and after the cluster has recovered from it.
const BEFORE: Duration = Duration::from_secs(5);
const AFTER: Duration = Duration::from_secs(10);
/// The time in which servers give back the credits of 503s.
const REFUND_LIMIT: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Ports of the servers, and of their health.
const SERVERS: [(u16, u16); 2] = [(8101, 8201), (8102, 8202)];

struct Rehearsal {
    cluster: Cluster,
    servers: Vec<Server>,
    load: Load,
    journal: Journal,
    /// The number of the next operation.
    next: u64,
}

pub(super) fn run(programs: (&Path, &Path), logs: &Path, options: &Options) -> Result<bool> {
    Runtime::new()?.block_on(async {
        let mut rehearsal = Rehearsal::start(programs, logs, options).await?;
        let mut report = Report::new(options.rate);
        let is_chosen = |event: &&Event| {
            options.events.is_empty() || options.events.iter().any(|name| name == event.name)
        };
        for event in EVENTS.iter().filter(is_chosen) {
            progress(&format!("{}: {}", event.name, event.about));
            for number in 1..=options.rounds {
                let round = rehearsal.round(event, number).await.inspect_err(|_| {
                    anstream::println!("{}", report.text(rehearsal.journal.path()));
                })?;
                progress(&format!("{} {number}: {}", event.name, round.summary()));
                report.add(round);
            }
        }
        anstream::println!("{}", report.text(rehearsal.journal.path()));
        Ok(report.holds())
    })
}

impl Rehearsal {
    async fn start(
        (server, devdata): (&Path, &Path),
        logs: &Path,
        options: &Options,
    ) -> Result<Self> {
        progress("starting etcd, Patroni with two PostgreSQL, haproxy");
        let cluster = Cluster::start(Path::new(FOLDER), logs)?;
        cluster.settled().await?;
        let superuser_url = Cluster::superuser_url("postgres");
        let urls = ensure_roles_and_database(&superuser_url, DATABASE, &Roles::default()).await?;
        let folder = Path::new(FOLDER).join("servers");
        fs::create_dir(&folder)?;
        let installation =
            Installation { server: server.to_owned(), devdata: devdata.to_owned(), folder, urls };
        let keys = fill(&installation)?;
        progress("starting two servers");
        let servers = SERVERS.into_iter().map(|(port, health)| {
            let log = logs.join(format!("server-{port}.log"));
            installation.serve_on(&address(port), &address(health), &log, &[])
        });
        let servers: Vec<Server> = servers.collect::<Result<_>>()?;
        let addresses = servers.iter().map(Server::address).collect();
        let (rate, seed) = (options.rate, options.seed);
        let load = Load { addresses, keys, rate, seed };
        let journal = Journal::create(logs)?;
        Ok(Self { cluster, servers, load, journal, next: 0 })
    }

    /// One event under load, and the comparison after it.
    async fn round(&mut self, event: &'static Event, number: u32) -> Result<Round> {
        let primary = self.cluster.settled().await?;
        self.ready().await?;
        let node = if event.at == Role::Primary { primary } else { 1 - primary };
        let mut connection = self.connect().await?;
        let before = Before::read(&mut connection, self.next).await?;
        connection.close().await?;
        let cluster = &mut self.cluster;
        let load = self.load.run(self.next, &before.amounts[..GROWING], async |begun| {
            sleep(BEFORE).await;
            event.begin(cluster, node)?;
            let happened = begun.elapsed();
            sleep(event.lasts).await;
            event.end(cluster, node)?;
            cluster.settled().await?;
            sleep(AFTER).await;
            Ok((happened, begun.elapsed()))
        });
        let (attempts, next, times) = load.await;
        let operations = next - self.next;
        self.next = next;
        let name = format!("{}-{number}", event.name);
        self.journal.add(&name, &attempts)?;
        let times = times?;
        self.refunded().await?;
        let mut connection = self.connect().await?;
        let evidence = evidence(&mut connection, &before).await?;
        connection.close().await?;
        let verdict = judge(&attempts, &evidence, &ALLOWED);
        self.journal.find(&name, &verdict.findings)?;
        Ok(Round::new(event.name, (&attempts, operations), times, verdict))
    }

    async fn connect(&self) -> Result<PgConnection> {
        connect(&Cluster::superuser_url(DATABASE)).await
    }

    /// Waits until both servers are ready.
    async fn ready(&self) -> Result<()> {
        self.until("are ready", |status, _| status == 200, "/readyz").await
    }

    /// Waits until no server has a credit to give back.
    async fn refunded(&self) -> Result<()> {
        let none_waits = |_, body: &str| body.contains("\npayout_refunds_waiting 0\n");
        self.until("have given all credits back", none_waits, "/metrics").await
    }

    async fn until(
        &self,
        what: &str,
        is_reached: impl Fn(u16, &str) -> bool,
        path: &str,
    ) -> Result<()> {
        let begun = Instant::now();
        for (_, port) in &SERVERS[..self.servers.len()] {
            let address = SocketAddr::from(([127, 0, 0, 1], *port));
            let mut client = Client::connect(address).await?;
            loop {
                let (status, body) = client.exchange(&request(address, "GET", path, None)).await?;
                let body = String::from_utf8_lossy(body);
                if is_reached(status, &body) {
                    break;
                }
                if begun.elapsed() > REFUND_LIMIT {
                    let limit = REFUND_LIMIT.as_secs();
                    let why = format!("not both servers {what} after {limit} s: {path}: {body}");
                    return Err(why.into());
                }
                sleep(POLL_INTERVAL).await;
            }
        }
        Ok(())
    }
}

fn address(port: u16) -> String {
    format!("127.0.0.1:{port}")
}
