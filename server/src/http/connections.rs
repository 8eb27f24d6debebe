//! Counts and limits open connections, in all and from each address.

use std::{net::IpAddr, sync::Arc};

use ipnet::IpNet;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{client_address, limits::ConnectionLimits};
use crate::{
    gate::rate_limit_key,
    permits::{Turns, Waiting},
};

/// The open connections of one listener.
#[derive(Debug)]
pub(super) struct Connections {
    limit: u32,
    free: Arc<Semaphore>,
    /// The connections of each address, or each /64 of IPv6.
    by_address: Turns<IpAddr>,
    trusted_proxies: Vec<IpNet>,
}

/// An open connection, counted until this is dropped.
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    _permit: OwnedSemaphorePermit,
    _of_address: Option<Waiting>,
}

impl Connections {
    pub(super) fn new(limits: &ConnectionLimits) -> Self {
        let limit = u32::try_from(limits.connections).expect("bounded by the flag");
        Self {
            limit,
            free: Arc::new(Semaphore::new(limits.connections)),
            by_address: Turns::new(limits.connections_per_address, 0),
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
        let is_limited = !client_address::is_trusted(address, &self.trusted_proxies);
        let of_address = is_limited.then(|| self.by_address.join(rate_limit_key(address)));
        let of_address = of_address.transpose().ok()?;
        Some(ConnectionPermit { _permit: permit, _of_address: of_address })
    }

    /// Ready when no connection is open.
    pub(super) async fn all_closed(&self) {
        let all = self.free.acquire_many(self.limit).await;
        drop(all.expect("never closed"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ServeOptions;

    #[test]
    fn each_v4_address_and_each_v6_network_has_its_limit() {
        let connections = Connections::new(&ConnectionLimits {
            connections_per_address: 1,
            ..ServeOptions::default().connection_limits()
        });
        let admit =
            |address: &str| connections.admit(connections.try_acquire()?, address.parse().unwrap());
        let _v4 = admit("192.0.2.1").unwrap();
        assert!(admit("192.0.2.1").is_none());
        assert!(admit("::ffff:192.0.2.1").is_none());
        let _other = admit("192.0.2.2").unwrap();
        let _v6 = admit("2001:db8::1").unwrap();
        assert!(admit("2001:db8::2").is_none());
        assert!(admit("2001:db8:0:1::1").is_some());
    }
}
