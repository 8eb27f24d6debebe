//! The statements of admission.
//!
//! It refuses to read a meter and write it later: each is one conditional statement.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::verdict::{AdmissionRequest, Charge};
use crate::id::OrganizationId;
#[cfg(feature = "mutants")]
pub(super) use broken::charge;

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
    let statement = sqlx::query_as!(
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
    );
    #[cfg(feature = "mutants")]
    if let Some(faults) = broken::faults() {
        let statement = broken::text(statement, faults);
        return broken::decide(connection, statement, (keys, scopes, sound, counts)).await;
    }
    statement.fetch_all(connection).await
}

/// What a statement of one request says: the moment, the key as it saw it, the meter after the update, and the meter before it.
#[derive(Debug)]
pub(super) struct DecidedRequest {
    pub(super) now: DateTime<Utc>,
    pub(super) minute: DateTime<Utc>,
    pub(super) organization_id: Option<String>,
    pub(super) key_id: Option<String>,
    pub(super) expires_at: Option<DateTime<Utc>>,
    pub(super) revoked_at: Option<DateTime<Utc>>,
    pub(super) in_scope: Option<bool>,
    pub(super) seen_minute: Option<DateTime<Utc>>,
    pub(super) seen_minute_used: Option<i32>,
    pub(super) seen_requests_per_minute: Option<i32>,
    pub(super) requests_per_minute: Option<i32>,
    pub(super) credits_per_month: Option<i64>,
    pub(super) minute_used: Option<i32>,
    pub(super) month: Option<DateTime<Utc>>,
    pub(super) month_used: Option<i64>,
    pub(super) credits_granted: Option<i32>,
}

/// Decides one request. The minute and the month only roll forward (`greatest`): a statement that waited for the row while they turned would
/// otherwise reset the new month and overspend it.
///
/// # Errors
/// The database refused or is away.
pub(super) async fn decide_one(
    connection: &mut PgConnection,
    request: AdmissionRequest,
) -> Result<DecidedRequest, sqlx::Error> {
    sqlx::query_as!(
        DecidedRequest,
        r#"WITH moment AS MATERIALIZED (
            SELECT now, date_trunc('minute', now, 'UTC') AS minute, date_trunc('month', now, 'UTC') AS month
              FROM (SELECT service_now() AS now) AS clock
        ), key AS MATERIALIZED (
            SELECT organization_id, id, expires_at, revoked_at, $2 = ANY (scopes) AS in_scope
              FROM api_keys WHERE hash = $1
        ), spent AS (
            UPDATE meters AS m
               SET minute = greatest(m.minute, moment.minute),
                   minute_used = CASE WHEN m.minute >= moment.minute THEN m.minute_used ELSE 0 END + 1,
                   month = greatest(m.month, moment.month),
                   month_used = CASE WHEN m.month >= moment.month THEN m.month_used ELSE 0 END
                       + CASE WHEN key.in_scope AND $3 AND (m.credits_per_month IS NULL OR m.credits_per_month
                              > CASE WHEN m.month >= moment.month THEN m.month_used ELSE 0 END) THEN 1 ELSE 0 END,
                   credits_granted = CASE WHEN key.in_scope AND $3 AND (m.credits_per_month IS NULL OR m.credits_per_month
                              > CASE WHEN m.month >= moment.month THEN m.month_used ELSE 0 END) THEN 1 ELSE 0 END
              FROM key, moment
             WHERE m.organization_id = key.organization_id
               AND key.revoked_at IS NULL AND key.expires_at > moment.now
               AND m.requests_per_minute > CASE WHEN m.minute >= moment.minute THEN m.minute_used ELSE 0 END
            RETURNING m.requests_per_minute, m.credits_per_month, m.minute_used, m.month, m.month_used, m.credits_granted
        )
        SELECT moment.now AS "now!", moment.minute AS "minute!",
               key.organization_id AS "organization_id?", key.id AS "key_id?", key.expires_at AS "expires_at?",
               key.revoked_at, key.in_scope,
               seen.minute AS "seen_minute?", seen.minute_used AS "seen_minute_used?",
               seen.requests_per_minute AS "seen_requests_per_minute?",
               spent.requests_per_minute AS "requests_per_minute?", spent.credits_per_month,
               spent.minute_used AS "minute_used?", spent.month AS "month?", spent.month_used AS "month_used?",
               spent.credits_granted AS "credits_granted?"
          FROM moment
          LEFT JOIN key ON true
          LEFT JOIN spent ON true
          LEFT JOIN meters AS seen ON seen.organization_id = key.organization_id"#,
        request.key.as_bytes(),
        request.scope.as_str(),
        request.form_is_sound,
    )
    .fetch_one(connection)
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

