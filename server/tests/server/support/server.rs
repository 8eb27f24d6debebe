//! A server on a free port, its own database holding `conformance/dataset.json`, and the keys of
//! that data set.

use std::{collections::HashMap, future::Future, ops::Deref, path::Path, sync::Arc};

use payout_database::{TestDatabase, app_connect_options, owner_connect_options};
use payout_devdata::DATASET;
use payout_server::{
    assembly::{self, CheckedDatabase},
    config::ServeOptions,
    contract::Arguments,
    gate::{
        Caller, Environment, Gate, GateOptions, Handler, admission::BatchedAdmission,
        pipeline::RequestContext,
    },
    http::{NonApiRoutes, Service, listener::Bound},
    postgres::Tenants,
    statements::{assets::binding, storage::Storage},
    telemetry::{AccessLog, AccessLogWriter, Metrics, Telemetry},
};
use poem::{Endpoint, Request, Response, http::Method};
use sqlx::{Connection as _, PgConnection, PgPool, postgres::PgPoolOptions};
use tempfile::TempDir;
use tokio::{sync::oneshot, task::JoinHandle};

use super::{exchange::TestRequest, log::Written};

/// The texts of the data set's keys, by organisation and name.
type Keys = Arc<HashMap<(String, String), String>>;

/// A key of the data set, by organisation and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(pub &'static str, pub &'static str);

impl Key {
    /// All scopes of the organisation that tests work in.
    pub const MAIN: Self = Self("main", "all");
    /// All scopes of the other tenant.
    pub const OTHER: Self = Self("other", "all");
}

/// The stopped clock of every test's database, so that no minute and no month ends by itself.
const NOON: &str = "2026-06-15T12:00:00.000Z";

/// A running server with its database. It stops with the test.
pub struct TestServer {
    /// Its database, where the clock is set.
    pub database: TestDatabase,
    /// A pool that sees every tenant's rows.
    pub superuser: PgPool,
    options: ServeOptions,
    folder: TempDir,
    running: Replica,
}

/// A running server. It stops when this is dropped.
pub struct Replica {
    base_url: String,
    client: reqwest::Client,
    keys: Keys,
    stop: oneshot::Sender<()>,
    served: JoinHandle<()>,
    telemetry: Telemetry,
    _log: AccessLogWriter,
}

impl Deref for TestServer {
    type Target = Replica;

    fn deref(&self) -> &Replica {
        &self.running
    }
}

impl TestServer {
    /// Starts a server on the data set as `payout-server serve` does.
    pub async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    pub async fn start_with(change: impl FnOnce(&mut ServeOptions)) -> Self {
        let database = TestDatabase::create().await;
        database.set_clock(NOON).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut options =
            ServeOptions { listen: ([127, 0, 0, 1], 0).into(), ..ServeOptions::default() };
        // Tests share one address and one organisation; tests of these limits set them themselves.
        options.anonymous_requests_per_minute = 100_000;
        options.connections_per_address = 10_000;
        options.requests_in_flight = 10_000;
        options.requests_in_flight_per_organization = 10_000;
        change(&mut options);
        let storage = open_store(database.app_url(), &options, folder.path()).await;
        let keys = import_dataset(database.app_url(), &storage).await;
        let running = serve(database.app_url(), &options, folder.path(), storage, keys).await;
        let superuser = owner_connect_options(&database.superuser_url()).unwrap();
        let superuser = PgPoolOptions::new().max_connections(3).connect_lazy_with(superuser);
        Self { database, superuser, options, folder, running }
    }

    pub fn options(&self) -> ServeOptions {
        self.options.clone()
    }

    pub async fn replica(&self) -> Replica {
        self.replica_with(|_| {}).await
    }

    pub async fn replica_with(&self, change: impl FnOnce(&mut ServeOptions)) -> Replica {
        let mut options = self.options();
        change(&mut options);
        let storage = open_store(self.database.app_url(), &options, self.folder()).await;
        self.replica_on(storage, options).await
    }

