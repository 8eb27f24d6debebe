//! The budget: how many requests a run may send, how long it may take, and how many credits it
//! leaves to others.
//!
//! A case starts only if the requests it declares are left; they are reserved for it. Every request
//! is counted before it is sent, retries too, so that `max_requests` is never exceeded.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

use super::deadline::Deadline;
use crate::{
    exchange::{Key, Request, Response, headers::CREDITS_REMAINING},
    target::{Keys, Role, limits},
};

/// Responses in a row that must say that the credits are used up: one wrong header stops no run.
const CLAIMS: usize = 4;

/// The requests, credits and time that a run may still use.
#[derive(Debug)]
pub(crate) struct Budget {
    pub(crate) deadline: Arc<Deadline>,
    pub(crate) max_requests: u64,
    credits_reserve: u64,
    keys: Keys,
    state: Mutex<State>,
    ended: Notify,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    /// Requests that were sent, by cases or not.
    sent: u64,
    /// Requests that running cases may still send.
    reserved: u64,
    /// Credits that running cases may use, by organisation.
    credits: BTreeMap<Role, u64>,
    /// Credits that responses charged, by organisation.
    charged: BTreeMap<Role, u64>,
    /// The claims of the last responses, by organisation.
    claims: BTreeMap<Role, VecDeque<Claim>>,
    stops: BTreeSet<String>,
}

/// The credits that a response claims for an organisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Claim {
    left: u64,
    is_rejection: bool,
}

/// The requests that are reserved for a running case. Dropping it frees those that were not sent.
#[derive(Debug)]
#[must_use = "dropping it frees the reserved requests"]
pub(crate) struct Share {
    budget: Arc<Budget>,
    organizations: BTreeSet<Role>,
    declared: u32,
    /// Reserved requests that were not sent; changed only while the budget is locked.
    left: AtomicU32,
    /// Requests that the case wanted to send.
    wanted: AtomicU32,
}

impl Budget {
    pub(crate) fn new(limits: &limits::Budget, keys: &Keys) -> Self {
        Self {
            deadline: Arc::default(),
            max_requests: limits.max_requests.get().into(),
            credits_reserve: limits.credits_reserve.get().into(),
            keys: keys.clone(),
            state: Mutex::default(),
            ended: Notify::new(),
        }
    }

    pub(crate) fn sent(&self) -> u64 {
        self.state.lock().sent
    }

    /// Credits that responses charged, by the role whose organisation paid.
    pub(crate) fn credits(&self) -> BTreeMap<String, u64> {
        let state = self.state.lock();
        let charged = state.charged.iter();
        charged.map(|(role, count)| (role.name().to_owned(), *count)).collect()
    }

    /// Why cases did not start; empty if the budget stopped none.
    pub(crate) fn stops(&self) -> Vec<String> {
        self.state.lock().stops.iter().cloned().chain(self.deadline.stop()).collect()
    }

    /// Reads what a response says about the credits.
    pub(crate) fn learn(&self, request: &Request, response: &Response) {
        let Key::Secret(secret) = &request.key else {
            return;
        };
        if let Some(left) = response.number(CREDITS_REMAINING) {
            let is_rejection = response.status == 402;
            let organization = self.keys.organization_of(secret.expose());
            self.note(organization, Claim { left, is_rejection });
        }
    }

    fn note(&self, organization: Role, claim: Claim) {
        let mut state = self.state.lock();
        if !claim.is_rejection {
            *state.charged.entry(organization).or_default() += 1;
        }
        let claims = state.claims.entry(organization).or_default();
        claims.push_back(claim);
        if claims.len() > CLAIMS {
            claims.pop_front();
        }
    }

    /// Reserves the requests of a case that uses the credits of these roles' organisations. Waits
    /// while running cases may free enough.
    pub(crate) async fn begin(
        self: &Arc<Self>,
        requests: u32,
        payers: &[Role],
    ) -> Result<Share, String> {
        loop {
            // Created before the check, so that no end in between is missed.
            let ended = self.ended.notified();
            match self.try_begin(requests, payers) {
                Ok(share) => return Ok(share),
                Err(Lack::NotYet) => ended.await,
                Err(Lack::UsedUp(why)) => return Err(why),
            }
        }
    }

    /// Counts a request that no case has reserved, such as a retry; returns whether it may be sent.
    pub(crate) fn take_one(&self) -> bool {
        let mut state = self.state.lock();
        let is_left = state.sent + state.reserved < self.max_requests;
        state.sent += u64::from(is_left);
        is_left
    }

