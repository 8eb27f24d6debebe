//! Stores the first responses to idempotency keys.

use sqlx::PgConnection;

use super::request::IdempotentRequest;
use crate::{
    id::OrganizationId,
    postgres::{Lookup, PointRead, SingleStatement, TenantTransaction, select_lookups},
};

/// Time for which a response is kept for repetitions (X9).
pub const KEPT_HOURS: i32 = 24;

const SWEPT_AT_ONCE: i64 = 10_000;

#[derive(Clone, Debug)]
pub struct FirstResponse {
    organization_id: String,
    /// Operation and key.
    id: String,
    request_hash: Vec<u8>,
    /// `None` if a server of the previous version kept the response.
    value_hash: Option<Vec<u8>>,
    pub(super) status: i16,
    pub(super) body: Vec<u8>,
}

impl FirstResponse {
    /// Returns true if `request` repeats the request that got this response.
    pub(super) fn is_of(&self, request: &IdempotentRequest) -> bool {
        self.value_hash.as_deref() == Some(&request.value_hash)
            || self.request_hash == request.bytes_hash
    }
}

/// Reads first responses by operation and key, in batches over all tenants.
pub struct FirstResponses;

macro_rules! select_responses {
    ($head:tt, $tail:tt, $($argument:expr),+) => {
        sqlx::query_as!(
            FirstResponse,
            $head
                + r#"SELECT organization_id, operation || ' ' || key AS "id!", request_hash,
                            value_hash, status, body
                       FROM idempotent_requests AS kept "#
                + $tail,
            $($argument),+
        )
    };
}

impl PointRead for FirstResponses {
    type Row = FirstResponse;

    async fn read(
        connection: &mut PgConnection,
        lookups: &[&Lookup],
    ) -> Result<Vec<FirstResponse>, sqlx::Error> {
        let (organizations, ids) = Lookup::columns(lookups);
        // No operation contains a space.
        select_lookups!(
            select_responses,
            "WHERE kept.organization_id = lookups.organization_id
               AND kept.operation = split_part(lookups.id, ' ', 1)
               AND kept.key = substr(lookups.id, strpos(lookups.id, ' ') + 1)
               AND kept.created_at > service_now() - make_interval(hours => $3)
             OFFSET 0) AS found
             ORDER BY lookups.position",
            &organizations as _,
            &ids as _,
            KEPT_HOURS
        )
        .fetch_all(connection)
        .await
    }

    fn matches(row: &FirstResponse, lookup: &Lookup) -> bool {
        row.organization_id == lookup.organization.as_str() && row.id == lookup.id
    }
}

/// Stores a response in place of one older than [`KEPT_HOURS`]. It returns `false` if another
/// request with this key has stored its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeepResponse<'a> {
    pub(super) organization: &'a OrganizationId,
    pub(super) request: &'a IdempotentRequest,
    pub(super) status: u16,
    pub(super) body: &'a [u8],
}

impl SingleStatement for KeepResponse<'_> {
    type Output = bool;

    async fn run(&self, connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
        let kept = sqlx::query_file!(
            "src/gate/idempotency/keep_response.sql",
            self.organization.as_str(),
            self.request.operation,
            self.request.key,
            &self.request.bytes_hash,
            &self.request.value_hash,
            i16::try_from(self.status).unwrap_or(i16::MAX),
            self.body,
            KEPT_HOURS
        )
        .execute(connection)
        .await?;
        Ok(kept.rows_affected() > 0)
    }
}

/// Removes some of the organisation's responses that are older than [`KEPT_HOURS`], and returns
/// their number: 0 if there are no more.
pub async fn sweep(transaction: &mut TenantTransaction) -> Result<u64, sqlx::Error> {
    let removed = sqlx::query!(
        "DELETE FROM idempotent_requests
          WHERE organization_id = $1 AND (operation, key) IN (
                SELECT operation, key FROM idempotent_requests
                 WHERE organization_id = $1
                   AND created_at <= service_now() - make_interval(hours => $2)
                 LIMIT $3)",
        transaction.organization() as _,
        KEPT_HOURS,
        SWEPT_AT_ONCE
    )
    .execute(&mut **transaction)
    .await?;
    Ok(removed.rows_affected())
}
