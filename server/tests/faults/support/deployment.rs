//! A database with data, and two server processes on it.
//!
//! The database's clock stays at [`NOON`] until a scenario moves it, so that no minute and no month
//! ends by itself.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use payout_database::{
    ClusterOptions, TestDatabase, app_connect_options, owner_connect_options, testing::stop_clock,
};
use payout_devdata::{Dataset, Imported};
use payout_server::{
    config::ServeOptions,
    gate::{Cell, Environment, KeyPrefix},
    statements::storage::Storage,
};
use serde_json::{Value, json};
use sqlx::{PgPool, postgres::PgPoolOptions};
use tempfile::TempDir;
use tokio::sync::{Mutex, MutexGuard};

use super::{
    dataset::{self, MANY_CREDITS, MANY_REQUESTS},
    load::{Load, Plan, Target},
    replica::{Recipe, Replica},
};

use crate::postgres::{OwnPostgres, signal};

/// The instant of the stopped clock.
pub const NOON: &str = "2026-06-15T12:00:00.000Z";
const POLL_INTERVAL: Duration = Duration::from_millis(2);
const TIMEOUT: Duration = Duration::from_secs(60);
/// Nothing listens there.
const REFUSING: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 1);

/// One scenario at a time.
static TURN: Mutex<()> = Mutex::const_new(());

/// The options of a scenario.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Use a PostgreSQL of its own, with fsync, that can be killed.
    pub own_postgres: bool,
    /// Flags of `serve` in addition to those of every scenario.
    pub flags: &'static [&'static str],
    /// Lines of the busy organisation; the others have a quarter of it.
    pub lines: u64,
    /// The cell of its keys.
    pub cell: Option<Cell>,
    /// Another deployment of the scenario has started already.
    pub is_second: bool,
}

/// Everything a scenario uses; dropped in this order.
#[derive(Debug)]
pub struct Deployment {
    pub target: Arc<Target>,
    /// Sees every tenant's rows.
    pub superuser_pool: PgPool,
    replicas: [Replica; 2],
    recipe: Recipe,
    owner_url: String,
    postgres: Option<OwnPostgres>,
    begun: Instant,
    cell: Option<Cell>,
    folder: TempDir,
    _database: Option<TestDatabase>,
    _turn: Option<MutexGuard<'static, ()>>,
}

impl Deployment {
    /// Starts everything, after the previous scenario has ended.
    pub async fn start(options: Options) -> Self {
        let turn = if options.is_second { None } else { Some(TURN.lock().await) };
        let begun = Instant::now();
        let folder = tempfile::tempdir().unwrap();
        let (mut postgres, mut database) = (None, None);
        let (app_url, owner_url, superuser_url) = if options.own_postgres {
            let own = postgres.insert(OwnPostgres::start(ClusterOptions::durable).await);
            (own.urls.app.clone(), own.urls.owner.clone(), own.superuser_url.clone())
        } else {
            let shared = database.insert(TestDatabase::create().await);
            (shared.app_url().into(), shared.owner_url().into(), shared.superuser_url())
        };
        let superuser_pool = owner_connect_options(&superuser_url).unwrap();
        let superuser_pool =
            PgPoolOptions::new().max_connections(2).connect_lazy_with(superuser_pool);
        stop_clock(&owner_url, NOON).await.unwrap();
        let mut flags: Vec<String> =
            ["--anonymous-requests-per-minute", "1000000"].map(str::to_owned).into();
        flags.extend(options.flags.iter().map(|flag| (*flag).to_owned()));
        let recipe = Recipe { app_url, folder: folder.path().to_owned(), flags };
        let replicas = [start(&recipe, 0).await, start(&recipe, 1).await];
        let addresses = [replicas[0].address(), replicas[1].address()];
        let mut deployment = Self {
            target: Arc::new(Target::new(Vec::new(), addresses)),
            superuser_pool,
            replicas,
            recipe,
            owner_url,
            postgres,
            begun,
            cell: options.cell,
            folder,
            _database: database,
            _turn: turn,
        };
        let organizations = dataset::import(&deployment, options.lines.max(4)).await;
        deployment.target = Arc::new(Target::new(organizations, addresses));
        deployment
    }

    pub fn app_url(&self) -> &str {
        &self.recipe.app_url
    }

    pub fn owner_url(&self) -> &str {
        &self.owner_url
    }

