//! Accepting connections, and stopping in order: stop accepting, let running requests finish, and
//! cut off what still runs after the drain time.

use std::{future::Future, io, net::SocketAddr, sync::Arc, time::Duration};

use futures_util::FutureExt;
use poem::{Endpoint, Response};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, watch},
};

use super::{
    connection::{self, ListenerState, Shared},
    connections::Connections,
    limits::ConnectionLimits,
};
use crate::telemetry::{Metrics, Telemetry};

/// The pause after the system had no file or memory for a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A bound port that does not answer yet.
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
}

impl Bound {
    /// Binds `address`; port 0 takes a free one.
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Returns the address, with the actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop` is ready, then lets requests and the detached tasks in `telemetry`
    /// run for at most the drain time.
    pub async fn serve<E>(
        self,
        service: E,
        stop: impl Future<Output = ()>,
        limits: ConnectionLimits,
        telemetry: Telemetry,
    ) where
        E: Endpoint<Output = Response> + 'static,
    {
        let drain = limits.drain;
        let acceptor = Acceptor {
            connections: Connections::new(&limits),
            shared: Arc::new(Shared::new(service, limits, self.address)),
            stage: watch::Sender::new(ListenerState::Serving),
            metrics: telemetry.metrics,
        };
        tokio::select! {
            () = stop => {}
            () = acceptor.accept_all(&self.listener) => {}
        }
        telemetry.stopping.cancel();
        // These clients are connected already; closing the port would reset their connections.
        acceptor.accept_queued(&self.listener);
        drop(self.listener);
        acceptor.stage.send_replace(ListenerState::Draining);
        let ended = async {
            acceptor.connections.all_closed().await;
            telemetry.detached_tasks.close();
            telemetry.detached_tasks.wait().await;
        };
        if tokio::time::timeout(drain, ended).await.is_err() {
            tracing::warn!("the drain time is over; what still runs is cut off");
            acceptor.stage.send_replace(ListenerState::Over);
            acceptor.connections.all_closed().await;
        }
    }
}

struct Acceptor<E> {
    connections: Connections,
    shared: Arc<Shared<E>>,
    stage: watch::Sender<ListenerState>,
    metrics: Metrics,
}

impl<E> Acceptor<E>
where
    E: Endpoint<Output = Response> + 'static,
{
    async fn accept_all(&self, listener: &TcpListener) {
        loop {
            let permit = self.connections.acquire().await;
            match listener.accept().await {
                Ok((stream, peer)) => self.spawn(permit, stream, peer),
                Err(error) if is_of_the_connection(&error) => {}
                Err(error) => {
                    tracing::error!(%error, "no connection can be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Accepts what is in the system's queue already.
    fn accept_queued(&self, listener: &TcpListener) {
        while let Some(permit) = self.connections.try_acquire() {
            match listener.accept().now_or_never() {
                Some(Ok((stream, peer))) => self.spawn(permit, stream, peer),
                Some(Err(_)) | None => return,
            }
        }
    }

    fn spawn(&self, permit: OwnedSemaphorePermit, stream: TcpStream, peer: SocketAddr) {
        let Some(permit) = self.connections.admit(permit, peer.ip()) else {
            self.metrics.connections_refused.inc();
            return;
        };
        // Head and body are two writes; the second would wait up to 40 ms for the client's
        // acknowledgement of the first. An error means that the client is gone.
        let _ = stream.set_nodelay(true);
        let open = self.metrics.connections_open.enter();
        let connection =
            connection::serve(stream, peer, Arc::clone(&self.shared), self.stage.subscribe());
        tokio::spawn(async move {
            connection.await;
            drop((permit, open));
        });
    }
}

/// The client disconnected before its connection was accepted; the next one may be fine.
fn is_of_the_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    )
}
