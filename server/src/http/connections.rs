//! Counts and limits open connections, in all and from each address.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{
    client_address::{self, Network},
    limits::ConnectionLimits,
};
use crate::gate::rate_limit_key;

/// The open connections of one listener.
#[derive(Debug)]
pub(super) struct Connections {
    limit: u32,
    free: Arc<Semaphore>,
    by_address: Arc<ByAddress>,
    per_address: usize,
    trusted_proxies: Vec<Network>,
}

/// The number of connections of each address, or each /64 of IPv6.
#[derive(Debug, Default)]
struct ByAddress(Mutex<HashMap<IpAddr, usize>>);

/// An open connection, counted until this is dropped.
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    _permit: OwnedSemaphorePermit,
    _address: Option<AddressPermit>,
}

#[derive(Debug)]
struct AddressPermit {
    by_address: Arc<ByAddress>,
    address: IpAddr,
}

impl Connections {
    pub(super) fn new(limits: &ConnectionLimits) -> Self {
        let limit = u32::try_from(limits.connections).expect("bounded by the flag");
        Self {
            limit,
            free: Arc::new(Semaphore::new(limits.connections)),
            by_address: Arc::default(),
            per_address: limits.connections_per_address,
            trusted_proxies: limits.trusted_proxies.clone(),
        }
    }

    /// Waits until one more connection may be accepted.
    pub(super) async fn acquire(&self) -> OwnedSemaphorePermit {
        let permit = Arc::clone(&self.free).acquire_owned().await;
        permit.expect("never closed")
    }

    /// Takes a permit without waiting.
    pub(super) fn try_acquire(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.free).try_acquire_owned().ok()
    }

    /// Counts a connection from `address`; `None` where that address has too many.
    pub(super) fn admit(
        &self,
        permit: OwnedSemaphorePermit,
        address: IpAddr,
    ) -> Option<ConnectionPermit> {
        let address = if client_address::is_trusted(address, &self.trusted_proxies) {
            None
        } else {
            Some(AddressPermit::take(&self.by_address, rate_limit_key(address), self.per_address)?)
        };
        Some(ConnectionPermit { _permit: permit, _address: address })
    }

    /// Ready when no connection is open.
    pub(super) async fn all_closed(&self) {
        let all = self.free.acquire_many(self.limit).await;
        drop(all.expect("never closed"));
    }
}

impl ByAddress {
    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AddressPermit {
    fn take(by_address: &Arc<ByAddress>, address: IpAddr, limit: usize) -> Option<Self> {
        let mut counts = by_address.lock();
        let count = counts.entry(address).or_default();
        if *count >= limit {
            return None;
        }
        *count += 1;
        Some(Self { by_address: Arc::clone(by_address), address })
    }
}

impl Drop for AddressPermit {
    fn drop(&mut self) {
        let mut counts = self.by_address.lock();
        if let Some(count) = counts.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::config::ServeOptions;

    fn connections(all: usize, per_address: usize, trusted: &str) -> Connections {
        Connections::new(&ConnectionLimits {
            connections: all,
            connections_per_address: per_address,
            trusted_proxies: vec![trusted.parse().unwrap()],
            ..ServeOptions::default().connection_limits()
        })
    }

    fn admit(connections: &Connections, address: &str) -> Option<ConnectionPermit> {
        connections.admit(connections.try_acquire()?, address.parse().unwrap())
    }

    #[test]
    fn permit_is_free_again_when_its_connection_ends() {
        let connections = connections(2, 2, "10.0.0.1");
        let first = admit(&connections, "192.0.2.1").unwrap();
        let _second = admit(&connections, "192.0.2.1").unwrap();
        assert!(connections.acquire().now_or_never().is_none());
        assert!(connections.all_closed().now_or_never().is_none());
        drop(first);
        assert!(admit(&connections, "192.0.2.1").is_some());
    }

    #[test]
    fn each_v4_address_and_each_v6_network_has_its_limit() {
        let connections = connections(100, 1, "10.0.0.1");
        let _v4 = admit(&connections, "192.0.2.1").unwrap();
        assert!(admit(&connections, "192.0.2.1").is_none());
        assert!(admit(&connections, "::ffff:192.0.2.1").is_none());
        let _other = admit(&connections, "192.0.2.2").unwrap();
        let _v6 = admit(&connections, "2001:db8::1").unwrap();
        assert!(admit(&connections, "2001:db8::2").is_none());
        assert!(admit(&connections, "2001:db8:0:1::1").is_some());
    }

    #[test]
    fn trusted_proxy_is_not_limited() {
        let connections = connections(100, 1, "10.0.0.0/8");
        let permits: Vec<_> = (0..50).map(|_| admit(&connections, "10.1.2.3")).collect();
        assert!(permits.iter().all(Option::is_some));
    }

    #[test]
    fn addresses_without_connections_leave_nothing_behind() {
        let connections = connections(100, 1, "10.0.0.1");
        for last in 0..50 {
            drop(admit(&connections, &format!("192.0.2.{last}")));
        }
        assert!(connections.by_address.lock().is_empty());
        assert!(connections.all_closed().now_or_never().is_some());
    }
}
