//! A batch's grants, handed out: the places of its requests in one serial order of each organisation.
//!
//! It refuses to know the database: rows in, verdicts out.
//!
//! Requests of one batch are concurrent, so any order of them is a serial one. Those that may and are sound come first, in
//! the order of arrival, then the others: so a minute that is nearly full is not spent on what would be refused anyway.

use std::{collections::HashMap, sync::Arc};

use chrono::{DateTime, Utc};

use super::{
    store::{DecidedGroup, Group},
    verdict::{
        Admission, AdmissionRequest, Allowance, Charge, InactiveKey, Moment, Outcome, Verdict,
    },
};
use crate::id::OrganizationId;

/// Requests, and which of them are alike.
#[derive(Debug)]
pub(super) struct RequestGroups {
    pub(super) groups: Vec<Group>,
    /// The group of each request, by its index.
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
                None => groups.push(Group {
                    request: *request,
                    count: 1,
                }),
            }
            group
        });
        let group_of = group_of.collect();
        Self { groups, group_of }
    }

    /// The verdict on each request; `None` where it must be asked again: the update was refused by a meter that another
    /// statement had filled meanwhile, while the snapshot still showed room. AdmissionLane from the snapshot would answer wrongly.
    pub(super) fn verdicts(&self, decided: Vec<DecidedGroup>) -> Vec<Option<Verdict>> {
        let mut ledgers = Ledgers::default();
        let mut judged: Vec<Option<Judged>> = self.groups.iter().map(|_| None).collect();
        for row in decided {
            let position = usize::try_from(row.position - 1).expect("positions begin at 1");
            judged[position] = Some(Judged::of(row, &mut ledgers));
        }
        let mut verdicts = vec![None; self.group_of.len()];
        for is_metered in [true, false] {
            for (request, group) in self.group_of.iter().enumerate() {
                let is_sound = self.groups[*group].request.form_is_sound;
                match &judged[*group] {
                    Some(judged) if (judged.in_scope && is_sound) == is_metered => {
                        verdicts[request] = judged.verdict(is_sound, &mut ledgers);
                    }
                    Some(_) => {}
                    None => verdicts[request] = Some(Verdict::UnknownKey),
                }
            }
        }
        verdicts
    }
}

/// A group whose key is known.
struct Judged {
    moment: Moment,
    dead: Option<InactiveKey>,
    organization: OrganizationId,
    key_id: Arc<str>,
    in_scope: bool,
    ledger: usize,
}

impl Judged {
    fn of(row: DecidedGroup, ledgers: &mut Ledgers) -> Self {
        let dead = match row.revoked_at {
            Some(revoked_at) => Some(InactiveKey::Revoked(revoked_at)),
            None => (row.expires_at <= row.now).then_some(InactiveKey::Expired(row.expires_at)),
        };
        let organization = OrganizationId::parse(&row.organization_id)
            .expect("organizations.id is made by us, in this form");
        Self {
            moment: Moment(row.now),
            dead,
            key_id: row.key_id.as_str().into(),
            in_scope: row.in_scope,
            ledger: ledgers.of(&organization, &row),
            organization,
        }
    }

    /// The verdict on the next request of the group.
    fn verdict(&self, form_is_sound: bool, ledgers: &mut Ledgers) -> Option<Verdict> {
        if let Some(dead) = self.dead {
            return Some(Verdict::InactiveKey(dead));
        }
        let admission = |rate, credits, month_ends_in_seconds, outcome| {
            Some(Verdict::ValidKey(Box::new(Admission {
                organization: self.organization.clone(),
                key_id: Arc::clone(&self.key_id),
                rate,
                minute_ends_in_seconds: self.moment.seconds_left_in_minute(),
                credits,
                month_ends_in_seconds,
                outcome,
            })))
        };
        match &mut ledgers.all[self.ledger] {
            Ledger::Refused(seen) => {
                let rate = seen.full_minute(self.moment)?;
                admission(rate, None, 0, Outcome::RateLimited)
            }
            Ledger::Granted(meter) => {
                let (rate, is_within) = meter.take_request();
                if !is_within {
                    return admission(rate, None, 0, Outcome::RateLimited);
                }
                let outcome = match (self.in_scope, form_is_sound) {
                    (false, _) => Outcome::InsufficientScope,
                    (true, false) => Outcome::FormRefused,
                    (true, true) => meter.take_credit(),
                };
                let month_ends = self.moment.seconds_left_in_month(meter.month);
                admission(rate, meter.credits(), month_ends, outcome)
            }
        }
    }
}

/// What each organisation of the batch got.
#[derive(Default)]
struct Ledgers {
    all: Vec<Ledger>,
    by_organization: HashMap<OrganizationId, usize>,
}

impl Ledgers {
    /// The ledger of the row's organisation, of which all its rows say the same; dead keys have one that nobody asks.
    fn of(&mut self, organization: &OrganizationId, row: &DecidedGroup) -> usize {
        let next = self.all.len();
        let ledger = *self
            .by_organization
            .entry(organization.clone())
            .or_insert(next);
        if ledger == next {
            let granted = Meter::of(row).map(Ledger::Granted);
            self.all
                .push(granted.unwrap_or_else(|| Ledger::Refused(Seen::of(row))));
        }
        ledger
    }
}

enum Ledger {
    Granted(Meter),
    Refused(Seen),
}

/// A meter as the update left it, and what of its grants is not handed out yet.
struct Meter {
    requests_per_minute: i64,
    credits_per_month: Option<i64>,
    minute_used: i64,
    requests_left: i64,
    month: DateTime<Utc>,
    month_used: i64,
    credits_left: i64,
}

impl Meter {
    fn of(row: &DecidedGroup) -> Option<Self> {
        Some(Self {
            requests_per_minute: row.requests_per_minute?.into(),
            credits_per_month: row.credits_per_month,
            minute_used: row.minute_used?.into(),
            requests_left: row.requests_granted?.into(),
            month: row.month?,
            month_used: row.month_used?,
            credits_left: row.credits_granted?.into(),
        })
    }

    /// The next place in the minute, and whether there was one.
    fn take_request(&mut self) -> (Allowance, bool) {
        let is_within = self.requests_left > 0;
        self.requests_left -= i64::from(is_within);
        let used = self.minute_used - self.requests_left;
        (Allowance::after(self.requests_per_minute, used), is_within)
    }

    /// The next place in the month, if there is one.
    fn take_credit(&mut self) -> Outcome {
        if self.credits_left == 0 {
            return Outcome::CreditsExhausted;
        }
        self.credits_left -= 1;
        Outcome::Admitted(Charge::to(self.month))
    }

    fn credits(&self) -> Option<Allowance> {
        let used = self.month_used - self.credits_left;
        self.credits_per_month
            .map(|limit| Allowance::after(limit, used))
    }
}

/// A meter as the snapshot showed it.
struct Seen {
    minute: Option<DateTime<Utc>>,
    minute_used: Option<i32>,
    requests_per_minute: Option<i32>,
}

impl Seen {
    fn of(row: &DecidedGroup) -> Self {
        Self {
            minute: row.seen_minute,
            minute_used: row.seen_minute_used,
            requests_per_minute: row.seen_requests_per_minute,
        }
    }

    /// The full minute that refused the request; `None` where the snapshot showed room.
    fn full_minute(&self, moment: Moment) -> Option<Allowance> {
        let is_current = self.minute? >= moment.minute();
        let used = if is_current { self.minute_used? } else { 0 };
        let limit = self.requests_per_minute?;
        (used >= limit).then(|| Allowance::after(limit.into(), used.into()))
    }
}

#[cfg(test)]
mod tests;
