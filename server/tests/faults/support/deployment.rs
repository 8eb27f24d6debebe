//! A database with data, and two server processes on it.
//!
//! The database's clock stays at [`NOON`] until a scenario moves it, so that no minute and no month
//! ends by itself.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use payout_database::{
    TestDatabase, app_connect_options, owner_connect_options, testing::stop_clock,
};
use payout_server::config::ServeOptions;
use sqlx::{PgPool, postgres::PgPoolOptions};
use tempfile::TempDir;
use tokio::sync::{Mutex, MutexGuard};

use super::{
    dataset,
    load::{Load, Plan, Target},
    postgres::OwnPostgres,
    replica::{Recipe, Replica},
};

/// The instant of the stopped clock.
pub const NOON: &str = "2026-06-15T12:00:00.000Z";
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// The longest wait of a scenario.
const TIMEOUT: Duration = Duration::from_secs(60);

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
}

#[derive(Debug)]
enum Database {
    Shared(TestDatabase),
    Own(OwnPostgres),
}

/// Everything a scenario uses; dropped in this order.
#[derive(Debug)]
pub struct Deployment {
    /// The target of a load.
    pub target: Arc<Target>,
    /// Sees every tenant's rows.
    pub superuser_pool: PgPool,
    replicas: [Replica; 2],
    recipe: Recipe,
    database: Database,
    begun: Instant,
    _folder: TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl Deployment {
    /// Starts everything, after the previous scenario has ended.
    pub async fn start(options: Options) -> Self {
        let turn = TURN.lock().await;
        let begun = Instant::now();
        let folder = tempfile::tempdir().unwrap();
        let database = if options.own_postgres {
            Database::Own(OwnPostgres::start().await)
        } else {
            Database::Shared(TestDatabase::create().await)
        };
        let superuser_pool = owner_connect_options(&database.superuser_url()).unwrap();
        let superuser_pool =
            PgPoolOptions::new().max_connections(2).connect_lazy_with(superuser_pool);
        let app = app_connect_options(database.app_url()).unwrap();
        let app = PgPoolOptions::new().max_connections(1).connect_lazy_with(app);
        stop_clock(database.owner_url(), NOON).await.unwrap();
        let storage = ServeOptions::default().assets.open(folder.path()).await.unwrap();
        let organizations =
            dataset::import(&app, &superuser_pool, &storage, options.lines.max(4)).await;
        app.close().await;
        let mut flags: Vec<String> =
            ["--anonymous-requests-per-minute", "1000000"].map(str::to_owned).into();
        flags.extend(options.flags.iter().map(|flag| (*flag).to_owned()));
        let recipe = Recipe {
            app_url: database.app_url().to_owned(),
            folder: folder.path().to_owned(),
            flags,
        };
        let replicas = [start(&recipe, 0).await, start(&recipe, 1).await];
        let addresses = [replicas[0].address(), replicas[1].address()];
        Self {
            target: Arc::new(Target::new(organizations, addresses)),
            superuser_pool,
            replicas,
            recipe,
            database,
            begun,
            _folder: folder,
            _turn: turn,
        }
    }

    /// Starts a load on both replicas.
    pub fn load(&self, plan: &Plan) -> Load {
        Load::start(&self.target, plan)
    }

    /// The time since this scenario started.
    pub fn age(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Id of an organisation.
    pub fn organization(&self, place: usize) -> &str {
        &self.target.organizations[place].id
    }

    /// URL of the server's role.
    pub fn app_url(&self) -> &str {
        self.database.app_url()
    }

    /// URL of the database's superuser.
    pub fn superuser_url(&self) -> String {
        self.database.superuser_url()
    }

    /// Moves the database's clock, for every session at once.
    pub async fn set_clock(&self, instant: &str) {
        stop_clock(self.database.owner_url(), instant).await.unwrap();
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

    /// The scenario's own PostgreSQL.
    pub fn postgres(&mut self) -> &mut OwnPostgres {
        match &mut self.database {
            Database::Own(postgres) => postgres,
            Database::Shared(_) => {
                panic!("this scenario has no PostgreSQL of its own")
            }
        }
    }

    /// SIGKILL to one replica.
    pub fn kill(&mut self, replica: usize) {
        self.replicas[replica].kill();
    }

    /// Starts a replica again after it has ended; the load finds its new address.
    pub async fn restart(&mut self, replica: usize) {
        self.replicas[replica].kill();
        self.replicas[replica] = start(&self.recipe, replica).await;
        *self.target.addresses[replica].lock().unwrap() = self.replicas[replica].address();
    }

    /// Freezes both replicas.
    pub fn freeze(&self) {
        self.replicas.iter().for_each(Replica::freeze);
    }

    /// Resumes both replicas.
    pub fn thaw(&self) {
        self.replicas.iter().for_each(Replica::thaw);
    }
}

impl Database {
    fn app_url(&self) -> &str {
        match self {
            Self::Shared(database) => database.app_url(),
            Self::Own(postgres) => &postgres.urls.app,
        }
    }

    fn owner_url(&self) -> &str {
        match self {
            Self::Shared(database) => database.owner_url(),
            Self::Own(postgres) => &postgres.urls.owner,
        }
    }

    fn superuser_url(&self) -> String {
        match self {
            Self::Shared(database) => database.superuser_url(),
            Self::Own(postgres) => postgres.superuser_url.clone(),
        }
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
