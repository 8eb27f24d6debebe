//! Hands out permits by the [`FairQueue`]. Its lock is never held across an await.

use std::{
    fmt,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use quick_cache::unsync::Cache;
use tokio::sync::oneshot;

use super::fair_queue::{Capacity, Enqueued, FairQueue};
use crate::{
    gate::{KeyHash, rate_limit_key},
    id::OrganizationId,
    metrics::{GaugeGuard, Metrics},
};

/// Requests that wait, of all organisations together: as many as there are connections by default.
pub const QUEUE_LIMIT: usize = 1_024;
/// Keys whose owner is cached, the most frequent ones: about 50 MB where all are in use.
const OWNERS_LIMIT: usize = 262_144;
/// Up to so many requests in flight reads may start before they are admitted.
const SPECULATIVE_READ_MAX_IN_FLIGHT: usize = 8;

/// How many requests may be in flight, and how long others wait.
#[derive(Clone, Copy, Debug)]
pub struct InFlightLimits {
    /// All of them.
    pub all: usize,
    pub per_organization: usize,
    /// How long a request waits for a permit before it gets a 503.
    pub queue: Duration,
}

/// The requests in flight behind one gate.
pub(in crate::gate) struct InFlightLimiter {
    state: Mutex<State>,
    max_wait: Duration,
    metrics: Metrics,
}

struct State {
    /// Never outdated: a key's organisation and id do not change.
    owners: Cache<KeyHash, Owner>,
    queue: FairQueue<Client, oneshot::Sender<Permit>>,
}

/// The organisation of a key, and the key's id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) organization: OrganizationId,
    pub(crate) key_id: Arc<str>,
}

/// What a request counts for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Client {
    Organization(OrganizationId),
    /// Of a key that was never admitted: made-up keys must not count as many quiet organisations.
    Address(IpAddr),
    /// The same where the address is not known.
    Key(KeyHash),
}

/// No permit was free in time: 503.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gate) struct Shed;

/// The right to be in flight, until it is dropped.
pub(in crate::gate) struct Permit {
    limiter: Arc<InFlightLimiter>,
    client: Client,
    _counted: GaugeGuard,
}

struct QueuedRequest<'a> {
    limiter: &'a Arc<InFlightLimiter>,
    client: Client,
    arrival: u64,
    permit: oneshot::Receiver<Permit>,
}

impl InFlightLimiter {
    pub(in crate::gate) fn new(limits: InFlightLimits, metrics: Metrics) -> Arc<Self> {
        let capacity =
            Capacity { all: limits.all, per_client: limits.per_organization, queue: QUEUE_LIMIT };
        Arc::new(Self {
            state: Mutex::new(State {
                owners: Cache::new(OWNERS_LIMIT),
                queue: FairQueue::new(capacity),
            }),
            max_wait: limits.queue,
            metrics,
        })
    }

    /// Waits for a permit for a request with this key, from this address.
    pub(in crate::gate) async fn acquire(
        self: &Arc<Self>,
        key: KeyHash,
        address: Option<IpAddr>,
    ) -> Result<Permit, Shed> {
        let mut receiver = None;
        let (client, enqueued) = {
            let mut state = self.state();
            let client = state.client(key, address);
            let enqueued = state.queue.enter(&client, || {
                let (sender, permit) = oneshot::channel();
                receiver = Some(permit);
                sender
            });
            (client, enqueued)
        };
        let permit = match (enqueued, receiver) {
            (Enqueued::Granted, _) => Some(self.permit(client)),
            (Enqueued::Queued { arrival, evicted }, Some(permit)) => {
                drop(evicted);
                let _queued = self.metrics.requests_queued.enter();
                let request = QueuedRequest { limiter: self, client, arrival, permit };
                request.wait().await
            }
            (Enqueued::Queued { .. } | Enqueued::Rejected, _) => None,
        };
        permit.ok_or_else(|| {
            self.metrics.requests_shed.inc();
            Shed
        })
    }

    /// Caches a key's owner for its next request.
    pub(in crate::gate) fn cache_owner(&self, key: KeyHash, owner: Owner) {
        self.state().owners.insert(key, owner);
    }

    /// The key's owner, where it is cached and few requests are in flight.
    pub(in crate::gate) fn cached_owner_if_idle(&self, key: KeyHash) -> Option<Owner> {
        let state = self.state();
        let is_idle = state.queue.granted() <= SPECULATIVE_READ_MAX_IN_FLIGHT;
        is_idle.then(|| state.owners.get(&key).cloned()).flatten()
    }

    fn permit(self: &Arc<Self>, client: Client) -> Permit {
        Permit {
            limiter: Arc::clone(self),
            client,
            _counted: self.metrics.requests_in_flight.enter(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn client(&self, key: KeyHash, address: Option<IpAddr>) -> Client {
        match (self.owners.get(&key), address) {
            (Some(owner), _) => Client::Organization(owner.organization.clone()),
            (None, Some(address)) => Client::Address(rate_limit_key(address)),
            (None, None) => Client::Key(key),
        }
    }
}

impl Permit {
    /// Whether it was acquired with a key whose owner is cached.
    pub(in crate::gate) fn has_known_owner(&self) -> bool {
        matches!(self.client, Client::Organization(_))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let next = self.limiter.state().queue.release(&self.client);
        if let Some((client, sender)) = next {
            // A receiver that is gone drops the permit, which passes it on.
            let _ = sender.send(self.limiter.permit(client));
        }
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Permit").field(&self.client).finish()
    }
}

impl QueuedRequest<'_> {
    async fn wait(mut self) -> Option<Permit> {
        let max_wait = self.limiter.max_wait;
        match tokio::time::timeout(max_wait, &mut self.permit).await {
            Ok(permit) => permit.ok(),
            Err(_) => {
                self.cancel();
                // It may have been granted meanwhile.
                self.permit.try_recv().ok()
            }
        }
    }

    fn cancel(&self) {
        let mut state = self.limiter.state();
        drop(state.queue.cancel(&self.client, self.arrival));
    }
}

impl Drop for QueuedRequest<'_> {
    fn drop(&mut self) {
        self.cancel();
    }
}

#[cfg(test)]
mod tests;
