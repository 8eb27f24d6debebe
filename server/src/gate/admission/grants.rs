//! Distributes a batch's grants to its requests, in one serial order per organisation. It turns
//! rows into verdicts and does not use the database.
//!
//! Requests of one batch are concurrent, so any order of them is a serial one. Requests with the
//! scope and a valid form come first, in order of arrival, then the others: a nearly full minute is
//! not spent on requests that are rejected anyway.

use std::{collections::HashMap, sync::Arc};

use chrono::{DateTime, Utc};

use super::{
    store::{DecidedGroup, Group},
    verdict::{
        Admission, AdmissionRequest, Allowance, Charge, InactiveKey, Moment, Outcome, Verdict,
    },
};
use crate::id::OrganizationId;

/// The requests of a batch, grouped by equality.
pub(super) struct RequestGroups {
    groups: Vec<Group>,
    group_of: Vec<usize>,
}

impl RequestGroups {
    pub(super) fn new(requests: &[AdmissionRequest]) -> Self {
        let mut groups: Vec<Group> = Vec::with_capacity(requests.len());
        let mut known = HashMap::with_capacity(requests.len());
        let group_of = requests.iter().map(|request| {
            let group = *known.entry(*request).or_insert(groups.len());
            match groups.get_mut(group) {
                Some(group) => group.count += 1,
                None => groups.push(Group { request: *request, count: 1 }),
            }
            group
        });
        let group_of = group_of.collect();
        Self { groups, group_of }
    }

    pub(super) fn as_slice(&self) -> &[Group] {
        &self.groups
    }

    /// Returns the verdict on each request, or `None` if the request must be submitted again:
    /// another statement had filled the meter while the snapshot still showed room, so a decision
    /// by the snapshot would be wrong.
    pub(super) fn verdicts(&self, decided: Vec<DecidedGroup>) -> Vec<Option<Verdict>> {
        let mut grants = HashMap::new();
        let mut keys: Vec<Option<DecidedGroup>> = self.groups.iter().map(|_| None).collect();
        for row in decided {
            // All rows of an organisation repeat its grant.
            let granted = || GrantedMeter::of(&row);
            grants.entry(row.organization_id.clone()).or_insert_with(granted);
            let position = usize::try_from(row.position - 1).expect("positions begin at 1");
            keys[position] = Some(row);
        }
        let mut verdicts = vec![None; self.group_of.len()];
        for is_metered in [true, false] {
            for (request, group) in self.group_of.iter().enumerate() {
                let is_well_formed = self.groups[*group].request.is_well_formed;
                match &keys[*group] {
                    Some(key) if (key.in_scope && is_well_formed) == is_metered => {
                        let granted = grants.get_mut(&key.organization_id);
                        let granted = granted.and_then(Option::as_mut);
                        verdicts[request] = key.verdict(is_well_formed, granted);
                    }
                    Some(_) => {}
                    None => verdicts[request] = Some(Verdict::UnknownKey),
                }
            }
        }
        verdicts
    }
}

/// Returns organisations that were granted nothing because their meters are ahead of the clock.
pub(super) fn organizations_ahead(decided: &[DecidedGroup]) -> Vec<OrganizationId> {
    let is_ahead = |row: &&DecidedGroup| {
        row.requests_granted.is_none()
            && row.minute.max(row.month).is_some_and(|latest| Moment(row.now).is_far_behind(latest))
    };
    let ahead = decided.iter().filter(is_ahead);
    ahead.map(|row| row.organization_id.clone()).collect()
}

impl DecidedGroup {
    /// Returns the verdict on the next request of the group; `None` if the request must be
    /// submitted again.
    fn verdict(&self, is_well_formed: bool, granted: Option<&mut GrantedMeter>) -> Option<Verdict> {
        let inactive = match self.revoked_at {
            Some(revoked_at) => Some(InactiveKey::Revoked(revoked_at)),
            None => (self.expires_at <= self.now).then_some(InactiveKey::Expired(self.expires_at)),
        };
        if let Some(inactive) = inactive {
            return Some(Verdict::InactiveKey(inactive));
        }
        if self.is_stopped {
            return Some(Verdict::Stopped { moved_to: self.moved_to.as_deref().map(Box::from) });
        }
        let moment = Moment(self.now);
        let (rate, credits, month_ends_in_seconds, outcome) = match granted {
            None => (self.full_minute()?, None, 0, Outcome::RateLimited),
            Some(meter) => match meter.take_request() {
                (rate, false) => (rate, None, 0, Outcome::RateLimited),
                (rate, true) => {
                    let outcome = match (self.in_scope, is_well_formed) {
                        (false, _) => Outcome::InsufficientScope,
                        (true, false) => Outcome::InvalidRequest,
                        (true, true) => meter.take_credit(),
                    };
                    let month_ends = moment.seconds_left_in_month(meter.month);
                    (rate, meter.credits(), month_ends, outcome)
                }
            },
        };
        // The meter's minute may be the one after the present.
        let minute = self.minute.unwrap_or_default().max(moment.minute());
        Some(Verdict::ValidKey(Box::new(Admission {
            organization: self.organization_id.clone(),
            key_id: Arc::clone(&self.key_id),
            api_version: Arc::clone(&self.api_version),
            rate,
            minute_ends_in_seconds: moment.seconds_left_in_minute(minute),
            credits,
            month_ends_in_seconds,
            outcome,
        })))
    }

    /// Returns the full minute that the request met, or `None` if the snapshot showed room, or a
    /// minute too far ahead of the clock.
    fn full_minute(&self) -> Option<Allowance> {
        let moment = Moment(self.now);
        let minute = self.minute.filter(|minute| !moment.is_far_behind(*minute))?;
        let is_current = minute >= moment.minute();
        let used = if is_current { self.minute_used? } else { 0 };
        let limit = self.requests_per_minute?;
        (used >= limit).then(|| Allowance::after(limit.into(), used.into()))
    }
}

/// A meter after the update, with the rest of its grants.
struct GrantedMeter {
    requests_per_minute: i64,
    credits_per_month: Option<i64>,
    minute_used: i64,
    requests_left: i64,
    month: DateTime<Utc>,
    month_used: i64,
    credits_left: i64,
}

impl GrantedMeter {
    fn of(row: &DecidedGroup) -> Option<Self> {
        Some(Self {
            requests_left: row.requests_granted?.into(),
            requests_per_minute: row.requests_per_minute?.into(),
            credits_per_month: row.credits_per_month,
            minute_used: row.minute_used?.into(),
            month: row.month?,
            month_used: row.month_used?,
            credits_left: row.credits_granted?.into(),
        })
    }

    /// Counts the next request. Returns the minute after it, and true if it was within the limit.
    fn take_request(&mut self) -> (Allowance, bool) {
        let is_within = self.requests_left > 0;
        self.requests_left -= i64::from(is_within);
        let used = self.minute_used - self.requests_left;
        (Allowance::after(self.requests_per_minute, used), is_within)
    }

    fn take_credit(&mut self) -> Outcome {
        if self.credits_left == 0 {
            return Outcome::CreditsExhausted;
        }
        self.credits_left -= 1;
        Outcome::Admitted(Charge::to(self.month))
    }

    fn credits(&self) -> Option<Allowance> {
        let used = self.month_used - self.credits_left;
        self.credits_per_month.map(|limit| Allowance::after(limit, used))
    }
}

#[cfg(test)]
mod tests;
