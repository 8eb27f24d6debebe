//! The adapter for CRMs with HubSpot's API of objects, version 3. Nothing that a CRM answers, and
//! no name that an operator or a caller chose, leads a request elsewhere.

use std::{error::Error, sync::Arc, time::Duration};

use chrono::DateTime;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{
    Client, Response, StatusCode,
    dns::Resolve,
    header::{ACCEPT, AUTHORIZATION, DATE, HeaderMap, HeaderName, RETRY_AFTER},
    redirect::Policy,
};
use serde_json::{Map, Value};
use url::Url;

use super::{
    address::{Allowed, CheckedResolver, Forbidden},
    token::Token,
};
use crate::tls;

const USER_AGENT: &str = concat!("payout-server/", env!("CARGO_PKG_VERSION"));
/// How long a request to a CRM may take, from its name to the last byte of the answer.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(10);
const BODY_SIZE_BYTES: usize = 1024 * 1024;
/// Everything but what needs no escape in a path (RFC 3986, unreserved).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// An object of a CRM that is to be read.
#[derive(Clone, Copy, Debug)]
pub struct ObjectRequest<'a> {
    pub base_url: &'a str,
    /// The CRM's name of the type.
    pub object_type: &'a str,
    pub object_id: &'a str,
    pub properties: &'a [String],
    pub token: &'a Token,
}

/// Why an object was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    NotFound,
    Unauthorized,
    /// The CRM may say how many seconds to wait.
    RateLimited(Option<u64>),
    /// It cannot be reached, or fails: another try may succeed.
    Unavailable(&'static str),
    /// Its answer, or its address, cannot be used: another try would end alike.
    Unusable(&'static str),
}

/// A CRM, as a sync needs one.
pub(crate) trait ReadObject: Send + Sync + 'static {
    /// Reads the properties that the request names, as far as the object has them.
    fn read(
        &self,
        object: ObjectRequest<'_>,
    ) -> impl Future<Output = Result<Map<String, Value>, ReadError>> + Send;
}

#[derive(Clone, Debug)]
pub struct HubSpot {
    client: Client,
    allowed: Allowed,
}

impl HubSpot {
    /// Resolves the names of CRMs by `resolver`, and connects to allowed addresses alone.
    pub fn new(allowed: Allowed, resolver: Arc<dyn Resolve>) -> Result<Self, reqwest::Error> {
        let mut builder = Client::builder();
        // Without certificates of the system, no CRM with TLS can be reached, and all else can.
        match tls::client_config() {
            Ok(tls) => builder = builder.tls_backend_preconfigured(tls),
            Err(error) => {
                tracing::warn!(error, "no CRM can be reached over TLS");
                builder = builder.tls_backend_preconfigured(tls::without_certificates());
            }
        }
        let client = builder
            .user_agent(USER_AGENT)
            .timeout(TIME_LIMIT)
            .https_only(allowed == Allowed::Public)
            .redirect(Policy::none())
            // A proxy would resolve the name again.
            .no_proxy()
            .dns_resolver(Arc::new(CheckedResolver { resolver, allowed }))
            .build()?;
        Ok(Self { client, allowed })
    }

    async fn answer(&self, url: Url, token: &Token) -> Result<Response, ReadError> {
        let request = self.client.get(url).header(AUTHORIZATION, token.authorization());
        let response = request.header(ACCEPT, "application/json").send().await;
        let response = response.map_err(|error| of_transport(&error))?;
        match response.status() {
            StatusCode::OK => Ok(response),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(ReadError::Unauthorized),
            StatusCode::NOT_FOUND => Err(ReadError::NotFound),
            StatusCode::TOO_MANY_REQUESTS => {
                Err(ReadError::RateLimited(seconds_to_wait(response.headers())))
            }
            status if status.is_server_error() => {
                Err(ReadError::Unavailable("The CRM reported an error of its own."))
            }
            status if status.is_redirection() => Err(ReadError::Unusable(
                "The CRM redirects to another address, which is not followed.",
            )),
            _ => Err(ReadError::Unusable("The CRM rejected the request.")),
        }
    }
}

impl ReadObject for HubSpot {
    async fn read(&self, object: ObjectRequest<'_>) -> Result<Map<String, Value>, ReadError> {
        let url = url_of(&object)?;
        let checked = self.allowed.check_literal(&url);
        checked.map_err(|Forbidden| ReadError::Unusable(FORBIDDEN))?;
        let response = self.answer(url, object.token).await?;
        let body = body(response).await?;
        let body: Result<Map<String, Value>, _> = serde_json::from_slice(&body);
        let properties = body.ok().and_then(|mut body| body.remove("properties"));
        let Some(Value::Object(mut properties)) = properties else {
            return Err(ReadError::Unusable("The CRM's answer is no object with properties."));
        };
        // A CRM adds some that nobody asked for, such as when an object was last changed.
        properties.retain(|name, _| object.properties.contains(name));
        Ok(properties)
    }
}

const FORBIDDEN: &str = "The CRM's address is not one of the public internet.";

/// The URL of an object. The id is one segment of its path, whatever it contains.
fn url_of(object: &ObjectRequest<'_>) -> Result<Url, ReadError> {
    let ObjectRequest { base_url, object_type, object_id, properties, .. } = object;
    // No URL can have such a segment: a parser takes it away, also where it is escaped.
    if matches!(*object_id, "." | "..") {
        return Err(ReadError::NotFound);
    }
    let escaped = |text: &str| utf8_percent_encode(text, ESCAPED).to_string();
    let properties: Vec<String> = properties.iter().map(|name| escaped(name)).collect();
    let url = format!(
        "{}/crm/v3/objects/{}/{}?properties={}",
        base_url.trim_end_matches('/'),
        escaped(object_type),
        escaped(object_id),
        properties.join(",")
    );
    url.parse().map_err(|_| ReadError::Unusable("The CRM's address is no URL."))
}

fn of_transport(error: &reqwest::Error) -> ReadError {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.is::<Forbidden>() {
            return ReadError::Unusable(FORBIDDEN);
        }
        let io_error: Option<&std::io::Error> = error.downcast_ref();
        let of_tls = io_error.and_then(std::io::Error::get_ref).and_then(|it| it.downcast_ref());
        if let Some(rustls::Error::InvalidCertificate(_)) = of_tls {
            return ReadError::Unavailable("The CRM's TLS certificate is not trusted.");
        }
        cause = error.source();
    }
    if error.is_builder() {
        return ReadError::Unusable("The CRM's address cannot be used: it has no TLS.");
    }
    if error.is_timeout() {
        return ReadError::Unavailable("The CRM did not answer in time.");
    }
    ReadError::Unavailable("The CRM could not be reached, or ended the connection.")
}

async fn body(mut response: Response) -> Result<Vec<u8>, ReadError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| of_transport(&error))? {
        if body.len() + chunk.len() > BODY_SIZE_BYTES {
            return Err(ReadError::Unusable("The CRM's answer is larger than 1 MiB."));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The value of `retry-after` in seconds. A time is compared with the CRM's own clock.
fn seconds_to_wait(headers: &HeaderMap) -> Option<u64> {
    let text = |name: HeaderName| headers.get(name)?.to_str().ok();
    let value = text(RETRY_AFTER)?.trim();
    if let Ok(seconds) = value.parse() {
        return Some(seconds);
    }
    let until = DateTime::parse_from_rfc2822(value).ok()?;
    let now = DateTime::parse_from_rfc2822(text(DATE)?).ok()?;
    u64::try_from((until - now).num_seconds()).ok()
}

#[cfg(test)]
mod tests;
