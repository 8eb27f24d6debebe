//! Defines requests for admission, and verdicts on them.

use std::sync::Arc;

use chrono::{DateTime, Months, TimeDelta, Utc};

use crate::{
    contract::types::Scope,
    gate::{in_flight::Owner, key::KeyHash},
    id::OrganizationId,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AdmissionRequest {
    pub key: KeyHash,
    pub scope: Scope,
    /// Its form is valid. A request that gets a 400, 413, 415 or 422 for its form costs no credit.
    pub is_well_formed: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// No key has this hash.
    UnknownKey,
    /// The key was valid once, and its holder may learn when it ended (A3).
    InactiveKey(InactiveKey),
    /// The key is valid, and its organisation is stopped, because it moves to another cell. Nothing
    /// is counted.
    Stopped {
        /// The cell where it is now.
        moved_to: Option<Box<str>>,
    },
    ValidKey(Box<Admission>),
}

impl Verdict {
    /// Returns true if the response reports what was counted and charged.
    pub(super) fn reports_meter(&self) -> bool {
        matches!(self, Self::ValidKey(_))
    }

    /// Returns true if the request was counted, so that its statement wrote to a meter.
    pub(super) fn is_counted(&self) -> bool {
        matches!(self, Self::ValidKey(admission) if admission.outcome != Outcome::RateLimited)
    }

    pub(in crate::gate) fn is_admitted(&self) -> bool {
        let Self::ValidKey(admission) = self else {
            return false;
        };
        matches!(admission.outcome, Outcome::Admitted(_))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InactiveKey {
    Expired(DateTime<Utc>),
    Revoked(DateTime<Utc>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Admission {
    pub organization: OrganizationId,
    pub key_id: Arc<str>,
    /// The version that the key was made with (X12).
    pub api_version: Arc<str>,
    /// The organisation's requests in this minute, after this one.
    pub rate: Allowance,
    /// Seconds until the next minute begins, rounded up.
    pub minute_ends_in_seconds: u64,
    /// The organisation's credits in this month, after this request; `None` if they are unlimited.
    pub credits: Option<Allowance>,
    /// Seconds until the next month begins, rounded up.
    pub month_ends_in_seconds: u64,
    pub outcome: Outcome,
}

impl Admission {
    pub(in crate::gate) fn owner(&self) -> Owner {
        Owner { organization: self.organization.clone(), key_id: Arc::clone(&self.key_id) }
    }
}

/// The decision on a request with a valid key; the variants are in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// No request is left in this minute (429).
    RateLimited,
    /// The key lacks the scope (403).
    InsufficientScope,
    /// The form is invalid (415, 413, 400 or 422).
    InvalidRequest,
    /// No credit is left this month (402).
    CreditsExhausted,
    /// The request is admitted and charged.
    Admitted(Charge),
}

/// The month that a credit was taken from, to which a refund returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Charge(DateTime<Utc>);

impl Charge {
    pub(super) fn to(month: DateTime<Utc>) -> Self {
        Self(month)
    }

    pub fn month(self) -> DateTime<Utc> {
        self.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    pub limit: i64,
    /// The rest of the limit after this request.
    pub remaining: i64,
}

impl Allowance {
    pub(super) fn after(limit: i64, used: i64) -> Self {
        Self { limit, remaining: (limit - used).max(0) }
    }
}

/// The time of a batch's statement, which all its requests share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment(pub(super) DateTime<Utc>);

impl Moment {
    /// Returns the beginning of the minute, in UTC.
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

/// Returns whole seconds, rounded up, so that the limit is fresh once they have passed.
fn seconds_until(now: DateTime<Utc>, then: DateTime<Utc>) -> u64 {
    let milliseconds = (then - now).num_milliseconds().max(0).unsigned_abs();
    milliseconds.div_ceil(1000)
}