    /// Starts a second server on the same database that stores its PDFs elsewhere.
    pub async fn replica_on(&self, storage: Storage, options: ServeOptions) -> Replica {
        self.serve(self.database.app_url(), &options, storage).await
    }

    /// Starts a second server that reaches the same database at another address.
    pub async fn replica_at(&self, database_url: &str) -> Replica {
        self.serve(database_url, &self.options, self.storage().await).await
    }

    async fn serve(&self, url: &str, options: &ServeOptions, storage: Storage) -> Replica {
        serve(url, options, self.folder(), storage, Arc::clone(&self.keys)).await
    }

    /// Starts a server on the same database whose gate guards another handler.
    pub async fn replica_with_handler(
        &self,
        handler: impl Handler,
        change: impl FnOnce(&mut ServeOptions),
    ) -> Replica {
        let mut options = self.options();
        change(&mut options);
        let gate = options.gate();
        self.replica_with_gate(handler, options, gate).await
    }

    /// Starts a server on the same database whose gate has options that no flag sets.
    pub async fn replica_with_gate(
        &self,
        handler: impl Handler,
        options: ServeOptions,
        gate: GateOptions,
    ) -> Replica {
        let connect = app_connect_options(self.database.app_url()).expect("our own URL");
        let (telemetry, log) = telemetry();
        let admission = BatchedAdmission::start(&connect, options.admission(), &telemetry);
        let gate = Gate::new(admission, handler, gate, &telemetry);
        let service =
            Service::new(gate, NoOtherRoutes, NoOtherRoutes, NoOtherRoutes, Vec::new(), &telemetry);
        let bound = Bound::bind(options.listen).await.unwrap();
        listen(bound, service, &options, telemetry, log, Arc::clone(&self.keys))
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub async fn storage(&self) -> Storage {
        self.options.assets.open(self.folder()).await.unwrap()
    }

    /// A pool as the server's role, of one connection: each use gets the session state of the
    /// previous one.
    pub async fn app_pool(&self) -> PgPool {
        let options = app_connect_options(self.database.app_url()).unwrap();
        PgPoolOptions::new().max_connections(1).connect_with(options).await.unwrap()
    }

    /// Access to tenants' rows, as the server's role.
    pub async fn tenants(&self) -> Tenants {
        Tenants::from(&self.app_pool().await)
    }
}

impl Replica {
    /// The server's address, without a path.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    pub fn key(&self, Key(organization, name): Key) -> &str {
        self.named_key((organization, name))
    }

    pub fn named_key(&self, (organization, name): (&str, &str)) -> &str {
        let key = self.keys.get(&(organization.to_owned(), name.to_owned()));
        key.unwrap_or_else(|| panic!("the data set has no key {organization}/{name}"))
    }

    pub fn request(&self, method: Method, path: &str) -> TestRequest {
        TestRequest(self.client.request(method, format!("{}{path}", self.base_url)))
    }

    pub fn get(&self, key: Key, path: &str) -> TestRequest {
        self.request(Method::GET, path).header("x-api-key", self.key(key))
    }

    pub fn post(&self, key: Key, path: &str) -> TestRequest {
        self.request(Method::POST, path).header("x-api-key", self.key(key))
    }

    /// A PATCH of one partner of main, with its key of all scopes.
    pub fn update(&self, partner: &str, body: serde_json::Value) -> TestRequest {
        let request = self.request(Method::PATCH, &format!("/api/v1/partners/{partner}"));
        request.header("x-api-key", self.key(Key::MAIN)).json(&body)
    }

    /// A statement of a payout of main, with its key of all scopes.
    pub fn statement(&self, payout: &str) -> TestRequest {
        self.post(Key::MAIN, &format!("/api/v1/payouts/{payout}/statement"))
    }

    /// A GET of a link, without a key.
    pub fn follow(&self, link: &str) -> reqwest::RequestBuilder {
        self.client.get(link)
    }

    /// Its metrics, for a health port.
    pub fn registry(&self) -> Metrics {
        self.telemetry.metrics.clone()
    }

