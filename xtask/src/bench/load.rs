//! Load over HTTP: calls on connections that are kept alive, from this process, which is not the server's.
//!
//! It refuses to count anything but the expected answer: a 429 or 503 is cheap, and would make a figure worthless. Only
//! where overload is what is measured, a 503 is counted, apart.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::task::JoinSet;

use super::{
    call::{Call, Order},
    connection::{Connection, ConnectionError},
};

/// Room for latencies at the start, so that the list seldom grows while the clock runs.
const LATENCIES: usize = 8 * 1_024;
/// How long a load may go on beyond its time: a server that holds a connection and never answers would hold us too.
const PATIENCE: Duration = Duration::from_secs(60);
const OK: u16 = 200;
const SERVICE_UNAVAILABLE: u16 = 503;

/// Calls, and how they are made.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    pub(crate) connections: usize,
    pub(crate) calls: Arc<[Call]>,
    pub(crate) order: Order,
    /// Whether the server may turn calls away with 503, because there are more than it can serve.
    pub(crate) is_overload: bool,
}

/// When a load ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Until {
    /// After this time.
    Elapsed(Duration),
    /// When each call was made once.
    AllMade,
}

/// What a load measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    /// From the first call to the last answer.
    pub(crate) elapsed: Duration,
    /// Of each call that was answered with 200, from its sending to the last byte of its answer; sorted.
    pub(crate) latencies: Vec<Duration>,
    /// How many were turned away with 503.
    pub(crate) turned_away: u64,
}

impl Answers {
    /// How many were answered with 200.
    pub(crate) fn count(&self) -> u64 {
        u64::try_from(self.latencies.len()).expect("64 bits")
    }
}

/// Why a load measured nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    /// The server does not take connections.
    #[error("the server at {0} takes no connection: {1}")]
    Connect(SocketAddr, io::Error),
    /// No answer, or one that is not understood.
    #[error("{0} {1} has no answer that counts: {2}")]
    Broken(&'static str, String, ConnectionError),
    /// Some answer never came.
    #[error(
        "{connections} connections were to be answered for {seconds} s; {patience} s later some still wait, so nothing was measured. Does the server \
         take as many connections from one address?",
        patience = PATIENCE.as_secs()
    )]
    Silent { connections: usize, seconds: u64 },
    /// There is nothing to download.
    #[error("{0} was answered without a link, so no download can be measured")]
    NoLink(String),
    /// The answer would make the figure worthless.
    #[error(
        "{method} {path} was answered {status} in place of 200, so nothing was measured: {body}"
    )]
    Refused {
        method: &'static str,
        /// Without its query, which may be a signature.
        path: String,
        status: u16,
        body: String,
    },
}

/// A load whose connections are open; its clock has not started.
#[derive(Debug)]
pub(crate) struct Ready {
    open: Vec<Connection>,
    shared: Arc<Shared>,
}

/// What the connections of a load have in common.
#[derive(Debug)]
struct Shared {
    address: SocketAddr,
    load: Load,
    /// For each call the bytes that are sent.
    requests: Vec<Vec<u8>>,
    /// How many calls were handed out.
    turns: AtomicUsize,
}

/// Opens the connections of a load.
///
/// # Errors
/// The server takes no connection.
pub(crate) async fn ready(address: SocketAddr, load: Load) -> Result<Ready, LoadError> {
    let mut open = Vec::new();
    for _ in 0..load.connections {
        open.push(connect(address).await?);
    }
    let requests = load
        .calls
        .iter()
        .map(|call| call.request(address))
        .collect();
    let shared = Shared {
        address,
        load,
        requests,
        turns: AtomicUsize::new(0),
    };
    Ok(Ready {
        open,
        shared: Arc::new(shared),
    })
}

