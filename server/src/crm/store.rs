//! Syncs and their queue in Postgres. A worker reads only the queue across organisations; it takes
//! a sync up, and writes its end, in a transaction within the sync's organisation.

use serde_json::{Map, Value};
use sqlx::{PgConnection, types::Json};

use super::{
    model::{Failure, Job, JobConnection, LEASE_SECONDS, Sync},
    token::SealedToken,
};
use crate::{
    gate::Caller,
    id::OrganizationId,
    postgres::{SingleStatement, TenantTransaction},
};

/// A sync that a request asks for.
pub(super) struct CreateSync<'a> {
    pub(super) caller: &'a Caller,
    pub(super) id: &'a str,
    pub(super) object_type: &'a str,
    pub(super) object_id: &'a str,
}

/// The sync that is queued: the new one, or an earlier one with another id.
pub(super) struct Queued {
    pub(super) is_connected: bool,
    pub(super) id: Option<String>,
    pub(super) created_at: Option<chrono::DateTime<chrono::Utc>>,
}

/// Queues the sync with its history row, or finds the one that is queued for the object.
impl SingleStatement for CreateSync<'_> {
    type Output = Queued;

    async fn run(&self, connection: &mut PgConnection) -> Result<Queued, sqlx::Error> {
        sqlx::query_file_as!(
            Queued,
            "src/crm/create_sync.sql",
            self.caller.organization.as_str(),
            self.id,
            self.object_type,
            self.object_id,
            &*self.caller.key_id,
            &*self.caller.request_id
        )
        .fetch_one(connection)
        .await
    }
}

pub(super) struct GetSync<'a> {
    pub(super) organization: &'a OrganizationId,
    pub(super) id: &'a str,
}

impl SingleStatement for GetSync<'_> {
    type Output = Option<Sync>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Option<Sync>, sqlx::Error> {
        sqlx::query_as!(
            Sync,
            "WITH scope AS MATERIALIZED (
                SELECT set_config('app.organization_id', $1, true) AS organization_id
            )
            SELECT found.* FROM scope CROSS JOIN LATERAL (
                SELECT id, object_type, object_id, status, partner_id, changed, failure_code,
                       failure_message, created_at, finished_at
                  FROM crm_syncs
                 WHERE organization_id = scope.organization_id AND id = $2
                 LIMIT 1) AS found",
            self.organization.as_str(),
            self.id
        )
        .fetch_optional(connection)
        .await
    }
}

/// The organisations with a sync that can be taken up, those with the fewest tries under way first.
pub(super) struct ListDue {
    pub(super) limit: i64,
}

impl SingleStatement for ListDue {
    type Output = Vec<OrganizationId>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Self::Output, sqlx::Error> {
        sqlx::query_scalar!(
            r#"SELECT organization_id AS "id: OrganizationId" FROM crm_queue
                WHERE due_at <= service_now()
                  AND NOT EXISTS (SELECT FROM organizations
                                   WHERE id = organization_id AND stopped_at IS NOT NULL)
                ORDER BY running, due_at, organization_id
                LIMIT $1"#,
            self.limit
        )
        .fetch_all(connection)
        .await
    }
}

/// How many syncs wait, of all organisations, and for how long the oldest one has.
pub(super) struct CountQueued;

pub(super) struct Waiting {
    pub(super) queued: i64,
    pub(super) oldest_seconds: i64,
}

impl SingleStatement for CountQueued {
    type Output = Waiting;

    async fn run(&self, connection: &mut PgConnection) -> Result<Waiting, sqlx::Error> {
        sqlx::query_as!(
            Waiting,
            r#"SELECT coalesce(sum(queued), 0)::bigint AS "queued!",
                      coalesce(extract(epoch FROM service_now() - min(oldest_queued_at)), 0)::bigint
                          AS "oldest_seconds!"
                 FROM crm_queue
                WHERE due_at IS NOT NULL
                  AND NOT EXISTS (SELECT FROM organizations
                                   WHERE id = organization_id AND stopped_at IS NOT NULL)"#
        )
        .fetch_one(connection)
        .await
    }
}

/// Locks the transaction's organisation in the queue; false where it has nothing to take up any
/// more, or where another worker has the lock.
pub(super) async fn lock_queue(transaction: &mut TenantTransaction) -> Result<bool, sqlx::Error> {
    let row = sqlx::query!(
        "SELECT organization_id FROM crm_queue
          WHERE organization_id = $1 AND due_at <= service_now()
            FOR UPDATE SKIP LOCKED",
        transaction.organization() as _
    );
    Ok(row.fetch_optional(&mut **transaction).await?.is_some())
}

