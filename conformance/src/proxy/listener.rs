//! The listener: reads each request whole, lets the fault answer it, and writes the response.

use std::{convert::Infallible, io, net::SocketAddr, sync::Arc};

use bytes::Bytes;
use futures_util::stream;
use http_body_util::{BodyExt as _, Either, Full, Limited, StreamBody};
use hyper::{
    Response as HttpResponse,
    body::{Frame, Incoming},
    header::{CONTENT_LENGTH, HOST, TRANSFER_ENCODING},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpListener, task::JoinHandle};

use super::{
    fault::{Act, Fault},
    upstream::{Upstream, without_connection_headers},
};
use crate::{
    exchange::{
        Key, Request, Response,
        headers::KEY,
        transport::{BODY_LIMIT, Pool},
    },
    secret::Secret,
    target::Keys,
};

/// Bytes of a chunk, where a body is sent in chunks.
const CHUNK_BYTES: usize = 100;

type Chunks = Box<dyn Iterator<Item = Result<Frame<Bytes>, Infallible>> + Send>;
type Body = Either<Full<Bytes>, StreamBody<stream::Iter<Chunks>>>;

/// A running proxy. Dropped, it stops.
#[derive(Debug)]
pub(crate) struct Proxy {
    address: SocketAddr,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// Listens on a free port of this machine, and shows this fault of the deployment at `origin`,
    /// such as `https://staging.example.com`; without a fault everything is passed on unchanged.
    pub(crate) async fn start(
        origin: &str,
        fault: Option<&'static Fault>,
        keys: Keys,
        pool: Pool,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let upstream = Arc::new(Upstream::new(origin, pool, keys));
        let accepting = tokio::spawn(accept(listener, fault, upstream));
        Ok(Self { address, accepting })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, fault: Option<&'static Fault>, upstream: Arc<Upstream>) {
    let mut connections = tokio::task::JoinSet::new();
    loop {
        // A connection that could not be accepted is the client's loss alone.
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        let _ = stream.set_nodelay(true);
        while connections.try_join_next().is_some() {}
        let upstream = Arc::clone(&upstream);
        let service = service_fn(move |request| {
            let upstream = Arc::clone(&upstream);
            async move { Ok::<_, Infallible>(respond(request, fault, &upstream).await) }
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
    fault: Option<&'static Fault>,
    upstream: &Upstream,
) -> HttpResponse<Body> {
    let Some(request) = read(request).await else {
        let why = "the request ended too early, or is larger than 64 MiB";
        return written(Response::bad_gateway(why));
    };
    written(match fault {
        Some(fault) => fault.respond(request, upstream).await,
        None => upstream.send(&request).await,
    })
}

async fn read(request: hyper::Request<Incoming>) -> Option<Request> {
    let (head, body) = request.into_parts();
    let mut headers = without_connection_headers(head.headers);
    let keys = headers.get_all(KEY).iter();
    let keys = keys.map(|key| Some(Secret::new("KEY", std::str::from_utf8(key.as_bytes()).ok()?)));
    let mut keys: Vec<Secret> = keys.collect::<Option<_>>()?;
    // The proxy's own request gets its own host and length.
    for name in [KEY, HOST.as_str(), CONTENT_LENGTH.as_str()] {
        headers.remove(name);
    }
    let body = Limited::new(body, BODY_LIMIT).collect().await.ok()?.to_bytes();
    Some(Request {
        method: head.method,
        target: head.uri.path_and_query().map_or("/", |target| target.as_str()).to_owned(),
        key: match keys.len() {
            0 => Key::None,
            1 => Key::Secret(keys.remove(0)),
            _ => Key::Repeated(keys),
        },
        headers,
        body: (!body.is_empty()).then_some(body),
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
