//! The address under which people reach this server, and that our links begin with (R14).
//!
//! It refuses what no link can carry: a user, a query, a fragment.

use std::{fmt, str::FromStr};

use url::{Position, Url};

/// Scheme, host, port and, behind a proxy, a path of its own; without a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl(Url);

impl PublicUrl {
    /// The whole address, without a slash at its end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str().trim_end_matches('/')
    }

    /// Host and, where it is not the scheme's own, port.
    #[must_use]
    pub fn authority(&self) -> &str {
        &self.0[Position::BeforeHost..Position::AfterPort]
    }

    /// The path of its own: empty, or with a slash before it and none behind it.
    #[must_use]
    pub fn base_path(&self) -> &str {
        self.0.path().trim_end_matches('/')
    }
}

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const FORM: &str = "write it as https://HOST or https://HOST/PATH";
        let url = Url::parse(text).map_err(|error| format!("{error}: {FORM}"))?;
        if !matches!(url.scheme(), "https" | "http") || url.host().is_none() {
            return Err(format!("it is no address of the web: {FORM}"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(format!("it has a user or a password: {FORM}"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(format!("it has a query or a fragment: {FORM}"));
        }
        Ok(Self(url))
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_is_taken_apart() {
        for (text, whole, authority, path) in [
            (
                "https://API.example.com",
                "https://api.example.com",
                "api.example.com",
                "",
            ),
            (
                "https://api.example.com:443/",
                "https://api.example.com",
                "api.example.com",
                "",
            ),
            (
                "http://127.0.0.1:8080",
                "http://127.0.0.1:8080",
                "127.0.0.1:8080",
                "",
            ),
            (
                "https://example.com/a/b/",
                "https://example.com/a/b",
                "example.com",
                "/a/b",
            ),
            (
                "http://[::1]:8080/a",
                "http://[::1]:8080/a",
                "[::1]:8080",
                "/a",
            ),
        ] {
            let url: PublicUrl = text.parse().unwrap();
            assert_eq!(
                (url.as_str(), url.authority(), url.base_path()),
                (whole, authority, path)
            );
        }
    }

    #[test]
    fn url_that_no_link_can_carry_is_refused() {
        for text in [
            "",
            "example.com",
            "ftp://example.com",
            "data:x",
            "https://a:b@example.com",
            "https://a@example.com",
            "https://example.com/?a=b",
            "https://example.com/#a",
        ] {
            let refused = text.parse::<PublicUrl>().unwrap_err();
            assert!(refused.contains("write it as"), "{text:?}: {refused}");
        }
    }
}
