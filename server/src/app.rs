//! The application: what handlers reach, and how the parts stand before one another.
//!
//! It refuses global state: two applications in one process do not know of each other.

use std::time::Duration;

use payout_database::{PrivilegedRole, SchemaMismatch, app_connect_options};
use poem::{Endpoint, EndpointExt, IntoEndpoint, Response};
use poem_openapi::OpenApiService;
use sqlx::{PgPool, postgres::PgPoolOptions};

use crate::{
    config::ServeOptions,
    contract::{Routes, traits::Api},
    failure::Failure,
    gate::{Caller, Gate, admission::StatementAdmission},
    http::Service,
    tenant::Tenants,
};

/// What every handler has.
#[derive(Clone, Debug)]
pub struct App {
    /// The way to tenant data.
    pub tenants: Tenants,
}

impl Api for App {
    type Caller = Caller;
    type Failure = Failure;
}

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
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
}

/// Connects as the app role, and refuses another schema or a privileged role.
///
/// # Errors
/// See [`StartError`].
pub async fn service(
    database_url: &str,
    options: &ServeOptions,
) -> Result<impl Endpoint<Output = Response> + use<>, StartError> {
    let acquire = Duration::from_secs(options.acquire_seconds);
    let handlers = pool(database_url, options.database_connections, acquire).await?;
    let admission = pool(database_url, options.admission_connections, acquire).await?;
    let mut connection = handlers.acquire().await?;
    payout_database::check_schema_version(&mut connection).await?;
    payout_database::check_role(&mut connection).await?;
    drop(connection);
    let app = App {
        tenants: Tenants::new(handlers),
    };
    let routes = OpenApiService::new(Routes::new(app), "", "")
        .into_endpoint()
        .map_to_response();
    let gate = Gate::new(StatementAdmission::new(admission), routes, options.gate());
    Ok(Service::new(gate, options.trusted_proxies.clone()))
}

async fn pool(
    database_url: &str,
    connections: u32,
    acquire: Duration,
) -> Result<PgPool, sqlx::Error> {
    let options = app_connect_options(database_url)?;
    PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(acquire)
        .connect_with(options)
        .await
}
