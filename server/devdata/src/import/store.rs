//! Rows of an import to tables, and their removal.

use payout_server::tools::TenantTransaction;
use serde_json::json;
use sqlx::{AssertSqlSafe, PgConnection};

use super::rows::Row;

/// Limits the size of one statement's parameter.
const ROWS_PER_STATEMENT: usize = 2000;
/// Every table with rows of an organisation, in an order that satisfies the foreign keys.
const TABLES: [&str; 17] = [
    "history",
    "idempotent_requests",
    "current_statements",
    "asset_intents",
    "assets",
    "statement_templates",
    "commission_lines",
    "payouts",
    "payout_batches",
    "partners",
    "users",
    "tiers",
    "phases",
    "experience_templates",
    "billing_information",
    "meters",
    "api_keys",
];

/// An organisation of the database.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Existing {
    pub(super) id: String,
    pub(super) name: String,
}

/// The organisations that exist with one of these ids or names.
pub(super) async fn existing_organizations(
    connection: &mut PgConnection,
    ids: &[String],
    names: &[String],
) -> Result<Vec<Existing>, sqlx::Error> {
    let query = "SELECT id, name FROM organizations WHERE id = ANY ($1) OR name = ANY ($2)
                  ORDER BY name, id";
    let existing = sqlx::query_as(query).bind(ids).bind(names);
    existing.fetch_all(connection).await
}

/// Writes rows of the transaction's organisation. Columns are matched by name, so a new column
/// needs no change here; what a row leaves out comes from a default row.
pub(super) async fn insert_rows(
    transaction: &mut TenantTransaction,
    table: &'static str,
    rows: &[Row],
) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    let columns: String = sqlx::query_scalar(
        "SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
          WHERE attrelid = $1::text::regclass AND attnum > 0
            AND NOT attisdropped AND attgenerated = ''",
    )
    .bind(table)
    .fetch_one(&mut **transaction)
    .await?;
    let statement = format!(
        "INSERT INTO {table} ({columns}) SELECT {columns} FROM jsonb_populate_recordset(
             jsonb_populate_record(NULL::{table}, jsonb_build_object(
                 'organization_id', $1::text, 'created_at', service_now(),
                 'updated_at', service_now(), 'statement_revision', 1, 'line_count', 0)),
             $2) AS row"
    );
    for rows in rows.chunks(ROWS_PER_STATEMENT) {
        sqlx::query(AssertSqlSafe(statement.as_str()))
            .bind(organization.as_str())
            .bind(json!(rows))
            .execute(&mut **transaction)
            .await?;
    }
    Ok(())
}

/// Removes the transaction's organisation with everything it owns, including history and keys.
/// Only the owner's role may: the server's role deletes nothing.
pub(crate) async fn remove_organization(
    transaction: &mut TenantTransaction,
) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    let tables = TABLES.map(|table| (table, "organization_id"));
    for (table, column) in tables.into_iter().chain([("organizations", "id")]) {
        let statement = format!("DELETE FROM {table} WHERE {column} = $1");
        sqlx::query(AssertSqlSafe(statement))
            .bind(organization.as_str())
            .execute(&mut **transaction)
            .await?;
    }
    Ok(())
}
