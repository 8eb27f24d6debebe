//! Applies one migration so that requests wait for it at most for a moment, and so that a run that
//! was interrupted or lost a race for a lock can be repeated.

use std::fmt::Display;
use std::time::{Duration, Instant};

use sqlx::migrate::{Migrate as _, Migration};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Postgres, Transaction};

use super::TABLE;
use super::forms::{File, Kind, Statement};
use crate::connect::execute;
use crate::connection_error::reason;

/// Receives a line for the operator about a migration that goes on.
pub type Report<'a> = &'a (dyn Fn(&str) + Sync);

/// New requests queue behind a statement that waits for a lock; they fail after 1 s.
const LOCK_TIMEOUT: &str = "500ms";
/// For locks behind which no request queues: long enough for PostgreSQL to cancel an autovacuum
/// that has one, after `deadlock_timeout`.
const QUIET_LOCK_TIMEOUT: &str = "10s";
/// `CONCURRENTLY` waits for the end of each older transaction.
const CONCURRENT_LOCK_TIMEOUT: &str = "10min";
/// All attempts with their pauses take 150 s, longer than the server's longest statement, a batch
/// of payouts.
const ATTEMPTS: u32 = 100;
const PAUSE: Duration = Duration::from_secs(1);
const REPORT_INTERVAL: Duration = Duration::from_secs(5);
const PIECE_ROWS: i64 = 1_000;

pub(super) async fn apply(
    connection: &mut PgConnection,
    migration: &Migration,
    report: Report<'_>,
) -> Result<(), sqlx::Error> {
    let file = File::read(migration.sql.as_str());
    let tables = file.tables();
    let once = async || match file.kind {
        Kind::Concurrent => concurrently(connection, migration, &file).await,
        _ => in_transaction(connection, migration, &tables).await,
    };
    match file.kind {
        Kind::Tables => table_by_table(connection, migration, &file, report).await,
        Kind::Pieces => in_pieces(connection, migration, &tables.concat(), report).await,
        _ => retry(migration, report, once).await,
    }
}

/// Repeats what lost a race, with a pause between.
async fn retry<T>(
    migration: &Migration,
    report: Report<'_>,
    mut attempt: impl AsyncFnMut() -> Result<T, sqlx::Error>,
) -> Result<T, sqlx::Error> {
    for number in 1..ATTEMPTS {
        match attempt().await {
            Err(error) if lost_race(&error) => report(&format!(
                "migration {}: {}; nothing was changed, attempt {} of {ATTEMPTS} in {} s",
                migration.version,
                reason(&error),
                number + 1,
                PAUSE.as_secs()
            )),
            done => return done,
        }
        tokio::time::sleep(PAUSE).await;
    }
    attempt().await
}

/// A lock timeout, a deadlock, or a failed serialization.
fn lost_race(error: &sqlx::Error) -> bool {
    has_code(error, &["55P03", "40P01", "40001"])
}

/// `duplicate_object`.
fn exists_already(error: &sqlx::Error) -> bool {
    has_code(error, &["42710"])
}

fn has_code(error: &sqlx::Error, codes: &[&str]) -> bool {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| codes.contains(&&*code))
}

async fn in_transaction(
    connection: &mut PgConnection,
    migration: &Migration,
    tables: &[&str],
) -> Result<(), sqlx::Error> {
    let mut transaction = begin(connection, tables).await?;
    transaction.apply(TABLE, migration).await.map_err(cause)?;
    transaction.commit().await
}

/// Takes first a lock for which no request waits: after it, only requests can delay the strong one.
async fn begin<'c>(
    connection: &'c mut PgConnection,
    tables: &[impl Display],
) -> Result<Transaction<'c, Postgres>, sqlx::Error> {
    let mut transaction = connection.begin().await?;
    set(&mut transaction, "lock_timeout", QUIET_LOCK_TIMEOUT).await?;
    for table in tables {
        let lock = format!("LOCK TABLE {table} IN SHARE UPDATE EXCLUSIVE MODE");
        execute(&mut transaction, lock).await?;
    }
    set(&mut transaction, "lock_timeout", LOCK_TIMEOUT).await?;
    Ok(transaction)
}

/// Runs each statement in a transaction of its own: no table is locked while another is waited for.
/// Skips a statement whose policy exists, because an earlier run that was interrupted created it.
async fn table_by_table(
    connection: &mut PgConnection,
    migration: &Migration,
    file: &File,
    report: Report<'_>,
) -> Result<(), sqlx::Error> {
    for statement in &file.statements {
        let once = async || run_statement(connection, statement).await;
        match retry(migration, report, once).await {
            Err(error) if exists_already(&error) => {
                report(&format!("migration {}: skipped, {}", migration.version, reason(&error)));
            }
            done => done?,
        }
    }
    connection.skip(TABLE, migration).await.map_err(cause)
}