/// The statement of a batch, with a fault in it.
#[cfg(feature = "mutants")]
mod broken {
    use chrono::TimeDelta;
    use sqlx::{AssertSqlSafe, Execute, PgConnection, Postgres, Row, postgres::PgRow};

    use super::DecidedGroup;
    use crate::{
        id::OrganizationId,
        mutants::{self, Mutant},
    };

    const VALID: &str = "key.revoked_at IS NULL AND key.expires_at > moment.now AS is_valid";
    const VALID_A_WHILE: &str =
        "(key.revoked_at IS NULL OR key.revoked_at > moment.now - interval '30 seconds')
                   AND key.expires_at > moment.now AS is_valid";
    const VALID_FOR_EVER: &str = "key.revoked_at IS NULL AS is_valid";
    const GRANTED: &str = "least(wanted.requests, m.requests_per_minute - before.requests)";
    const HAS_ROOM: &str = "AND m.requests_per_minute > CASE WHEN m.minute >= moment.minute THEN m.minute_used ELSE 0 END";

    /// What stands in the statement, and what is written in its place.
    type Faults = &'static [(&'static str, &'static str)];
    type Columns<'a> = (Vec<&'a [u8]>, Vec<&'a str>, Vec<bool>, Vec<i32>);

    /// The faults of the active mutant.
    pub(super) fn faults() -> Option<Faults> {
        let faults: [(Mutant, Faults); 3] = [
            (Mutant::RevokedKeyLives, &[(VALID, VALID_A_WHILE)]),
            (Mutant::ExpiredKeyAccepted, &[(VALID, VALID_FOR_EVER)]),
            (
                Mutant::RateNotEnforced,
                &[(GRANTED, "wanted.requests"), (HAS_ROOM, "")],
            ),
        ];
        let active = faults.into_iter().find(|(mutant, _)| mutants::is(*mutant));
        active.map(|(_, faults)| faults)
    }

    /// The text of the statement with these faults.
    pub(super) fn text<'q>(statement: impl Execute<'q, Postgres>, faults: Faults) -> String {
        let mut text = statement.sql().as_str().to_owned();
        for (right, wrong) in faults {
            assert_eq!(
                text.matches(right).count(),
                1,
                "the statement has another text: {right}"
            );
            text = text.replace(right, wrong);
        }
        text
    }

    /// Runs it.
    pub(super) async fn decide(
        connection: &mut PgConnection,
        text: String,
        (keys, scopes, sound, counts): Columns<'_>,
    ) -> Result<Vec<DecidedGroup>, sqlx::Error> {
        let statement = sqlx::query(AssertSqlSafe(text));
        let statement = statement.bind(keys).bind(scopes).bind(sound).bind(counts);
        let rows = statement.fetch_all(connection).await?;
        rows.iter().map(decided).collect()
    }

    fn decided(row: &PgRow) -> Result<DecidedGroup, sqlx::Error> {
        let mut decided = DecidedGroup {
            position: row.try_get(0)?,
            now: row.try_get(1)?,
            organization_id: row.try_get(2)?,
            key_id: row.try_get(3)?,
            expires_at: row.try_get(4)?,
            revoked_at: row.try_get(5)?,
            in_scope: row.try_get(6)?,
            requests_per_minute: row.try_get(7)?,
            credits_per_month: row.try_get(8)?,
            minute_used: row.try_get(9)?,
            requests_granted: row.try_get(10)?,
            month: row.try_get(11)?,
            month_used: row.try_get(12)?,
            credits_granted: row.try_get(13)?,
            seen_minute: row.try_get(14)?,
            seen_minute_used: row.try_get(15)?,
            seen_requests_per_minute: row.try_get(16)?,
        };
        // Whoever reads the row judges the key once more.
        let lately = decided.now - TimeDelta::seconds(30);
        if mutants::is(Mutant::RevokedKeyLives) && decided.revoked_at > Some(lately) {
            decided.revoked_at = None;
        }
        if mutants::is(Mutant::ExpiredKeyAccepted) {
            decided.expires_at = decided.expires_at.max(decided.now + TimeDelta::days(1));
        }
        Ok(decided)
    }

    /// Takes a credit of each, whether there is one or not.
    ///
    /// # Errors
    /// The database refused or is away.
    pub(in super::super) async fn charge(
        connection: &mut PgConnection,
        organizations: &[OrganizationId],
    ) -> Result<(), sqlx::Error> {
        for organization in organizations {
            sqlx::query("UPDATE meters SET month_used = month_used + 1 WHERE organization_id = $1")
                .bind(organization.as_str())
                .execute(&mut *connection)
                .await?;
        }
        Ok(())
    }
}