    pub fn metrics(&self) -> String {
        self.telemetry.metrics.encode()
    }

    /// Stops it, as SIGTERM does; the returned task ends with it.
    pub fn stop(self) -> JoinHandle<()> {
        self.stop.send(()).expect("it runs");
        self.served
    }
}

/// A handler that runs a closure with the organisation's id in place of the operation.
pub struct Handle<F>(pub F);

impl<F, R> Handler for Handle<F>
where
    F: Fn(String) -> R + Send + Sync + 'static,
    R: Future<Output = Response> + Send,
{
    async fn handle(&self, caller: &Caller, _: Box<Arguments>) -> Response {
        (self.0)(caller.organization.to_string()).await
    }
}

/// No routes outside the API but one that panics.
struct NoOtherRoutes;

impl NonApiRoutes for NoOtherRoutes {
    const OPERATION: &'static str = "none";
    const STATUSES: &'static [u16] = &[];

    fn loggable_path(&self, path: &str) -> Option<String> {
        (path == "/panics").then(|| path.to_owned())
    }

    async fn respond(&self, _: Request, _: &RequestContext) -> Response {
        panic!("a route gives up")
    }
}

async fn open_store(database_url: &str, options: &ServeOptions, folder: &Path) -> Storage {
    let connect = app_connect_options(database_url).expect("our own URL");
    let mut connection = PgConnection::connect_with(&connect).await.expect("a test's database");
    binding::open_store(&mut connection, &options.assets, folder, false).await.unwrap()
}

async fn serve(
    url: &str,
    options: &ServeOptions,
    folder: &Path,
    storage: Storage,
    keys: Keys,
) -> Replica {
    let bound = Bound::bind(options.listen).await.unwrap();
    let links = options.statements.links.open(folder, bound.address());
    let links = links.expect("a folder of ours");
    let crm_keys = options.crm.connection.keys_of_server(folder).expect("a folder of ours");
    let (telemetry, log) = telemetry();
    let checked = CheckedDatabase::check(url, options).await;
    let checked = checked.expect("a migrated database and an app role");
    let service = assembly::service(checked, options, storage, links, crm_keys, &telemetry).await;
    let service = service.expect("fonts and records of our own");
    listen(bound, service, options, telemetry, log, keys)
}

fn telemetry() -> (Telemetry, AccessLogWriter) {
    let metrics = Metrics::default();
    let (access_log, writer) = AccessLog::start(Written, tracing::Level::INFO, metrics.clone());
    (Telemetry { metrics, access_log, ..Telemetry::default() }, writer)
}

fn listen(
    bound: Bound,
    service: impl Endpoint<Output = Response> + 'static,
    options: &ServeOptions,
    telemetry: Telemetry,
    log: AccessLogWriter,
    keys: Keys,
) -> Replica {
    // reqwest is built with the server's TLS, which panics unless its cryptography is set. An error
    // means that another test has already set it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let base_url = format!("http://{}", bound.address());
    let (stop, stopped) = oneshot::channel::<()>();
    let ended = async move {
        let _ = stopped.await;
    };
    let limits = options.connection_limits();
    let served = tokio::spawn(bound.serve(service, ended, limits, telemetry.clone()));
    Replica { base_url, client: reqwest::Client::new(), keys, stop, served, telemetry, _log: log }
}

async fn import_dataset(app_url: &str, storage: &Storage) -> Keys {
    let options = app_connect_options(app_url).unwrap();
    let pool = PgPoolOptions::new().max_connections(1).connect_with(options).await.unwrap();
    let dataset = payout_devdata::Dataset::read(DATASET).expect("other tests import it");
    let imported = payout_devdata::import(&pool, storage, dataset, Environment::Test).await;
    let mut keys = HashMap::new();
    for organization in imported.expect("an empty database") {
        for key in organization.keys {
            let text = key.key.reveal().to_owned();
            keys.insert((organization.name.clone(), key.name), text);
        }
    }
    Arc::new(keys)
}