    fn try_begin(self: &Arc<Self>, requests: u32, payers: &[Role]) -> Result<Share, Lack> {
        self.deadline.check().map_err(Lack::UsedUp)?;
        // The organisation of `exhausted` exists to have no credits left.
        let organizations: BTreeSet<Role> = payers
            .iter()
            .filter_map(|role| self.keys.get(*role))
            .map(|key| self.keys.organization_of(key.expose()))
            .filter(|organization| *organization != Role::Exhausted)
            .collect();
        let mut state = self.state.lock();
        if let Some(why) = self.lack(&state, requests.into(), &organizations) {
            if state.running > 0 {
                return Err(Lack::NotYet);
            }
            state.stops.insert(why.clone());
            return Err(Lack::UsedUp(why));
        }
        Ok(self.share(state, requests, organizations))
    }

    /// Reserves nothing: for requests that restore something, also after the deadline.
    pub(crate) fn to_restore(self: &Arc<Self>) -> Share {
        self.share(self.state.lock(), 0, BTreeSet::new())
    }

    fn share(
        self: &Arc<Self>,
        mut state: MutexGuard<'_, State>,
        requests: u32,
        organizations: BTreeSet<Role>,
    ) -> Share {
        state.running += 1;
        state.reserved += u64::from(requests);
        for organization in &organizations {
            *state.credits.entry(*organization).or_default() += u64::from(requests);
        }
        Share {
            budget: Arc::clone(self),
            organizations,
            declared: requests,
            left: AtomicU32::new(requests),
            wanted: AtomicU32::new(0),
        }
    }

    fn lack(&self, state: &State, requests: u64, organizations: &BTreeSet<Role>) -> Option<String> {
        let max = self.max_requests;
        if state.sent + state.reserved + requests > max {
            return Some(format!("budget.max_requests is used up (a run sends at most {max})"));
        }
        let reserve = self.credits_reserve;
        let short = organizations.iter().find(|organization| {
            let reserved = state.credits.get(organization).copied().unwrap_or(0);
            let left = state.left(**organization);
            left.is_some_and(|left| left < reserve + reserved + requests)
        });
        short.map(|organization| {
            format!(
                "budget.credits_reserve is reached (the organisation of the key {organization} \
                 keeps {reserve} credits)"
            )
        })
    }
}

impl State {
    /// The credits of an organisation, if several responses agree that few are left. Responses that
    /// succeed and say the same number each time say nothing: they stop no run, and cases judge
    /// them.
    fn left(&self, organization: Role) -> Option<u64> {
        let claims = self.claims.get(&organization)?;
        let is_same = claims.iter().all(|claim| *claim == claims[0]);
        let is_believed = claims.len() == CLAIMS && (claims[0].is_rejection || !is_same);
        let max = claims.iter().map(|claim| claim.left).max()?;
        // The largest is the oldest, and the responses after it cost a credit each.
        let left = max.saturating_sub(CLAIMS as u64 - 1);
        is_believed.then_some(left)
    }
}

enum Lack {
    /// Running cases may free enough.
    NotYet,
    UsedUp(String),
}

impl Share {
    /// Counts a request before it is sent. One that the case does not declare uses what no case has
    /// reserved, so that a case can still undo what it changed.
    pub(crate) fn take(&self) -> Result<(), String> {
        self.wanted.fetch_add(1, Ordering::Relaxed);
        let mut state = self.budget.state.lock();
        let left = self.left.load(Ordering::Relaxed);
        if left > 0 {
            self.left.store(left - 1, Ordering::Relaxed);
            state.reserved -= 1;
            state.sent += 1;
            return Ok(());
        }
        drop(state);
        if self.budget.take_one() {
            return Ok(());
        }
        Err(format!(
            "budget.max_requests is used up ({}), and the case wants more than the {} requests it \
             declares",
            self.budget.max_requests, self.declared
        ))
    }

    /// Returns the requests that the case wanted, if they are more than it declares.
    pub(crate) fn excess(&self) -> Option<u32> {
        let wanted = self.wanted.load(Ordering::Relaxed);
        (wanted > self.declared).then_some(wanted)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut state = self.budget.state.lock();
        state.running -= 1;
        state.reserved -= u64::from(self.left.load(Ordering::Relaxed));
        for organization in &self.organizations {
            if let Some(credits) = state.credits.get_mut(organization) {
                *credits -= u64::from(self.declared);
            }
        }
        drop(state);
        self.budget.ended.notify_waiters();
    }
}

#[cfg(test)]
mod tests;
