//! Accepting connections, and ending in order: stop accepting, let running requests finish, then go.
//!
//! It refuses to run on for ever: after the drain time the rest is cut off.

use std::{future::Future, net::SocketAddr, time::Duration};

use poem::{
    Endpoint, IntoEndpoint, Server,
    http::uri::Scheme,
    listener::{Acceptor, TcpAcceptor},
    web::{LocalAddr, RemoteAddr},
};
use tokio::net::{TcpListener, TcpStream};

/// A bound port that does not answer yet.
pub struct Bound {
    acceptor: AtOnce,
    address: SocketAddr,
}

/// Sends what is written at once. A head and a body are two writes, and the second would wait until the client has
/// acknowledged the first, which it may put off for 40 ms.
struct AtOnce(TcpAcceptor);

impl Acceptor for AtOnce {
    type Io = TcpStream;

    fn local_addr(&self) -> Vec<LocalAddr> {
        self.0.local_addr()
    }

    async fn accept(&mut self) -> std::io::Result<(TcpStream, LocalAddr, RemoteAddr, Scheme)> {
        let accepted = self.0.accept().await?;
        // A connection that is gone already fails here, and is no failure of the listener.
        let _ = accepted.0.set_nodelay(true);
        Ok(accepted)
    }
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
            acceptor: AtOnce(TcpAcceptor::from_tokio(listener)?),
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
