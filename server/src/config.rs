//! Every option of `serve`, with its default and its bounds, which are checked at the start.

use std::{net::SocketAddr, sync::Arc, thread, time::Duration};

use clap::{Args, value_parser};
use ipnet::IpNet;
use payout_database::SessionLimits;
use tokio::sync::Semaphore;

use crate::{
    affiliate::redirect::RedirectLimits,
    contract::VERSIONS,
    crm::CrmOptions,
    gate::{
        Environment, GateOptions,
        admission::AdmissionOptions,
        body::BodyLimits,
        in_flight::{InFlightLimits, QUEUE_LIMIT},
    },
    http::{client_address::network, limits::ConnectionLimits},
    id::OrganizationId,
    permits::{Capacity, Client, FairPermits},
    portal::{
        PortalOptions,
        site::{self, PortalLimits},
    },
    statements::{StatementOptions, storage::AssetOptions},
};

/// The health port, for `serve` and for who asks it.
#[derive(Args, Clone, Debug)]
pub struct HealthOptions {
    /// Address and port of /livez, /readyz and /metrics, which need no key; port 0 takes a free
    /// one, as a second server on this machine needs
    #[arg(
        long,
        env = "PAYOUT_HEALTH_LISTEN",
        default_value = "127.0.0.1:8081",
        value_name = "ADDRESS:PORT"
    )]
    pub health_listen: SocketAddr,
}

