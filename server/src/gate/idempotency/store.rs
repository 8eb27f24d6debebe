//! The first responses to idempotency keys.

use super::request::IdempotentRequest;
use crate::tenant::TenantTransaction;

/// How long a response is kept for repetitions (X9).
pub const KEPT_HOURS: i32 = 24;

/// Rows that one statement of a sweep removes.
const SWEPT_AT_ONCE: i64 = 10_000;

/// The response that the first request with a key got.
#[derive(Debug)]
pub(super) struct FirstResponse {
    pub(super) request_hash: Vec<u8>,
    pub(super) status: i16,
    pub(super) body: Vec<u8>,
}

pub(super) async fn first_response(
    transaction: &mut TenantTransaction,
    request: &IdempotentRequest,
) -> Result<Option<FirstResponse>, sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query_as!(
        FirstResponse,
        "SELECT request_hash, status, body
           FROM idempotent_requests
          WHERE organization_id = $1 AND operation = $2 AND key = $3
            AND created_at > service_now() - make_interval(hours => $4)",
        organization.as_str(),
        request.operation,
        request.key,
        KEPT_HOURS
    )
    .fetch_optional(&mut **transaction)
    .await
}

/// Keeps the response; one that is older than [`KEPT_HOURS`] makes way for it.
pub(super) async fn keep(
    transaction: &mut TenantTransaction,
    request: &IdempotentRequest,
    status: u16,
    body: &[u8],
) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query!(
        "INSERT INTO idempotent_requests
                (organization_id, operation, key, request_hash, status, body)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (organization_id, operation, key) DO UPDATE
            SET request_hash = excluded.request_hash, status = excluded.status,
                body = excluded.body, created_at = excluded.created_at",
        organization.as_str(),
        request.operation,
        request.key,
        &request.hash,
        i16::try_from(status).unwrap_or(i16::MAX),
        body
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}

/// Removes some of the organisation's responses that are older than [`KEPT_HOURS`]; returns how
/// many. 0: there are no more.
pub async fn sweep(transaction: &mut TenantTransaction) -> Result<u64, sqlx::Error> {
    let organization = transaction.organization();
    let removed = sqlx::query!(
        "DELETE FROM idempotent_requests
          WHERE organization_id = $1 AND (operation, key) IN (
                SELECT operation, key FROM idempotent_requests
                 WHERE organization_id = $1
                   AND created_at <= service_now() - make_interval(hours => $2)
                 LIMIT $3)",
        organization.as_str(),
        KEPT_HOURS,
        SWEPT_AT_ONCE
    )
    .execute(&mut **transaction)
    .await?;
    Ok(removed.rows_affected())
}
