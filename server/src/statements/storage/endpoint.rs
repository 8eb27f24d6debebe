//! The address of an S3-compatible store. Plain HTTP is allowed in a private network only, because
//! statements and signed links would be readable on the way.

use std::{fmt, net::IpAddr, str::FromStr};

use url::{Host, Url};

/// Scheme, host and port of an S3-compatible store. Buckets are addressed by path, as such stores
/// expect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint(Url);

impl Endpoint {
    /// Returns the address without a slash at its end.
    pub(super) fn as_str(&self) -> &str {
        self.0.as_str().trim_end_matches('/')
    }

    pub(super) fn is_plain_http(&self) -> bool {
        self.0.scheme() == "http"
    }
}

impl FromStr for Endpoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let url = Url::parse(text)
            .map_err(|error| format!("{error}: write it as https://HOST or https://HOST:PORT"))?;
        let Some(host) = url.host() else {
            return Err("a host is missing: write it as https://HOST or https://HOST:PORT".into());
        };
        if !matches!(url.scheme(), "https" | "http") {
            return Err(format!("{} is not supported: use https", url.scheme()));
        }
        if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
            return Err(
                "a path or a query is not allowed here: write the bucket as --assets s3://BUCKET"
                    .into(),
            );
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("a user or a password is not allowed here: set AWS_ACCESS_KEY_ID and \
                        AWS_SECRET_ACCESS_KEY"
                .into());
        }
        if url.scheme() == "http" && !is_near(&host) {
            return Err(
                "plain http is for a store on this machine or in a private network: use https"
                    .into(),
            );
        }
        Ok(Self(url))
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Returns true for a private address, or a name that only a private network resolves.
fn is_near(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => {
            let private = [".localhost", ".local", ".internal", ".test"];
            !name.contains('.') || private.iter().any(|suffix| name.ends_with(suffix))
        }
        Host::Ipv4(address) => {
            address.is_loopback() || address.is_private() || address.is_link_local()
        }
        Host::Ipv6(address) => match address.to_canonical() {
            IpAddr::V4(mapped) => is_near(&Host::Ipv4(mapped)),
            IpAddr::V6(address) => {
                address.is_loopback()
                    || address.is_unique_local()
                    || address.is_unicast_link_local()
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usable_endpoints_are_taken() {
        for (text, as_read) in [
            ("https://minio.example.com", "https://minio.example.com"),
            ("https://minio.example.com:9000/", "https://minio.example.com:9000"),
            ("http://127.0.0.1:9000", "http://127.0.0.1:9000"),
            ("http://localhost:9000", "http://localhost:9000"),
            ("http://minio:9000", "http://minio:9000"),
            ("http://store.internal", "http://store.internal"),
            ("http://10.1.2.3:9000", "http://10.1.2.3:9000"),
            ("http://[::1]:9000", "http://[::1]:9000"),
            ("http://[fd00::1]", "http://[fd00::1]"),
        ] {
            let endpoint: Endpoint = text.parse().unwrap();
            assert_eq!(endpoint.as_str(), as_read);
        }
    }

    #[test]
    fn unusable_endpoint_is_rejected_with_a_hint() {
        for (text, hint) in [
            ("", "write it as https://HOST"),
            ("minio.example.com", "write it as https://HOST"),
            ("localhost:9000", "a host is missing"),
            ("ftp://minio", "use https"),
            ("https://minio.example.com/bucket", "--assets s3://BUCKET"),
            ("https://minio.example.com/?a", "--assets s3://BUCKET"),
            ("https://user:word@minio.example.com", "AWS_SECRET_ACCESS_KEY"),
            ("http://minio.example.com", "use https"),
            ("http://8.8.8.8:9000", "use https"),
            ("http://[2001:db8::1]:9000", "use https"),
            ("http://[::ffff:8.8.8.8]:9000", "use https"),
        ] {
            let rejected = text.parse::<Endpoint>().unwrap_err();
            assert!(rejected.contains(hint), "{text:?}: {rejected}");
        }
    }
}
