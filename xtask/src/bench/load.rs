//! Load over HTTP: calls on connections that are kept alive, from this process, which is not the server's.
//!
//! It refuses to count anything but the expected answer: a 429 or 503 is cheap, and would make a figure worthless.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use http_body_util::{BodyExt as _, Empty};
use hyper::{
    Request, StatusCode,
    body::Bytes,
    client::conn::http1::{SendRequest, handshake},
    header::HOST,
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, task::JoinSet};

/// One call, made again and again. Each must be answered with 200.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// `GET` or `POST`.
    pub(crate) method: &'static str,
    /// Path and query.
    pub(crate) path: String,
    /// The API key; a download needs none.
    pub(crate) key: Option<String>,
}

/// When a load ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Until {
    /// After this time; the calls are made in turn.
    Elapsed(Duration),
    /// When each call was made once.
    AllMade,
}

/// What a load measured.
#[derive(Clone, Debug)]
pub(crate) struct Answers {
    /// From the first call to the last answer.
    pub(crate) elapsed: Duration,
    /// Of each call from its sending to the last byte of its answer; sorted.
    pub(crate) latencies: Vec<Duration>,
}

impl Answers {
    /// How many.
    pub(crate) fn count(&self) -> u64 {
        u64::try_from(self.latencies.len()).expect("64 bits")
    }
}

/// Why a load measured nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    /// The server does not take connections.
    #[error("the server at {0} takes no connection: {1}")]
    Connect(SocketAddr, std::io::Error),
    /// The connection broke.
    #[error("{0} {1} was not answered: {2}")]
    Broken(&'static str, String, hyper::Error),
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
        status: StatusCode,
        body: String,
    },
}

/// Makes the calls on so many connections at once. All are connected before the first call.
///
/// # Errors
/// An answer other than 200, or none.
pub(crate) async fn load(
    address: SocketAddr,
    connections: usize,
    calls: &Arc<[Call]>,
    until: Until,
) -> Result<Answers, LoadError> {
    let mut open = Vec::new();
    for _ in 0..connections {
        open.push(Connection::open(address).await?);
    }
    let next = Arc::new(AtomicUsize::new(0));
    let mut workers = JoinSet::new();
    let begun = Instant::now();
    for mut connection in open {
        let (calls, next) = (Arc::clone(calls), Arc::clone(&next));
        workers.spawn(async move {
            let mut latencies = Vec::new();
            loop {
                // Calls are handed out one by one, so no two connections have the same one at a time where there are
                // more calls than connections.
                let turn = next.fetch_add(1, Ordering::Relaxed);
                let ended = match until {
                    Until::Elapsed(time) => begun.elapsed() >= time,
                    Until::AllMade => turn >= calls.len(),
                };
                if ended {
                    return Ok::<_, LoadError>(latencies);
                }
                let sent = Instant::now();
                connection.make(&calls[turn % calls.len()]).await?;
                latencies.push(sent.elapsed());
            }
        });
    }
    let mut latencies = Vec::new();
    while let Some(worker) = workers.join_next().await {
        latencies.extend(worker.expect("a worker does not panic")?);
    }
    let elapsed = begun.elapsed();
    latencies.sort_unstable();
    Ok(Answers { elapsed, latencies })
}

/// Makes one call on a connection of its own, and returns the answer's body.
///
/// # Errors
/// As [`load`].
pub(crate) async fn call_once(address: SocketAddr, call: &Call) -> Result<Bytes, LoadError> {
    Connection::open(address).await?.make(call).await
}

/// A connection that is kept alive.
struct Connection {
    address: SocketAddr,
    sender: SendRequest<Empty<Bytes>>,
}

impl Connection {
    async fn open(address: SocketAddr) -> Result<Self, LoadError> {
        let connect = async {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            handshake(TokioIo::new(stream))
                .await
                .map_err(std::io::Error::other)
        };
        let (sender, driver) = connect
            .await
            .map_err(|error| LoadError::Connect(address, error))?;
        // Its end is told to whoever sends next.
        tokio::spawn(driver);
        Ok(Self { address, sender })
    }

    async fn make(&mut self, call: &Call) -> Result<Bytes, LoadError> {
        let broken = |error| LoadError::Broken(call.method, call.bare_path(), error);
        let mut request = Request::builder()
            .method(call.method)
            .uri(&call.path)
            .header(HOST, self.address.to_string());
        if let Some(key) = &call.key {
            request = request.header("x-api-key", key);
        }
        let request = request
            .body(Empty::new())
            .expect("a call is a sound request");
        self.sender.ready().await.map_err(broken)?;
        let response = self.sender.send_request(request).await.map_err(broken)?;
        let status = response.status();
        let body = response
            .into_body()
            .collect()
            .await
            .map_err(broken)?
            .to_bytes();
        if status != StatusCode::OK {
            return Err(LoadError::Refused {
                method: call.method,
                path: call.bare_path(),
                status,
                body: String::from_utf8_lossy(&body).into_owned(),
            });
        }
        Ok(body)
    }
}

impl Call {
    fn bare_path(&self) -> String {
        self.path.split('?').next().unwrap_or_default().to_owned()
    }
}

#[cfg(test)]
mod tests;
