//! Accepting connections, and ending in order: stop accepting, let running requests finish, then go.
//!
//! It refuses to run on for ever: after the drain time the rest is cut off.

use std::{future::Future, net::SocketAddr, time::Duration};

use poem::{Endpoint, IntoEndpoint, Server, listener::TcpAcceptor};
use tokio::net::TcpListener;

/// A bound port that does not answer yet.
pub struct Bound {
    acceptor: TcpAcceptor,
    address: SocketAddr,
}

impl Bound {
    /// Binds `address`; port 0 takes a free one.
    ///
    /// # Errors
    /// The port is taken, or the address is not ours.
    pub async fn bind(address: SocketAddr) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self {
            acceptor: TcpAcceptor::from_tokio(listener)?,
            address,
        })
    }

    /// The address, with the port it really has.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop` is ready, then for at most `drain` longer.
    ///
    /// # Errors
    /// The listener broke.
    pub async fn serve<E>(
        self,
        service: E,
        stop: impl Future<Output = ()>,
        drain: Duration,
    ) -> std::io::Result<()>
    where
        E: IntoEndpoint,
        E::Endpoint: Endpoint + 'static,
    {
        Server::new_with_acceptor(self.acceptor)
            .run_with_graceful_shutdown(service, stop, Some(drain))
            .await
    }
}
