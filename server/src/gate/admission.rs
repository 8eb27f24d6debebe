//! Admission: in one durable step, is the key valid, has its organisation room in this minute, may the key, is a credit
//! left this month — each answer telling its own place in one serial order (A2, A4, A6–A8).
//!
//! It refuses to decide anything from memory: a revocation holds from its commit on, on every replica.

use std::{future::Future, sync::Arc};

use chrono::{DateTime, Months, TimeDelta, Utc};
use sqlx::PgPool;

use super::{caller::OrganizationId, key::KeyHash};
use crate::contract::types::Scope;

/// How often a request that lost a race is submitted again before the service calls itself overloaded.
const ATTEMPTS: usize = 8;

/// What one request asks of the gate.
#[derive(Clone, Copy, Debug)]
pub struct AdmissionRequest {
    /// Hash of the key it carries.
    pub key: KeyHash,
    /// The scope its operation needs.
    pub scope: Scope,
    /// Whether its form is sound; a request that will be answered 400, 413, 415 or 422 for its form costs no credit.
    pub form_is_sound: bool,
}

/// What the gate says of it.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No key has this hash.
    UnknownKey,
    /// The key was valid once; its holder may be told when that ended (A3).
    DeadKey(DeadKey),
    /// A valid key, and what becomes of the request.
    ValidKey(Box<Admission>),
}

/// Why a known key is not valid any more.
#[derive(Clone, Copy, Debug)]
pub enum DeadKey {
    /// Its life ended at this time.
    Expired(DateTime<Utc>),
    /// It was revoked at this time.
    Revoked(DateTime<Utc>),
}

/// A request with a valid key, counted.
#[derive(Clone, Debug)]
pub struct Admission {
    /// The key's organisation.
    pub organization: OrganizationId,
    /// The key's id.
    pub key_id: Arc<str>,
    /// The organisation's requests in this minute, after this one.
    pub rate: Allowance,
    /// Seconds until the next minute begins, rounded up.
    pub minute_ends_in_seconds: u64,
    /// The organisation's credits in this month, after this request; `None` where they are unlimited.
    pub credits: Option<Allowance>,
    /// Seconds until the next month begins, rounded up.
    pub month_ends_in_seconds: u64,
    /// What becomes of the request.
    pub outcome: Outcome,
}

/// What becomes of a request with a valid key, in the decided order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// 429: no request is left in this minute.
    RateLimited,
    /// 403: the key lacks the scope.
    InsufficientScope,
    /// The form's own answer: 415, 413, 400 or 422.
    FormRefused,
    /// 402: no credit is left this month.
    CreditsExhausted,
    /// Admitted, and charged to this month.
    Admitted(Charge),
}

/// The month a credit was taken from, to give it back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charge(DateTime<Utc>);

/// A limit and what is left of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The limit.
    pub limit: i64,
    /// What is left, this request counted.
    pub remaining: i64,
}

impl Allowance {
    fn after(limit: i64, used: i64) -> Self {
        Self {
            limit,
            remaining: (limit - used).max(0),
        }
    }
}

/// Why the gate could not decide.
#[derive(Debug, thiserror::Error)]
pub enum AdmissionError {
    /// The database did not answer, or refused.
    #[error("the database did not admit the request")]
    Database(#[from] sqlx::Error),
    /// The request lost every race for its meter.
    #[error("the organisation's meter was too busy")]
    Contended,
}

/// Who admits requests: one statement per request, or a batch of them. The answers are the same for the same history.
pub trait Admit: Send + Sync + 'static {
    /// Decides, counts and charges, durably: when this returns, a crash forgets nothing of it (A8).
    fn admit(
        &self,
        request: AdmissionRequest,
    ) -> impl Future<Output = Result<Verdict, AdmissionError>> + Send;

    /// Gives a credit back after a 5xx, to the month it was taken from; after a roll-over it is dropped (A7).
    fn give_back(
        &self,
        organization: &OrganizationId,
        charge: Charge,
    ) -> impl Future<Output = Result<(), AdmissionError>> + Send;
}

/// Admission by one durable statement per request.
#[derive(Clone, Debug)]
pub struct StatementAdmission {
    pool: PgPool,
}

impl StatementAdmission {
    /// Admits over `pool`, whose connections see keys and meters of all organisations.
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        Self { pool }
    }
}

impl Admit for StatementAdmission {
    async fn admit(&self, request: AdmissionRequest) -> Result<Verdict, AdmissionError> {
        let mut connection = self.pool.acquire().await?;
        for _ in 0..ATTEMPTS {
            let row = decide(&mut connection, request).await?;
            if let Some(verdict) = row.verdict(request.form_is_sound) {
                return Ok(verdict);
            }
        }
        Err(AdmissionError::Contended)
    }