async fn run_statement(
    connection: &mut PgConnection,
    statement: &Statement,
) -> Result<(), sqlx::Error> {
    let mut transaction = begin(connection, &statement.tables).await?;
    execute(&mut transaction, statement.text.clone()).await?;
    transaction.commit().await
}

/// An interrupted build leaves an invalid index, which `IF NOT EXISTS` would take for a whole one.
async fn concurrently(
    connection: &mut PgConnection,
    migration: &Migration,
    file: &File,
) -> Result<(), sqlx::Error> {
    let mut words = file.statements.iter().flat_map(|statement| statement.text.split(' '));
    let index = words.find(|word| word.eq_ignore_ascii_case("EXISTS")).and(words.next());
    set(connection, "lock_timeout", CONCURRENT_LOCK_TIMEOUT).await?;
    let invalid: Option<String> = sqlx::query_scalar(
        "SELECT indexrelid::regclass::text FROM pg_index
          WHERE indexrelid = to_regclass($1) AND NOT indisvalid",
    )
    .bind(index)
    .fetch_optional(&mut *connection)
    .await?;
    if let Some(invalid) = invalid {
        execute(connection, format!("DROP INDEX CONCURRENTLY {invalid}")).await?;
    }
    connection.apply(TABLE, migration).await.map(drop).map_err(cause)
}

/// Runs the statement for each thousand rows of each organisation, as row-level security requires,
/// each time in a transaction of its own.
async fn in_pieces(
    connection: &mut PgConnection,
    migration: &Migration,
    table: &str,
    report: Report<'_>,
) -> Result<(), sqlx::Error> {
    let mut reported_at = Instant::now();
    set(connection, "lock_timeout", LOCK_TIMEOUT).await?;
    let mut rows = 0;
    let mut organization = String::new();
    while let Some(next) = next_organization(connection, &organization).await? {
        organization = next;
        set(connection, "app.organization_id", &organization).await?;
        let mut after = Some(String::new());
        while let Some(first) = after {
            let piece = async || piece(connection, migration, table, &organization, &first).await;
            let (last, changed) = retry(migration, report, piece).await?;
            (after, rows) = (last, rows + changed);
            if reported_at.elapsed() > REPORT_INTERVAL {
                reported_at = Instant::now();
                let version = migration.version;
                report(&format!("migration {version}: {rows} rows changed, at {organization}"));
            }
        }
    }
    set(connection, "app.organization_id", "").await?;
    connection.skip(TABLE, migration).await.map_err(cause)
}

/// Changes the rows of the organisation whose ids follow `after`. Returns the last of these ids, or
/// `None` where the organisation has no more; and how many rows changed.
async fn piece(
    connection: &mut PgConnection,
    migration: &Migration,
    table: &str,
    organization: &str,
    after: &str,
) -> Result<(Option<String>, u64), sqlx::Error> {
    let statement = sqlx::query(migration.sql.clone()).bind(organization);
    let ids = format!("SELECT id FROM {table} WHERE organization_id = $1 AND id > $2 ORDER BY id");
    let last = format!("SELECT max(id) FROM ({ids} LIMIT {PIECE_ROWS}) AS piece");
    // Audited: the table is a token of a migration.
    let last = sqlx::query_scalar(AssertSqlSafe(last)).bind(organization).bind(after);
    let Some(last): Option<String> = last.fetch_one(&mut *connection).await? else {
        return Ok((None, 0));
    };
    let done = statement.bind(after).bind(&last).execute(connection).await?;
    Ok((Some(last), done.rows_affected()))
}

async fn next_organization(
    connection: &mut PgConnection,
    after: &str,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar("SELECT min(id) FROM organizations WHERE id > $1")
        .bind(after)
        .fetch_one(connection)
        .await
}

pub(super) fn cause(error: sqlx::migrate::MigrateError) -> sqlx::Error {
    match error {
        sqlx::migrate::MigrateError::Execute(error)
        | sqlx::migrate::MigrateError::ExecuteMigration(error, _) => error,
        other => sqlx::Error::Migrate(Box::new(other)),
    }
}

async fn set(connection: &mut PgConnection, name: &str, value: &str) -> Result<(), sqlx::Error> {
    let set = sqlx::query("SELECT set_config($1, $2, false)").bind(name).bind(value);
    set.execute(connection).await.map(drop)
}