impl Ready {
    /// Makes the calls on all connections at once.
    ///
    /// # Errors
    /// An answer other than 200, or none.
    pub(crate) async fn run(self, until: Until) -> Result<Answers, LoadError> {
        let mut workers = JoinSet::new();
        let (begun, connections) = (Instant::now(), self.open.len());
        for connection in self.open {
            let shared = Arc::clone(&self.shared);
            workers.spawn(async move { shared.work(connection, begun, until).await });
        }
        let time = match until {
            Until::Elapsed(time) => time,
            Until::AllMade => Duration::ZERO,
        };
        let mut answers = Answers::default();
        while !workers.is_empty() {
            let left = (time + PATIENCE).saturating_sub(begun.elapsed());
            let joined = tokio::time::timeout(left, workers.join_next()).await;
            let joined = joined.map_err(|_| LoadError::Silent {
                connections,
                seconds: time.as_secs(),
            })?;
            let worked = joined
                .expect("some are left")
                .expect("a worker does not panic")?;
            answers.latencies.extend(worked.latencies);
            answers.turned_away += worked.turned_away;
        }
        answers.elapsed = begun.elapsed();
        answers.latencies.sort_unstable();
        Ok(answers)
    }
}

/// Calls one after the other, on one connection, whose answers are read.
#[derive(Debug)]
pub(crate) struct Caller {
    address: SocketAddr,
    connection: Connection,
}

impl Caller {
    /// Connects.
    ///
    /// # Errors
    /// The server takes no connection.
    pub(crate) async fn connect(address: SocketAddr) -> Result<Self, LoadError> {
        let connection = connect(address).await?;
        Ok(Self {
            address,
            connection,
        })
    }

    /// Makes a call, and returns the answer's body.
    ///
    /// # Errors
    /// An answer other than 200, or none.
    pub(crate) async fn call(&mut self, call: &Call) -> Result<&[u8], LoadError> {
        let answer = self.connection.call(&call.request(self.address)).await;
        let answer = answer.map_err(|error| call.broken(error))?;
        match answer.status {
            OK => Ok(answer.body),
            status => Err(call.refused(status, answer.body)),
        }
    }
}

impl Shared {
    /// One connection's part. Nothing is allocated for a call; the list of latencies grows now and then.
    async fn work(
        &self,
        mut connection: Connection,
        begun: Instant,
        until: Until,
    ) -> Result<Answers, LoadError> {
        let mut answers = Answers {
            latencies: Vec::with_capacity(LATENCIES),
            ..Answers::default()
        };
        let mut sent = Instant::now();
        loop {
            let turn = self.turns.fetch_add(1, Ordering::Relaxed);
            let ended = match until {
                Until::Elapsed(time) => sent.duration_since(begun) >= time,
                Until::AllMade => turn >= self.requests.len(),
            };
            if ended {
                return Ok(answers);
            }
            let index = self.load.order.index(turn, self.requests.len());
            let call = &self.load.calls[index];
            let answer = connection.call(&self.requests[index]).await;
            let answer = answer.map_err(|error| call.broken(error))?;
            let arrived = Instant::now();
            match answer.status {
                OK => answers.latencies.push(arrived.duration_since(sent)),
                SERVICE_UNAVAILABLE if self.load.is_overload => answers.turned_away += 1,
                status => return Err(call.refused(status, answer.body)),
            }
            if answer.closes {
                connection = connect(self.address).await?;
            }
            sent = arrived;
        }
    }
}

async fn connect(address: SocketAddr) -> Result<Connection, LoadError> {
    let opened = Connection::open(address).await;
    opened.map_err(|error| LoadError::Connect(address, error))
}

impl Call {
    fn broken(&self, error: ConnectionError) -> LoadError {
        LoadError::Broken(self.method, self.bare_path(), error)
    }

    fn refused(&self, status: u16, body: &[u8]) -> LoadError {
        LoadError::Refused {
            method: self.method,
            path: self.bare_path(),
            status,
            body: String::from_utf8_lossy(body).into_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
