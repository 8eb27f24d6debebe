//! Rows of an import to tables.

use payout_server::tools::TenantTransaction;
use serde_json::json;
use sqlx::{AssertSqlSafe, PgPool};

use super::rows::Row;
use crate::Error;

/// Limits the size of one statement's parameter.
const ROWS_PER_STATEMENT: usize = 2000;

/// Makes a batch for each that payouts name, over the periods of all of them.
const BATCHES: &str = "
INSERT INTO payout_batches AS known (organization_id, id, period_start, period_end, created_at)
SELECT $1, batch_id, min(period_start), max(period_end), coalesce(min(created_at), service_now())
  FROM jsonb_populate_recordset(NULL::payouts, $2)
 GROUP BY batch_id
    ON CONFLICT (organization_id, id) DO UPDATE
   SET period_start = least(known.period_start, excluded.period_start),
       period_end = greatest(known.period_end, excluded.period_end),
       created_at = least(known.created_at, excluded.created_at)";

const AMOUNTS: &str = "
UPDATE payouts SET amount = sums.amount
  FROM (SELECT payout_id, sum(amount) AS amount FROM commission_lines
         WHERE organization_id = $1 GROUP BY payout_id) AS sums
 WHERE organization_id = $1 AND id = sums.payout_id";

pub(super) async fn existing_organizations(
    pool: &PgPool,
    ids: &[&str],
    names: &[&str],
) -> Result<Vec<(String, String)>, sqlx::Error> {
    let query = "SELECT id, name FROM organizations WHERE id = ANY ($1) OR name = ANY ($2)
                  ORDER BY name, id";
    sqlx::query_as(query).bind(ids).bind(names).fetch_all(pool).await
}

/// Writes rows of the transaction's organisation; before payouts the batches that they name, and
/// after lines the amounts of payouts.
pub(super) async fn insert(
    transaction: &mut TenantTransaction,
    table: &'static str,
    rows: &[Row],
) -> Result<(), Error> {
    let insert = insert_statement(transaction, table).await?;
    let statements = match table {
        "payouts" => vec![BATCHES, &insert],
        _ => vec![insert.as_str()],
    };
    for rows in rows.chunks(ROWS_PER_STATEMENT) {
        if let Err(error) = execute(transaction, &statements, rows).await {
            // Row-level security keeps the row out of PostgreSQL's message.
            for row in rows {
                if let Err(error) =
                    execute(transaction, &statements, std::slice::from_ref(row)).await
                {
                    return Err(format!("{table}: {error}, in {}", json!(row)).into());
                }
            }
            return Err(format!("{table}: {error}").into());
        }
    }
    if table == "commission_lines" {
        let amounts = sqlx::query(AMOUNTS).bind(transaction.organization().as_str().to_owned());
        amounts.execute(&mut **transaction).await?;
    }
    Ok(())
}

/// Executes the statements with these rows; after an error none has changed anything.
async fn execute(
    transaction: &mut TenantTransaction,
    statements: &[&str],
    rows: &[Row],
) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query("SAVEPOINT rows").execute(&mut **transaction).await?;
    for statement in statements {
        let insert = sqlx::query(AssertSqlSafe(*statement)).bind(organization.as_str());
        if let Err(error) = insert.bind(json!(rows)).execute(&mut **transaction).await {
            sqlx::query("ROLLBACK TO rows").execute(&mut **transaction).await?;
            return Err(error);
        }
    }
    sqlx::query("RELEASE rows").execute(&mut **transaction).await.map(drop)
}

/// Columns are matched by name, so a new column needs no change here; what a row leaves out comes
/// from a default row.
async fn insert_statement(
    transaction: &mut TenantTransaction,
    table: &'static str,
) -> Result<String, sqlx::Error> {
    let columns: String = sqlx::query_scalar(
        "SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
          WHERE attrelid = $1::text::regclass AND attnum > 0
            AND NOT attisdropped AND attgenerated = ''",
    )
    .bind(table)
    .fetch_one(&mut **transaction)
    .await?;
    Ok(format!(
        "INSERT INTO {table} ({columns}) SELECT {columns} FROM jsonb_populate_recordset(
             jsonb_populate_record(NULL::{table}, jsonb_build_object(
                 'organization_id', $1::text, 'status', 'active', 'categories', '[]'::jsonb,
                 'partner_object_crm_properties', '{{}}'::jsonb,
                 'company_crm_properties', '{{}}'::jsonb, 'statement_revision', 1,
                 'line_count', 0, 'source', 'API', 'tries', 0, 'in_flight', false,
                 'changed', false, 'created_at', service_now(), 'updated_at', service_now(),
                 'connected_at', service_now())),
             $2) AS row"
    ))
}