/// Takes up the sync that is due longest, for one try; the queue is locked.
pub(super) async fn take_sync(
    transaction: &mut TenantTransaction,
    per_organization: u32,
) -> Result<Option<Job>, sqlx::Error> {
    let organization_id = transaction.organization();
    let row = sqlx::query_file!(
        "src/crm/take_sync.sql",
        organization_id.as_str(),
        i64::from(per_organization),
        f64::from(LEASE_SECONDS)
    );
    let Some(row) = row.fetch_optional(&mut **transaction).await? else { return Ok(None) };
    let connection = row.connection_id.zip(row.base_url).zip(row.token_key.zip(row.sealed_token));
    Ok(Some(Job {
        organization_id,
        id: row.id,
        object_type: row.object_type,
        object_id: row.object_id,
        request_id: row.request_id,
        tries: row.tries,
        was_queued: row.was_queued,
        connection: connection.map(|((id, base_url), (key, bytes))| JobConnection {
            id,
            base_url,
            object_type: row.crm_type.unwrap_or_default(),
            properties: row.properties.unwrap_or_default(),
            token: SealedToken { key, bytes },
        }),
    }))
}

/// Writes to the queue what can be taken up next, after a change of the organisation's syncs.
pub(super) async fn requeue(
    transaction: &mut TenantTransaction,
    per_organization: u32,
    taken: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query_file!(
        "src/crm/requeue.sql",
        transaction.organization() as _,
        i64::from(per_organization),
        taken
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}

/// Who asked for a sync, and in which request.
pub(super) struct Asked {
    actor: String,
    request_id: String,
}

/// Locks the sync of a job; `None` where another try of it has begun, or has ended it.
pub(super) async fn lock_sync(
    transaction: &mut TenantTransaction,
    job: &Job,
) -> Result<Option<Asked>, sqlx::Error> {
    sqlx::query_as!(
        Asked,
        "SELECT actor, request_id FROM crm_syncs
          WHERE organization_id = $1 AND id = $2 AND tries = $3 AND in_flight
            FOR NO KEY UPDATE",
        transaction.organization() as _,
        job.id,
        job.tries
    )
    .fetch_optional(&mut **transaction)
    .await
}

/// What a sync has done.
#[derive(Clone, Debug)]
pub(super) struct Replaced {
    /// The oldest partner that the object belongs to.
    pub(super) partner_id: Option<String>,
    pub(super) changed: bool,
}

/// Replaces the properties of the object's partners, with a history row for each that changes.
pub(super) async fn replace_properties(
    transaction: &mut TenantTransaction,
    job: &Job,
    asked: &Asked,
    properties: Map<String, Value>,
) -> Result<Replaced, sqlx::Error> {
    let organization = transaction.organization();
    macro_rules! replace {
        ($file:literal) => {
            sqlx::query_file_as!(
                Replaced,
                $file,
                organization.as_str(),
                job.object_id,
                Json(properties) as _,
                asked.actor,
                asked.request_id
            )
            .fetch_one(&mut **transaction)
            .await
        };
    }
    match &*job.object_type {
        "PARTNER" => replace!("src/crm/replace_partner_properties.sql"),
        _ => replace!("src/crm/replace_company_properties.sql"),
    }
}

/// Ends the locked sync: with the partner that it is about, or with a failure.
pub(super) async fn end_sync(
    transaction: &mut TenantTransaction,
    job: &Job,
    result: Result<&Replaced, Failure>,
) -> Result<(), sqlx::Error> {
    let (replaced, failure) = (result.ok(), result.err());
    sqlx::query!(
        "UPDATE crm_syncs
            SET status = CASE WHEN $5::text IS NULL THEN 'SUCCEEDED' ELSE 'FAILED' END,
                in_flight = false, due_at = NULL, finished_at = service_now(),
                partner_id = $3, changed = $4, failure_code = $5, failure_message = $6
          WHERE organization_id = $1 AND id = $2",
        transaction.organization() as _,
        job.id,
        replaced.and_then(|replaced| replaced.partner_id.as_deref()),
        replaced.is_some_and(|replaced| replaced.changed),
        failure.map(|failure| failure.code),
        failure.map(|failure| failure.message)
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}

/// Lets the locked sync wait for its next try. With `rests`, no sync of the organisation begins
/// before that.
pub(super) async fn pause_sync(
    transaction: &mut TenantTransaction,
    job: &Job,
    pause_seconds: u32,
    rests: bool,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "WITH paused AS (
            UPDATE crm_syncs
               SET in_flight = false, due_at = service_now() + make_interval(secs => $3)
             WHERE organization_id = $1 AND id = $2
            RETURNING due_at
        )
        UPDATE crm_queue SET rests_until = greatest(rests_until, paused.due_at)
          FROM paused
         WHERE organization_id = $1 AND $4",
        transaction.organization() as _,
        job.id,
        f64::from(pause_seconds),
        rests
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}
