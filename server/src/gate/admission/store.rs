//! The statements of admission. Each one is conditional: none reads a meter to write it later.

use std::sync::Arc;

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
pub(super) struct DecidedGroup {
    /// Its index among the groups, counted from 1.
    pub(super) position: i64,
    pub(super) now: DateTime<Utc>,
    pub(super) organization_id: OrganizationId,
    pub(super) key_id: Arc<str>,
    pub(super) api_version: Arc<str>,
    pub(super) expires_at: DateTime<Utc>,
    pub(super) revoked_at: Option<DateTime<Utc>>,
    /// The organisation moves to another cell, or has moved to this one.
    pub(super) is_stopped: bool,
    pub(super) moved_to: Option<String>,
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
/// A lone request is granted by a smaller statement where that can be done whole.
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
pub(super) async fn decide(
    connection: &mut PgConnection,
    groups: &[Group],
) -> Result<Vec<DecidedGroup>, sqlx::Error> {
    if let [Group { request, count: 1 }] = groups
        && let Some(granted) = grant_lone_request(connection, *request).await?
    {
        return Ok(vec![granted]);
    }
    let requests = || groups.iter().map(|group| &group.request);
    let keys: Vec<&[u8]> = requests().map(|request| request.key.as_bytes()).collect();
    let scopes: Vec<&str> = requests().map(|request| request.scope.as_str()).collect();
    let well_formed: Vec<bool> = requests().map(|request| request.is_well_formed).collect();
    let counts: Vec<i32> = groups.iter().map(|group| group.count).collect();
    sqlx::query_file_as!(
        DecidedGroup,
        "src/gate/admission/decide.sql",
        &keys as _,
        &scopes as _,
        &well_formed,
        &counts
    )
    .fetch_all(connection)
    .await
}

/// Grants the request whole, in half the time of [`decide`], or nothing: then [`decide`] finds the
/// reason, or decides otherwise because the minute has ended meanwhile.
async fn grant_lone_request(
    connection: &mut PgConnection,
    AdmissionRequest { key, scope, is_well_formed }: AdmissionRequest,
) -> Result<Option<DecidedGroup>, sqlx::Error> {
    sqlx::query_file_as!(
        DecidedGroup,
        "src/gate/admission/lone_request.sql",
        key.as_bytes(),
        scope.as_str(),
        is_well_formed
    )
    .fetch_optional(connection)
    .await
}

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
    sqlx::query_file_as!(MeterAhead, "src/gate/admission/set_clock_back.sql", &organizations as _)
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
    sqlx::query_file!("src/gate/admission/refund.sql", &organizations as _, &months, &credits)
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
