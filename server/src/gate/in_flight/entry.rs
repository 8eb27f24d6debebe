//! A request's way in, its wait and its way out.
//!
//! It refuses to hold its lock while anything waits.

use std::{
    collections::HashMap,
    fmt,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::oneshot;

use super::places::{self, Places, Sizes};
use crate::{
    gate::KeyHash,
    http::client_address::rate_limit_key,
    id::OrganizationId,
    metrics::{Entered, Metrics},
};

/// Requests that wait, all organisations together: as many as there are connections by default.
pub const QUEUE_LIMIT: usize = 1_024;
/// Keys whose organisation is known; beyond it all are forgotten, and learned anew with each key's next request.
pub const KEYS_LIMIT: usize = 65_536;

/// With so many requests in flight at most reads may begin before they are admitted.
pub const SPECULATIVE_READ_MAX_IN_FLIGHT: usize = 8;

/// How many requests may be in flight, and how long others wait.
#[derive(Clone, Copy, Debug)]
pub struct InFlightLimits {
    /// All of them.
    pub all: usize,
    /// Those of one organisation.
    pub per_organization: usize,
    /// How long a request waits for a place before it is shed.
    pub queue: Duration,
}

/// The requests in flight behind one gate.
pub struct InFlight {
    state: Mutex<State>,
    patience: Duration,
    metrics: Metrics,
}

struct State {
    /// A key never changes its organisation or id, so what was learned once holds.
    owners: HashMap<KeyHash, Owner>,
    places: Places<Party, oneshot::Sender<Place>>,
}

/// Whose a key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The organisation.
    pub organization: OrganizationId,
    /// The key's own id.
    pub key_id: Arc<str>,
}

/// Whom a request counts for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Party {
    /// The organisation of its key.
    Organization(OrganizationId),
    /// A key that was never admitted counts for its address: whoever makes up keys must not look like many quiet
    /// organisations.
    Address(IpAddr),
    /// The same where the address is not known.
    Key(KeyHash),
}

/// No place was free in time: 503.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shed;

/// A place in flight, until it is dropped.
pub struct Place {
    in_flight: Arc<InFlight>,
    party: Party,
    _counted: Entered,
}

/// A request in the queue.
struct Waiting<'a> {
    in_flight: &'a Arc<InFlight>,
    party: Party,
    arrival: u64,
    ticket: oneshot::Receiver<Place>,
}

impl InFlight {
    /// So many requests in flight, and none yet.
    #[must_use]
    pub fn new(limits: InFlightLimits, metrics: Metrics) -> Arc<Self> {
        let sizes = Sizes {
            all: limits.all,
            per_party: limits.per_organization,
            queue: QUEUE_LIMIT,
        };
        Arc::new(Self {
            state: Mutex::new(State {
                owners: HashMap::new(),
                places: Places::new(sizes),
            }),
            patience: limits.queue,
            metrics,
        })
    }

    /// Waits for a place for a request with this key, from this address.
    ///
    /// # Errors
    /// None was free in time, or too many wait.
    pub async fn enter(
        self: &Arc<Self>,
        key: KeyHash,
        address: Option<IpAddr>,
    ) -> Result<Place, Shed> {
        let mut ticket = None;
        let (party, entered) = {
            let mut state = self.state();
            let party = state.party(key, address);
            let entered = state.places.enter(&party, || {
                let (sender, receiver) = oneshot::channel();
                ticket = Some(receiver);
                sender
            });
            (party, entered)
        };
        let placed = match (entered, ticket) {
            (places::Entered::Placed, _) => Some(self.place(party)),
            (places::Entered::Queued(arrival, sent_away), Some(ticket)) => {
                drop(sent_away);
                let _queued = self.metrics.requests_queued.entered();
                Waiting {
                    in_flight: self,
                    party,
                    arrival,
                    ticket,
                }
                .wait()
                .await
            }
            (places::Entered::Queued(..) | places::Entered::Refused, _) => None,
        };
        placed.ok_or_else(|| {
            self.metrics.requests_shed.inc();
            Shed
        })
    }

    /// Remembers whose key this is, for its next request.
    pub fn learn(&self, key: KeyHash, owner: Owner) {
        let mut state = self.state();
        if state.owners.len() >= KEYS_LIMIT {
            state.owners.clear();
        }
        state.owners.insert(key, owner);
    }

    /// Whose key this is, where it was admitted before and few requests are in flight.
    #[must_use]
    pub fn cached_owner_if_idle(&self, key: KeyHash) -> Option<Owner> {
        let state = self.state();
        let is_calm = state.places.taken() <= SPECULATIVE_READ_MAX_IN_FLIGHT;
        is_calm.then(|| state.owners.get(&key).cloned()).flatten()
    }

    fn place(self: &Arc<Self>, party: Party) -> Place {
        Place {
            in_flight: Arc::clone(self),
            party,
            _counted: self.metrics.requests_in_flight.entered(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn party(&self, key: KeyHash, address: Option<IpAddr>) -> Party {
        match (self.owners.get(&key), address) {
            (Some(owner), _) => Party::Organization(owner.organization.clone()),
            (None, Some(address)) => Party::Address(rate_limit_key(address)),
            (None, None) => Party::Key(key),
        }
    }
}

impl Place {
    /// Whether it was taken by a key whose owner is known.
    #[must_use]
    pub fn is_of_known_owner(&self) -> bool {
        matches!(self.party, Party::Organization(_))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let next = self.in_flight.state().places.leave(&self.party);
        if let Some((party, ticket)) = next {
            // Whoever gave up in this very moment hands it on, by dropping it.
            let _ = ticket.send(self.in_flight.place(party));
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Place").field(&self.party).finish()
    }
}

impl Waiting<'_> {
    async fn wait(mut self) -> Option<Place> {
        let patience = self.in_flight.patience;
        match tokio::time::timeout(patience, &mut self.ticket).await {
            Ok(place) => place.ok(),
            Err(_) => {
                self.give_up();
                // It may have come in this very moment.
                self.ticket.try_recv().ok()
            }
        }
    }

    fn give_up(&self) {
        let mut state = self.in_flight.state();
        drop(state.places.abandon(&self.party, self.arrival));
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.give_up();
    }
}

#[cfg(test)]
mod tests;
