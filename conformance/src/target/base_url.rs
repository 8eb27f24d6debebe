//! The deployment's address: scheme, host, port, and perhaps a path before `/api/v1`. A user or a
//! password is rejected, as every report shows the address.

use hyper::Uri;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

/// The base address of §1.2: every path of the API follows it, beginning with `/api/v1`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct BaseUrl(String);

impl BaseUrl {
    /// Without a slash at its end.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for BaseUrl {
    type Error = String;

    /// Errors never show the text, which may include a password.
    fn try_from(text: String) -> Result<Self, String> {
        let form = "write http:// or https://, a host, and perhaps a port and a path, such as \
            https://staging.example.com";
        let uri: Uri = text
            .parse()
            .map_err(|error| format!("base_url is not an address ({error}); {form}"))?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(format!("base_url has no scheme or no host; {form}"));
        };
        if !matches!(scheme, "http" | "https") {
            return Err(format!("base_url is neither http nor https; {form}"));
        }
        if authority.as_str().contains('@') {
            let help = "remove them: the suite authenticates with x-api-key only";
            return Err(format!("base_url has a user or a password; {help}"));
        }
        if authority.host().is_empty() {
            return Err(format!("base_url has no host; {form}"));
        }
        if uri.query().is_some() || text.contains('#') {
            return Err(format!("base_url has a query or a fragment; {form}"));
        }
        let path = uri.path().trim_end_matches('/');
        if path.split('/').any(|segment| matches!(segment, "." | "..")) {
            return Err(
                "base_url has a segment . or .. in its path; write the path it leads to".into()
            );
        }
        if path == "/api/v1" || path.ends_with("/api/v1") {
            return Err(
                "base_url ends with /api/v1, with which every path begins; leave it out".into()
            );
        }
        Ok(Self(format!("{scheme}://{authority}{path}")))
    }
}

impl JsonSchema for BaseUrl {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "BaseUrl".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^https?://[^@?#]+$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<BaseUrl, String> {
        text.to_owned().try_into()
    }

    #[test]
    fn path_prefix_is_kept_and_trailing_slash_is_not() {
        for (text, base) in [
            ("http://localhost:8080", "http://localhost:8080"),
            ("https://h.example/", "https://h.example"),
            ("https://h.example/pay//", "https://h.example/pay"),
            ("http://[::1]:80/a/b/", "http://[::1]:80/a/b"),
        ] {
            assert_eq!(read(text).unwrap().as_str(), base);
        }
    }

    #[test]
    fn password_is_rejected_and_not_shown() {
        for text in ["https://user:hunter2@h.example", "https://hunter2@h.example"] {
            let error = read(text).unwrap_err();
            assert!(error.contains("x-api-key"), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn other_addresses_are_rejected_with_what_to_write() {
        for text in [
            "",
            "h.example",
            "/pay",
            "ftp://h.example",
            "https://",
            "https://h.example?x=1",
            "https://h.example/#x",
            "https://h.example/a/../b",
            "https://h.example/pay/api/v1/",
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains("write ") || error.contains("leave "), "{text}: {error}");
        }
    }
}
