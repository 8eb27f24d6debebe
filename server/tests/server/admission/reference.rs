//! The reference model of admission: one transaction per request locks the meter, decides in plain
//! Rust and writes the meter back.

use chrono::{DateTime, Months, TimeDelta, Utc};
use payout_server::gate::admission::{
    AdmissionRequest, Allowance, Charge, InactiveKey, Outcome, Verdict,
};
use sqlx::{FromRow, PgPool};

/// The compared parts of a verdict: everything but the key's id and organisation.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decision {
    pub outcome: &'static str,
    /// When the key expired or was revoked.
    ended: Option<DateTime<Utc>>,
    /// Limit and remaining requests of the minute.
    pub rate: (i64, i64),
    minute_ends_in_seconds: u64,
    /// Limit and remaining credits of the month.
    credits: Option<(i64, i64)>,
    month_ends_in_seconds: u64,
    /// The month that a credit was taken from.
    pub charged: Option<DateTime<Utc>>,
}

impl Decision {
    pub fn of(verdict: &Verdict) -> Self {
        let ended =
            |outcome, at: &DateTime<Utc>| Self { outcome, ended: Some(*at), ..Self::default() };
        let admission = match verdict {
            Verdict::UnknownKey => return Self { outcome: "unknown key", ..Self::default() },
            Verdict::InactiveKey(InactiveKey::Expired(at)) => return ended("expired", at),
            Verdict::InactiveKey(InactiveKey::Revoked(at)) => return ended("revoked", at),
            // The model has no moves: `moves` tests them.
            Verdict::Stopped { .. } => return Self { outcome: "stopped", ..Self::default() },
            Verdict::ValidKey(admission) => admission,
        };
        let pair = |allowance: Allowance| (allowance.limit, allowance.remaining);
        Self {
            outcome: match admission.outcome {
                Outcome::RateLimited => "rate limited",
                Outcome::InsufficientScope => "insufficient scope",
                Outcome::InvalidRequest => "invalid request",
                Outcome::CreditsExhausted => "credits exhausted",
                Outcome::Admitted(_) => "admitted",
            },
            ended: None,
            rate: pair(admission.rate),
            minute_ends_in_seconds: admission.minute_ends_in_seconds,
            credits: admission.credits.map(pair),
            month_ends_in_seconds: admission.month_ends_in_seconds,
            charged: charge_of(verdict).map(|charge| charge.month()),
        }
    }
}

pub fn charge_of(verdict: &Verdict) -> Option<Charge> {
    match verdict {
        Verdict::ValidKey(admission) => match admission.outcome {
            Outcome::Admitted(charge) => Some(charge),
            _ => None,
        },
        _ => None,
    }
}

pub struct ReferenceAdmission(pub PgPool);

/// A key and the meter of its organisation.
#[derive(FromRow)]
struct Row {
    now: DateTime<Utc>,
    this_minute: DateTime<Utc>,
    this_month: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    revoked_at: Option<DateTime<Utc>>,
    in_scope: bool,
    requests_per_minute: i32,
    credits_per_month: Option<i64>,
    minute: DateTime<Utc>,
    minute_used: i32,
    month: DateTime<Utc>,
    month_used: i64,
}

impl ReferenceAdmission {
    pub async fn admit(&self, request: AdmissionRequest) -> Decision {
        let mut transaction = self.0.begin().await.unwrap();
        let row: Option<Row> = sqlx::query_as(
            "SELECT *, date_trunc('minute', now, 'UTC') AS this_minute,
                    date_trunc('month', now, 'UTC') AS this_month, $2 = ANY (scopes) AS in_scope
               FROM api_keys JOIN meters USING (organization_id), (SELECT service_now() AS now)
                 AS clock
              WHERE hash = $1 FOR UPDATE OF meters",
        )
        .bind(request.key.as_bytes())
        .bind(request.scope.as_str())
        .fetch_optional(&mut *transaction)
        .await
        .unwrap();
        let Some(mut row) = row else {
            return Decision { outcome: "unknown key", ..Decision::default() };
        };
        let decision = row.decide(request.is_well_formed);
        sqlx::query(
            "UPDATE meters SET minute = $2, minute_used = $3, month = $4, month_used = $5
              WHERE organization_id = (SELECT organization_id FROM api_keys WHERE hash = $1)",
        )
        .bind(request.key.as_bytes())
        .bind(row.minute)
        .bind(row.minute_used)
        .bind(row.month)
        .bind(row.month_used)
        .execute(&mut *transaction)
        .await
        .unwrap();
        transaction.commit().await.unwrap();
        decision
    }

    /// Takes a charge back, unless its month has ended.
    pub async fn refund(&self, organization: &str, charged: DateTime<Utc>) {
        sqlx::query(
            "UPDATE meters SET month_used = greatest(month_used - 1, 0)
              WHERE organization_id = $1 AND month = $2",
        )
        .bind(organization)
        .bind(charged)
        .execute(&self.0)
        .await
        .unwrap();
    }
}

impl Row {
    /// Changes the meter; returns the decision.
    fn decide(&mut self, is_well_formed: bool) -> Decision {
        for (outcome, ended) in [("revoked", self.revoked_at), ("expired", Some(self.expires_at))] {
            if ended.is_some_and(|ended| outcome == "revoked" || ended <= self.now) {
                return Decision { outcome, ended, ..Decision::default() };
            }
        }
        // What is further ahead was written under a wrong clock, and counts as now.
        let latest = self.this_minute + TimeDelta::minutes(1);
        if self.minute > latest {
            (self.minute, self.minute_used) = (self.this_minute, 0);
        }
        if self.month > latest {
            self.month = self.this_month;
        }
        let minute_used = if self.minute >= self.this_minute { self.minute_used } else { 0 };
        let month_used = if self.month >= self.this_month { self.month_used } else { 0 };
        let limit = self.requests_per_minute;
        let minute_ends = self.minute.max(self.this_minute) + TimeDelta::minutes(1);
        let minute_ends_in_seconds = self.seconds_to(minute_ends);
        let rate = |used: i32| (limit.into(), i64::from((limit - used).max(0)));
        if minute_used >= limit {
            let (outcome, rate) = ("rate limited", rate(minute_used));
            return Decision { outcome, rate, minute_ends_in_seconds, ..Decision::default() };
        }
        let has_credit = self.credits_per_month.is_none_or(|limit| limit > month_used);
        let outcome = match (self.in_scope, is_well_formed, has_credit) {
            (false, _, _) => "insufficient scope",
            (true, false, _) => "invalid request",
            (true, true, false) => "credits exhausted",
            (true, true, true) => "admitted",
        };
        let is_charged = outcome == "admitted";
        self.minute = self.minute.max(self.this_minute);
        self.minute_used = minute_used + 1;
        self.month = self.month.max(self.this_month);
        self.month_used = month_used + i64::from(is_charged);
        Decision {
            outcome,
            ended: None,
            rate: rate(self.minute_used),
            minute_ends_in_seconds,
            credits: self.credits_per_month.map(|it| (it, (it - self.month_used).max(0))),
            month_ends_in_seconds: self.seconds_to(self.month + Months::new(1)),
            charged: is_charged.then_some(self.month),
        }
    }

    /// Whole seconds, rounded up.
    fn seconds_to(&self, instant: DateTime<Utc>) -> u64 {
        let milliseconds = (instant - self.now).num_milliseconds();
        u64::try_from(milliseconds).unwrap().div_ceil(1_000)
    }
}