/// The flags of `serve`; each has an environment variable too.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Server")]
pub struct ServeOptions {
    /// Address and port of the API; port 0 takes a free one
    #[arg(
        long,
        env = "PAYOUT_LISTEN",
        default_value = "127.0.0.1:8080",
        value_name = "ADDRESS:PORT"
    )]
    pub listen: SocketAddr,

    #[command(flatten)]
    pub health: HealthOptions,

    /// Which keys are accepted: pcp_live_… or pcp_test_…
    #[arg(long, env = "PAYOUT_ENVIRONMENT", default_value = "test", value_enum)]
    pub environment: Environment,

    /// Proxies whose x-forwarded-for is trusted, as addresses or networks such as 10.0.0.0/8
    #[arg(long, env = "PAYOUT_TRUSTED_PROXIES", value_delimiter = ',', value_parser = network,
          value_name = "NETWORK")]
    pub trusted_proxies: Vec<IpNet>,

    /// Threads that serve requests; statements are rendered on others [default: half the cores, for
    /// PostgreSQL works on the rest, but at least 2]
    #[arg(long, env = "PAYOUT_WORKER_THREADS", value_parser = value_parser!(u32).range(1..=256),
          value_name = "THREADS")]
    pub worker_threads: Option<u32>,

    /// Open connections; those beyond wait in the system's queue
    #[arg(long, env = "PAYOUT_CONNECTIONS", default_value_t = 1_024,
          value_parser = value_parser!(u32).range(1..=100_000), value_name = "CONNECTIONS")]
    pub connections: u32,

    /// Open connections from one address or /64 of IPv6, except trusted proxies; those beyond are
    /// closed
    #[arg(long, env = "PAYOUT_CONNECTIONS_PER_ADDRESS", default_value_t = 64,
          value_parser = value_parser!(u32).range(1..=100_000), value_name = "CONNECTIONS")]
    pub connections_per_address: u32,

    /// How long a new connection may stay silent; after it: closed
    #[arg(long, env = "PAYOUT_FIRST_BYTE_SECONDS", default_value_t = 5,
          value_parser = value_parser!(u64).range(1..=60), value_name = "SECONDS")]
    pub first_byte_seconds: u64,

    /// How long a request's head may take from its first byte; after it: closed
    #[arg(long, env = "PAYOUT_HEAD_SECONDS", default_value_t = 10,
          value_parser = value_parser!(u64).range(1..=60), value_name = "SECONDS")]
    pub head_seconds: u64,

    /// How long a client may take for 64 KiB of a response, or for its rest; after it: closed
    #[arg(long, env = "PAYOUT_WRITE_SECONDS", default_value_t = 30,
          value_parser = value_parser!(u64).range(1..=600), value_name = "SECONDS")]
    pub write_seconds: u64,

    /// How long a connection may be idle between two requests; after it: closed
    #[arg(long, env = "PAYOUT_KEEP_ALIVE_SECONDS", default_value_t = 75,
          value_parser = value_parser!(u64).range(1..=3_600), value_name = "SECONDS")]
    pub keep_alive_seconds: u64,

    /// How long a request may take, except for a statement or a batch; after it: 503
    #[arg(long, env = "PAYOUT_REQUEST_SECONDS", default_value_t = 15,
          value_parser = value_parser!(u64).range(1..=300), value_name = "SECONDS")]
    pub request_seconds: u64,

    /// How long a request may take that attaches pending lines to payouts; after it: 503
    #[arg(long, env = "PAYOUT_BATCH_SECONDS", default_value_t = 120,
          value_parser = value_parser!(u64).range(1..=3_600), value_name = "SECONDS")]
    pub batch_seconds: u64,

    /// Requests of one organisation that wait until they may attach pending lines to payouts, one
    /// at a time; those beyond: 503
    #[arg(long, env = "PAYOUT_QUEUED_BATCHES_PER_ORGANIZATION", default_value_t = 4,
          value_parser = value_parser!(u32).range(0..=1_000), value_name = "REQUESTS")]
    pub queued_batches_per_organization: u32,

    /// Requests in flight; those beyond wait
    #[arg(long, env = "PAYOUT_REQUESTS_IN_FLIGHT", default_value_t = 256,
          value_parser = value_parser!(u32).range(1..=100_000), value_name = "REQUESTS")]
    pub requests_in_flight: u32,

    /// Requests in flight of one organisation; those beyond wait
    #[arg(long, env = "PAYOUT_REQUESTS_IN_FLIGHT_PER_ORGANIZATION", default_value_t = 64,
          value_parser = value_parser!(u32).range(1..=100_000), value_name = "REQUESTS")]
    pub requests_in_flight_per_organization: u32,

    /// How long a request waits to be in flight; after it: 503, without a charge
    #[arg(long, env = "PAYOUT_QUEUE_MILLISECONDS", default_value_t = 250,
          value_parser = value_parser!(u64).range(0..=10_000), value_name = "MILLISECONDS")]
    pub queue_milliseconds: u64,

    /// Requests a minute from one address without a valid key; above it: 429
    #[arg(long, env = "PAYOUT_ANONYMOUS_REQUESTS_PER_MINUTE", default_value_t = 120,
          value_parser = value_parser!(u32).range(1..=1_000_000), value_name = "REQUESTS")]
    pub anonymous_requests_per_minute: u32,

    /// How long a request's body may take to arrive; after it: 408
    #[arg(long, env = "PAYOUT_BODY_SECONDS", default_value_t = 10,
          value_parser = value_parser!(u64).range(1..=60), value_name = "SECONDS")]
    pub body_seconds: u64,

    /// Memory for all requests' bodies, which are read before the key is checked; those beyond wait
    /// for --queue-milliseconds; after it: 503
    #[arg(long, env = "PAYOUT_BODY_MEMORY_MEBIBYTES", default_value_t = 64,
          value_parser = value_parser!(u32).range(1..=4_095), value_name = "MEBIBYTES")]
    pub body_memory_mebibytes: u32,

    /// Downloads in flight; those beyond wait for --queue-milliseconds; after it: 503
    #[arg(long, env = "PAYOUT_DOWNLOADS_IN_FLIGHT", default_value_t = 64,
          value_parser = value_parser!(u32).range(1..=100_000), value_name = "DOWNLOADS")]
    pub downloads_in_flight: u32,

    /// Redirects of affiliate links in flight, at most half of them of one link; those beyond wait
    /// for --queue-milliseconds; after it: 503
    #[arg(long, env = "PAYOUT_REDIRECTS_IN_FLIGHT", default_value_t = 1024,
          value_parser = value_parser!(u32).range(1..=100_000), value_name = "REDIRECTS")]
    pub redirects_in_flight: u32,

    /// Connections to the database for downloads
    #[arg(long, env = "PAYOUT_DOWNLOAD_DATABASE_CONNECTIONS", default_value_t = 4,
          value_parser = value_parser!(u32).range(1..=500), value_name = "CONNECTIONS")]
    pub download_database_connections: u32,

    /// Connections to the database for handlers, and as many more for lists
    #[arg(long, env = "PAYOUT_DATABASE_CONNECTIONS", default_value_t = 16,
          value_parser = value_parser!(u32).range(1..=500), value_name = "CONNECTIONS")]
    pub database_connections: u32,

    /// Concurrent batches of admissions, each on its own connection, separate from the handlers'
    #[arg(long, env = "PAYOUT_ADMISSION_LANES", default_value_t = 2,
          value_parser = value_parser!(u32).range(1..=16), value_name = "LANES")]
    pub admission_lanes: u32,

    /// A batch of at most so many requests commits at once; larger batches share one flush. 0: all
    /// share
    #[arg(long, env = "PAYOUT_ADMISSION_AT_ONCE", default_value_t = 8,
          value_parser = value_parser!(u32).range(0..=1_024), value_name = "REQUESTS")]
    pub admission_at_once: u32,

    /// Most requests in one batch
    #[arg(long, env = "PAYOUT_BATCH_SIZE", default_value_t = 128,
          value_parser = value_parser!(u32).range(1..=1_024), value_name = "REQUESTS")]
    pub batch_size: u32,

    /// How long a request waits for a connection to the database; after it: 503
    #[arg(long, env = "PAYOUT_ACQUIRE_SECONDS", default_value_t = 1,
          value_parser = value_parser!(u64).range(1..=30), value_name = "SECONDS")]
    pub acquire_seconds: u64,

    /// How long a database statement may run; after it: 503
    #[arg(long, env = "PAYOUT_QUERY_SECONDS", default_value_t = 5,
          value_parser = value_parser!(u64).range(1..=60), value_name = "SECONDS")]
    pub query_seconds: u64,

    /// How long a database statement waits for a lock; after it: 503
    #[arg(long, env = "PAYOUT_LOCK_SECONDS", default_value_t = 1,
          value_parser = value_parser!(u64).range(1..=60), value_name = "SECONDS")]
    pub lock_seconds: u64,

    /// How long connections are accepted after SIGTERM or SIGHUP, while /readyz is 503 already, so
    /// that a balancer can notice; a second signal ends it
    #[arg(long, env = "PAYOUT_LAME_DUCK_SECONDS", default_value_t = 2,
          value_parser = value_parser!(u64).range(0..=60), value_name = "SECONDS")]
    pub lame_duck_seconds: u64,

    /// How long running requests may continue after that, or after Ctrl-C
    #[arg(long, env = "PAYOUT_DRAIN_SECONDS", default_value_t = 25,
          value_parser = value_parser!(u64).range(0..=600), value_name = "SECONDS")]
    pub drain_seconds: u64,

    #[command(flatten)]
    pub assets: AssetOptions,

    #[command(flatten)]
    pub statements: StatementOptions,

    #[command(flatten)]
    pub portal: PortalOptions,

    #[command(flatten)]
    pub crm: CrmOptions,
}

