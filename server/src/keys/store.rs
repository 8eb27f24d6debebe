//! API keys in Postgres: of the key itself only its SHA-256 and its last four characters (A1).

use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::PgConnection;

use super::model::{LONGEST_LIFE_DAYS, Lifetime, NewKey, StoredKey};
use crate::{
    gate::{ApiKey, versions},
    history,
    id::{IdKind, OrganizationId},
    postgres::{SingleStatement, TenantTransaction},
};

/// Stores `key` for the transaction's organisation; returns its id and when it expires.
pub async fn create_key(
    transaction: &mut TenantTransaction,
    new: NewKey<'_>,
    key: &ApiKey,
) -> Result<(String, DateTime<Utc>), sqlx::Error> {
    let id = IdKind::ApiKey.generate();
    let (days, expired_at, revoked_at) = match new.life {
        Lifetime::Days(days) => (Some(days), None, None),
        Lifetime::Expired(at) => (None, Some(at), None),
        Lifetime::Revoked(at) => (None, None, Some(at)),
    };
    let hash = key.hash();
    // A key that is created expired or revoked was created a whole lifetime before its end.
    let expires_at = sqlx::query_file_scalar!(
        "src/keys/create_key.sql",
        transaction.organization() as _,
        id,
        new.name,
        hash.as_bytes(),
        key.last_four(),
        new.scopes,
        expired_at.is_some(),
        expired_at.flatten(),
        revoked_at.is_some(),
        revoked_at.flatten(),
        days,
        LONGEST_LIFE_DAYS,
        versions::newest()
    )
    .fetch_one(&mut **transaction)
    .await?;
    let after = json!({ "name": new.name, "scopes": new.scopes, "expiresAt": expires_at });
    history::record(transaction, "create_key", &id, None, Some(after)).await?;
    Ok((id, expires_at))
}

/// Which keys are listed: all, unless a member says otherwise.
#[derive(Default)]
pub(crate) struct KeyFilter<'a> {
    /// Only keys of this organisation.
    pub(crate) organization: Option<&'a OrganizationId>,
    /// Only keys revoked at this time or later.
    pub(crate) revoked_since: Option<DateTime<Utc>>,
    /// Only valid keys that expire within so many days.
    pub(crate) expiring_in_days: Option<i32>,
}

/// Lists keys by organisation, newest first.
pub(crate) async fn list_keys(
    connection: &mut PgConnection,
    filter: KeyFilter<'_>,
) -> Result<Vec<StoredKey>, sqlx::Error> {
    sqlx::query_as!(
        StoredKey,
        r#"SELECT organization_id, id, name, last_four, scopes, api_version, created_at,
                  expires_at, revoked_at, expires_at <= service_now() AS "is_expired!"
             FROM api_keys
            WHERE ($1::text IS NULL OR organization_id = $1)
              AND ($2::timestamptz IS NULL OR revoked_at >= $2)
              AND ($3::integer IS NULL OR revoked_at IS NULL AND expires_at > service_now()
                                      AND expires_at <= service_now() + make_interval(days => $3))
            ORDER BY organization_id, created_at DESC, id DESC"#,
        filter.organization.map(OrganizationId::as_str),
        filter.revoked_since,
        filter.expiring_in_days
    )
    .fetch_all(connection)
    .await
}

/// Counts the valid keys of all organisations that expire within each number of days, of which the
/// last is the largest.
pub(crate) struct CountExpiring(pub(crate) [i32; 2]);

impl SingleStatement for CountExpiring {
    type Output = [i64; 2];

    async fn run(&self, connection: &mut PgConnection) -> Result<Self::Output, sqlx::Error> {
        let Self([first, last]) = *self;
        let counts = sqlx::query!(
            r#"SELECT count(*) FILTER (
                          WHERE expires_at <= service_now() + make_interval(days => $1)
                      ) AS "first!",
                      count(*) AS "last!"
                 FROM api_keys
                WHERE revoked_at IS NULL AND expires_at > service_now()
                  AND expires_at <= service_now() + make_interval(days => $2)"#,
            first,
            last
        );
        let counts = counts.fetch_one(connection).await?;
        Ok([counts.first, counts.last])
    }
}

pub(crate) async fn find_organization(
    connection: &mut PgConnection,
    key_id: &str,
) -> Result<Option<OrganizationId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT organization_id AS "id: OrganizationId" FROM api_keys WHERE id = $1"#,
        key_id
    )
    .fetch_optional(connection)
    .await
}

/// Lists the keys of these ids that are not revoked, with their organisations. Those of an
/// organisation that is stopped for a move are not valid, and cannot be changed.
pub(crate) async fn list_unrevoked(
    connection: &mut PgConnection,
    ids: &[String],
) -> Result<Vec<(OrganizationId, String)>, sqlx::Error> {
    sqlx::query!(
        r#"SELECT organization_id AS "organization_id: OrganizationId", id
             FROM api_keys
            WHERE id = ANY ($1) AND revoked_at IS NULL AND stopped_at IS NULL"#,
        ids
    )
    .map(|key| (key.organization_id, key.id))
    .fetch_all(connection)
    .await
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revocation {
    pub revoked_at: DateTime<Utc>,
    pub was_revoked: bool,
}

/// Revokes a key, on every replica from the commit on (A2). A key revoked before keeps its time.
/// `None` where the organisation has no such key.
pub async fn revoke_key(
    transaction: &mut TenantTransaction,
    action: &str,
    key_id: &str,
) -> Result<Option<Revocation>, sqlx::Error> {
    let revoked = sqlx::query_file_as!(
        Revocation,
        "src/keys/revoke_key.sql",
        transaction.organization() as _,
        key_id
    )
    .fetch_optional(&mut **transaction)
    .await?;
    if let Some(revocation) = revoked.filter(|revocation| !revocation.was_revoked) {
        let after = json!({ "revokedAt": revocation.revoked_at });
        history::record(transaction, action, key_id, None, Some(after)).await?;
    }
    Ok(revoked)
}
