//! The reference model of admission: one transaction per request locks the meter, decides in plain
//! Rust and writes the meter back.

use chrono::{DateTime, Months, TimeDelta, Utc};
use payout_server::{
    gate::admission::{AdmissionRequest, Allowance, Charge, InactiveKey, Outcome, Verdict},
    id::OrganizationId,
};
use sqlx::{FromRow, PgPool};

/// The compared parts of a verdict: everything but the key's id and organisation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    UnknownKey,
    Expired(DateTime<Utc>),
    Revoked(DateTime<Utc>),
    ValidKey {
        outcome: &'static str,
        /// Limit and remaining requests of the minute.
        rate: (i64, i64),
        minute_ends_in_seconds: u64,
        /// Limit and remaining credits of the month.
        credits: Option<(i64, i64)>,
        month_ends_in_seconds: u64,
        /// The month that a credit was taken from.
        charged: Option<DateTime<Utc>>,
    },
}

impl Decision {
    /// The decision of the server.
    pub fn of(verdict: &Verdict) -> Self {
        let admission = match verdict {
            Verdict::UnknownKey => return Self::UnknownKey,
            Verdict::InactiveKey(InactiveKey::Expired(at)) => return Self::Expired(*at),
            Verdict::InactiveKey(InactiveKey::Revoked(at)) => return Self::Revoked(*at),
            Verdict::ValidKey(admission) => admission,
        };
        let (outcome, charged) = match admission.outcome {
            Outcome::RateLimited => ("rate limited", None),
            Outcome::InsufficientScope => ("insufficient scope", None),
            Outcome::InvalidRequest => ("invalid request", None),
            Outcome::CreditsExhausted => ("credits exhausted", None),
            Outcome::Admitted(charge) => ("admitted", Some(charge.month())),
        };
        let pair = |allowance: Allowance| (allowance.limit, allowance.remaining);
        Self::ValidKey {
            outcome,
            rate: pair(admission.rate),
            minute_ends_in_seconds: admission.minute_ends_in_seconds,
            credits: admission.credits.map(pair),
            month_ends_in_seconds: admission.month_ends_in_seconds,
            charged,
        }
    }

    pub fn outcome(&self) -> &'static str {
        match self {
            Self::UnknownKey => "unknown key",
            Self::Expired(_) | Self::Revoked(_) => "inactive key",
            Self::ValidKey { outcome, .. } => outcome,
        }
    }

    pub fn charged(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::ValidKey { charged, .. } => *charged,
            _ => None,
        }
    }
}

/// Admits one request at a time.
pub struct ReferenceAdmission(pub PgPool);

#[derive(FromRow)]
struct KeyRow {
    now: DateTime<Utc>,
    this_minute: DateTime<Utc>,
    this_month: DateTime<Utc>,
    organization_id: String,
    expires_at: DateTime<Utc>,
    revoked_at: Option<DateTime<Utc>>,
    in_scope: bool,
}

