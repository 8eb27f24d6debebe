//! The listener: reads each request whole, lets the fault answer it, and writes the response.

use std::{convert::Infallible, io, net::SocketAddr, sync::Arc};

use bytes::Bytes;
use futures_util::stream;
use http_body_util::{BodyExt as _, Either, Full, Limited, StreamBody};
use hyper::{
    Response as HttpResponse,
    body::{Frame, Incoming},
    header::TRANSFER_ENCODING,
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpListener, task::JoinHandle};

use crate::{
    Fault,
    fault::Act,
    keys::Keys,
    message::{Request, Response},
    transport::Pool,
    upstream::Upstream,
};

/// Names the scheme and authority of the deployment that a request is for, where that is not the
/// proxy's own upstream: a link may lead to another host. The header is not passed on.
pub const ORIGIN_HEADER: &str = "payout-faults-origin";
/// Bytes of a chunk, where a body is sent in chunks.
const CHUNK_BYTES: usize = 100;
/// The largest request that is passed on.
const BODY_LIMIT_BYTES: usize = 64 * 1_024 * 1_024;

type Chunks = Box<dyn Iterator<Item = Result<Frame<Bytes>, Infallible>> + Send>;
type Body = Either<Full<Bytes>, StreamBody<stream::Iter<Chunks>>>;

/// A running proxy. Dropped, it stops.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// Listens on an address, and shows this fault of the deployment at `origin`, such as
    /// `https://staging.example.com`; without a fault everything is passed on unchanged.
    pub async fn start(
        listen: SocketAddr,
        origin: &str,
        fault: Option<&'static Fault>,
        keys: Keys,
        pool: Pool,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(listen).await?;
        let address = listener.local_addr()?;
        let upstream = Arc::new(Upstream::new(pool, keys));
        let origin: Arc<str> = origin.trim_end_matches('/').into();
        let accepting = tokio::spawn(accept(listener, origin, fault, upstream));
        Ok(Self { address, accepting })
    }

    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(
    listener: TcpListener,
    origin: Arc<str>,
    fault: Option<&'static Fault>,
    upstream: Arc<Upstream>,
) {
    let mut connections = tokio::task::JoinSet::new();
    loop {
        // A connection that could not be accepted is the client's loss alone.
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        let _ = stream.set_nodelay(true);
        while connections.try_join_next().is_some() {}
        let (origin, upstream) = (Arc::clone(&origin), Arc::clone(&upstream));
        let service = service_fn(move |request| {
            let (origin, upstream) = (Arc::clone(&origin), Arc::clone(&upstream));
            async move { Ok::<_, Infallible>(respond(request, &origin, fault, &upstream).await) }
        });
        let mut builder = http1::Builder::new();
        builder.max_buf_size(1_024 * 1_024);
        if let Some(Act::Serve(change)) = fault.map(|fault| fault.act) {
            change(&mut builder);
        }
        connections.spawn(builder.serve_connection(TokioIo::new(stream), service));
    }
}

async fn respond(
    request: hyper::Request<Incoming>,
    origin: &str,
    fault: Option<&'static Fault>,
    upstream: &Upstream,
) -> HttpResponse<Body> {
    let Some(request) = read(request, origin).await else {
        let why = "the request ended too early, or is larger than 64 MiB";
        return written(Response::bad_gateway(why));
    };
    written(match fault {
        Some(fault) => fault.respond(request, upstream).await,
        None => upstream.send(&request).await,
    })
}

async fn read(request: hyper::Request<Incoming>, origin: &str) -> Option<Request> {
    let (mut head, body) = request.into_parts();
    let named = head.headers.remove(ORIGIN_HEADER);
    let named = named.and_then(|named| named.to_str().map(str::to_owned).ok());
    Some(Request {
        method: head.method,
        origin: named.unwrap_or_else(|| origin.to_owned()),
        target: head.uri.path_and_query().map_or("/", |target| target.as_str()).to_owned(),
        headers: head.headers,
        body: Limited::new(body, BODY_LIMIT_BYTES).collect().await.ok()?.to_bytes(),
    })
}

fn written(response: Response) -> HttpResponse<Body> {
    let body = if response.headers.contains_key(TRANSFER_ENCODING) {
        let mut rest = response.body;
        let chunks = std::iter::from_fn(move || {
            let chunk = rest.split_to(CHUNK_BYTES.min(rest.len()));
            (!chunk.is_empty()).then(|| Ok(Frame::data(chunk)))
        });
        Either::Right(StreamBody::new(stream::iter(Box::new(chunks) as Chunks)))
    } else {
        Either::Left(Full::new(response.body))
    };
    let mut written = HttpResponse::new(body);
    *written.status_mut() = response.status;
    *written.headers_mut() = response.headers;
    written
}
