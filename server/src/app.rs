//! The application: what handlers reach, and how the parts stand before one another.
//!
//! It refuses global state: two applications in one process do not know of each other.

use std::sync::Arc;

use payout_database::{PrivilegedRole, SchemaMismatch, app_connect_options};
use poem::{Endpoint, EndpointExt, IntoEndpoint, Response};
use poem_openapi::OpenApiService;
use sqlx::{Connection, PgConnection, postgres::PgPoolOptions};

use crate::{
    batch_loader::BatchLoader,
    config::ServeOptions,
    contract::{Routes, traits::Api},
    failure::Failure,
    gate::{Caller, Gate, admission::BatchedAdmission},
    http::Service,
    partners::store::PartnersById,
    payouts::store::PayoutsById,
    statements::{
        Statements,
        document::FontsError,
        links::{Downloads, LinkSigner},
        storage::Storage,
    },
    telemetry::Telemetry,
    tenant::Tenants,
};

/// What every handler has.
#[derive(Clone, Debug)]
pub struct App {
    /// The way to tenant data.
    pub tenants: Tenants,
    /// Partners by id, in batches.
    pub partners: Arc<BatchLoader<PartnersById>>,
    /// Payouts by id, in batches.
    pub payouts: Arc<BatchLoader<PayoutsById>>,
    /// The way to statements.
    pub statements: Arc<Statements>,
}

impl Api for App {
    type Caller = Caller;
    type Failure = Failure;
}

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The database's address cannot be read.
    #[error(
        "DATABASE_URL is no address of a PostgreSQL database: {0}\nWrite it as postgres://ROLE:PASSWORD@HOST:PORT/DATABASE."
    )]
    Address(sqlx::Error),
    /// The database cannot be reached.
    #[error(
        "the database does not answer: {0}\nCheck DATABASE_URL, and that the server it names is running."
    )]
    Database(#[from] sqlx::Error),
    /// The database has another schema.
    #[error(transparent)]
    Schema(#[from] SchemaMismatch),
    /// The role could see every tenant.
    #[error(transparent)]
    Role(#[from] PrivilegedRole),
    /// Fonts cannot be used.
    #[error(transparent)]
    Fonts(#[from] FontsError),
}

/// Connects as the app role, and refuses another schema or a privileged role. PDFs are kept in `storage`, and linked to by
/// `links` where the storage signs none. It counts into
/// `telemetry`, and leaves there what goes on without its request.
///
/// # Errors
/// See [`StartError`].
pub async fn service(
    database_url: &str,
    options: &ServeOptions,
    storage: Storage,
    links: LinkSigner,
    telemetry: &Telemetry,
) -> Result<impl Endpoint<Output = Response> + use<>, StartError> {
    let connect = app_connect_options(database_url).map_err(StartError::Address)?;
    let connect = options.end_after(connect);
    // One connection apart from the pools: a pool that cannot connect only says that its time was up.
    let mut connection = PgConnection::connect_with(&connect).await?;
    payout_database::check_schema_version(&mut connection).await?;
    payout_database::check_role(&mut connection).await?;
    connection.close().await?;
    let pool = |connections| {
        PgPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(options.acquire())
            .connect_lazy_with(connect.clone())
    };
    let tenants = Tenants::new(pool(options.database_connections));
    let downloads = Downloads::new(tenants.clone(), storage.clone(), links.clone());
    let (batch_size, connect_limit) = (options.batch_size(), options.acquire());
    let app = App {
        partners: Arc::new(BatchLoader::start(&tenants, batch_size, connect_limit)),
        payouts: Arc::new(BatchLoader::start(&tenants, batch_size, connect_limit)),
        tenants,
        statements: Arc::new(Statements::new(
            &options.statements,
            storage,
            links,
            telemetry.detached_tasks.clone(),
        )?),
    };
    let routes = OpenApiService::new(Routes::new(app), "", "")
        .into_endpoint()
        .map_to_response();
    let admission = BatchedAdmission::start(&connect, options.admission(), &telemetry.metrics);
    let gate = Gate::new(admission, routes, options.gate(), telemetry);
    Ok(Service::new(
        gate,
        downloads,
        options.trusted_proxies.clone(),
        telemetry.metrics.clone(),
    ))
}
