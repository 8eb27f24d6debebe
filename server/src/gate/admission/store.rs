//! The statements of admission. Each one is conditional: none reads a meter to write it later.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::{refunds::Refund, verdict::AdmissionRequest};
use crate::id::OrganizationId;

/// Equal requests of one batch: one key, one scope, all well-formed or none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) request: AdmissionRequest,
    pub(super) count: i32,
}

/// A batch's decision on a group whose key is known.
#[derive(Debug)]
pub(super) struct DecidedGroup {
    /// Its index among the groups, counted from 1.
    pub(super) position: i64,
    pub(super) now: DateTime<Utc>,
    pub(super) organization_id: OrganizationId,
    pub(super) key_id: String,
    pub(super) api_version: String,
    pub(super) expires_at: DateTime<Utc>,
    pub(super) revoked_at: Option<DateTime<Utc>>,
    pub(super) in_scope: bool,
    /// The organisation's meter after the update, or in the statement's snapshot where the update
    /// granted nothing.
    pub(super) requests_per_minute: Option<i32>,
    pub(super) minute: Option<DateTime<Utc>>,
    pub(super) minute_used: Option<i32>,
    pub(super) month: Option<DateTime<Utc>>,
    /// The meter after the update; `None` where it granted nothing, or the key is inactive.
    pub(super) requests_granted: Option<i32>,
    pub(super) credits_per_month: Option<i64>,
    pub(super) month_used: Option<i64>,
    pub(super) credits_granted: Option<i32>,
}

/// Decides all groups at one moment, in one statement, which also reports why a group gets nothing.
/// Organisations are updated in the order of their ids, so that two batches do not deadlock.
///
/// Requests of the minute are granted to all requests with a valid key, and credits of the month to
/// those that are well-formed and in scope. These are served first in the minute, so the month's
/// grant never exceeds the minute's.
///
/// The minute and the month only move forward (`greatest`): a statement that waited for the row
/// while they ended would otherwise reset the new month and overspend it. A meter that a wrong
/// clock has left more than a minute ahead grants nothing: see [`set_clock_back`].
///
/// `OFFSET 0` keeps a sub-select as it is: each key is looked up by its hash, and a meter is read
/// again only if nothing was granted.
#[expect(clippy::too_many_lines, reason = "a statement, most of which is the update of a meter")]
pub(super) async fn decide(
    connection: &mut PgConnection,
    groups: &[Group],
) -> Result<Vec<DecidedGroup>, sqlx::Error> {
    let requests = || groups.iter().map(|group| &group.request);
    let keys: Vec<&[u8]> = requests().map(|request| request.key.as_bytes()).collect();
    let scopes: Vec<&str> = requests().map(|request| request.scope.as_str()).collect();
    let well_formed: Vec<bool> = requests().map(|request| request.is_well_formed).collect();
    let counts: Vec<i32> = groups.iter().map(|group| group.count).collect();
    sqlx::query_as!(
        DecidedGroup,
        r#"WITH moment AS MATERIALIZED (
            SELECT now, date_trunc('minute', now, 'UTC') AS minute,
                   date_trunc('month', now, 'UTC') AS month
              FROM (SELECT service_now() AS now) AS clock
        ), entry AS MATERIALIZED (
            SELECT request.position, request.requests, moment.now, moment.minute, moment.month,
                   key.organization_id, key.id, key.api_version, key.expires_at, key.revoked_at,
                   request.scope = ANY (key.scopes) AS in_scope,
                   request.scope = ANY (key.scopes) AND request.is_well_formed AS is_metered,
                   key.revoked_at IS NULL AND key.expires_at > moment.now AS is_valid
              FROM moment,
                   unnest($1::bytea[], $2::text[], $3::boolean[], $4::integer[]) WITH ORDINALITY
                   AS request (hash, scope, is_well_formed, requests, position)
             CROSS JOIN LATERAL (SELECT * FROM api_keys WHERE hash = request.hash OFFSET 0) AS key
        ), wanted AS MATERIALIZED (
            SELECT organization_id, minute, month, sum(requests)::integer AS requests,
                   coalesce(sum(requests) FILTER (WHERE is_metered), 0)::integer AS credits
              FROM entry WHERE is_valid
             GROUP BY organization_id, minute, month ORDER BY organization_id
        ), spent AS (
            UPDATE meters AS m
               SET (minute, minute_used, requests_granted, month, month_used, credits_granted)
                   = (SELECT greatest(m.minute, wanted.minute),
                             before.requests + granted.requests, granted.requests,
                             greatest(m.month, wanted.month),
                             before.credits + charged.credits, charged.credits
                        FROM (SELECT CASE WHEN m.minute >= wanted.minute
                                          THEN m.minute_used ELSE 0 END AS requests,
                                     CASE WHEN m.month >= wanted.month
                                          THEN m.month_used ELSE 0 END AS credits) AS before,
                             LATERAL (SELECT least(wanted.requests,
                                                   m.requests_per_minute - before.requests)
                                          AS requests) AS granted,
                             -- No limit is NULL, which least ignores: unlimited.
                             LATERAL (SELECT greatest(least(wanted.credits, granted.requests,
                                                      m.credits_per_month - before.credits), 0)
                                          AS credits) AS charged)
              FROM wanted
             WHERE m.organization_id = wanted.organization_id
               AND m.requests_per_minute
                   > CASE WHEN m.minute >= wanted.minute THEN m.minute_used ELSE 0 END
               AND greatest(m.minute, m.month) <= wanted.minute + interval '1 minute'
            RETURNING m.organization_id, m.requests_per_minute, m.credits_per_month, m.minute,
                      m.minute_used, m.requests_granted, m.month, m.month_used, m.credits_granted
        )
        SELECT entry.position AS "position!", entry.now AS "now!",
               entry.organization_id AS "organization_id!: OrganizationId", entry.id AS "key_id!",
               entry.api_version AS "api_version!", entry.expires_at AS "expires_at!",
               entry.revoked_at, entry.in_scope AS "in_scope!",
               coalesce(spent.requests_per_minute, seen.requests_per_minute)
               AS requests_per_minute,
               coalesce(spent.minute, seen.minute) AS minute,
               coalesce(spent.minute_used, seen.minute_used) AS minute_used,
               coalesce(spent.month, seen.month) AS month,
               spent.requests_granted AS "requests_granted?", spent.credits_per_month,
               spent.month_used AS "month_used?", spent.credits_granted AS "credits_granted?"
          FROM entry
          LEFT JOIN spent ON spent.organization_id = entry.organization_id
          LEFT JOIN LATERAL (SELECT minute, minute_used, month, requests_per_minute
                               FROM meters AS m
                              WHERE spent.organization_id IS NULL
                                AND m.organization_id = entry.organization_id
                             OFFSET 0) AS seen ON true"#,
        &keys as _,
        &scopes as _,
        &well_formed,
        &counts
    )
    .fetch_all(connection)
    .await
}

