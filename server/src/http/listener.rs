//! Accepting connections, and ending in order: stop accepting, let running requests finish, then go.
//!
//! It refuses to end or to spin because a connection cannot be accepted, and to run on for ever: after the drain time the
//! rest is cut off.

use std::{future::Future, io, net::SocketAddr, sync::Arc, time::Duration};

use futures_util::FutureExt;
use poem::{Endpoint, Response};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
};

use super::{
    connection::{self, Shared, Stage},
    connections::{Connections, Vacancy},
    limits::ConnectionLimits,
};
use crate::{metrics::Metrics, telemetry::Telemetry};

/// How long nothing is accepted after the system had no file or memory for a connection.
const PAUSE: Duration = Duration::from_millis(100);

/// A bound port that does not answer yet.
#[derive(Debug)]
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
}

impl Bound {
    /// Binds `address`; port 0 takes a free one.
    ///
    /// # Errors
    /// The port is taken, or the address is not ours.
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// The address, with the port it really has.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop` is ready, then for at most the drain time longer, in which work that requests have left behind
    /// may end as well.
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
        let accepting = Accepting {
            connections: Connections::new(&limits),
            shared: Arc::new(Shared::new(service, limits, self.address)),
            stage: watch::Sender::new(Stage::Serving),
            metrics: telemetry.metrics,
        };
        tokio::select! {
            () = stop => {}
            () = accepting.accept_all(&self.listener) => {}
        }
        // These clients hold a connection already, though we do not: closing the port would break it.
        accepting.accept_waiting(&self.listener);
        drop(self.listener);
        accepting.stage.send_replace(Stage::Draining);
        let ended = async {
            accepting.connections.all_closed().await;
            telemetry.detached_tasks.close();
            telemetry.detached_tasks.wait().await;
        };
        if tokio::time::timeout(drain, ended).await.is_err() {
            tracing::warn!("the drain time is over; what still runs is cut off");
            accepting.stage.send_replace(Stage::Over);
            accepting.connections.all_closed().await;
        }
    }
}

/// What a listener needs for each connection.
struct Accepting<E> {
    connections: Connections,
    shared: Arc<Shared<E>>,
    stage: watch::Sender<Stage>,
    metrics: Metrics,
}

impl<E> Accepting<E>
where
    E: Endpoint<Output = Response> + 'static,
{
    async fn accept_all(&self, listener: &TcpListener) {
        loop {
            let vacancy = self.connections.vacancy().await;
            match listener.accept().await {
                Ok((stream, peer)) => self.begin(vacancy, stream, peer),
                Err(error) if is_of_the_connection(&error) => {}
                Err(error) => {
                    tracing::error!(%error, "no connection can be accepted");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// Accepts what stands in the system's queue already.
    fn accept_waiting(&self, listener: &TcpListener) {
        while let Some(vacancy) = self.connections.vacancy_now() {
            match listener.accept().now_or_never() {
                Some(Ok((stream, peer))) => self.begin(vacancy, stream, peer),
                Some(Err(_)) | None => return,
            }
        }
    }

    fn begin(&self, vacancy: Vacancy, stream: TcpStream, peer: SocketAddr) {
        let Some(place) = self.connections.take(vacancy, peer.ip()) else {
            self.metrics.connections_refused.inc();
            return;
        };
        // A head and a body are two writes, and the second would wait until the client has acknowledged the first, which
        // it may put off for 40 ms. A connection that is gone already fails here, and is no failure of the listener.
        let _ = stream.set_nodelay(true);
        let open = self.metrics.connections_open.enter();
        let connection = connection::serve(
            stream,
            peer,
            Arc::clone(&self.shared),
            self.stage.subscribe(),
        );
        tokio::spawn(async move {
            connection.await;
            drop((place, open));
        });
    }
}

/// The client went away before its connection was accepted; the next one may be fine.
fn is_of_the_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    )
}
