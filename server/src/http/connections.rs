//! How many connections are open, in all and from each address.
//!
//! It refuses to count what has closed: a place ends with its connection.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
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
    places: Arc<Semaphore>,
    by_address: Arc<ByAddress>,
    per_address: usize,
    trusted_proxies: Vec<Network>,
}

/// How many connections each address has, or each /64 of IPv6.
#[derive(Debug, Default)]
struct ByAddress(Mutex<HashMap<IpAddr, usize>>);

/// A place for a connection that is not accepted yet.
#[derive(Debug)]
pub(super) struct Vacancy(OwnedSemaphorePermit);

/// The place of an open connection.
#[derive(Debug)]
pub(super) struct Place {
    _permit: OwnedSemaphorePermit,
    _address: Option<AddressPlace>,
}

#[derive(Debug)]
struct AddressPlace {
    by_address: Arc<ByAddress>,
    address: IpAddr,
}

impl Connections {
    pub(super) fn new(limits: &ConnectionLimits) -> Self {
        let limit = u32::try_from(limits.connections).expect("bounded by the flag");
        Self {
            limit,
            places: Arc::new(Semaphore::new(limits.connections)),
            by_address: Arc::default(),
            per_address: limits.connections_per_address,
            trusted_proxies: limits.trusted_proxies.clone(),
        }
    }

    /// Waits until one more connection may be accepted.
    pub(super) async fn vacancy(&self) -> Vacancy {
        let permit = Arc::clone(&self.places).acquire_owned().await;
        Vacancy(permit.expect("never closed"))
    }

    /// The same without waiting.
    pub(super) fn vacancy_now(&self) -> Option<Vacancy> {
        let permit = Arc::clone(&self.places).try_acquire_owned();
        permit.ok().map(Vacancy)
    }

    /// The place of a connection from `address`; `None` where that address has too many.
    pub(super) fn take(&self, Vacancy(permit): Vacancy, address: IpAddr) -> Option<Place> {
        let speaks_for_many = client_address::is_trusted(address, &self.trusted_proxies);
        let address = if speaks_for_many {
            None
        } else {
            Some(AddressPlace::take(
                &self.by_address,
                rate_limit_key(address),
                self.per_address,
            )?)
        };
        Some(Place {
            _permit: permit,
            _address: address,
        })
    }

    /// Ready when no connection is open.
    pub(super) async fn all_closed(&self) {
        let all = self.places.acquire_many(self.limit).await;
        drop(all.expect("never closed"));
    }
}

impl AddressPlace {
    fn take(by_address: &Arc<ByAddress>, address: IpAddr, limit: usize) -> Option<Self> {
        let mut counts = by_address.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(address).or_default();
        if *count >= limit {
            return None;
        }
        *count += 1;
        Some(Self {
            by_address: Arc::clone(by_address),
            address,
        })
    }
}

impl Drop for AddressPlace {
    fn drop(&mut self) {
        let counts = self.by_address.0.lock();
        let mut counts = counts.unwrap_or_else(PoisonError::into_inner);
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

    fn take(connections: &Connections, address: &str) -> Option<Place> {
        connections.take(connections.vacancy_now()?, address.parse().unwrap())
    }

    #[test]
    fn place_is_free_again_when_its_connection_ends() {
        let connections = connections(2, 2, "10.0.0.1");
        let first = take(&connections, "192.0.2.1").unwrap();
        let _second = take(&connections, "192.0.2.1").unwrap();
        assert!(connections.vacancy().now_or_never().is_none());
        assert!(connections.all_closed().now_or_never().is_none());
        drop(first);
        assert!(take(&connections, "192.0.2.1").is_some());
    }

    #[test]
    fn address_has_its_limit_and_a_v6_network_one_together() {
        let connections = connections(100, 1, "10.0.0.1");
        let _v4 = take(&connections, "192.0.2.1").unwrap();
        assert!(take(&connections, "192.0.2.1").is_none());
        assert!(take(&connections, "::ffff:192.0.2.1").is_none());
        let _other = take(&connections, "192.0.2.2").unwrap();
        let _v6 = take(&connections, "2001:db8::1").unwrap();
        assert!(take(&connections, "2001:db8::2").is_none());
        assert!(take(&connections, "2001:db8:0:1::1").is_some());
    }

    #[test]
    fn trusted_proxy_speaks_for_many() {
        let connections = connections(100, 1, "10.0.0.0/8");
        let places: Vec<_> = (0..50).map(|_| take(&connections, "10.1.2.3")).collect();
        assert!(places.iter().all(Option::is_some));
    }

    #[test]
    fn addresses_without_connections_leave_nothing_behind() {
        let connections = connections(100, 1, "10.0.0.1");
        for last in 0..50 {
            drop(take(&connections, &format!("192.0.2.{last}")));
        }
        assert!(connections.by_address.0.lock().unwrap().is_empty());
        assert!(connections.all_closed().now_or_never().is_some());
    }
}
