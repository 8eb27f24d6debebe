//! The flags that say where PDFs are stored: a directory, or `s3://BUCKET/PREFIX`, and the address
//! of an S3-compatible store. They reject what would change the meaning of an address.

use std::{net::IpAddr, path::PathBuf, str::FromStr};

use url::{Host, Url};

/// Longest prefix in a bucket; S3 has 1,024 bytes for a whole key.
const PREFIX_LENGTH_LIMIT_BYTES: usize = 512;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssetLocation {
    /// A directory of this machine, or one that all replicas mount.
    Directory(PathBuf),
    /// A bucket of S3 or of a store that speaks its protocol.
    Bucket {
        bucket: String,
        /// Begins all our keys: empty, or parts with `/` between them.
        prefix: String,
    },
}

impl FromStr for AssetLocation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some(rest) = text.strip_prefix("s3://") else {
            return match text.split_once("://") {
                Some((scheme, _)) => Err(format!(
                    "{scheme}:// is not supported: write a directory, or s3://BUCKET/PREFIX and \
                     its address as --s3-endpoint"
                )),
                None if text.is_empty() => {
                    Err("a location is missing: write a directory, or s3://BUCKET/PREFIX".into())
                }
                None => Ok(Self::Directory(text.into())),
            };
        };
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let prefix = prefix.trim_end_matches('/');
        if !is_bucket(bucket) {
            return Err("a bucket's name has 3 to 63 of a-z 0-9 . - and begins and ends with a \
                        letter or digit"
                .into());
        }
        if !prefix.is_empty() && !is_prefix(prefix) {
            return Err(format!(
                "a prefix has up to {PREFIX_LENGTH_LIMIT_BYTES} of A-Z a-z 0-9 . _ - with single / \
                 between, and no part that is . or .."
            ));
        }
        Ok(Self::Bucket { bucket: bucket.into(), prefix: prefix.into() })
    }
}

fn is_bucket(name: &str) -> bool {
    let alphanumeric = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = name.as_bytes();
    (3..=63).contains(&bytes.len())
        && bytes.iter().all(|byte| alphanumeric(byte) || b".-".contains(byte))
        && [bytes.first(), bytes.last()].into_iter().flatten().all(alphanumeric)
        && !name.contains("..")
}

fn is_prefix(prefix: &str) -> bool {
    let part_fits = |part: &str| {
        !matches!(part, "" | "." | "..")
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    prefix.len() <= PREFIX_LENGTH_LIMIT_BYTES && prefix.split('/').all(part_fits)
}

/// Reads scheme, host and port of an S3-compatible store. Plain HTTP is allowed in a private
/// network only, because statements and signed links would be readable on the way.
pub(super) fn endpoint(text: &str) -> Result<Url, String> {
    const FORM: &str = "write it as https://HOST or https://HOST:PORT";
    let url = Url::parse(text).map_err(|error| format!("{error}: {FORM}"))?;
    let host = url.host().ok_or_else(|| format!("a host is missing: {FORM}"))?;
    let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let unsupported = format!("{} is not supported: use https", url.scheme());
    let problem = if !matches!(url.scheme(), "https" | "http") {
        &unsupported
    } else if !is_bare {
        "a path or a query is not allowed here: write the bucket as --assets s3://BUCKET"
    } else if !url.username().is_empty() || url.password().is_some() {
        "a user or a password is not allowed here: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    } else if url.scheme() == "http" && !is_near(&host) {
        "plain http is for a store on this machine or in a private network: use https"
    } else {
        return Ok(url);
    };
    Err(problem.to_owned())
}

/// Returns true for a private address, or a name that only a private network resolves.
fn is_near(host: &Host<&str>) -> bool {
    let address = match host {
        Host::Domain(name) => {
            let private = [".localhost", ".local", ".internal", ".test"];
            return !name.contains('.') || private.iter().any(|suffix| name.ends_with(suffix));
        }
        Host::Ipv4(address) => IpAddr::V4(*address),
        Host::Ipv6(address) => address.to_canonical(),
    };
    let is_private = match address {
        IpAddr::V4(address) => address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => address.is_unique_local() || address.is_unicast_link_local(),
    };
    is_private || address.is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcomes::outcomes;

    fn read(flag: &str) -> String {
        match flag.split_once([' ', '=']).unwrap() {
            ("--assets", text) => format!("{:?}", text.parse::<AssetLocation>()),
            (_, text) => format!("{:?}", endpoint(text).map(String::from)),
        }
    }

    #[test]
    fn flags_are_read_or_rejected_with_a_hint() {
        insta::assert_snapshot!(outcomes(include_str!("location/texts.txt"), read));
        let long =
            format!("--assets s3://statements/{}", "a".repeat(PREFIX_LENGTH_LIMIT_BYTES + 1));
        assert!(read(&long).starts_with("Err(\"a prefix has up to"));
    }
}