/// A body above it: 413. Fixed, because the document names it (R4).
pub(crate) const BODY_SIZE_BYTES: usize = 64 * 1024;

impl ServeOptions {
    /// Fewer threads wake each other less often, but one alone is busy before PostgreSQL is. A lone
    /// request stays on one of them.
    pub(crate) fn worker_threads(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        self.worker_threads.map_or_else(|| cores().div_ceil(2).max(2), size)
    }

    pub fn gate(&self) -> GateOptions {
        GateOptions {
            environment: self.environment,
            anonymous_requests_per_minute: self.anonymous_requests_per_minute,
            body: self.body(BODY_SIZE_BYTES),
            in_flight: InFlightLimits {
                all: size(self.requests_in_flight),
                per_organization: size(self.requests_in_flight_per_organization),
                queue: self.queue(),
            },
            request: Duration::from_secs(self.request_seconds),
            long_request: self
                .batch()
                .max(Duration::from_secs(self.request_seconds + self.statements.statement_seconds)),
            versions: VERSIONS,
        }
    }

    pub fn admission(&self) -> AdmissionOptions {
        AdmissionOptions {
            lanes: size(self.admission_lanes),
            at_once: size(self.admission_at_once),
            batch_size: self.batch_size(),
            connect_limit: self.acquire(),
        }
    }

