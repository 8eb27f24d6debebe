//! Limits the requests in flight, in all and per organisation. Requests over the limit wait
//! briefly, then get a 503 and are not charged.

use std::{net::IpAddr, sync::Arc, time::Duration};

use parking_lot::Mutex;
use quick_cache::unsync::Cache;

use crate::{
    gate::{KeyHash, rate_limit_key},
    id::OrganizationId,
    permits::{Capacity, FairPermit, FairPermits, Overloaded},
    telemetry::{GaugeGuard, Metrics},
};

/// Most waiting requests of all organisations: as many as there are connections by default.
pub const QUEUE_LIMIT: usize = 1_024;
/// Most keys whose owner is cached; a new key displaces one that is rarely used.
const OWNERS_LIMIT: usize = 262_144;

#[derive(Clone, Copy, Debug)]
pub struct InFlightLimits {
    pub all: usize,
    pub per_organization: usize,
    /// Time that a request waits for a permit before it gets a 503.
    pub queue: Duration,
}

pub(super) struct InFlightLimiter {
    permits: Arc<FairPermits<Client>>,
    /// A key's organisation and id do not change, so no entry is outdated.
    owners: Mutex<Cache<KeyHash, Owner>>,
    metrics: Metrics,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) organization: OrganizationId,
    pub(crate) key_id: Arc<str>,
}

/// The unit by which requests in flight are counted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Client {
    Organization(OrganizationId),
    /// Counts keys that were never admitted: made-up keys must not count as many organisations.
    Address(IpAddr),
    /// Counts such a key if the address is not known.
    Key(KeyHash),
}

/// Dropping it lets another request be in flight.
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

    pub(super) fn cache_owner(&self, key: KeyHash, owner: Owner) {
        self.owners.lock().insert(key, owner);
    }

    pub(super) fn granted(&self) -> usize {
        self.permits.granted()
    }

    pub(super) fn owner(&self, key: KeyHash) -> Option<Owner> {
        self.owners.lock().get(&key).cloned()
    }
}

impl Permit {
    /// Returns true if the owner of the request's key was cached.
    pub(super) fn has_known_owner(&self) -> bool {
        matches!(self.permit.client, Client::Organization(_))
    }
}

#[cfg(test)]
pub(super) mod tests;
