//! What is asked of the gate, and what it says.
//!
//! It refuses to know how a verdict was found.

use std::sync::Arc;

use chrono::{DateTime, Months, TimeDelta, Utc};

use crate::{
    contract::types::Scope,
    gate::{in_flight::Owner, key::KeyHash},
    id::OrganizationId,
    mutants::{self, Mutant},
};

/// What one request asks of the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AdmissionRequest {
    /// Hash of the key it carries.
    pub key: KeyHash,
    /// The scope its operation needs.
    pub scope: Scope,
    /// Whether its form is sound; a request that will be answered 400, 413, 415 or 422 for its form costs no credit.
    pub form_is_sound: bool,
}

/// What the gate says of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// No key has this hash.
    UnknownKey,
    /// The key was valid once; its holder may be told when that ended (A3).
    InactiveKey(InactiveKey),
    /// A valid key, and what becomes of the request.
    ValidKey(Box<Admission>),
}

impl Verdict {
    /// Whether telling it tells what was counted and charged.
    pub(super) fn says_of_a_meter(&self) -> bool {
        matches!(self, Self::ValidKey(_))
    }

    /// Whether the request was counted: then its statement has written to a meter.
    pub(super) fn has_counted(&self) -> bool {
        matches!(self, Self::ValidKey(admission) if admission.outcome != Outcome::RateLimited)
    }
}

impl Admission {
    /// Whose the key is.
    #[must_use]
    pub fn owner(&self) -> Owner {
        Owner {
            organization: self.organization.clone(),
            key_id: Arc::clone(&self.key_id),
        }
    }
}

/// Why a known key is not valid any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InactiveKey {
    /// Its life ended at this time.
    Expired(DateTime<Utc>),
    /// It was revoked at this time.
    Revoked(DateTime<Utc>),
}

/// A request with a valid key, counted.
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Charge(DateTime<Utc>);

impl Charge {
    pub(super) fn to(month: DateTime<Utc>) -> Self {
        Self(month)
    }

    pub(super) fn month(self) -> DateTime<Utc> {
        self.0
    }
}

/// A limit and what is left of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The limit.
    pub limit: i64,
    /// What is left, this request counted.
    pub remaining: i64,
}

impl Allowance {
    pub(super) fn after(limit: i64, used: i64) -> Self {
        Self {
            limit,
            remaining: (limit - used).max(0),
        }
    }
}

/// The moment of a statement that admits: one for all requests of its batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment(pub(super) DateTime<Utc>);

impl Moment {
    /// The minute that it lies in, in UTC.
    pub(super) fn minute(self) -> DateTime<Utc> {
        let second = self.0.timestamp().rem_euclid(60);
        let past = TimeDelta::seconds(second)
            + TimeDelta::nanoseconds(self.0.timestamp_subsec_nanos().into());
        self.0 - past
    }

    /// Whole seconds until its minute ends, rounded up.
    pub(super) fn seconds_left_in_minute(self) -> u64 {
        seconds_until(self.0, self.minute() + TimeDelta::minutes(1))
    }

    /// Whole seconds until a month that began at `month` ends, rounded up.
    pub(super) fn seconds_left_in_month(self, month: DateTime<Utc>) -> u64 {
        let local = mutants::is(Mutant::MonthInLocalTime);
        let behind = TimeDelta::hours(if local { 5 } else { 0 });
        seconds_until(self.0, month + Months::new(1) + behind)
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

    #[test]
    fn moment_knows_its_minute_and_what_is_left_of_it() {
        let moment = Moment("2026-11-30T23:59:59.001Z".parse().unwrap());
        assert_eq!(moment.minute().to_rfc3339(), "2026-11-30T23:59:00+00:00");
        assert_eq!(moment.seconds_left_in_minute(), 1);
        let month = "2026-11-01T00:00:00Z".parse().unwrap();
        assert_eq!(moment.seconds_left_in_month(month), 1);
        let begun = Moment("2026-11-30T23:59:00Z".parse().unwrap());
        assert_eq!(begun.seconds_left_in_minute(), 60);
    }
}