    /// The portal has as much memory for bodies as the API, and its own.
    pub(crate) fn portal_limits(&self) -> PortalLimits {
        PortalLimits {
            session_hours: self.portal.portal_session_hours,
            body: self.body(site::BODY_SIZE_BYTES),
            requests_per_minute: self.anonymous_requests_per_minute,
            permits: self.permits(self.portal.portal_requests_in_flight),
        }
    }

    fn body(&self, size_bytes: usize) -> BodyLimits {
        BodyLimits {
            size_bytes,
            time: Duration::from_secs(self.body_seconds),
            memory: Arc::new(Semaphore::new(size(self.body_memory_mebibytes) << 20)),
            memory_wait: self.queue(),
        }
    }

    pub(crate) fn redirect_limits(&self) -> RedirectLimits {
        RedirectLimits {
            clicks_per_minute: self.anonymous_requests_per_minute,
            permits: self.permits(self.redirects_in_flight),
            batch_size: self.batch_size(),
            connect_limit: self.acquire(),
        }
    }

    /// Returns the permits of downloads.
    pub(crate) fn downloads(&self) -> Arc<FairPermits<OrganizationId>> {
        self.permits(self.downloads_in_flight)
    }

    /// One client, such as an organisation, takes at most half of them.
    fn permits<C: Client>(&self, all: u32) -> Arc<FairPermits<C>> {
        let all = size(all);
        let capacity = Capacity { all, per_client: all.div_ceil(2), queue: QUEUE_LIMIT };
        FairPermits::new(capacity, self.queue())
    }

    fn queue(&self) -> Duration {
        Duration::from_millis(self.queue_milliseconds)
    }

    pub(crate) fn lame_duck(&self) -> Duration {
        Duration::from_secs(self.lame_duck_seconds)
    }

    pub(crate) fn acquire(&self) -> Duration {
        Duration::from_secs(self.acquire_seconds)
    }

    pub(crate) fn batch(&self) -> Duration {
        Duration::from_secs(self.batch_seconds)
    }

    /// Requests of one organisation that wait for their turn to attach pending lines.
    pub(crate) fn queued_batches(&self) -> usize {
        size(self.queued_batches_per_organization)
    }

    pub(crate) fn session_limits(&self) -> SessionLimits {
        SessionLimits {
            statement: Duration::from_secs(self.query_seconds),
            lock: Duration::from_secs(self.lock_seconds),
        }
    }

    pub(crate) fn batch_size(&self) -> usize {
        usize::try_from(self.batch_size).expect("at most 1,024")
    }

    pub fn connection_limits(&self) -> ConnectionLimits {
        ConnectionLimits {
            connections: size(self.connections),
            connections_per_address: size(self.connections_per_address),
            trusted_proxies: self.trusted_proxies.clone(),
            first_byte: Duration::from_secs(self.first_byte_seconds),
            head: Duration::from_secs(self.head_seconds),
            write: Duration::from_secs(self.write_seconds),
            keep_alive: Duration::from_secs(self.keep_alive_seconds),
            drain: Duration::from_secs(self.drain_seconds),
        }
    }
}

fn size(number: u32) -> usize {
    usize::try_from(number).expect("usize has at least 32 bits")
}

impl Default for ServeOptions {
    /// Returns the defaults that `--help` shows.
    fn default() -> Self {
        #[derive(clap::Parser)]
        struct Defaults {
            #[command(flatten)]
            options: ServeOptions,
        }
        <Defaults as clap::Parser>::parse_from(["payout-server"]).options
    }
}

#[cfg(test)]
mod tests;
