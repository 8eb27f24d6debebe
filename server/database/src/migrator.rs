//! Applies the schema's migrations as the owner, and checks whether a server fits a database's
//! version.
//!
//! Only a command migrates, never a server's start: two replicas, or an old and a new one, would
//! conflict.

use std::sync::LazyLock;
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use sqlx::migrate::{AppliedMigration, Migrate as _, Migration, Migrator};
use sqlx::{Connection as _, PgConnection};

use crate::address::AddressError;
use crate::advisory_lock;
use crate::connect::{SCHEMA, execute, owner_connect_options};
use crate::connection_error::{ConnectionError, connect, reason};
use crate::roles::is_plain_identifier;
use crate::session::{UnusableSession, check_own_session};

mod apply;
mod forms;
mod plan;
mod statements;

pub use apply::Report;
pub use plan::plan;
pub(crate) use plan::plan_with;

/// "paymigr" in ASCII: no other program has a reason to take this key.
const MIGRATION_LOCK: i64 = 0x0070_6179_6d69_6772;
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);
const GRANTS: &str = include_str!("grants.sql");

/// sqlx reads the files; [`apply`] applies them.
static MIGRATOR: LazyLock<Migrator> = LazyLock::new(|| sqlx::migrate!("./migrations"));
const TABLE: &str = "_sqlx_migrations";

/// The result of [`migrate`]. Version 0 is an empty schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migrated {
    pub from: i64,
    pub to: i64,
    pub applied: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    #[error("{0:?} is no name for a role: use a-z, 0-9 and _, at most 63, no digit first")]
    Name(String),
    #[error(
        "{role} does not own the schema {SCHEMA}, {owner} does: name {owner} in \
         DATABASE_OWNER_URL, which `payout-server migrate` connects with"
    )]
    NotOwner { role: String, owner: String },
    #[error(
        "{role} may not create a schema in the database {database}: name the database's owner in \
         DATABASE_OWNER_URL, or GRANT CREATE ON DATABASE {database} TO {role}"
    )]
    CannotCreate { role: String, database: String },
    /// A pooler would mix the sessions of this command with others.
    #[error("{error}{remedy}", error = .0, remedy = .0.remedy())]
    Session(#[from] UnusableSession),
    #[error(
        "another `payout-server migrate` has been running for {} s: let it finish, then run this \
         one again",
        LOCK_TIMEOUT.as_secs()
    )]
    Busy,
    #[error(transparent)]
    Mismatch(#[from] SchemaMismatch),
    /// Earlier migrations remain applied, and of this one what does no harm.
    #[error(
        "migration {version} failed, and can be repeated: fix the cause, then run \
         `payout-server migrate` again: {}",
        reason(source)
    )]
    Migration { version: i64, source: sqlx::Error },
    #[error("could not create the list of migrations: {0}")]
    List(#[from] sqlx::migrate::MigrateError),
    #[error(
        "the schema is up to date, but the rights of the app role could not be granted (does the \
         role exist?): {}", reason(.0)
    )]
    Grants(#[source] sqlx::Error),
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    #[error("could not migrate: {}", reason(.0))]
    Database(#[from] sqlx::Error),
}

#[derive(Debug, thiserror::Error)]
pub enum SchemaMismatch {
    /// The database lacks migrations; version 0 means that there is no schema.
    #[error(
        "the database has schema version {found}, this server needs {expected}: run \
         `payout-server migrate`"
    )]
    Older { found: i64, expected: i64 },
    #[error(
        "the database has schema version {found}, this server knows only {expected}: this server \
         is older than the database; deploy the version of payout-server that ran \
         `payout-server migrate`, or a later one"
    )]
    Newer { found: i64, expected: i64 },
    #[error(
        "migration {version} was applied with another text than this server has: restore the \
         released file migrations/{version:04}_*.sql and put the change into a new one, then run \
         `payout-server migrate`"
    )]
    Edited { version: i64 },
    #[error("could not read the schema version: {}", reason(.0))]
    Database(#[from] sqlx::Error),
}

pub(crate) fn released() -> &'static [Migration] {
    &MIGRATOR.migrations
}

pub fn schema_version() -> i64 {
    released().last().map_or(0, |migration| migration.version)
}

/// SHA-256 over all migrations and the grants, in hex: equal hashes mean equal schemas.
pub fn migrations_hash() -> String {
    let mut hash = Sha256::new();
    for migration in released() {
        hash.update(migration.version.to_be_bytes());
        hash.update(&migration.checksum);
    }
    hash.update(GRANTS);
    hex(&hash.finalize())
}

/// Updates the schema as its owner, then grants `app_role` its rights. Does nothing if everything
/// is applied; concurrent runs wait for each other.
pub async fn migrate(owner_url: &str, app_role: &str) -> Result<Migrated, MigrateError> {
    migrate_with(owner_url, app_role, released(), &|line| tracing::info!("{line}")).await
}

/// Migrates like [`migrate`], and reports statements that take long or are tried again.
pub async fn migrate_reporting(
    owner_url: &str,
    app_role: &str,
    report: Report<'_>,
) -> Result<Migrated, MigrateError> {
    migrate_with(owner_url, app_role, released(), report).await
}