#[derive(FromRow)]
struct MeterRow {
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
        let key: Option<KeyRow> = sqlx::query_as(
            "SELECT now, date_trunc('minute', now, 'UTC') AS this_minute,
                    date_trunc('month', now, 'UTC') AS this_month,
                    organization_id, expires_at, revoked_at, $2 = ANY (scopes) AS in_scope
               FROM api_keys, (SELECT service_now() AS now) AS clock
              WHERE hash = $1",
        )
        .bind(request.key.as_bytes())
        .bind(request.scope.as_str())
        .fetch_optional(&mut *transaction)
        .await
        .unwrap();
        let Some(key) = key else {
            return Decision::UnknownKey;
        };
        if let Some(revoked_at) = key.revoked_at {
            return Decision::Revoked(revoked_at);
        }
        if key.expires_at <= key.now {
            return Decision::Expired(key.expires_at);
        }
        let meter: MeterRow = sqlx::query_as(
            "SELECT requests_per_minute, credits_per_month, minute, minute_used, month, month_used
               FROM meters WHERE organization_id = $1 FOR UPDATE",
        )
        .bind(&key.organization_id)
        .fetch_one(&mut *transaction)
        .await
        .unwrap();
        let (meter, decision) = meter.decide(&key, request.is_well_formed);
        sqlx::query(
            "UPDATE meters SET minute = $2, minute_used = $3, month = $4, month_used = $5
              WHERE organization_id = $1",
        )
        .bind(&key.organization_id)
        .bind(meter.minute)
        .bind(meter.minute_used)
        .bind(meter.month)
        .bind(meter.month_used)
        .execute(&mut *transaction)
        .await
        .unwrap();
        transaction.commit().await.unwrap();
        decision
    }

    /// Takes a charge back, unless its month has ended.
    pub async fn refund(&self, organization: &OrganizationId, charged: DateTime<Utc>) {
        sqlx::query(
            "UPDATE meters SET month_used = greatest(month_used - 1, 0)
              WHERE organization_id = $1 AND month = $2",
        )
        .bind(organization.as_str())
        .bind(charged)
        .execute(&self.0)
        .await
        .unwrap();
    }
}

impl MeterRow {
    /// The meter after the request, and the decision on it.
    fn decide(mut self, key: &KeyRow, is_well_formed: bool) -> (Self, Decision) {
        // What is further ahead was written under a wrong clock, and counts as now.
        let latest = key.this_minute + TimeDelta::minutes(1);
        if self.minute > latest {
            (self.minute, self.minute_used) = (key.this_minute, 0);
        }
        if self.month > latest {
            self.month = key.this_month;
        }
        let minute_used = if self.minute >= key.this_minute { self.minute_used } else { 0 };
        let month_used = if self.month >= key.this_month { self.month_used } else { 0 };
        let limit = self.requests_per_minute;
        let minute_ends = self.minute.max(key.this_minute) + TimeDelta::minutes(1);
        let decision = |outcome, used: i32, credits, month_ends_in_seconds, charged| {
            let remaining = i64::from((limit - used).max(0));
            Decision::ValidKey {
                outcome,
                rate: (limit.into(), remaining),
                minute_ends_in_seconds: seconds_between(key.now, minute_ends),
                credits,
                month_ends_in_seconds,
                charged,
            }
        };
        if minute_used >= limit {
            return (self, decision("rate limited", minute_used, None, 0, None));
        }
        let has_credit = self.credits_per_month.is_none_or(|limit| limit > month_used);
        let outcome = match (key.in_scope, is_well_formed, has_credit) {
            (false, _, _) => "insufficient scope",
            (true, false, _) => "invalid request",
            (true, true, false) => "credits exhausted",
            (true, true, true) => "admitted",
        };
        let is_charged = outcome == "admitted";
        self.minute = self.minute.max(key.this_minute);
        self.minute_used = minute_used + 1;
        self.month = self.month.max(key.this_month);
        self.month_used = month_used + i64::from(is_charged);
        let credits = self.credits_per_month;
        let credits = credits.map(|limit| (limit, (limit - self.month_used).max(0)));
        let month_ends = seconds_between(key.now, self.month + Months::new(1));
        let charged = is_charged.then_some(self.month);
        let decision = decision(outcome, self.minute_used, credits, month_ends, charged);
        (self, decision)
    }
}

/// Whole seconds, rounded up.
fn seconds_between(from: DateTime<Utc>, to: DateTime<Utc>) -> u64 {
    let milliseconds = (to - from).num_milliseconds();
    u64::try_from(milliseconds).unwrap().div_ceil(1_000)
}

/// The charge of an admitted request.
pub fn charge_of(verdict: &Verdict) -> Option<Charge> {
    match verdict {
        Verdict::ValidKey(admission) => match admission.outcome {
            Outcome::Admitted(charge) => Some(charge),
            _ => None,
        },
        _ => None,
    }
}
