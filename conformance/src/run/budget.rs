//! The budget: how many requests a run may send, and how many credits it leaves to others. A case begins only where what it
//! may need is left.
//!
//! It refuses to stop in the middle of a case: what a case borrowed it gives back.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use crate::{
    case::{Case, Changes},
    exchange::{Key, Request, Response},
    target::{Keys, Role, limits},
};

/// Answers in a row that must say that the credits are at their end: one wrong header stops no run.
const CLAIMS: usize = 4;
const REMAINING: &str = "x-service-credits-remaining-month";

/// What a run may still ask. Requests are counted by the client; credits are what the responses tell.
#[derive(Debug)]
pub struct Budget {
    max_requests: u64,
    credits_reserve: u64,
    /// Whose credits a role's key spends.
    by_role: BTreeMap<Role, Role>,
    /// The same, by what stands in reports for the key.
    by_placeholder: BTreeMap<String, Role>,
    state: Mutex<State>,
    /// Told when a case has ended.
    ended: Notify,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    /// What the cases under way may need in all, of requests and of each organisation's credits.
    requests: u64,
    credits: BTreeMap<Role, u64>,
    /// What the last responses told, by organisation.
    claims: BTreeMap<Role, VecDeque<Claim>>,
    stops: BTreeSet<String>,
}

/// What a response tells of an organisation's credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Claim {
    left: u64,
    /// It was a 402.
    is_refusal: bool,
}

/// What a case under way may need. Dropped, it is free again, but for what was spent.
#[derive(Debug)]
#[must_use = "dropped, it is free again"]
pub struct Share<'budget> {
    budget: &'budget Budget,
    requests: u64,
    organizations: BTreeSet<Role>,
}

impl Budget {
    /// Of a target file, for these keys.
    #[must_use]
    pub fn new(limits: &limits::Budget, keys: &Keys) -> Self {
        let all = keys.get(Role::All);
        let mut by_role = BTreeMap::new();
        let mut by_placeholder = BTreeMap::new();
        for (role, secret) in keys.iter() {
            // Some roles may be played by the key of `all`.
            let is_all = all.is_some_and(|all| all.expose() == secret.expose());
            let organization = if is_all {
                Role::All
            } else {
                role.organization()
            };
            by_role.insert(role, organization);
            let known = by_placeholder.entry(secret.placeholder());
            known.or_insert(organization);
        }
        Self {
            max_requests: limits.max_requests.get().into(),
            credits_reserve: limits.credits_reserve.get().into(),
            by_role,
            by_placeholder,
            state: Mutex::default(),
            ended: Notify::new(),
        }
    }

    /// How many requests a run may send.
    #[must_use]
    pub fn max_requests(&self) -> u64 {
        self.max_requests
    }

    /// Why cases were not begun so far; nothing: the budget has stopped none.
    #[must_use]
    pub fn stops(&self) -> Vec<String> {
        self.state().stops.iter().cloned().collect()
    }

    /// Learns what a response tells of the credits.
    pub fn learn(&self, request: &Request, response: &Response) {
        let Key::Secret(secret) = &request.key else {
            return;
        };
        let organization = self.by_placeholder.get(&secret.placeholder()).copied();
        if let (Some(organization), Some(left)) = (organization, response.number(REMAINING)) {
            let is_refusal = response.status == 402;
            self.note(organization, Claim { left, is_refusal });
        }
    }

    fn note(&self, organization: Role, claim: Claim) {
        let mut state = self.state();
        let claims = state.claims.entry(organization).or_default();
        claims.push_back(claim);
        if claims.len() > CLAIMS {
            claims.pop_front();
        }
    }

    /// Waits until it is sure whether what the case may need is left, and sets it aside. `sent` tells how many requests were
    /// sent so far: while others are under way, part of what they may need is in it already, so that it is known for certain
    /// only when they have ended.
    ///
    /// # Errors
    /// It is not left: the case is not begun. What of the budget is used up, in words that are the same for each such case.
    pub async fn begin(&self, case: &Case, sent: impl Fn() -> u64) -> Result<Share<'_>, String> {
        loop {
            // Made before the look, so that no end in between is missed.
            let ended = self.ended.notified();
            match self.try_begin(case, sent()) {
                Ok(share) => return Ok(share),
                Err(Refusal::NotYet) => ended.await,
                Err(Refusal::UsedUp(why)) => return Err(why),
            }
        }
    }

    /// Whether a request may be sent that belongs to no case, such as one that looks for fixtures.
    #[must_use]
    pub fn has_one_more(&self, sent: u64) -> bool {
        sent < self.max_requests
    }

    fn try_begin(&self, case: &Case, sent: u64) -> Result<Share<'_>, Refusal> {
        let requests = u64::from(case.requests);
        let organizations = self.organizations(case);
        let mut state = self.state();
        if let Some(why) = self.lack(&state, sent, requests, &organizations) {
            if state.running > 0 {
                return Err(Refusal::NotYet);
            }
            state.stops.insert(why.clone());
            return Err(Refusal::UsedUp(why));
        }
        state.running += 1;
        state.requests += requests;
        for organization in &organizations {
            *state.credits.entry(*organization).or_default() += requests;
        }
        Ok(Share {
            budget: self,
            requests,
            organizations,
        })
    }

    fn lack(
        &self,
        state: &State,
        sent: u64,
        requests: u64,
        organizations: &BTreeSet<Role>,
    ) -> Option<String> {
        if sent + state.requests + requests > self.max_requests {
            return Some(format!(
                "budget.max_requests is used up (a run sends {} at most)",
                self.max_requests
            ));
        }
        let short = organizations.iter().find(|organization| {
            let set_aside = state.credits.get(organization).copied().unwrap_or(0);
            let left = state.left(**organization);
            left.is_some_and(|left| left < self.credits_reserve + set_aside + requests)
        });
        short.map(|organization| {
            format!(
                "budget.credits_reserve is reached (the organisation of the key {organization} keeps {} credits)",
                self.credits_reserve
            )
        })
    }

    /// The organisations whose credits a case spends. What is there to be used up has no reserve.
    fn organizations(&self, case: &Case) -> BTreeSet<Role> {
        if case.changes == Changes::Allowance {
            return BTreeSet::new();
        }
        let organizations = case.keys.iter().filter_map(|role| self.by_role.get(role));
        let spent = organizations.filter(|organization| **organization != Role::Exhausted);
        spent.copied().collect()
    }

    /// A panic between two fields leaves a sound state.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The credits of an organisation, as far as several responses agree that there are no more. Answers that serve, and tell the
    /// same each time, tell either that nothing is spent or what is not true: they stop no run, and cases judge them.
    fn left(&self, organization: Role) -> Option<u64> {
        let claims = self.claims.get(&organization)?;
        let is_same = claims.iter().all(|claim| *claim == claims[0]);
        let is_believed = claims.len() == CLAIMS && (claims[0].is_refusal || !is_same);
        let most = claims.iter().map(|claim| claim.left).max()?;
        // The largest is the oldest, and the responses after it cost a credit each.
        let left = most.saturating_sub(CLAIMS as u64 - 1);
        is_believed.then_some(left)
    }
}

/// Why a case does not begin.
enum Refusal {
    /// Cases under way may leave enough.
    NotYet,
    /// Nobody will.
    UsedUp(String),
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let mut state = self.budget.state();
        state.running -= 1;
        state.requests -= self.requests;
        for organization in &self.organizations {
            if let Some(credits) = state.credits.get_mut(organization) {
                *credits -= self.requests;
            }
        }
        drop(state);
        self.budget.ended.notify_waiters();
    }
}

#[cfg(test)]
mod tests;