pub(crate) async fn migrate_with(
    owner_url: &str,
    app_role: &str,
    known: &[Migration],
    report: Report<'_>,
) -> Result<Migrated, MigrateError> {
    if !is_plain_identifier(app_role) {
        return Err(MigrateError::Name(app_role.to_owned()));
    }
    let options = owner_connect_options(owner_url)?;
    let mut connection = connect(&options).await?;
    check_own_session(&mut connection, &options).await?;
    if !advisory_lock::acquire(&mut connection, MIGRATION_LOCK, LOCK_TIMEOUT).await? {
        return Err(MigrateError::Busy);
    }
    let has_schema = require_owner(&mut connection).await?;
    let applied = applied_migrations(&mut connection).await?;
    let pending = pending(&applied, known)?;
    // IF NOT EXISTS would require a right on the database even if the schema exists, and the owner
    // may lack it on a shared database.
    if !has_schema {
        sqlx::raw_sql("CREATE SCHEMA payout").execute(&mut connection).await?;
    }
    connection.ensure_migrations_table(TABLE).await?;
    for migration in &pending {
        let version = migration.version;
        let done = apply::apply(&mut connection, migration, report).await;
        done.map_err(|source| MigrateError::Migration { version, source })?;
    }
    grant(&mut connection, app_role).await.map_err(MigrateError::Grants)?;
    connection.close().await?;
    let from = applied.last().map_or(0, |migration| migration.version);
    let to = pending.last().map_or(from, |migration| migration.version);
    Ok(Migrated { from, to, applied: pending.len() })
}

fn pending<'a>(
    applied: &[AppliedMigration],
    known: &'a [Migration],
) -> Result<Vec<&'a Migration>, SchemaMismatch> {
    match compare(applied, known) {
        Ok(()) | Err(SchemaMismatch::Older { .. }) => {}
        Err(mismatch) => return Err(mismatch),
    }
    let is_applied =
        |version| applied.iter().any(|migration: &AppliedMigration| migration.version == version);
    Ok(known.iter().filter(|migration| !is_applied(migration.version)).collect())
}

/// Requires that the database has exactly the migrations of this build.
pub async fn check_schema_version(connection: &mut PgConnection) -> Result<(), SchemaMismatch> {
    compare(&applied_migrations(connection).await?, released())
}

async fn applied_migrations(
    connection: &mut PgConnection,
) -> Result<Vec<AppliedMigration>, sqlx::Error> {
    let exists: bool =
        // Reads the catalog: to_regclass fails for a role that may not use the schema, such as the
        // app role before the grants. Reads pg_class, because the view pg_tables takes twice as
        // long, and every command checks this.
        sqlx::query_scalar(
            "SELECT EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('payout')
                                                   AND relname = '_sqlx_migrations')",
        )
            .fetch_one(&mut *connection)
            .await?;
    if !exists {
        return Ok(Vec::new());
    }
    let applied = connection.list_applied_migrations("payout._sqlx_migrations").await;
    applied.map_err(apply::cause)
}

fn compare(applied: &[AppliedMigration], known: &[Migration]) -> Result<(), SchemaMismatch> {
    let expected = known.last().map_or(0, |migration| migration.version);
    let found = applied.last().map_or(0, |migration| migration.version);
    for migration in applied {
        let version = migration.version;
        match known.iter().find(|known| known.version == version) {
            None => return Err(SchemaMismatch::Newer { found, expected }),
            Some(known) if known.checksum != migration.checksum => {
                return Err(SchemaMismatch::Edited { version });
            }
            Some(_) => {}
        }
    }
    if applied.len() < known.len() {
        return Err(SchemaMismatch::Older { found, expected });
    }
    Ok(())
}

/// Requires the owner of the schema, or one who can create it; returns whether it exists.
async fn require_owner(connection: &mut PgConnection) -> Result<bool, MigrateError> {
    let (role, database): (String, String) =
        sqlx::query_as("SELECT current_user::text, current_database()::text")
            .fetch_one(&mut *connection)
            .await?;
    let schema: Option<(String, bool)> = sqlx::query_as(
        "SELECT pg_get_userbyid(nspowner)::text, pg_has_role(nspowner, 'USAGE')
           FROM pg_namespace WHERE nspname = $1",
    )
    .bind(SCHEMA)
    .fetch_optional(&mut *connection)
    .await?;
    if let Some((owner, is_owner)) = schema {
        return if is_owner { Ok(true) } else { Err(MigrateError::NotOwner { role, owner }) };
    }
    let can_create: bool =
        sqlx::query_scalar("SELECT has_database_privilege(current_database(), 'CREATE')")
            .fetch_one(connection)
            .await?;
    if can_create { Ok(false) } else { Err(MigrateError::CannotCreate { role, database }) }
}

async fn grant(connection: &mut PgConnection, app_role: &str) -> Result<(), sqlx::Error> {
    let owner: String =
        sqlx::query_scalar("SELECT quote_ident(current_user)").fetch_one(&mut *connection).await?;
    let statements = GRANTS.replace("{owner}", &owner).replace("{app}", app_role);
    let mut transaction = connection.begin().await?;
    execute(&mut transaction, statements).await?;
    transaction.commit().await
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
