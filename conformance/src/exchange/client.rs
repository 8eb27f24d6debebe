//! The deployment as cases reach it: directly, or through a proxy that shows a fault.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use rustls::pki_types::CertificateDer;

use super::{
    headers::ORIGIN,
    request::Request,
    response::Response,
    transport::{self, Pool, TransportError},
};

#[derive(Clone, Debug)]
pub(crate) struct Client {
    /// Has no slash at its end.
    pub(crate) base_url: String,
    pub(crate) pool: Pool,
    proxy: Option<SocketAddr>,
    is_always_proxied: bool,
    timeout: Duration,
    /// The delay of each request, as of a slow connection.
    pub(crate) latency: Duration,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    #[error(
        "the certificate of {0} is not trusted: {1}. Is the address right? If your own authority \
         issued it, set ca_file in [tls] of the target file to its certificates"
    )]
    Untrusted(String, String),
    /// The request had to wait for longer than the run may take.
    #[error("{0}")]
    Deadline(String),
    /// No response came, or the request is invalid: a defect of the case.
    #[error("{0}")]
    Other(String),
}

impl Client {
    /// A client of the deployment at this base URL, with this timeout, which trusts these
    /// authorities besides the system's.
    pub(crate) fn new(
        base_url: &str,
        timeout: Duration,
        trusted: Vec<CertificateDer<'static>>,
    ) -> Result<Self, ClientError> {
        Ok(Self {
            base_url: base_url.trim_end_matches('/').to_owned(),
            pool: transport::connect(trusted)
                .map_err(|error| ClientError::Other(format!("TLS cannot be used: {error}")))?,
            proxy: None,
            is_always_proxied: false,
            timeout,
            latency: Duration::ZERO,
        })
    }

    /// Sends by way of a proxy; with `is_always_proxied` also what [`Self::direct`] sends. Requests
    /// are counted together with this client's.
    pub(crate) fn through(&self, proxy: SocketAddr, is_always_proxied: bool) -> Self {
        Self { proxy: Some(proxy), is_always_proxied, ..self.clone() }
    }

    pub(crate) fn direct(&self) -> Self {
        Self { proxy: self.proxy.filter(|_| self.is_always_proxied), ..self.clone() }
    }

    pub(crate) async fn send(&self, request: &Request) -> Result<Response, ClientError> {
        self.exchange(&self.base_url, &request.target, request).await
    }

    /// Sends a request to another address, such as a link, or to one from the base URL on; the
    /// request's own target is ignored.
    pub(crate) async fn send_to(
        &self,
        address: &str,
        request: &Request,
    ) -> Result<Response, ClientError> {
        if address.starts_with('/') {
            return self.exchange(&self.base_url, address, request).await;
        }
        let path = address
            .find("://")
            .and_then(|scheme| Some(scheme + 3 + address[scheme + 3..].find('/')?));
        let (origin, target) = address.split_at(path.unwrap_or(address.len()));
        self.exchange(origin, target, request).await
    }

    async fn exchange(
        &self,
        origin: &str,
        target: &str,
        request: &Request,
    ) -> Result<Response, ClientError> {
        let named;
        let (address, request) = match self.proxy {
            None => (format!("{origin}{target}"), request),
            Some(proxy) => {
                named = request.clone().header(ORIGIN, origin);
                (format!("http://{proxy}{target}"), &named)
            }
        };
        let begun = Instant::now();
        let response = async {
            // A sleep of no time waits for the next tick of the timer.
            if !self.latency.is_zero() {
                tokio::time::sleep(self.latency).await;
            }
            transport::send(&self.pool, &address, request).await
        };
        match tokio::time::timeout(self.timeout, response).await {
            Ok(Ok(response)) => Ok(Response { elapsed: begun.elapsed(), ..response }),
            Ok(Err(error)) => Err(self.explained(error)),
            Err(_) => {
                Err(ClientError::Other(format!("no response came within {:?}", self.timeout)))
            }
        }
    }

    /// rustls reports an untrusted certificate in these words only, within an error of the
    /// connection.
    fn explained(&self, error: TransportError) -> ClientError {
        let base_url = &self.base_url;
        match error {
            TransportError::NoResponse(why) if why.contains("invalid peer certificate") => {
                ClientError::Untrusted(base_url.clone(), why)
            }
            TransportError::NoResponse(why) => ClientError::Other(format!(
                "{base_url} does not respond: {why}. Is the deployment running, and its address \
                 right?"
            )),
            other => ClientError::Other(other.to_string()),
        }
    }
}
