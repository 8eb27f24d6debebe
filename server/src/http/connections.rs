//! Counts and limits open connections, in all and from each address.

use std::{net::IpAddr, sync::Arc};

use ipnet::IpNet;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{client_address, limits::ConnectionLimits};
use crate::{
    gate::rate_limit_key,
    permits::{Turns, Waiting},
};

pub(super) struct Connections {
    limit: u32,
    free: Arc<Semaphore>,
    /// The connections of each address, or each /64 of IPv6.
    by_address: Turns<IpAddr>,
    trusted_proxies: Vec<IpNet>,
}

/// An open connection, counted until this is dropped.
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
