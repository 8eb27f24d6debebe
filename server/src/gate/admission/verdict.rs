//! The request for admission, and the verdict on it.

use std::sync::Arc;

use chrono::{DateTime, Months, TimeDelta, Utc};

use crate::{
    contract::types::Scope,
    gate::{in_flight::Owner, key::KeyHash},
    id::OrganizationId,
};

/// What admission must know of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AdmissionRequest {
    pub key: KeyHash,
    /// The scope that its operation requires.
    pub scope: Scope,
    /// Whether its form is valid; a request that gets a 400, 413, 415 or 422 for its form costs no
    /// credit.
    pub is_well_formed: bool,
}

/// The gate's decision on a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// No key has this hash.
    UnknownKey,
    /// The key was valid once; its holder may learn when that ended (A3).
    InactiveKey(InactiveKey),
    /// A valid key, and what it may do.
    ValidKey(Box<Admission>),
}

impl Verdict {
    /// Whether its response reports what was counted and charged.
    pub(super) fn reports_meter(&self) -> bool {
        matches!(self, Self::ValidKey(_))
    }

    /// Whether the request was counted, so that its statement wrote to a meter.
    pub(super) fn is_counted(&self) -> bool {
        matches!(self, Self::ValidKey(admission) if admission.outcome != Outcome::RateLimited)
    }

    /// Whether the operation may run.
    pub(in crate::gate) fn is_admitted(&self) -> bool {
        let Self::ValidKey(admission) = self else {
            return false;
        };
        matches!(admission.outcome, Outcome::Admitted(_))
    }
}

/// Why a known key is not valid any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InactiveKey {
    Expired(DateTime<Utc>),
    Revoked(DateTime<Utc>),
}

/// The decision on a request with a valid key.
#[derive(Clone, Debug, PartialEq)]
pub struct Admission {
    /// The key's organisation.
    pub organization: OrganizationId,
    /// The key's id.
    pub key_id: Arc<str>,
    /// The version that the key was made with (X12).
    pub api_version: Arc<str>,
    /// The organisation's requests in this minute, after this one.
    pub rate: Allowance,
    /// Seconds until the next minute begins, rounded up.
    pub minute_ends_in_seconds: u64,
    /// The organisation's credits in this month, after this request; `None` where they are
    /// unlimited.
    pub credits: Option<Allowance>,
    /// Seconds until the next month begins, rounded up.
    pub month_ends_in_seconds: u64,
    /// What the request may do.
    pub outcome: Outcome,
}

impl Admission {
    pub(in crate::gate) fn owner(&self) -> Owner {
        Owner { organization: self.organization.clone(), key_id: Arc::clone(&self.key_id) }
    }
}

/// What a request with a valid key may do; the variants are in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// 429: no request is left in this minute.
    RateLimited,
    /// 403: the key lacks the scope.
    InsufficientScope,
    /// 415, 413, 400 or 422 for its form.
    InvalidRequest,
    /// 402: no credit is left this month.
    CreditsExhausted,
    /// Admitted, and charged to this month.
    Admitted(Charge),
}

/// The month that a credit was taken from, which is where a refund goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Charge(DateTime<Utc>);

impl Charge {
    pub(super) fn to(month: DateTime<Utc>) -> Self {
        Self(month)
    }

    /// The month's beginning.
    #[must_use]
    pub fn month(self) -> DateTime<Utc> {
        self.0
    }
}

/// A limit and what remains of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    pub limit: i64,
    /// What remains, this request included.
    pub remaining: i64,
}

impl Allowance {
    pub(super) fn after(limit: i64, used: i64) -> Self {
        Self { limit, remaining: (limit - used).max(0) }
    }
}

/// The time of a batch's statement, the same for all its requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment(pub(super) DateTime<Utc>);

impl Moment {
    /// The beginning of its minute, in UTC.
    pub(super) fn minute(self) -> DateTime<Utc> {
        let second = self.0.timestamp().rem_euclid(60);
        let past = TimeDelta::seconds(second)
            + TimeDelta::nanoseconds(self.0.timestamp_subsec_nanos().into());
        self.0 - past
    }

    /// Returns true if this minute or month of a meter begins more than a minute later, as only a
    /// database with a wrong clock writes it.
    pub(super) fn is_far_behind(self, minute_or_month: DateTime<Utc>) -> bool {
        minute_or_month > self.minute() + TimeDelta::minutes(1)
    }

    pub(super) fn seconds_left_in_minute(self, minute: DateTime<Utc>) -> u64 {
        seconds_until(self.0, minute + TimeDelta::minutes(1))
    }

    pub(super) fn seconds_left_in_month(self, month: DateTime<Utc>) -> u64 {
        seconds_until(self.0, month + Months::new(1))
    }
}

/// Whole seconds, rounded up, so that the limit is fresh once they have passed.
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

    #[test]
    fn moment_has_a_minute_and_seconds_left_in_it() {
        let moment = Moment("2026-11-30T23:59:59.001Z".parse().unwrap());
        assert_eq!(moment.minute().to_rfc3339(), "2026-11-30T23:59:00+00:00");
        assert_eq!(moment.seconds_left_in_minute(moment.minute()), 1);
        let month = "2026-11-01T00:00:00Z".parse().unwrap();
        assert_eq!(moment.seconds_left_in_month(month), 1);
        let begun = Moment("2026-11-30T23:59:00Z".parse().unwrap());
        assert_eq!(begun.seconds_left_in_minute(begun.minute()), 60);
    }

    #[test]
    fn minute_after_the_next_is_too_far_ahead() {
        let moment = Moment("2026-11-30T23:58:00Z".parse().unwrap());
        assert!(!moment.is_far_behind("2026-11-30T23:59:00Z".parse().unwrap()));
        assert!(moment.is_far_behind("2026-12-01T00:00:00Z".parse().unwrap()));
        let later = Moment("2026-11-30T23:59:00.001Z".parse().unwrap());
        assert!(!later.is_far_behind("2026-12-01T00:00:00Z".parse().unwrap()));
    }
}
