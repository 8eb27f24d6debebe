//! Maturing lines in Postgres, each with its history row. A line that another transaction has
//! locked is looked at again when that has ended: a reversal may have voided it.

use chrono::{DateTime, Utc};

use super::{CHUNK_LINES, Chunk, start};
use crate::{
    history::OPERATOR,
    id::OrganizationId,
    postgres::{TenantTransaction, Tenants},
};

/// Looks at the oldest expected lines behind `after`, a chunk of them, and matures those whose
/// conversion's hold is over.
pub async fn mature_due(
    transaction: &mut TenantTransaction,
    after: &(DateTime<Utc>, String),
) -> Result<Chunk, sqlx::Error> {
    let row = sqlx::query_file!(
        "src/commission_lines/maturity/mature_due.sql",
        transaction.organization() as _,
        after.0,
        after.1,
        CHUNK_LINES,
        OPERATOR
    )
    .fetch_one(&mut **transaction)
    .await?;
    Ok(Chunk { matured: row.matured, last: row.last_created_at.zip(row.last_id) })
}

/// Matures all expected lines whose conversion's hold is over, in transactions of a chunk each.
/// Reports how many lines have become pending after each chunk, and returns that.
pub async fn mature_all(
    tenants: &Tenants,
    organization: &OrganizationId,
    mut progress: impl FnMut(i64),
) -> Result<i64, sqlx::Error> {
    let (mut after, mut matured) = (start(), 0);
    loop {
        let mut transaction = tenants.write(organization).await?;
        let chunk = mature_due(&mut transaction, &after).await?;
        transaction.commit().await?;
        matured += chunk.matured;
        progress(matured);
        match chunk.last {
            Some(last) => after = last,
            None => return Ok(matured),
        }
    }
}

/// Matures these lines, whatever made them; returns the ids of those that were expected.
pub async fn mature_lines(
    transaction: &mut TenantTransaction,
    ids: &[String],
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"WITH locked AS MATERIALIZED (
            SELECT id FROM commission_lines
             WHERE organization_id = $1 AND id = ANY($2) AND status = 'EXPECTED'
             ORDER BY created_at, id FOR NO KEY UPDATE
        ), matured AS (
            UPDATE commission_lines AS line
               SET status = 'PENDING',
                   updated_at = greatest(service_now(), updated_at + interval '1 millisecond')
              FROM locked
             WHERE line.organization_id = $1 AND line.id = locked.id
            RETURNING line.id
        )
        INSERT INTO history (organization_id, actor, action, resource_id, before, after)
        SELECT $1, $3, 'mature_commission_line', id,
               jsonb_build_object('status', 'EXPECTED'), jsonb_build_object('status', 'PENDING')
          FROM matured
        RETURNING resource_id AS "id!""#,
        transaction.organization() as _,
        ids,
        OPERATOR
    )
    .fetch_all(&mut **transaction)
    .await
}
