//! Our own links to PDFs: signed here, served here, where the store signs none (S9). A link is
//! parsed, written again and compared: only its one spelling is genuine.

use std::{fmt, str::FromStr};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use url::{Position, Url};

use super::filename::content_disposition;
use crate::keyring::Keyring;

/// Part of what is signed. Another form of link needs another number.
const VERSION: &str = "1";
/// HEAD is answered as GET without a body, with the same link.
const METHOD: &str = "GET";
/// Links begin with it, below the public URL.
pub(crate) const FOLDER: &str = "/statements/";
/// Longest path with query that is read. Ours have at most 800 bytes, without a base path.
pub const LINK_LENGTH_LIMIT_BYTES: usize = 4_096;

/// Everything but what needs no escape in a path (RFC 3986, unreserved).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The target of a link. All of it is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedAsset {
    pub organization: String,
    pub asset: String,
    /// A link leads to these bytes or to none.
    pub sha256: [u8; 32],
    pub filename: String,
}

/// A link with a right signature. Any other is a 403 `LINK_INVALID`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenuineLink {
    pub asset: LinkedAsset,
    expires_milliseconds: i64,
}

impl GenuineLink {
    /// Returns true if it has expired at `now` (403 `LINK_EXPIRED`), to the millisecond.
    pub fn is_expired(&self, now: DateTime<Utc>) -> bool {
        now.timestamp_millis() >= self.expires_milliseconds
    }
}

/// Signs and verifies the links below one public URL.
#[derive(Clone, Debug)]
pub struct LinkSigner {
    public_url: PublicUrl,
    keys: Keyring,
}

struct Parts {
    link: GenuineLink,
    key: String,
    signature: Vec<u8>,
}

impl LinkSigner {
    /// Signs with the first of `keys`, and verifies with all.
    pub fn new(public_url: PublicUrl, keys: Keyring) -> Self {
        Self { public_url, keys }
    }

    /// Signs a link that works before `expires_at`, to the millisecond.
    pub fn sign(&self, asset: &LinkedAsset, expires_at: DateTime<Utc>) -> String {
        let link = GenuineLink {
            asset: asset.clone(),
            expires_milliseconds: expires_at.timestamp_millis(),
        };
        let mut parts = Parts { link, key: self.keys.newest().to_owned(), signature: Vec::new() };
        parts.signature = self.keys.sign(&self.signed_bytes(&parts)).to_vec();
        format!("{}{}", self.public_url, parts.write())
    }

    pub(crate) fn keys(&self) -> &Keyring {
        &self.keys
    }

    pub(crate) fn public_url(&self) -> &PublicUrl {
        &self.public_url
    }

    /// Returns the path before a link's own, which a proxy may leave or remove.
    pub(crate) fn base_path(&self) -> &str {
        self.public_url.base_path()
    }

    /// Verifies a request's path with its query, both as they arrived; `None` where the link is
    /// not ours to the byte.
    ///
    /// A proxy may have removed the public URL's own path, or left it: both are accepted. The
    /// caller decides about the expiry, so that only a genuine link is reported as expired.
    pub fn open(&self, path_and_query: &str) -> Option<GenuineLink> {
        if path_and_query.len() > LINK_LENGTH_LIMIT_BYTES {
            return None;
        }
        let below_base = path_and_query.strip_prefix(self.base_path());
        let spellings = below_base.into_iter().chain([path_and_query]);
        spellings.filter_map(|link| self.genuine(link)).next()
    }

    fn genuine(&self, link: &str) -> Option<GenuineLink> {
        let parts = Parts::read(link)?;
        let signed = self.signed_bytes(&parts);
        // The second condition rejects other spellings of the same parts: needless escapes,
        // leading zeros.
        let is_right = self.keys.verify(&parts.key, &signed, &parts.signature);
        (is_right && parts.write() == link).then_some(parts.link)
    }

