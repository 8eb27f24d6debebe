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
#[derive(Debug)]
pub(super) struct RequestGroups {
    groups: Vec<Group>,
    /// The index of each request's group.
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
        let mut grants = MeterGrants::default();
        let mut keys: Vec<Option<KeyDecision>> = self.groups.iter().map(|_| None).collect();
        for row in decided {
            let position = usize::try_from(row.position - 1).expect("positions begin at 1");
            keys[position] = Some(KeyDecision::of(row, &mut grants));
        }
        let mut verdicts = vec![None; self.group_of.len()];
        for is_metered in [true, false] {
            for (request, group) in self.group_of.iter().enumerate() {
                let is_well_formed = self.groups[*group].request.is_well_formed;
                match &keys[*group] {
                    Some(key) if (key.in_scope && is_well_formed) == is_metered => {
                        verdicts[request] = key.verdict(is_well_formed, &mut grants);
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

/// The statement's decision on a group with a known key.
struct KeyDecision {
    moment: Moment,
    /// Seconds until the meter's minute ends, which may be the one after the present.
    minute_ends_in_seconds: u64,
    inactive: Option<InactiveKey>,
    organization: OrganizationId,
    key_id: Arc<str>,
    api_version: Arc<str>,
    in_scope: bool,
    /// Index of the organisation's grant.
    grant: usize,
}

impl KeyDecision {
    fn of(row: DecidedGroup, grants: &mut MeterGrants) -> Self {
        let inactive = match row.revoked_at {
            Some(revoked_at) => Some(InactiveKey::Revoked(revoked_at)),
            None => (row.expires_at <= row.now).then_some(InactiveKey::Expired(row.expires_at)),
        };
        let moment = Moment(row.now);
        let minute = row.minute.unwrap_or_default().max(moment.minute());
        Self {
            moment,
            minute_ends_in_seconds: moment.seconds_left_in_minute(minute),
            inactive,
            key_id: row.key_id.as_str().into(),
            api_version: row.api_version.as_str().into(),
            in_scope: row.in_scope,
            grant: grants.index_of(&row),
            organization: row.organization_id,
        }
    }

    /// Returns the verdict on the next request of the group.
    fn verdict(&self, is_well_formed: bool, grants: &mut MeterGrants) -> Option<Verdict> {
        if let Some(inactive) = self.inactive {
            return Some(Verdict::InactiveKey(inactive));
        }
        let (rate, credits, month_ends_in_seconds, outcome) = match &mut grants.all[self.grant] {
            MeterGrant::Refused(snapshot) => {
                let rate = snapshot.full_minute(self.moment)?;
                (rate, None, 0, Outcome::RateLimited)
            }
            MeterGrant::Granted(meter) => match meter.take_request() {
                (rate, false) => (rate, None, 0, Outcome::RateLimited),
                (rate, true) => {
                    let outcome = match (self.in_scope, is_well_formed) {
                        (false, _) => Outcome::InsufficientScope,
                        (true, false) => Outcome::InvalidRequest,
                        (true, true) => meter.take_credit(),
                    };
                    let month_ends = self.moment.seconds_left_in_month(meter.month);
                    (rate, meter.credits(), month_ends, outcome)
                }
            },
        };
        Some(Verdict::ValidKey(Box::new(Admission {
            organization: self.organization.clone(),
            key_id: Arc::clone(&self.key_id),
            api_version: Arc::clone(&self.api_version),
            rate,
            minute_ends_in_seconds: self.minute_ends_in_seconds,
            credits,
            month_ends_in_seconds,
            outcome,
        })))
    }
}

/// The grants of a batch, one per organisation.
#[derive(Default)]
struct MeterGrants {
    all: Vec<MeterGrant>,
    by_organization: HashMap<OrganizationId, usize>,
}

impl MeterGrants {
    /// Returns the index of the grant of the row's organisation, which all its rows repeat.
    fn index_of(&mut self, row: &DecidedGroup) -> usize {
        let next = self.all.len();
        let known = self.by_organization.entry(row.organization_id.clone());
        let index = *known.or_insert(next);
        if index == next {
            let granted = GrantedMeter::of(row).map(MeterGrant::Granted);
            let refused = || MeterGrant::Refused(MeterSnapshot::of(row));
            self.all.push(granted.unwrap_or_else(refused));
        }
        index
    }
}

enum MeterGrant {
    Granted(GrantedMeter),
    Refused(MeterSnapshot),
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

/// A meter in the statement's snapshot.
struct MeterSnapshot {
    minute: Option<DateTime<Utc>>,
    minute_used: Option<i32>,
    requests_per_minute: Option<i32>,
}

impl MeterSnapshot {
    fn of(row: &DecidedGroup) -> Self {
        Self {
            minute: row.minute,
            minute_used: row.minute_used,
            requests_per_minute: row.requests_per_minute,
        }
    }

    /// Returns the full minute that the request met, or `None` if the snapshot showed room, or a
    /// minute too far ahead of the clock.
    fn full_minute(&self, moment: Moment) -> Option<Allowance> {
        let minute = self.minute.filter(|minute| !moment.is_far_behind(*minute))?;
        let is_current = minute >= moment.minute();
        let used = if is_current { self.minute_used? } else { 0 };
        let limit = self.requests_per_minute?;
        (used >= limit).then(|| Allowance::after(limit.into(), used.into()))
    }
}

#[cfg(test)]
mod tests;
