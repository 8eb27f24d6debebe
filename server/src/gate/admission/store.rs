//! The statements of admission.
//!
//! It refuses to read a meter and write it later: each is one conditional statement.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::verdict::{AdmissionRequest, Charge};
use crate::gate::caller::OrganizationId;

/// Requests of one batch that are alike: one key, one scope, all sound or none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// What each of them asks.
    pub(super) request: AdmissionRequest,
    /// How many they are.
    pub(super) count: i32,
}

/// What a batch's statement says of a group whose key is known.
#[derive(Debug)]
pub(super) struct DecidedGroup {
    /// Its place among the groups, from 1.
    pub(super) position: i64,
    pub(super) now: DateTime<Utc>,
    pub(super) organization_id: String,
    pub(super) key_id: String,
    pub(super) expires_at: DateTime<Utc>,
    pub(super) revoked_at: Option<DateTime<Utc>>,
    pub(super) in_scope: bool,
    /// The organisation's meter as the update left it; `None` where it refused, or the key is dead.
    pub(super) requests_per_minute: Option<i32>,
    pub(super) credits_per_month: Option<i64>,
    pub(super) minute_used: Option<i32>,
    pub(super) requests_granted: Option<i32>,
    pub(super) month: Option<DateTime<Utc>>,
    pub(super) month_used: Option<i64>,
    pub(super) credits_granted: Option<i32>,
    /// The meter as the snapshot showed it, where the update refused.
    pub(super) seen_minute: Option<DateTime<Utc>>,
    pub(super) seen_minute_used: Option<i32>,
    pub(super) seen_requests_per_minute: Option<i32>,
}

/// Decides all groups at one moment. Organisations come in the order of their ids, so that two batches do not wait for each
/// other; each gets two grants: of its minute for all requests with a valid key, and of its month for those that may and are
/// sound. The minute's grant serves these first, so the month's is never above it.
///
/// The minute and the month only roll forward (`greatest`): a statement that waited for the row while they turned would
/// otherwise reset the new month and overspend it.
///
/// # Errors
/// The database refused or is away.
pub(super) async fn decide(
    connection: &mut PgConnection,
    groups: &[Group],
) -> Result<Vec<DecidedGroup>, sqlx::Error> {
    let keys: Vec<&[u8]> = groups
        .iter()
        .map(|group| group.request.key.as_bytes())
        .collect();
    let scopes: Vec<&str> = groups
        .iter()
        .map(|group| group.request.scope.as_str())
        .collect();
    let sound: Vec<bool> = groups
        .iter()
        .map(|group| group.request.form_is_sound)
        .collect();
    let counts: Vec<i32> = groups.iter().map(|group| group.count).collect();
    sqlx::query_as!(
        DecidedGroup,
        r#"WITH moment AS MATERIALIZED (
            SELECT now, date_trunc('minute', now, 'UTC') AS minute, date_trunc('month', now, 'UTC') AS month
              FROM (SELECT service_now() AS now) AS clock
        ), asked AS MATERIALIZED (
            SELECT asked.position, asked.requests, key.organization_id, key.id, key.expires_at, key.revoked_at,
                   asked.scope = ANY (key.scopes) AS in_scope,
                   asked.scope = ANY (key.scopes) AND asked.form_is_sound AS is_metered,
                   key.revoked_at IS NULL AND key.expires_at > moment.now AS is_valid
              FROM moment, unnest($1::bytea[], $2::text[], $3::boolean[], $4::integer[]) WITH ORDINALITY
                   AS asked (hash, scope, form_is_sound, requests, position)
              JOIN api_keys AS key ON key.hash = asked.hash
        ), wanted AS MATERIALIZED (
            SELECT organization_id, sum(requests)::integer AS requests,
                   coalesce(sum(requests) FILTER (WHERE is_metered), 0)::integer AS credits
              FROM asked WHERE is_valid GROUP BY organization_id ORDER BY organization_id
        ), spent AS (
            UPDATE meters AS m
               SET (minute, minute_used, requests_granted, month, month_used, credits_granted) = (
                    SELECT greatest(m.minute, moment.minute), before.requests + granted.requests, granted.requests,
                           greatest(m.month, moment.month), before.credits + charged.credits, charged.credits
                      FROM (SELECT CASE WHEN m.minute >= moment.minute THEN m.minute_used ELSE 0 END AS requests,
                                   CASE WHEN m.month >= moment.month THEN m.month_used ELSE 0 END AS credits) AS before,
                           LATERAL (SELECT least(wanted.requests, m.requests_per_minute - before.requests)
                                        AS requests) AS granted,
                           -- No allowance is NULL, which least passes over: unlimited.
                           LATERAL (SELECT greatest(least(wanted.credits, granted.requests,
                                                          m.credits_per_month - before.credits), 0) AS credits) AS charged)
              FROM wanted, moment
             WHERE m.organization_id = wanted.organization_id
               AND m.requests_per_minute > CASE WHEN m.minute >= moment.minute THEN m.minute_used ELSE 0 END
            RETURNING m.organization_id, m.requests_per_minute, m.credits_per_month, m.minute_used, m.requests_granted,
                      m.month, m.month_used, m.credits_granted
        )
        SELECT asked.position AS "position!", moment.now AS "now!", asked.organization_id AS "organization_id!",
               asked.id AS "key_id!", asked.expires_at AS "expires_at!", asked.revoked_at, asked.in_scope AS "in_scope!",
               spent.requests_per_minute AS "requests_per_minute?", spent.credits_per_month,
               spent.minute_used AS "minute_used?", spent.requests_granted AS "requests_granted?",
               spent.month AS "month?", spent.month_used AS "month_used?", spent.credits_granted AS "credits_granted?",
               seen.minute AS "seen_minute?", seen.minute_used AS "seen_minute_used?",
               seen.requests_per_minute AS "seen_requests_per_minute?"
          FROM moment, asked
          LEFT JOIN spent ON spent.organization_id = asked.organization_id
          LEFT JOIN LATERAL (SELECT minute, minute_used, requests_per_minute FROM meters
                              WHERE spent.organization_id IS NULL
                                AND meters.organization_id = asked.organization_id) AS seen ON true"#,
        &keys as _,
        &scopes as _,
        &sound,
        &counts,
    )
    .fetch_all(connection)
    .await
}

/// Gives credits back to the months they were taken from, where those have not ended.
///
/// # Errors
/// The database refused or is away.
pub(super) async fn refund(
    connection: &mut PgConnection,
    taken: &[(OrganizationId, Charge)],
) -> Result<(), sqlx::Error> {
    let organizations: Vec<&str> = taken
        .iter()
        .map(|(organization, _)| organization.as_str())
        .collect();
    let months: Vec<DateTime<Utc>> = taken.iter().map(|(_, charge)| charge.month()).collect();
    sqlx::query!(
        "WITH taken AS MATERIALIZED (
            SELECT organization_id, month, count(*) AS credits
              FROM unnest($1::text[], $2::timestamptz[]) AS taken (organization_id, month)
             GROUP BY organization_id, month ORDER BY organization_id
        )
        UPDATE meters AS m SET month_used = greatest(m.month_used - taken.credits, 0), credits_granted = 0
          FROM taken
         WHERE m.organization_id = taken.organization_id AND m.month = taken.month",
        &organizations as _,
        &months,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Commits something of no meaning, and so writes down everything that was committed before without waiting.
///
/// # Errors
/// The database refused or is away.
pub(super) async fn flush(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query!(r#"SELECT pg_logical_emit_message(true, 'payout', '')::text AS "position!""#)
        .fetch_one(connection)
        .await?;
    Ok(())
}
