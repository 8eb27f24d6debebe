//! A server on a free port, its own database holding `conformance/dataset.json`, and the keys of
//! that data set.

use std::{collections::HashMap, path::Path};

use payout_database::TestDatabase;
use payout_devdata::DATASET;
use payout_server::{
    assembly::{self, CheckedDatabase},
    config::ServeOptions,
    gate::{Environment, Gate, GateOptions, Handler, admission::BatchedAdmission},
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

/// A running server. It stops with the test.
pub struct TestServer {
    /// Its database, where the clock is set.
    pub database: TestDatabase,
    options: ServeOptions,
    base_url: String,
    client: reqwest::Client,
    keys: HashMap<(String, String), String>,
    folder: TempDir,
    running: Running,
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
        let (base_url, running) = serve(database.app_url(), &options, folder.path(), storage).await;
        Self { database, options, base_url, client: client(), keys, folder, running }
    }

    /// Starts a second server on the same database.
    pub async fn replica(&self) -> Replica {
        self.replica_with(|_| {}).await
    }

    pub async fn replica_with(&self, change: impl FnOnce(&mut ServeOptions)) -> Replica {
        let mut options = self.options.clone();
        change(&mut options);
        let storage = open_store(self.database.app_url(), &options, self.folder.path()).await;
        self.replica_on(storage, options).await
    }

    pub fn options(&self) -> ServeOptions {
        self.options.clone()
    }

    /// Starts a second server on the same database that stores its PDFs elsewhere.
    pub async fn replica_on(&self, storage: Storage, options: ServeOptions) -> Replica {
        let folder = self.folder.path();
        let (base_url, running) = serve(self.database.app_url(), &options, folder, storage).await;
        Replica { base_url, client: self.client.clone(), running }
    }

    /// Starts a second server that reaches the same database at another address.
    pub async fn replica_at(&self, database_url: &str) -> Replica {
        let (folder, storage) = (self.folder.path(), self.storage().await);
        let (base_url, running) = serve(database_url, &self.options, folder, storage).await;
        Replica { base_url, client: self.client.clone(), running }
    }

    /// Starts a server on the same database whose gate guards another handler.
    pub async fn replica_with_handler(&self, handler: impl Handler) -> Replica {
        self.replica_with_handler_and(handler, |_| {}).await
    }

    pub async fn replica_with_handler_and(
        &self,
        handler: impl Handler,
        change: impl FnOnce(&mut ServeOptions),
    ) -> Replica {
        let mut options = self.options.clone();
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
        let connect =
            payout_database::app_connect_options(self.database.app_url()).expect("our own URL");
        let (telemetry, log) = telemetry();
        let admission = BatchedAdmission::start(&connect, options.admission(), &telemetry);
        let gate = Gate::new(admission, handler, gate, &telemetry);
        let service = Service::new(gate, NoOtherRoutes, Vec::new(), &telemetry);
        let bound = Bound::bind(options.listen).await.unwrap();
        let (base_url, running) = listen(bound, service, &options, telemetry, log);
        Replica { base_url, client: self.client.clone(), running }
    }

    pub fn metrics(&self) -> String {
        self.running.telemetry.metrics.encode()
    }

    pub fn key(&self, Key(organization, name): Key) -> &str {
        let key = self.keys.get(&(organization.to_owned(), name.to_owned()));
        key.unwrap_or_else(|| panic!("the data set has no key {organization}/{name}"))
    }

    /// A request without a key.
    pub fn request(&self, method: Method, path: &str) -> TestRequest {
        TestRequest::new(self.client.request(method, format!("{}{path}", self.base_url)))
    }

    /// A GET with a key.
    pub fn get(&self, key: Key, path: &str) -> TestRequest {
        self.request(Method::GET, path).header("x-api-key", self.key(key))
    }

    /// A POST without a body, with a key.
    pub fn post(&self, key: Key, path: &str) -> TestRequest {
        self.request(Method::POST, path).header("x-api-key", self.key(key))
    }

    /// A PATCH with a JSON body, with a key.
    pub fn patch(&self, key: Key, path: &str, body: serde_json::Value) -> TestRequest {
        let request = self.request(Method::PATCH, path).header("x-api-key", self.key(key));
        request.header("content-type", "application/json").body(body.to_string())
    }

    /// A PATCH of one partner of main, with its key of all scopes.
    pub fn update(&self, partner: &str, body: serde_json::Value) -> TestRequest {
        self.patch(Key::MAIN, &format!("/api/v1/partners/{partner}"), body)
    }

    /// A detach of one line of main, with its key of all scopes.
    pub fn detach(&self, line: &str) -> TestRequest {
        self.post(Key::MAIN, &format!("/api/v1/commission-lines/{line}/detach"))
    }

    /// A statement of a payout of main, with its key of all scopes.
    pub fn statement(&self, payout: &str) -> TestRequest {
        self.post(Key::MAIN, &format!("/api/v1/payouts/{payout}/statement"))
    }

    /// A GET of a link, without a key.
    pub fn follow(&self, link: &str) -> reqwest::RequestBuilder {
        self.client.get(link)
    }

    /// The folder of PDFs and keys.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub async fn storage(&self) -> Storage {
        self.options.assets.open(self.folder.path()).await.unwrap()
    }

    /// Access to tenants' rows, as the server's role.
    pub async fn tenants(&self) -> Tenants {
        let options = payout_database::app_connect_options(self.database.app_url()).unwrap();
        Tenants::from(&PgPoolOptions::new().max_connections(2).connect_with(options).await.unwrap())
    }

    /// The server's address, without a path.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// A pool that sees every tenant's rows.
    pub async fn superuser(&self) -> PgPool {
        let options =
            payout_database::owner_connect_options(&self.database.superuser_url()).unwrap();
        PgPoolOptions::new().max_connections(2).connect_with(options).await.unwrap()
    }
}

