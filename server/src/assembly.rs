//! Assembles the layers of one server.

use std::sync::Arc;

use payout_database::{
    AddressError, ConnectionError, PrivilegedRole, SchemaMismatch, UnusableSession,
    app_connect_options, check_own_session, check_session, connect, end_after, reason,
};
use payout_statement::FontsError;
use poem::{Endpoint, Response};
use sqlx::{Connection, postgres::PgConnectOptions};

use crate::{
    affiliate::{Affiliate, Redirects},
    comments::Comments,
    commission_lines::CommissionLines,
    config::ServeOptions,
    contract::Routes,
    crm::{Crm, SyncMetrics, Worker, hubspot::HubSpot},
    forecast::{self, Forecast},
    forms::Forms,
    gate::{Gate, admission::BatchedAdmission, idempotency::Idempotent},
    http::Service,
    keyring::Keyring,
    keys::records::{RecordsError, revoke_recorded},
    partners::Partners,
    payouts::Payouts,
    permits::Turns,
    portal::{Portal, PortalAddress, PortalLinks, site::PortalParts},
    postgres::{BatchLoader, PORTAL_SETTINGS, Tenants},
    state::App,
    statements::{
        Statements,
        links::{Downloads, LinkSigner},
        storage::Storage,
    },
    telemetry::{Pools, Telemetry},
};

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// Requests could not be served through its sessions.
    #[error("this database cannot serve: {error}{remedy}", error = .0, remedy = .0.remedy())]
    Session(#[from] UnusableSession),
    #[error("the database reported: {}", reason(.0))]
    Database(#[from] sqlx::Error),
    #[error(transparent)]
    Schema(#[from] SchemaMismatch),
    #[error(transparent)]
    Role(#[from] PrivilegedRole),
    #[error(transparent)]
    Records(#[from] RecordsError),
    #[error(transparent)]
    Fonts(#[from] FontsError),
    #[error("no client for CRMs could be made: {0}")]
    Crm(#[from] reqwest::Error),
}

/// A database that can serve requests.
#[derive(Clone, Debug)]
pub struct CheckedDatabase(PgConnectOptions);

impl CheckedDatabase {
    /// Connects as the app role; requires a primary that can write, sessions of our own with our
    /// settings, a role without privileges, and no older schema.
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

/// Serves the API on a database. Stores PDFs in `storage`; `links` signs links to them where the
/// storage cannot; `crm_keys` open the tokens of CRMs. Records metrics and detached tasks in
/// `telemetry`.
pub async fn service(
    database: CheckedDatabase,
    options: &ServeOptions,
    storage: Storage,
    links: LinkSigner,
    crm_keys: Option<Keyring>,
    telemetry: &Telemetry,
) -> Result<impl Endpoint<Output = Response> + use<>, StartError> {
    let CheckedDatabase(connect) = database;
    let tenants_on = |connections| Tenants::new(connect.clone(), connections, options.acquire());
    let address = portal_address(options, &links);
    storage.register(&telemetry.metrics);
    if !storage.signs_links() {
        forecast::show_link_keys(links.keys(), &telemetry.metrics);
    }
    // Connections of their own: downloads need no key, and must not take connections from the API.
    let download_tenants = tenants_on(options.download_database_connections);
    let [for_downloads, _] = download_tenants.pools();
    let downloads =
        Downloads::new(download_tenants, storage.clone(), links.clone(), options.downloads());
    let tenants = tenants_on(options.database_connections);
    let [for_handlers, for_lists] = tenants.pools();
    let portal_tenants = portal_tenants(&connect, options);
    let [for_portal, for_portal_pages] = portal_tenants.pools();
    let (crm, worker) = syncs(&connect, options, &tenants, crm_keys, telemetry)?;
    let [for_syncs, _] = worker.tenants.pools();
    telemetry.metrics.register_collector(Pools([
        ("handlers", for_handlers),
        ("lists", for_lists),
        ("downloads", for_downloads),
        ("portal", for_portal),
        ("portal-pages", for_portal_pages),
        ("syncs", for_syncs),
    ]));
    revoke_again(&connect, &tenants, &storage).await?;
    Forecast::start(worker.tenants.clone(), telemetry);
    let (batch_size, connect_limit) = (options.batch_size(), options.acquire());
    let statements = Arc::new(Statements::new(
        &options.statements,
        tenants.clone(),
        storage,
        links,
        BatchLoader::start(&tenants, batch_size, connect_limit),
        telemetry,
    )?);
    let portal = Portal::new(PortalParts {
        tenants: portal_tenants,
        statements: Arc::clone(&statements),
        address: address.clone(),
        limits: options.portal_limits(),
        detached_tasks: telemetry.detached_tasks.clone(),
    });
    let redirects = Redirects::new(&tenants, address.clone(), options.redirect_limits(), telemetry);
    let app = App {
        affiliate: Affiliate::new(tenants.clone(), &telemetry.metrics),
        comments: Comments { tenants: tenants.clone() },
        forms: Forms { tenants: tenants.clone() },
        partners: Partners {
            tenants: tenants.clone(),
            by_id: BatchLoader::start(&tenants, batch_size, connect_limit),
        },
        commission_lines: CommissionLines {
            tenants: tenants.clone(),
            by_id: BatchLoader::start(&tenants, batch_size, connect_limit),
        },
        payouts: payouts(&tenants, options),
        statements,
        portal: portal_links(&tenants, address, options),
        crm,
    };
    let admission = BatchedAdmission::start(&connect, options.admission(), telemetry);
    let responses = BatchLoader::start(&tenants, batch_size, connect_limit);
    let handler = Idempotent::new(tenants, responses, Routes::new(app));
    let gate = Gate::new(admission, handler, options.gate(), telemetry);
    worker.start(telemetry);
    let proxies = options.trusted_proxies.clone();
    Ok(Service::new(gate, downloads, redirects, portal, proxies, telemetry))
}

fn portal_address(options: &ServeOptions, links: &LinkSigner) -> PortalAddress {
    let address = PortalAddress::new(options.portal.portal_url.as_ref(), links.public_url());
    if !address.can_be_entered() {
        tracing::warn!(
            %address,
            "nobody can enter the portal: its cookie needs HTTPS; set --portal-url or --public-url \
             to the address of a proxy with TLS"
        );
    }
    address
}

fn payouts(tenants: &Tenants, options: &ServeOptions) -> Payouts {
    Payouts {
        tenants: tenants.clone(),
        by_id: BatchLoader::start(tenants, options.batch_size(), options.acquire()),
        batch_limit: options.batch(),
        pending_pool: Turns::new(1, options.queued_batches()),
    }
}

fn portal_links(tenants: &Tenants, address: PortalAddress, options: &ServeOptions) -> PortalLinks {
    let link_seconds = options.portal.portal_link_seconds;
    PortalLinks { tenants: tenants.clone(), address, link_seconds }
}

/// The operations of syncs, and their worker, which has connections of its own: a CRM that answers
/// all at once takes none from requests.
fn syncs(
    connect: &PgConnectOptions,
    options: &ServeOptions,
    tenants: &Tenants,
    keys: Option<Keyring>,
    telemetry: &Telemetry,
) -> Result<(Crm, Worker<HubSpot>), StartError> {
    let connections = options.crm.crm_database_connections;
    let crm = Crm { tenants: tenants.clone(), wake: Arc::default() };
    let worker = Worker {
        tenants: Tenants::new(connect.clone(), connections, options.acquire()),
        crm: options.crm.connection.client()?,
        keys,
        limits: options.crm.limits(),
        metrics: SyncMetrics::register(&telemetry.metrics),
        wake: Arc::clone(&crm.wake),
    };
    Ok((crm, worker))
}

/// Connections of their own, which see no partner's rows by themselves.
fn portal_tenants(connect: &PgConnectOptions, options: &ServeOptions) -> Tenants {
    let connections = options.portal.portal_database_connections;
    Tenants::new(connect.clone().options(PORTAL_SETTINGS), connections, options.acquire())
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