    /// The folder of its files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn replicas(&self) -> &[Replica; 2] {
        &self.replicas
    }

    pub async fn storage(&self) -> Storage {
        ServeOptions::default().assets.open(self.folder.path()).await.unwrap()
    }

    /// A pool as the server's role.
    pub async fn app_pool(&self) -> PgPool {
        let options = app_connect_options(&self.recipe.app_url).unwrap();
        PgPoolOptions::new().max_connections(1).connect_with(options).await.unwrap()
    }

    /// Imports organisations, whose limits are out of reach.
    pub async fn import(&self, organizations: Vec<Value>) -> Vec<Imported> {
        let file = json!({ "organizations": organizations }).to_string();
        let (app, file) = (self.app_pool().await, Dataset::read(&file).unwrap());
        let storage = self.storage().await;
        let prefix = KeyPrefix { environment: Environment::Test, cell: self.cell };
        let imported = payout_devdata::import(&app, &storage, file, prefix);
        let imported = imported.await.unwrap();
        let unlimited = "UPDATE meters SET requests_per_minute = $1, credits_per_month = $2";
        let unlimited = sqlx::query(unlimited).bind(i32::try_from(MANY_REQUESTS).unwrap());
        unlimited.bind(MANY_CREDITS).execute(&self.superuser_pool).await.unwrap();
        imported
    }

    pub fn load(&self, plan: &Plan) -> Load {
        Load::start(&self.target, plan)
    }

    pub fn age(&self) -> Duration {
        self.begun.elapsed()
    }

    pub fn organization(&self, index: usize) -> &str {
        &self.target.organizations[index].id
    }

    /// Moves the database's clock, for every session at once.
    pub async fn set_clock(&self, instant: &str) {
        stop_clock(&self.owner_url, instant).await.unwrap();
    }

    /// Sets an organisation's limits, from the next request on.
    pub async fn set_limits(
        &self,
        organization: usize,
        requests_per_minute: i64,
        credits_per_month: Option<i64>,
    ) {
        sqlx::query(
            "UPDATE meters SET requests_per_minute = $2, credits_per_month = $3
              WHERE organization_id = $1",
        )
        .bind(self.organization(organization))
        .bind(i32::try_from(requests_per_minute).unwrap())
        .bind(credits_per_month)
        .execute(&self.superuser_pool)
        .await
        .unwrap();
    }

    pub fn postgres(&mut self) -> &mut OwnPostgres {
        self.postgres.as_mut().expect("this scenario has one")
    }

    /// SIGKILL to the postmaster and all its children at once: like a power cut, but the system's
    /// cache of files survives.
    pub async fn kill_postgres(&mut self) {
        let postgres = self.postgres();
        let mut connection = postgres.connect().await;
        // Stopped first, so that it starts no new processes and does not notify its children.
        let postmaster = postgres.postmaster();
        signal("STOP", &[postmaster]);
        let below: Vec<i32> = sqlx::query_scalar("SELECT pid FROM pg_stat_activity")
            .fetch_all(&mut connection)
            .await
            .unwrap();
        let below = below.into_iter().map(i32::unsigned_abs);
        signal("KILL", &below.chain([postmaster]).collect::<Vec<_>>());
        postgres.has_ended().await;
    }

    /// The load finds no server at its address, whose port another process may get meanwhile.
    pub fn kill(&mut self, replica: usize) {
        self.replicas[replica].kill();
        *self.target.addresses[replica].lock().unwrap() = REFUSING;
    }

    /// Starts a replica again after it has ended; the load finds its new address.
    pub async fn restart(&mut self, replica: usize) {
        self.kill(replica);
        self.replicas[replica] = start(&self.recipe, replica).await;
        *self.target.addresses[replica].lock().unwrap() = self.replicas[replica].address();
    }

    pub fn freeze(&self) {
        self.replicas.iter().for_each(Replica::freeze);
    }

    pub fn thaw(&self) {
        self.replicas.iter().for_each(Replica::thaw);
    }
}

/// Blocking: starting waits for a process, which must not hold up the load.
async fn start(recipe: &Recipe, replica: usize) -> Replica {
    let recipe = recipe.clone();
    let started =
        tokio::task::spawn_blocking(move || Replica::start(&recipe, &format!("replica-{replica}")));
    started.await.unwrap()
}

/// Waits until this holds; panics after [`TIMEOUT`].
pub async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !holds().await {
        assert!(begun.elapsed() < TIMEOUT, "not within {TIMEOUT:?}: {what}");
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}
