//! HTTP/1.1 over connections that are kept, with TLS and proxies, whatever features of reqwest the
//! program has. No redirect is followed: it would carry the key, or a link, elsewhere.

use std::{error::Error, io, net::IpAddr, sync::Arc, task, time::Duration};

use futures_util::{
    FutureExt as _, StreamExt as _,
    future::{BoxFuture, Either, select},
    stream,
};
use http_body_util::BodyDataStream;
use hyper::Uri;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::{
    client::{
        legacy::{
            self,
            connect::{HttpConnector, proxy::Tunnel},
        },
        proxy::matcher::{Intercept, Matcher},
    },
    rt::{TokioExecutor, TokioIo, TokioTimer},
};
use reqwest::{Body, Request, Response, ResponseBuilderExt as _};
use rustls::ClientConfig;
use tokio::{
    net::TcpStream,
    time::{sleep, timeout},
};
use tower_service::Service;

use crate::TransportError;

type BoxError = Box<dyn Error + Send + Sync>;
/// TCP or TLS to the server or to a proxy, and in the latter a tunnel, mostly with TLS.
type Stream = MaybeHttpsStream<MaybeHttpsStream<TokioIo<TcpStream>>>;

/// Sends requests. Clones share connections.
#[derive(Clone, Debug)]
pub(crate) struct Transport(legacy::Client<Connector, Body>);

impl Transport {
    pub(crate) fn new(tls: Option<ClientConfig>, proxies: Proxies, limit: Duration) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(tls.is_none());
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(Duration::from_secs(15)));
        let tls = tls.map(|mut config| {
            config.alpn_protocols = vec![b"http/1.1".to_vec()];
            Arc::new(config)
        });
        let mut http = legacy::Client::builder(TokioExecutor::new());
        http.pool_timer(TokioTimer::new());
        Self(http.build(Connector { tcp, tls, proxies: Arc::new(proxies), limit }))
    }

    /// Sends a request. Its time limit is also that of the response's body.
    pub(crate) async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let limit = request.timeout().copied().unwrap_or(Duration::MAX);
        let url = request.url().clone();
        let failed = |source| TransportError::new(At(url.origin().ascii_serialization(), source));
        let mut late = Box::pin(sleep(limit));
        let (head, body) = match select(self.0.request(request.try_into()?), &mut late).await {
            Either::Left((Ok(response), _)) => response.into_parts(),
            Either::Left((Err(error), _)) => {
                let is_sent = !error.is_connect();
                let error = failed(error.into());
                return Err(if is_sent { error } else { error.not_sent() });
            }
            Either::Right(_) => return Err(failed(too_slow(limit).into())),
        };
        let chunks = BodyDataStream::new(body).map(|chunk| chunk.map_err(BoxError::from));
        let chunks = stream::unfold((chunks, late), move |(mut chunks, mut late)| async move {
            let chunk = match select(chunks.next(), &mut late).await {
                Either::Left((chunk, _)) => chunk?,
                Either::Right(_) => Err(too_slow(limit).into()),
            };
            Some((chunk, (chunks, late)))
        });
        let (response, body) = (hyper::Response::builder(), Body::wrap_stream(chunks.fuse()));
        let mut response = response.url(url).status(head.status).body(body).expect("no headers");
        *response.headers_mut() = head.headers;
        Ok(response.into())
    }
}

/// An error with the origin that it is about, without a URL's path and query, which may be secret.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct At(String, #[source] BoxError);

fn too_slow(limit: Duration) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, format!("it took longer than {limit:.0?}"))
}

/// Which proxy leads to a host.
pub(crate) enum Proxies {
    /// The environment names them; none leads to this machine.
    Environment(Matcher),
    Given(Matcher),
    None,
}

impl Proxies {
    pub(crate) fn of(&self, uri: &Uri) -> Option<Intercept> {
        match self {
            Self::Environment(matcher) if !is_loopback(uri) => matcher.intercept(uri),
            Self::Given(matcher) => matcher.intercept(uri),
            Self::Environment(_) | Self::None => None,
        }
    }
}

fn is_loopback(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    host.eq_ignore_ascii_case("localhost")
        || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// Opens connections.
#[derive(Clone)]
struct Connector {
    tcp: HttpConnector,
    /// Proxies need it as well.
    tls: Option<Arc<ClientConfig>>,
    proxies: Arc<Proxies>,
    limit: Duration,
}

impl Connector {
    async fn connect(mut self, uri: Uri) -> Result<Stream, BoxError> {
        let Some(tls) = self.tls else {
            return Ok(MaybeHttpsStream::Http(MaybeHttpsStream::Http(self.tcp.call(uri).await?)));
        };
        let mut direct = HttpsConnector::from((self.tcp, Arc::clone(&tls)));
        let Some(proxy) = self.proxies.of(&uri) else {
            return Ok(MaybeHttpsStream::Http(direct.call(uri).await?));
        };
        let mut tunnel = Tunnel::new(proxy.uri().clone(), direct);
        if let Some(authorization) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(authorization.clone());
        }
        // The tunnel's default port is 443, also for plain HTTP.
        let target = match (uri.scheme_str(), uri.host(), uri.port()) {
            (Some("http"), Some(host), None) => format!("http://{host}:80/").parse()?,
            _ => uri,
        };
        let connected = HttpsConnector::from((tunnel, tls)).call(target).await;
        connected.map_err(|source| At(format!("through the proxy {}", proxy.uri()), source).into())
    }
}

impl Service<Uri> for Connector {
    type Response = Stream;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Stream, BoxError>>;

    fn poll_ready(&mut self, _: &mut task::Context<'_>) -> task::Poll<Result<(), BoxError>> {
        task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let limit = self.limit;
        let connected = timeout(limit, self.clone().connect(uri));
        connected.map(move |done| done.unwrap_or_else(|_| Err(too_slow(limit).into()))).boxed()
    }
}
