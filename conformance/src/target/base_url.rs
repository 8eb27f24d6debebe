//! Where the deployment is: scheme, host, port, and a path before `/api/v1` where there is one.
//!
//! It refuses a user and a password in it: they would stand in every report.

use std::fmt;

use hyper::Uri;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

/// The base address of §1.2: every path of the API follows it, beginning with `/api/v1`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct BaseUrl {
    text: String,
    origin: usize,
}

impl BaseUrl {
    /// Without a slash at its end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Scheme, host and port, such as `https://api.example.com`.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.text[..self.origin]
    }

    /// The address of a path such as `/api/v1/partners`. The path is not looked at: cases send odd ones.
    #[must_use]
    pub fn join(&self, path: &str) -> String {
        format!("{}{path}", self.text)
    }
}

impl TryFrom<String> for BaseUrl {
    type Error = String;

    /// The text itself is never shown: it may hold a password.
    fn try_from(text: String) -> Result<Self, String> {
        let form = "write http:// or https://, a host, and perhaps a port and a path, such as https://staging.example.com";
        let uri: Uri = text
            .parse()
            .map_err(|error| format!("base_url is no address ({error}); {form}"))?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(format!("base_url lacks its scheme or its host; {form}"));
        };
        if !matches!(scheme, "http" | "https") {
            return Err(format!("base_url is neither http nor https; {form}"));
        }
        if authority.as_str().contains('@') {
            let mend = "take them out: the suite authenticates with x-api-key alone";
            return Err(format!("base_url holds a user or a password; {mend}"));
        }
        if authority.host().is_empty() {
            return Err(format!("base_url lacks its host; {form}"));
        }
        if uri.query().is_some() || text.contains('#') {
            return Err(format!("base_url has a query or a fragment; {form}"));
        }
        let path = uri.path().trim_end_matches('/');
        if path.split('/').any(|segment| matches!(segment, "." | "..")) {
            return Err(
                "base_url has a segment . or .. in its path; write the path it leads to".into(),
            );
        }
        if path == "/api/v1" || path.ends_with("/api/v1") {
            return Err(
                "base_url ends with /api/v1, which every path begins with; leave it out".into(),
            );
        }
        let origin = format!("{scheme}://{authority}");
        Ok(Self {
            text: format!("{origin}{path}"),
            origin: origin.len(),
        })
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
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
    fn path_prefix_is_kept_and_slash_at_the_end_is_not() {
        for (text, base, origin) in [
            (
                "http://localhost:8080",
                "http://localhost:8080",
                "http://localhost:8080",
            ),
            (
                "https://h.example/",
                "https://h.example",
                "https://h.example",
            ),
            (
                "https://h.example/pay//",
                "https://h.example/pay",
                "https://h.example",
            ),
            (
                "http://[::1]:80/a/b/",
                "http://[::1]:80/a/b",
                "http://[::1]:80",
            ),
        ] {
            let url = read(text).unwrap();
            assert_eq!((url.as_str(), url.origin()), (base, origin));
            assert_eq!(url.join("/api/v1/x"), format!("{base}/api/v1/x"));
        }
    }

    #[test]
    fn password_is_refused_and_not_shown() {
        for text in [
            "https://user:hunter2@h.example",
            "https://hunter2@h.example",
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains("x-api-key"), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn what_is_no_base_is_refused_with_what_to_write() {
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
            assert!(
                error.contains("write ") || error.contains("leave "),
                "{text}: {error}"
            );
        }
    }
}
