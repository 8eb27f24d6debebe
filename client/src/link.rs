//! Links to PDFs. A link is a secret, because it needs no key: `Debug` shows only its host, and
//! there is no `Display`. (§2.4, S9)

use std::fmt;

use reqwest::Url;
use serde::{Deserialize, Serialize};

use crate::InvalidValue;

/// A link to a PDF: a GET of it returns the PDF without a key, until it expires.
///
/// [`Client::download_statement`](crate::Client::download_statement) follows it.
/// [`DownloadUrl::as_str`] returns the whole link; keep it out of logs. Serialising writes the
/// whole link too.
///
/// ```
/// use payout_client::DownloadUrl;
///
/// # fn main() -> Result<(), payout_client::InvalidValue> {
/// let link = DownloadUrl::try_from("https://files.example/ast_1.pdf?signature=abc")?;
/// assert_eq!(format!("{link:?}"), "DownloadUrl(https://files.example/…)");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DownloadUrl(Url);

impl DownloadUrl {
    /// The whole link, which is a secret.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The link as a URL.
    pub(crate) fn url(&self) -> &Url {
        &self.0
    }
}

impl TryFrom<&str> for DownloadUrl {
    type Error = InvalidValue;

    fn try_from(text: &str) -> Result<Self, Self::Error> {
        // The message leaves out the text, which may hold a secret.
        let invalid = |problem: &dyn fmt::Display| {
            InvalidValue::new(format!(
                "not a link: {problem}; it looks like `https://files.example/…`"
            ))
        };
        let url = Url::parse(text).map_err(|error| invalid(&error))?;
        match url.scheme() {
            "http" | "https" => Ok(Self(url)),
            _ => Err(invalid(&"its scheme is neither http nor https")),
        }
    }
}

impl TryFrom<String> for DownloadUrl {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::try_from(text.as_str())
    }
}

impl From<DownloadUrl> for String {
    fn from(link: DownloadUrl) -> Self {
        link.0.into()
    }
}

impl fmt::Debug for DownloadUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = self.0.origin().ascii_serialization();
        write!(formatter, "DownloadUrl({host}/…)")
    }
}