    async fn give_back(
        &self,
        organization: &OrganizationId,
        charge: Charge,
    ) -> Result<(), AdmissionError> {
        sqlx::query!(
            "UPDATE meters SET month_used = greatest(month_used - 1, 0), credits_granted = 0
              WHERE organization_id = $1 AND month = $2",
            organization.as_str(),
            charge.0
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}

/// One row: the moment, the key as this statement saw it, the meter after the update, and the meter before it.
struct Row {
    now: DateTime<Utc>,
    minute: DateTime<Utc>,
    organization_id: Option<String>,
    key_id: Option<String>,
    expires_at: Option<DateTime<Utc>>,
    revoked_at: Option<DateTime<Utc>>,
    in_scope: Option<bool>,
    seen_minute: Option<DateTime<Utc>>,
    seen_minute_used: Option<i32>,
    seen_requests_per_minute: Option<i32>,
    requests_per_minute: Option<i32>,
    credits_per_month: Option<i64>,
    minute_used: Option<i32>,
    month: Option<DateTime<Utc>>,
    month_used: Option<i64>,
    credits_granted: Option<i32>,
}

/// The minute and the month only roll forward (`greatest`): a statement that waited for the row while they turned would
/// otherwise reset the new month and overspend it.
async fn decide(
    connection: &mut sqlx::PgConnection,
    request: AdmissionRequest,
) -> Result<Row, sqlx::Error> {
    sqlx::query_as!(
        Row,
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

impl Row {
    /// What the row says; `None` where it must be asked again: the update was refused by a meter that another request
    /// had filled meanwhile, while the snapshot still showed room. Deciding from the snapshot would answer wrongly.
    fn verdict(self, form_is_sound: bool) -> Option<Verdict> {
        let (Some(organization), Some(key_id), Some(expires_at)) =
            (&self.organization_id, &self.key_id, self.expires_at)
        else {
            return Some(Verdict::UnknownKey);
        };
        if let Some(revoked_at) = self.revoked_at {
            return Some(Verdict::DeadKey(DeadKey::Revoked(revoked_at)));
        }
        if expires_at <= self.now {
            return Some(Verdict::DeadKey(DeadKey::Expired(expires_at)));
        }
        let organization = OrganizationId::parse(organization)
            .expect("organizations.id is made by us, in this form");
        let key_id: Arc<str> = key_id.as_str().into();
        let in_scope = self.in_scope.unwrap_or(false);
        let admission = match self.spent() {
            Some(spent) => spent.admission(
                organization,
                key_id,
                self.now,
                self.minute,
                in_scope,
                form_is_sound,
            ),
            None => self.refused(organization, key_id)?,
        };
        Some(Verdict::ValidKey(Box::new(admission)))
    }

    fn spent(&self) -> Option<Spent> {
        Some(Spent {
            requests_per_minute: self.requests_per_minute?,
            credits_per_month: self.credits_per_month,
            minute_used: self.minute_used?,
            month: self.month?,
            month_used: self.month_used?,
            charged: self.credits_granted? > 0,
        })
    }

    fn refused(&self, organization: OrganizationId, key_id: Arc<str>) -> Option<Admission> {
        let limit = self.seen_requests_per_minute?;
        let used = if self.seen_minute? >= self.minute {
            self.seen_minute_used?
        } else {
            0
        };
        (used >= limit).then(|| Admission {
            organization,
            key_id,
            rate: Allowance::after(limit.into(), used.into()),
            minute_ends_in_seconds: seconds_until(self.now, self.minute + TimeDelta::minutes(1)),
            credits: None,
            month_ends_in_seconds: 0,
            outcome: Outcome::RateLimited,
        })
    }
}

/// The meter, as the update left it.
struct Spent {
    requests_per_minute: i32,
    credits_per_month: Option<i64>,
    minute_used: i32,
    month: DateTime<Utc>,
    month_used: i64,
    charged: bool,
}

impl Spent {
    fn admission(
        self,
        organization: OrganizationId,
        key_id: Arc<str>,
        now: DateTime<Utc>,
        minute: DateTime<Utc>,
        in_scope: bool,
        form_is_sound: bool,
    ) -> Admission {
        let outcome = match (in_scope, form_is_sound, self.charged) {
            (false, _, _) => Outcome::InsufficientScope,
            (true, false, _) => Outcome::FormRefused,
            (true, true, false) => Outcome::CreditsExhausted,
            (true, true, true) => Outcome::Admitted(Charge(self.month)),
        };
        Admission {
            organization,
            key_id,
            rate: Allowance::after(self.requests_per_minute.into(), self.minute_used.into()),
            minute_ends_in_seconds: seconds_until(now, minute + TimeDelta::minutes(1)),
            credits: self
                .credits_per_month
                .map(|limit| Allowance::after(limit, self.month_used)),
            month_ends_in_seconds: seconds_until(now, self.month + Months::new(1)),
            outcome,
        }
    }
}

/// Whole seconds, rounded up: after them, and never before, the limit is fresh.
fn seconds_until(now: DateTime<Utc>, then: DateTime<Utc>) -> u64 {
    let milliseconds = (then - now).num_milliseconds().max(0).unsigned_abs();
    milliseconds.div_ceil(1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_rounded_up() {
        let then: DateTime<Utc> = "2026-12-01T00:00:00Z".parse().unwrap();
        assert_eq!(seconds_until(then - TimeDelta::milliseconds(1), then), 1);
        assert_eq!(seconds_until(then - TimeDelta::seconds(60), then), 60);
        assert_eq!(seconds_until(then, then), 0);
    }
}
