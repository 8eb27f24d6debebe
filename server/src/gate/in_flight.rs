//! Limits the requests in flight, in all and per organisation. Requests over the limit wait
//! briefly, then get a 503 and are not charged.

use std::{
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use quick_cache::unsync::Cache;

use crate::{
    gate::{KeyHash, rate_limit_key},
    id::OrganizationId,
    permits::{Capacity, FairPermit, FairPermits, Overloaded},
    telemetry::{GaugeGuard, Metrics},
};

/// Requests that wait, of all organisations together: as many as there are connections by default.
pub const QUEUE_LIMIT: usize = 1_024;
/// Keys whose owner is cached; beyond, a new one displaces one that is rarely used.
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
pub(super) struct InFlightLimiter {
    permits: Arc<FairPermits<Client>>,
    /// Never outdated: a key's organisation and id do not change.
    owners: Mutex<Cache<KeyHash, Owner>>,
    metrics: Metrics,
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

/// The right to be in flight, until it is dropped.
#[derive(Debug)]
pub(super) struct Permit {
    permit: FairPermit<Client>,
    _counted: GaugeGuard,
}

impl InFlightLimiter {
    pub(super) fn new(limits: InFlightLimits, metrics: Metrics) -> Self {
        let capacity =
            Capacity { all: limits.all, per_client: limits.per_organization, queue: QUEUE_LIMIT };
        Self {
            permits: FairPermits::new(capacity, limits.queue),
            owners: Mutex::new(Cache::new(OWNERS_LIMIT)),
            metrics,
        }
    }

    /// Waits for a permit for a request with this key, from this address.
    pub(super) async fn acquire(
        &self,
        key: KeyHash,
        address: Option<IpAddr>,
    ) -> Result<Permit, Overloaded> {
        let owner = self.owner(key);
        let client = match (owner, address) {
            (Some(owner), _) => Client::Organization(owner.organization),
            (None, Some(address)) => Client::Address(rate_limit_key(address)),
            (None, None) => Client::Key(key),
        };
        let permit = self.permits.acquire(client, || self.metrics.requests_queued.enter()).await;
        Ok(Permit { permit: permit?, _counted: self.metrics.requests_in_flight.enter() })
    }

    /// Caches a key's owner for its next request.
    pub(super) fn cache_owner(&self, key: KeyHash, owner: Owner) {
        self.owners().insert(key, owner);
    }

    /// The key's owner, where it is cached and few requests are in flight.
    pub(super) fn cached_owner_if_idle(&self, key: KeyHash) -> Option<Owner> {
        let is_idle = self.permits.granted() <= SPECULATIVE_READ_MAX_IN_FLIGHT;
        is_idle.then(|| self.owner(key)).flatten()
    }

    fn owner(&self, key: KeyHash) -> Option<Owner> {
        self.owners().get(&key).cloned()
    }

    fn owners(&self) -> MutexGuard<'_, Cache<KeyHash, Owner>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    /// Whether it was acquired with a key whose owner is cached.
    pub(super) fn has_known_owner(&self) -> bool {
        matches!(self.permit.client, Client::Organization(_))
    }
}

#[cfg(test)]
mod tests;
