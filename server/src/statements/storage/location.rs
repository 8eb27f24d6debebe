//! The flag that says where PDFs are stored: a directory, or `s3://BUCKET/PREFIX`. It rejects a
//! bucket or a prefix that would change the meaning of an address.

use std::{path::PathBuf, str::FromStr};

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
    let alphanumeric = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    (3..=63).contains(&name.len())
        && name.bytes().all(|byte| alphanumeric(byte) || b".-".contains(&byte))
        && name.bytes().next().is_some_and(alphanumeric)
        && name.bytes().last().is_some_and(alphanumeric)
        && !name.contains("..")
}

fn is_prefix(prefix: &str) -> bool {
    let part_fits = |part: &str| {
        !matches!(part, "" | "." | "..")
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    prefix.len() <= PREFIX_LENGTH_LIMIT_BYTES && prefix.split('/').all(part_fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_read() {
        let bucket = |bucket: &str, prefix: &str| AssetLocation::Bucket {
            bucket: bucket.into(),
            prefix: prefix.into(),
        };
        for (text, location) in [
            ("/var/lib/assets", AssetLocation::Directory("/var/lib/assets".into())),
            ("assets", AssetLocation::Directory("assets".into())),
            ("s3://statements", bucket("statements", "")),
            ("s3://statements/", bucket("statements", "")),
            ("s3://my.bucket-1/a/b_c.d", bucket("my.bucket-1", "a/b_c.d")),
            ("s3://statements/a/", bucket("statements", "a")),
        ] {
            assert_eq!(text.parse(), Ok(location), "{text}");
        }
    }

    #[test]
    fn impossible_location_is_rejected_with_a_hint() {
        let long = format!("s3://statements/{}", "a".repeat(PREFIX_LENGTH_LIMIT_BYTES + 1));
        for (text, hint) in [
            ("", "write a directory"),
            ("gs://bucket", "s3://BUCKET/PREFIX"),
            ("https://minio/bucket", "--s3-endpoint"),
            ("s3://", "a bucket's name"),
            ("s3://ab", "a bucket's name"),
            ("s3://Statements", "a bucket's name"),
            ("s3://-statements", "a bucket's name"),
            ("s3://a..b", "a bucket's name"),
            ("s3://user@statements", "a bucket's name"),
            ("s3://statements//a", "a prefix"),
            ("s3://statements/a//b", "a prefix"),
            ("s3://statements/../a", "a prefix"),
            ("s3://statements/a?b", "a prefix"),
            ("s3://statements/ä", "a prefix"),
            (&long, "a prefix"),
        ] {
            let rejected = text.parse::<AssetLocation>().unwrap_err();
            assert!(rejected.contains(hint), "{text:?}: {rejected}");
        }
    }
}
