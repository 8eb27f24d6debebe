//! The deployment's address: scheme, host, port, and perhaps a path before `/api/v1`. A user or a
//! password is rejected, as every report shows the address.

use hyper::Uri;
use schemars::JsonSchema;
use serde::Deserialize;

/// The base address of §1.2, without a slash at its end: every path of the API follows it,
/// beginning with `/api/v1`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = "^https?://[^@?#]+$"))]
pub(crate) struct BaseUrl(pub(crate) String);

impl TryFrom<String> for BaseUrl {
    type Error = String;

    /// Errors never show the text, which may include a password.
    fn try_from(text: String) -> Result<Self, String> {
        let fault = |what: &str| {
            format!(
                "base_url {what}; write http:// or https://, a host, and perhaps a port and a \
                 path, such as https://staging.example.com"
            )
        };
        let uri: Uri = text.parse().map_err(|_| fault("is not an address"))?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(fault("has no scheme or no host"));
        };
        let path = uri.path().trim_end_matches('/');
        if !matches!(scheme, "http" | "https") {
            Err(fault("is neither http nor https"))
        } else if authority.as_str().contains('@') {
            Err(fault("has a user or a password, and the suite authenticates with x-api-key only"))
        } else if authority.host().is_empty() {
            Err(fault("has no host"))
        } else if uri.query().is_some() || text.contains('#') {
            Err(fault("has a query or a fragment"))
        } else if path.split('/').any(|segment| matches!(segment, "." | "..")) {
            Err(fault("has a segment . or .. in its path"))
        } else if path.ends_with("/api/v1") {
            Err(fault("ends with /api/v1, with which every path begins"))
        } else {
            Ok(Self(format!("{scheme}://{authority}{path}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_prefix_is_kept_and_trailing_slash_is_not() {
        for (text, base) in [
            ("http://localhost:8080", "http://localhost:8080"),
            ("https://h.example/", "https://h.example"),
            ("https://h.example/pay//", "https://h.example/pay"),
            ("http://[::1]:80/a/b/", "http://[::1]:80/a/b"),
        ] {
            assert_eq!(BaseUrl::try_from(text.to_owned()).unwrap().0, base);
        }
    }
}
