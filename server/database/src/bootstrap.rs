//! Creates roles, database and schema on a server where we are superuser: the embedded one, or one
//! for tests.
//!
//! An existing role keeps its password unless one is given; a shared database keeps its other
//! rights.

use std::time::Duration;

use sqlx::{Connection as _, PgConnection};

use crate::address::AddressError;
use crate::advisory_lock;
use crate::connect::{SCHEMA, execute, owner_connect_options, url_for, url_in_database};
use crate::connection_error::{ConnectionError, connect, reason};
use crate::roles::{Role, Roles, is_plain_identifier};

/// "payrole" in ASCII: no other program has a reason to take this key.
const BOOTSTRAP_LOCK: i64 = 0x0070_6179_726f_6c65;
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Clone, Debug)]
pub struct DatabaseUrls {
    /// For migrations.
    pub owner: String,
    /// For the server.
    pub app: String,
}

#[derive(Debug, thiserror::Error)]
pub enum BootstrapError {
    #[error(
        "{0:?} is no name for a role or database: use a-z, 0-9 and _, at most 63, no digit first"
    )]
    Name(String),
    #[error(
        "another process has been creating roles on this server for {} s; see pg_stat_activity, \
         then try again",
        LOCK_TIMEOUT.as_secs()
    )]
    Busy,
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// The server reported an error; usually the URL is not a superuser's.
    #[error(
        "could not create the roles and the database (the URL must be a superuser's): {}",
        reason(.0)
    )]
    Database(#[from] sqlx::Error),
}

/// Creates both roles, the database and its schema where they are missing, and returns the URLs of
/// the roles. Idempotent, and safe when several processes do it at once.
pub async fn ensure_roles_and_database(
    superuser_url: &str,
    database: &str,
    roles: &Roles,
) -> Result<DatabaseUrls, BootstrapError> {
    for name in [database, &roles.owner.name, &roles.app.name] {
        if !is_plain_identifier(name) {
            return Err(BootstrapError::Name(name.to_owned()));
        }
    }
    // An advisory lock belongs to one database, so every process takes it in the same one.
    let maintenance_url = url_in_database(superuser_url, "postgres")?;
    let mut connection = connect(&owner_connect_options(&maintenance_url)?).await?;
    if !advisory_lock::acquire(&mut connection, BOOTSTRAP_LOCK, LOCK_TIMEOUT).await? {
        return Err(BootstrapError::Busy);
    }
    ensure_role(&mut connection, &roles.owner).await?;
    ensure_role(&mut connection, &roles.app).await?;
    ensure_database(&mut connection, database, roles).await?;

    let database_url = url_in_database(superuser_url, database)?;
    let mut in_database = connect(&owner_connect_options(&database_url)?).await?;
    ensure_schema(&mut in_database, &roles.owner).await?;
    in_database.close().await?;
    connection.close().await?;
    database_urls(superuser_url, database, roles).map_err(BootstrapError::from)
}

pub(crate) fn database_urls(
    superuser_url: &str,
    database: &str,
    roles: &Roles,
) -> Result<DatabaseUrls, sqlx::Error> {
    let of = |role: &Role| url_for(superuser_url, &role.name, role.password.as_deref(), database);
    Ok(DatabaseUrls { owner: of(&roles.owner)?, app: of(&roles.app)? })
}

async fn ensure_role(connection: &mut PgConnection, role: &Role) -> Result<(), sqlx::Error> {
    let harmless: Option<bool> = sqlx::query_scalar(
        "SELECT rolcanlogin AND NOT (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb
           OR rolreplication)
           FROM pg_roles WHERE rolname = $1",
    )
    .bind(&role.name)
    .fetch_optional(&mut *connection)
    .await?;
    let verb = match harmless {
        None => "CREATE",
        Some(false) => "ALTER",
        // Writes nothing if nothing changes: a restart of the server leaves the catalog alone.
        Some(true) if role.password.is_none() => return Ok(()),
        Some(true) => "ALTER",
    };
    // The server quotes the password: this statement cannot bind the role's name and password.
    let statement: String = sqlx::query_scalar(
        "SELECT format('%s ROLE %I LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB '
                       'NOREPLICATION', $1, $2)
             || coalesce(format(' PASSWORD %L', $3::text), '')",
    )
    .bind(verb)
    .bind(&role.name)
    .bind(&role.password)
    .fetch_one(&mut *connection)
    .await?;
    execute(connection, statement).await
}

async fn ensure_database(
    connection: &mut PgConnection,
    database: &str,
    roles: &Roles,
) -> Result<(), sqlx::Error> {
    let (owner, app) = (&roles.owner.name, &roles.app.name);
    let found_owner: Option<String> = sqlx::query_scalar(
        "SELECT pg_get_userbyid(datdba)::text FROM pg_database WHERE datname = $1",
    )
    .bind(database)
    .fetch_optional(&mut *connection)
    .await?;
    if found_owner.is_none() {
        let statement = format!(
            "CREATE DATABASE {database} OWNER {owner} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"
        );
        execute(connection, statement).await?;
    }
    let ours = found_owner.is_none_or(|found| found == *owner);
    if ours {
        let statement = format!("REVOKE ALL ON DATABASE {database} FROM PUBLIC");
        execute(connection, statement).await?;
    }
    let statement = format!("GRANT CONNECT ON DATABASE {database} TO {owner}, {app}");
    execute(connection, statement).await
}

async fn ensure_schema(connection: &mut PgConnection, owner: &Role) -> Result<(), sqlx::Error> {
    let statement = format!("CREATE SCHEMA IF NOT EXISTS {SCHEMA} AUTHORIZATION {}", owner.name);
    execute(connection, statement).await
}
