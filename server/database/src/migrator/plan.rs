//! Lists the statements that `migrate` would run, without running them.

use sqlx::migrate::Migration;
use sqlx::{Connection as _, PgConnection};

use super::forms::{File, Form, Statement};
use super::{MigrateError, applied_migrations, pending, released};
use crate::connect::owner_connect_options;
use crate::connection_error::connect;

/// Longer statements are cut.
const STATEMENT_COLUMNS: usize = 90;
const UNKNOWN: &str = "Rows are PostgreSQL's estimates. How long a build, a scan or pieces take, \
                       and which sessions have locks then, cannot be known before.";

/// Describes the pending migrations: each statement, its lock, and how large its tables are. `None`
/// if there are none. Changes nothing, and takes no lock.
pub async fn plan(owner_url: &str) -> Result<Option<String>, MigrateError> {
    plan_with(owner_url, released()).await
}

pub(crate) async fn plan_with(
    owner_url: &str,
    known: &[Migration],
) -> Result<Option<String>, MigrateError> {
    let mut connection = connect(&owner_connect_options(owner_url)?).await?;
    let applied = applied_migrations(&mut connection).await?;
    let pending = pending(&applied, known)?;
    let mut lines = Vec::new();
    for migration in &pending {
        let name = migration.description.replace(' ', "_");
        let file = File::read(migration.sql.as_str());
        lines.push(format!("{:04}_{name}.sql, {}", migration.version, file.kind.how()));
        if migration.version == known[0].version {
            lines
                .push("  creates the whole schema, where nothing is that it could lock".to_owned());
            continue;
        }
        for statement in &file.statements {
            lines.push(format!("  {:.STATEMENT_COLUMNS$}", statement.text));
            lines.push(format!("      {}", effect(&mut connection, statement).await?));
        }
    }
    connection.close().await?;
    lines.push(UNKNOWN.to_owned());
    Ok((!pending.is_empty()).then(|| lines.join("\n")))
}

/// Describes the effect of a statement, and its lock on each table.
async fn effect(
    connection: &mut PgConnection,
    statement: &Statement,
) -> Result<String, sqlx::Error> {
    let Some(Form { lock, effect, .. }) = statement.form else {
        return Ok("NOT KNOWN to be harmless".to_owned());
    };
    let mut text = (*effect).to_owned();
    for table in &statement.tables {
        let rows: Option<i64> = sqlx::query_scalar(
            "SELECT reltuples::bigint FROM pg_class WHERE oid = to_regclass($1)",
        )
        .bind(table)
        .fetch_optional(&mut *connection)
        .await?;
        let rows = match rows {
            None => "not yet created".to_owned(),
            Some(rows) if rows < 0 => "unknown rows: run ANALYZE".to_owned(),
            Some(rows) => format!("about {rows} rows"),
        };
        text.push_str(&format!("; {} on {table} ({rows})", lock));
    }
    Ok(text)
}
