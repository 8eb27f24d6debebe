//! Roles, database and schema on a server where we are superuser: the embedded one, or one for tests.
//!
//! It refuses to change what it did not make: an existing role keeps its password unless one is given, a shared
//! database keeps its other rights.

use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::advisory_lock;
use crate::connect::{SCHEMA, owner_connect_options, url_for, url_in_database};
use crate::roles::{Role, Roles, is_plain_identifier};

/// "payrole" in ASCII: no other program has a reason to take this key.
const BOOTSTRAP_LOCK: i64 = 0x0070_6179_726f_6c65;
const LOCK_PATIENCE: Duration = Duration::from_secs(60);

/// Where the two roles connect.
#[derive(Clone, Debug)]
pub struct DatabaseUrls {
    /// For migrations.
    pub owner: String,
    /// For the server.
    pub app: String,
}

/// Why roles or database could not be made.
#[derive(Debug, thiserror::Error)]
pub enum BootstrapError {
    /// A name would need quoting.
    #[error(
        "{0:?} is no name for a role or database: use a-z, 0-9 and _, at most 63, no digit first"
    )]
    Name(String),
    /// Another process has been at it for too long.
    #[error(
        "another process has been creating roles on this server for {} s; see pg_stat_activity, then try again",
        LOCK_PATIENCE.as_secs()
    )]
    Busy,
    /// The server refused; mostly the URL is not a superuser's.
    #[error("could not create the roles and the database (the URL must be a superuser's): {0}")]
    Database(#[from] sqlx::Error),
}

/// Makes sure of both roles, the database and its schema, and tells where to connect. Idempotent, and safe when
/// several processes do it at once.
///
/// # Errors
/// A name that needs quoting, or anything the server refuses.
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
    // An advisory lock belongs to one database, so everybody takes it in the same.
    let maintenance_url = url_in_database(superuser_url, "postgres")?;
    let mut connection =
        PgConnection::connect_with(&owner_connect_options(&maintenance_url)?).await?;
    if !advisory_lock::acquire(&mut connection, BOOTSTRAP_LOCK, LOCK_PATIENCE).await? {
        return Err(BootstrapError::Busy);
    }
    ensure_role(&mut connection, &roles.owner).await?;
    ensure_role(&mut connection, &roles.app).await?;
    ensure_database(&mut connection, database, roles).await?;

    let database_url = url_in_database(superuser_url, database)?;
    let mut in_database =
        PgConnection::connect_with(&owner_connect_options(&database_url)?).await?;
    ensure_schema(&mut in_database, &roles.owner).await?;
    in_database.close().await?;
    connection.close().await?;
    database_urls(superuser_url, database, roles).map_err(BootstrapError::from)
}

/// The URLs of both roles for a database on this server.
pub(crate) fn database_urls(
    superuser_url: &str,
    database: &str,
    roles: &Roles,
) -> Result<DatabaseUrls, sqlx::Error> {
    let of = |role: &Role| {
        url_for(
            superuser_url,
            &role.name,
            role.password.as_deref(),
            database,
        )
    };
    Ok(DatabaseUrls {
        owner: of(&roles.owner)?,
        app: of(&roles.app)?,
    })
}

async fn ensure_role(connection: &mut PgConnection, role: &Role) -> Result<(), sqlx::Error> {
    let harmless: Option<bool> = sqlx::query_scalar(
        "SELECT rolcanlogin AND NOT (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication)
           FROM pg_roles WHERE rolname = $1",
    )
    .bind(&role.name)
    .fetch_optional(&mut *connection)
    .await?;
    let verb = match harmless {
        None => "CREATE",
        Some(false) => "ALTER",
        // Nothing to change, so nothing is written: a restart of the server leaves the catalog alone.
        Some(true) if role.password.is_none() => return Ok(()),
        Some(true) => "ALTER",
    };
    // The server does the quoting of the password: a role's name and password cannot be bound in this statement.
    let statement: String = sqlx::query_scalar(
        "SELECT format('%s ROLE %I LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB NOREPLICATION', $1, $2)
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
    let statement = format!(
        "CREATE SCHEMA IF NOT EXISTS {SCHEMA} AUTHORIZATION {}",
        owner.name
    );
    execute(connection, statement).await
}

async fn execute(connection: &mut PgConnection, statement: String) -> Result<(), sqlx::Error> {
    // Audited: every name passed `is_plain_identifier`, a password was quoted by the server.
    sqlx::raw_sql(AssertSqlSafe(statement))
        .execute(connection)
        .await
        .map(drop)
}
