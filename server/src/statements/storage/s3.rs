//! The S3 client: its TLS, its credentials, its links. Temporary credentials are rejected: a link
//! must work as long as its `expiresAt` says.

use std::{fmt, time::Duration};

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use object_store::{
    BackoffConfig, ClientOptions, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder},
    client::{HttpClient, HttpConnector},
    path::Path,
    signer::{Method, SignedUrlOptions, Signer, Url},
};

use super::{failure::SetupError, options::AssetOptions};

const ACCESS_KEY_ID: &str = "AWS_ACCESS_KEY_ID";
const SECRET_ACCESS_KEY: &str = "AWS_SECRET_ACCESS_KEY";
const SESSION_TOKEN: &str = "AWS_SESSION_TOKEN";
const USER_AGENT: &str = concat!("payout-server/", env!("CARGO_PKG_VERSION"));

/// Keys of a user of the store. `Debug` is blank.
#[derive(Clone)]
pub(super) struct Credentials {
    access_key_id: String,
    secret_access_key: String,
}

impl Credentials {
    /// Reads them from the usual variables of S3.
    pub(super) fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, SetupError> {
        let read = |name: &'static str| {
            let value = variable(name).filter(|value| !value.is_empty());
            value.ok_or_else(|| {
                SetupError(format!(
                    "{name} is not set, and assets are stored in S3. Set {ACCESS_KEY_ID} and \
                     {SECRET_ACCESS_KEY} to those of a user that may list the bucket and put, get \
                     and delete its objects"
                ))
            })
        };
        if read(SESSION_TOKEN).is_ok() {
            return Err(SetupError(format!(
                "{SESSION_TOKEN} is set: links signed with temporary credentials stop working when \
                 these do, before their expiresAt. Use the long-lived keys of a user, and unset \
                 {SESSION_TOKEN}"
            )));
        }
        Ok(Self {
            access_key_id: read(ACCESS_KEY_ID)?,
            secret_access_key: read(SECRET_ACCESS_KEY)?,
        })
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Credentials")
    }
}

/// A signed link to a PDF. Anyone who has it can read the PDF, so `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct SignedUrl {
    pub url: String,
    pub expires_at: DateTime<Utc>,
}

impl fmt::Debug for SignedUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SignedUrl until {}", self.expires_at)
    }
}

/// Returns a client of the bucket `name`; it sends nothing yet.
pub(super) fn client(
    name: &str,
    options: &AssetOptions,
    credentials: Credentials,
    connector: impl HttpConnector,
) -> object_store::Result<AmazonS3> {
    let builder = AmazonS3Builder::new()
        .with_bucket_name(name)
        .with_region(&options.s3_region)
        .with_access_key_id(credentials.access_key_id)
        .with_secret_access_key(credentials.secret_access_key)
        .with_retry(RetryConfig {
            backoff: BackoffConfig {
                init_backoff: Duration::from_millis(100),
                max_backoff: Duration::from_secs(1),
                ..BackoffConfig::default()
            },
            max_retries: options.object_store_tries.saturating_sub(1) as usize,
            retry_timeout: options.operation_limit(),
        })
        // Not every compatible store has the bulk request, and we delete one by one.
        .with_disable_bulk_delete(true)
        .with_http_connector(connector);
    let builder = match &options.s3_endpoint {
        Some(endpoint) => builder
            .with_endpoint(endpoint.as_str().trim_end_matches('/'))
            .with_allow_http(options.is_plain_http()),
        // Amazon expects the bucket in the host; with a dot in its name, no certificate would
        // match that host.
        None => builder.with_virtual_hosted_style_request(!name.contains('.')),
    };
    builder.build()
}

pub(super) async fn sign_link(
    signer: &dyn Signer,
    location: &Path,
    disposition: &str,
    lifetime_seconds: u32,
) -> object_store::Result<SignedUrl> {
    let answered_with = SignedUrlOptions::new().with_query([
        ("response-cache-control", "private, no-store"),
        ("response-content-disposition", disposition),
        ("response-content-type", "application/pdf"),
    ]);
    let lifetime = Duration::from_secs(lifetime_seconds.into());
    let url = signer.signed_url_opts(Method::GET, location, lifetime, &answered_with).await?;
    let expires_at = expiry(&url).expect("a URL signed with version 4 says when and for how long");
    Ok(SignedUrl { url: url.into(), expires_at })
}

/// When a signed URL expires, read from itself as the store does, not from our clock.
fn expiry(url: &Url) -> Option<DateTime<Utc>> {
    let value = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value);
    let signed_at = NaiveDateTime::parse_from_str(&value("X-Amz-Date")?, "%Y%m%dT%H%M%SZ").ok()?;
    let lifetime = TimeDelta::try_seconds(value("X-Amz-Expires")?.parse().ok()?)?;
    signed_at.and_utc().checked_add_signed(lifetime)
}

/// TLS by a configuration of our own: the store's client would otherwise require a provider
/// installed for the whole process.
#[derive(Debug)]
pub(super) struct Connector(reqwest::Client);

impl Connector {
    pub(super) fn new(options: &AssetOptions) -> Result<Self, SetupError> {
        let plain_http = options.is_plain_http();
        let connect_limit = Duration::from_secs(options.object_store_connect_seconds);
        let client = reqwest::Client::builder()
            .user_agent(USER_AGENT)
            .connect_timeout(connect_limit)
            .https_only(!plain_http)
            .tls_backend_preconfigured(tls(plain_http)?)
            // A signature names its host: after a redirect it would be wrong, and disclosed.
            .redirect(reqwest::redirect::Policy::none());
        // A store without TLS is in a private network, without a proxy.
        let client = if plain_http { client.no_proxy() } else { client };
        Ok(Self(client.build().map_err(no_tls)?))
    }
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.0.clone()))
    }
}

/// Plain HTTP must work where the system has no certificates at all.
fn tls(plain_http: bool) -> Result<rustls::ClientConfig, SetupError> {
    if plain_http {
        return Ok(crate::tls::without_certificates());
    }
    crate::tls::client_config().map_err(no_tls)
}

fn no_tls(error: impl fmt::Display) -> SetupError {
    SetupError(format!(
        "no TLS for the object store: {error}. Check that the certificates of the system are \
         installed (ca-certificates)"
    ))
}

#[cfg(test)]
mod tests;
