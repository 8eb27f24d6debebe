//! Admission by one durable statement per request: plain, slower, and what the tests hold batches against.
//!
//! It refuses a batch, and a verdict that is not durable yet.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use sqlx::PgPool;

use super::{
    admit::{AdmissionError, Admit, Admitted},
    flusher::Durability,
    store::{self, DecidedRequest},
    verdict::{
        Admission, AdmissionRequest, Allowance, Charge, InactiveKey, Moment, Outcome, Verdict,
    },
};
use crate::id::OrganizationId;

/// How often a request that lost a race is submitted again before the service calls itself overloaded.
const ATTEMPTS: usize = 8;

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
    async fn admit(&self, request: AdmissionRequest) -> Result<Admitted, AdmissionError> {
        let mut connection = self.pool.acquire().await?;
        for _ in 0..ATTEMPTS {
            let row = store::decide_one(&mut connection, request).await?;
            if let Some(verdict) = row.verdict(request.form_is_sound) {
                return Ok(Admitted {
                    verdict,
                    durability: Durability::reached_already(),
                });
            }
        }
        Err(AdmissionError::Contended)
    }

    async fn refund(
        &self,
        organization: &OrganizationId,
        charge: Charge,
    ) -> Result<(), AdmissionError> {
        let mut connection = self.pool.acquire().await?;
        store::refund(&mut connection, &[(organization.clone(), charge)]).await?;
        Ok(())
    }
}

impl DecidedRequest {
    /// What the row says; `None` where it must be asked again: the update was refused by a meter that another request
    /// had filled meanwhile, while the snapshot still showed room. AdmissionLane from the snapshot would answer wrongly.
    fn verdict(self, form_is_sound: bool) -> Option<Verdict> {
        let (Some(organization), Some(key_id), Some(expires_at)) =
            (&self.organization_id, &self.key_id, self.expires_at)
        else {
            return Some(Verdict::UnknownKey);
        };
        if let Some(revoked_at) = self.revoked_at {
            return Some(Verdict::InactiveKey(InactiveKey::Revoked(revoked_at)));
        }
        if expires_at <= self.now {
            return Some(Verdict::InactiveKey(InactiveKey::Expired(expires_at)));
        }
        let organization = OrganizationId::parse(organization)
            .expect("organizations.id is made by us, in this form");
        let key_id: Arc<str> = key_id.as_str().into();
        let in_scope = self.in_scope.unwrap_or(false);
        let admission = match self.spent() {
            Some(spent) => spent.admission(
                organization,
                key_id,
                Moment(self.now),
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
            minute_ends_in_seconds: Moment(self.now).seconds_left_in_minute(),
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
        moment: Moment,
        in_scope: bool,
        form_is_sound: bool,
    ) -> Admission {
        let outcome = match (in_scope, form_is_sound, self.charged) {
            (false, _, _) => Outcome::InsufficientScope,
            (true, false, _) => Outcome::FormRefused,
            (true, true, false) => Outcome::CreditsExhausted,
            (true, true, true) => Outcome::Admitted(Charge::to(self.month)),
        };
        Admission {
            organization,
            key_id,
            rate: Allowance::after(self.requests_per_minute.into(), self.minute_used.into()),
            minute_ends_in_seconds: moment.seconds_left_in_minute(),
            credits: self
                .credits_per_month
                .map(|limit| Allowance::after(limit, self.month_used)),
            month_ends_in_seconds: moment.seconds_left_in_month(self.month),
            outcome,
        }
    }
}