    /// Returns the bytes that the signature covers: each part after its length, so that no two
    /// parts run together.
    fn signed_bytes(&self, parts: &Parts) -> Vec<u8> {
        let GenuineLink { asset, expires_milliseconds } = &parts.link;
        let expires = expires_milliseconds.to_string();
        let disposition = content_disposition(&asset.filename);
        let covered: [&[u8]; 9] = [
            VERSION.as_bytes(),
            METHOD.as_bytes(),
            self.public_url.authority().as_bytes(),
            parts.key.as_bytes(),
            asset.organization.as_bytes(),
            asset.asset.as_bytes(),
            &asset.sha256,
            expires.as_bytes(),
            disposition.as_bytes(),
        ];
        let mut bytes = Vec::with_capacity(512);
        for part in covered {
            bytes.extend((part.len() as u64).to_be_bytes());
            bytes.extend(part);
        }
        bytes
    }
}

impl Parts {
    /// Path and query, without the public URL's own path, in their only spelling.
    fn write(&self) -> String {
        let Self { link, key, signature } = self;
        let (asset, expires_milliseconds) = (&link.asset, link.expires_milliseconds);
        format!(
            "{FOLDER}{}/{}/{}?v={VERSION}&expires={expires_milliseconds}&sha256={}&key={key}\
             &signature={}",
            escape(&asset.organization),
            escape(&asset.asset),
            escape(&asset.filename),
            URL_SAFE_NO_PAD.encode(asset.sha256),
            URL_SAFE_NO_PAD.encode(signature),
        )
    }

    fn read(link: &str) -> Option<Self> {
        let (path, query) = link.strip_prefix(FOLDER)?.split_once('?')?;
        let [organization, asset, filename] = exactly(path.split('/'))?;
        let [version, expires, sha256, key, signature] = exactly(query.split('&'))?;
        if version != format!("v={VERSION}") {
            return None;
        }
        let link = GenuineLink {
            asset: LinkedAsset {
                organization: unescape(organization)?,
                asset: unescape(asset)?,
                sha256: decode(sha256.strip_prefix("sha256=")?)?.try_into().ok()?,
                filename: unescape(filename)?,
            },
            expires_milliseconds: expires.strip_prefix("expires=")?.parse().ok()?,
        };
        Some(Self {
            link,
            key: key.strip_prefix("key=")?.to_owned(),
            signature: decode(signature.strip_prefix("signature=")?)?,
        })
    }
}

fn exactly<'a, const COUNT: usize>(
    parts: impl Iterator<Item = &'a str>,
) -> Option<[&'a str; COUNT]> {
    parts.take(COUNT + 1).collect::<Vec<_>>().try_into().ok()
}

fn escape(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

fn unescape(text: &str) -> Option<String> {
    Some(percent_decode_str(text).decode_utf8().ok()?.into_owned())
}

fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

/// The address that links begin with (R14): scheme, host, port and, behind a proxy, a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl(Url);

impl PublicUrl {
    /// Returns the address without a slash at its end.
    pub(crate) fn as_str(&self) -> &str {
        self.0.as_str().trim_end_matches('/')
    }

    /// Returns the host, and the port if it is not the scheme's default.
    pub(crate) fn authority(&self) -> &str {
        &self.0[Position::BeforeHost..Position::AfterPort]
    }

    /// Returns the host: a name, or an address, of IPv6 in brackets.
    pub(crate) fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// Returns true for plain HTTP.
    pub(crate) fn is_plain(&self) -> bool {
        self.0.scheme() == "http"
    }

    /// Its path: empty, or with a slash at its begin and none at its end.
    pub(crate) fn base_path(&self) -> &str {
        self.0.path().trim_end_matches('/')
    }
}

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const FORM: &str = "write it as https://HOST or https://HOST/PATH";
        let url = Url::parse(text).map_err(|error| format!("{error}: {FORM}"))?;
        if !matches!(url.scheme(), "https" | "http") || url.host().is_none() {
            return Err(format!("this is not a web address: {FORM}"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(format!("a user or a password is not allowed here: {FORM}"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(format!("a query or a fragment is not allowed here: {FORM}"));
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
mod tests;
