//! Application state, and how the layers are wired together. There is no global state.

use std::{sync::Arc, time::Duration};

use payout_database::{
    AddressError, ConnectionError, PrivilegedRole, SchemaMismatch, UnusableSession,
    app_connect_options, check_own_session, check_session, connect, end_after, reason,
};
use poem::{Endpoint, Response};
use sqlx::{Connection, postgres::PgConnectOptions};

use crate::{
    commission_lines::store::LinesById,
    config::ServeOptions,
    contract::{Routes, traits::Api},
    failure::Failure,
    gate::{Caller, Gate, admission::BatchedAdmission, idempotency::Idempotent},
    http::Service,
    keys::records::{RecordsError, revoke_recorded},
    metrics::Pools,
    partners::store::PartnersById,
    payouts::{PendingPool, store::PayoutsById},
    postgres::{BatchLoader, TenantTransaction, Tenants},
    statements::{
        Statements,
        document::FontsError,
        links::{Downloads, LinkSigner},
        storage::Storage,
    },
    telemetry::Telemetry,
};

/// The state of every handler.
#[derive(Clone, Debug)]
pub struct App {
    /// Opens transactions on tenant data.
    pub tenants: Tenants,
    pub commission_lines: Arc<BatchLoader<LinesById>>,
    pub partners: Arc<BatchLoader<PartnersById>>,
    pub payouts: Arc<BatchLoader<PayoutsById>>,
    /// How long a statement may run that attaches pending lines to payouts.
    pub batch_limit: Duration,
    /// Orders these statements.
    pub pending_pool: Arc<PendingPool>,
    /// Generates statements.
    pub statements: Arc<Statements>,
}

impl App {
    /// A transaction for what this request changes.
    pub(crate) async fn write(&self, caller: &Caller) -> Result<TenantTransaction, Failure> {
        caller.write(&self.tenants).await
    }
}

impl Api for App {
    type Caller = Caller;
    type Failure = Failure;
}

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The database's address cannot be used.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The database cannot be reached.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// Requests could not be served through its sessions.
    #[error("this database cannot serve: {error}{remedy}", error = .0, remedy = .0.remedy())]
    Session(#[from] UnusableSession),
    #[error("the database reported: {}", reason(.0))]
    Database(#[from] sqlx::Error),
    /// The database has an older or edited schema.
    #[error(transparent)]
    Schema(#[from] SchemaMismatch),
    /// Row-level security does not bind the role.
    #[error(transparent)]
    Role(#[from] PrivilegedRole),
    /// Keys may have been revived.
    #[error(transparent)]
    Records(#[from] RecordsError),
    /// Fonts cannot be used.
    #[error(transparent)]
    Fonts(#[from] FontsError),
}

/// A database that can serve requests.
#[derive(Clone, Debug)]
pub struct CheckedDatabase(PgConnectOptions);

impl CheckedDatabase {
    /// Connects as the app role; requires a primary that can write, sessions of our own with our
    /// settings, a role without privileges, and no older schema.
    ///
    /// # Errors
    /// See [`StartError`].
    pub async fn check(database_url: &str, serve: &ServeOptions) -> Result<Self, StartError> {
        let limits = serve.session_limits();
        let options = end_after(app_connect_options(database_url)?, limits);
        let mut connection = connect(&options).await?;
        check_session(&mut connection, limits).await?;
        check_own_session(&mut connection, &options).await?;
        // Before the schema: a role without any right would hide what it must not have.
        payout_database::check_role(&mut connection).await?;
        match payout_database::check_schema_version(&mut connection).await {
            // A rolling upgrade migrates first: until it ends, servers of this version may restart.
            Err(mismatch @ SchemaMismatch::Newer { .. }) => {
                tracing::warn!(%mismatch, "the schema is newer than this server");
            }
            checked => checked?,
        }
        connection.close().await?;
        Ok(Self(options))
    }
}

/// Serves the API on a database. PDFs are stored in `storage`, and `links` signs links to them
/// where the storage cannot. Records metrics and detached tasks in `telemetry`.
///
/// # Errors
/// See [`StartError`].
pub async fn service(
    database: CheckedDatabase,
    options: &ServeOptions,
    storage: Storage,
    links: LinkSigner,
    telemetry: &Telemetry,
) -> Result<impl Endpoint<Output = Response> + use<>, StartError> {
    let CheckedDatabase(connect) = database;
    let tenants_on = |connections| Tenants::new(connect.clone(), connections, options.acquire());
    storage.errors.register(&telemetry.metrics);
    // Connections of their own: downloads need no key, and must not take connections from the API.
    let download_tenants = tenants_on(options.download_database_connections);
    let [for_downloads, _] = download_tenants.pools();
    let downloads =
        Downloads::new(download_tenants, storage.clone(), links.clone(), options.downloads());
    let tenants = tenants_on(options.database_connections);
    let [for_handlers, for_lists] = tenants.pools();
    telemetry.metrics.register_collector(Pools([
        ("handlers", for_handlers),
        ("lists", for_lists),
        ("downloads", for_downloads),
    ]));
    revoke_again(&connect, &tenants, &storage).await?;
    let (batch_size, connect_limit) = (options.batch_size(), options.acquire());
    let app = App {
        commission_lines: Arc::new(BatchLoader::start(&tenants, batch_size, connect_limit)),
        partners: Arc::new(BatchLoader::start(&tenants, batch_size, connect_limit)),
        payouts: Arc::new(BatchLoader::start(&tenants, batch_size, connect_limit)),
        statements: Arc::new(Statements::new(
            &options.statements,
            storage,
            links,
            BatchLoader::start(&tenants, batch_size, connect_limit),
            telemetry,
        )?),
        batch_limit: options.batch(),
        pending_pool: Arc::new(PendingPool::new(options.queued_batches())),
        tenants,
    };
    let admission = BatchedAdmission::start(&connect, options.admission(), telemetry);
    let responses = BatchLoader::start(&app.tenants, batch_size, connect_limit);
    let handler = Idempotent::new(app.tenants.clone(), responses, Routes::new(app));
    let gate = Gate::new(admission, handler, options.gate(), telemetry);
    Ok(Service::new(gate, downloads, options.trusted_proxies.clone(), telemetry))
}

/// Revokes keys that a restore of the database has revived, before the first request.
async fn revoke_again(
    options: &PgConnectOptions,
    tenants: &Tenants,
    storage: &Storage,
) -> Result<(), StartError> {
    let mut connection = connect(options).await?;
    for key in revoke_recorded(&mut connection, tenants, storage).await? {
        tracing::warn!(key, "revoked again: the database was restored to a time before that");
    }
    Ok(connection.close().await?)
}