/// A meter that was ahead of the clock.
#[derive(Debug)]
pub(super) struct MeterAhead {
    pub(super) organization_id: String,
    pub(super) minute: DateTime<Utc>,
    pub(super) minute_used: i32,
    pub(super) month: DateTime<Utc>,
    pub(super) month_used: i64,
}

/// Sets meters more than a minute ahead of the clock to the present, and returns them as they were.
/// A minute begins again. A month keeps its use, which was charged under the wrong clock, so no
/// credit is given away.
pub(super) async fn set_clock_back(
    connection: &mut PgConnection,
    organizations: &[OrganizationId],
) -> Result<Vec<MeterAhead>, sqlx::Error> {
    let organizations: Vec<&str> = organizations.iter().map(OrganizationId::as_str).collect();
    sqlx::query_as!(
        MeterAhead,
        r#"WITH clock AS MATERIALIZED (
            SELECT date_trunc('minute', now, 'UTC') AS minute,
                   date_trunc('minute', now, 'UTC') + interval '1 minute' AS latest,
                   date_trunc('month', now, 'UTC') AS month
              FROM (SELECT service_now() AS now) AS moment
        ), ahead AS MATERIALIZED (
            SELECT m.organization_id, m.minute, m.minute_used, m.month, m.month_used
              FROM meters AS m, clock
             WHERE m.organization_id = ANY ($1) AND greatest(m.minute, m.month) > clock.latest
             ORDER BY m.organization_id
               FOR UPDATE OF m
        )
        UPDATE meters AS m
           SET minute = CASE WHEN m.minute > clock.latest THEN clock.minute ELSE m.minute END,
               minute_used = CASE WHEN m.minute > clock.latest THEN 0 ELSE m.minute_used END,
               month = CASE WHEN m.month > clock.latest THEN clock.month ELSE m.month END
          FROM ahead, clock
         WHERE m.organization_id = ahead.organization_id
        RETURNING ahead.organization_id, ahead.minute, ahead.minute_used, ahead.month,
                  ahead.month_used"#,
        &organizations as _
    )
    .fetch_all(connection)
    .await
}

/// Returns credits to the months they were taken from, unless those have ended.
pub(super) async fn refund(
    connection: &mut PgConnection,
    refunds: &[Refund],
) -> Result<(), sqlx::Error> {
    let organizations: Vec<&str> =
        refunds.iter().map(|refund| refund.organization.as_str()).collect();
    let months: Vec<DateTime<Utc>> = refunds.iter().map(|refund| refund.charge.month()).collect();
    let credits: Vec<i64> = refunds.iter().map(|refund| refund.credits).collect();
    sqlx::query!(
        "WITH refunds AS MATERIALIZED (
            SELECT organization_id, month, sum(credits)::bigint AS credits
              FROM unnest($1::text[], $2::timestamptz[], $3::bigint[])
                   AS refund (organization_id, month, credits)
             GROUP BY organization_id, month ORDER BY organization_id
        )
        UPDATE meters AS m
           SET month_used = greatest(m.month_used - refunds.credits, 0), credits_granted = 0
          FROM refunds
         WHERE m.organization_id = refunds.organization_id AND m.month = refunds.month",
        &organizations as _,
        &months,
        &credits
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Commits an empty message, which also writes every earlier commit to disk.
pub(super) async fn flush(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query!(r#"SELECT pg_logical_emit_message(true, 'payout', '')::text AS "position!""#)
        .fetch_one(connection)
        .await?;
    Ok(())
}