/// Another server on the same database.
pub struct Replica {
    base_url: String,
    client: reqwest::Client,
    running: Running,
}

/// A running server. It stops when this is dropped.
struct Running {
    stop: oneshot::Sender<()>,
    served: JoinHandle<()>,
    telemetry: Telemetry,
    _log: AccessLogWriter,
}

impl Replica {
    /// The server's address, without a path.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// A request with the text of a key.
    pub fn request(&self, method: Method, path: &str, key: &str) -> TestRequest {
        TestRequest::new(self.client.request(method, format!("{}{path}", self.base_url)))
            .header("x-api-key", key)
    }

    pub fn metrics(&self) -> String {
        self.running.telemetry.metrics.encode()
    }

    /// Stops it, as SIGTERM does; the returned task ends with it.
    pub fn stop(self) -> JoinHandle<()> {
        self.running.stop.send(()).expect("it runs");
        self.running.served
    }
}

/// No routes outside the API but one that panics.
struct NoOtherRoutes;

impl NonApiRoutes for NoOtherRoutes {
    fn loggable_path(&self, path: &str) -> Option<String> {
        (path == "/panics").then(|| path.to_owned())
    }

    async fn respond(&self, _: &Request) -> Response {
        panic!("a route gives up")
    }
}

async fn open_store(database_url: &str, options: &ServeOptions, folder: &Path) -> Storage {
    let connect = payout_database::app_connect_options(database_url).expect("our own URL");
    let mut connection = PgConnection::connect_with(&connect).await.expect("a test's database");
    binding::open_store(&mut connection, &options.assets, folder, false).await.unwrap()
}

async fn serve(
    database_url: &str,
    options: &ServeOptions,
    folder: &Path,
    storage: Storage,
) -> (String, Running) {
    let bound = Bound::bind(options.listen).await.unwrap();
    let links = options.statements.links.open(folder, bound.address());
    let links = links.expect("a folder of ours");
    let (telemetry, log) = telemetry();
    let checked = CheckedDatabase::check(database_url, options).await;
    let checked = checked.expect("a migrated database and an app role");
    let service = assembly::service(checked, options, storage, links, &telemetry).await;
    let service = service.expect("fonts and records of our own");
    listen(bound, service, options, telemetry, log)
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
) -> (String, Running) {
    let base_url = format!("http://{}", bound.address());
    let (stop, stopped) = oneshot::channel::<()>();
    let ended = async move {
        let _ = stopped.await;
    };
    let limits = options.connection_limits();
    let served = tokio::spawn(bound.serve(service, ended, limits, telemetry.clone()));
    let running = Running { stop, served, telemetry, _log: log };
    (base_url, running)
}

async fn import_dataset(app_url: &str, storage: &Storage) -> HashMap<(String, String), String> {
    let options = payout_database::app_connect_options(app_url).unwrap();
    let pool = PgPoolOptions::new().max_connections(1).connect_with(options).await.unwrap();
    let dataset = payout_devdata::Dataset::read(DATASET).expect("other tests import it");
    let imported = payout_devdata::import(&pool, storage, dataset, Environment::Test)
        .await
        .expect("an empty database");
    let keys = imported.into_iter().flat_map(|organization| {
        let name = organization.name;
        organization
            .keys
            .into_iter()
            .map(move |key| ((name.clone(), key.name), key.key.reveal().to_owned()))
    });
    keys.collect()
}

/// reqwest is built with the server's TLS, which panics unless its cryptography is set.
fn client() -> reqwest::Client {
    // An error means that another test has already set it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::new()
}
