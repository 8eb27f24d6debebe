//! Our own links to PDFs: signed here, served here, where the store cannot sign any (S9).
//!
//! It refuses to read a link in two ways: what was read is written again, and must be the same to the byte.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::{disposition::content_disposition, keyring::Keyring, public_url::PublicUrl};

/// Part of what is signed; another form of link would have another number.
const VERSION: &str = "1";
/// HEAD is answered as GET without a body, and needs no link of its own.
const METHOD: &str = "GET";
/// Where links stand below the public URL.
pub const FOLDER: &str = "/statements/";
/// Longest path with query that is looked at. Ours stay below 800 bytes, and a base path comes on top.
pub const LINK_LENGTH_LIMIT_BYTES: usize = 4_096;

/// Everything but what needs no escape in a path (RFC 3986, unreserved).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// What a link leads to. Everything in it is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedAsset {
    /// The organisation it belongs to.
    pub organization: String,
    /// Its id.
    pub asset: String,
    /// SHA-256 of its bytes: a link leads to these bytes or to none.
    pub sha256: [u8; 32],
    /// The name it is saved under.
    pub filename: String,
}

/// A link that is ours and unaltered. Anything else is 403 `LINK_INVALID`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenuineLink {
    /// What it leads to.
    pub asset: LinkedAsset,
    expires_milliseconds: i64,
}

impl GenuineLink {
    /// Whether its time is over at `now` (403 `LINK_EXPIRED`): from the very millisecond of its expiry on.
    #[must_use]
    pub fn is_expired(&self, now: DateTime<Utc>) -> bool {
        now.timestamp_millis() >= self.expires_milliseconds
    }
}

/// Signs and opens the links of one public URL.
#[derive(Clone, Debug)]
pub struct Links {
    public_url: PublicUrl,
    keys: Keyring,
}

/// A link taken apart.
struct Parts {
    asset: LinkedAsset,
    expires_milliseconds: i64,
    key: String,
    signature: Vec<u8>,
}

impl Links {
    /// Links below `public_url`, signed with the first of `keys`.
    #[must_use]
    pub fn new(public_url: PublicUrl, keys: Keyring) -> Self {
        Self { public_url, keys }
    }

    /// A link that works before `expires_at`, to the millisecond.
    #[must_use]
    pub fn sign(&self, asset: &LinkedAsset, expires_at: DateTime<Utc>) -> String {
        let mut parts = Parts {
            asset: asset.clone(),
            expires_milliseconds: expires_at.timestamp_millis(),
            key: self.keys.signing_key().to_owned(),
            signature: Vec::new(),
        };
        parts.signature = self.keys.sign(&self.signed_bytes(&parts)).to_vec();
        format!("{}{}", self.public_url, parts.write())
    }

    /// What every link begins with.
    #[must_use]
    pub fn public_url(&self) -> &PublicUrl {
        &self.public_url
    }

    /// The path that a proxy may leave before a link's, or take off.
    #[must_use]
    pub fn base_path(&self) -> &str {
        self.public_url.base_path()
    }

    /// Reads a request's path with its query, both as they came; `None` where the link is not ours to the byte.
    ///
    /// A proxy may have taken the public URL's own path off, or have left it: both are looked for, nothing else is.
    /// Whether the link still lives is asked of what is returned, so that only a right signature is told its time is over.
    #[must_use]
    pub fn open(&self, path_and_query: &str) -> Option<GenuineLink> {
        if path_and_query.len() > LINK_LENGTH_LIMIT_BYTES {
            return None;
        }
        let below_base = path_and_query.strip_prefix(self.base_path());
        let spellings = below_base.into_iter().chain([path_and_query]);
        let parts = spellings.filter_map(|link| self.genuine(link)).next()?;
        Some(GenuineLink {
            asset: parts.asset,
            expires_milliseconds: parts.expires_milliseconds,
        })
    }

    fn genuine(&self, link: &str) -> Option<Parts> {
        let parts = Parts::read(link)?;
        let signed = self.signed_bytes(&parts);
        // The second condition tells other spellings of the same parts: an escape more, a digit 0 before a number.
        let is_right = self.keys.verify(&parts.key, &signed, &parts.signature);
        (is_right && parts.write() == link).then_some(parts)
    }

    /// What the signature covers. Each part has its length before it, so that no two parts run together.
    fn signed_bytes(&self, parts: &Parts) -> Vec<u8> {
        let expires = parts.expires_milliseconds.to_string();
        let disposition = content_disposition(&parts.asset.filename);
        let covered: [&[u8]; 9] = [
            VERSION.as_bytes(),
            METHOD.as_bytes(),
            self.public_url.authority().as_bytes(),
            parts.key.as_bytes(),
            parts.asset.organization.as_bytes(),
            parts.asset.asset.as_bytes(),
            &parts.asset.sha256,
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
    /// Path and query, without the public URL's own path. The only spelling there is.
    fn write(&self) -> String {
        let Self {
            asset,
            expires_milliseconds,
            key,
            signature,
        } = self;
        format!(
            "{FOLDER}{}/{}/{}?v={VERSION}&expires={expires_milliseconds}&sha256={}&key={key}&signature={}",
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
        Some(Self {
            asset: LinkedAsset {
                organization: unescape(organization)?,
                asset: unescape(asset)?,
                sha256: decode(sha256.strip_prefix("sha256=")?)?.try_into().ok()?,
                filename: unescape(filename)?,
            },
            expires_milliseconds: expires.strip_prefix("expires=")?.parse().ok()?,
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

#[cfg(test)]
mod tests;
