//! The flags of asset storage, with their names, defaults and bounds. Credentials are environment
//! variables: a process list shows flags to everyone.

use std::time::Duration;

use clap::{Args, value_parser};
use url::Url;

use super::location::{AssetLocation, endpoint};

/// Where statement PDFs are stored, and how long the store may take.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Assets")]
pub struct AssetOptions {
    /// Where PDFs are stored: a directory, or an S3 bucket with its credentials in
    /// AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY [default: assets in the data folder]
    #[arg(long, env = "PAYOUT_ASSETS", value_name = "DIRECTORY|s3://BUCKET/PREFIX")]
    pub assets: Option<AssetLocation>,

    /// Address of an S3-compatible store; download links lead there, so partners must reach it
    /// [default: Amazon S3]
    #[arg(long, env = "PAYOUT_S3_ENDPOINT", value_parser = endpoint, value_name = "URL")]
    pub s3_endpoint: Option<Url>,

    /// Region of the bucket
    #[arg(
        long,
        env = "PAYOUT_S3_REGION",
        default_value = "us-east-1",
        value_parser = region,
        value_name = "REGION"
    )]
    pub s3_region: String,

    /// How long one connection to the object store may take to open
    #[arg(long, env = "PAYOUT_OBJECT_STORE_CONNECT_SECONDS", default_value_t = 2,
          value_parser = value_parser!(u64).range(1..=60), value_name = "SECONDS")]
    pub object_store_connect_seconds: u64,

    /// How long one operation on the object store may take with all its tries, and each piece of a
    /// download; after it: 503
    #[arg(long, env = "PAYOUT_OBJECT_STORE_OPERATION_SECONDS", default_value_t = 10,
          value_parser = value_parser!(u64).range(1..=300), value_name = "SECONDS")]
    pub object_store_operation_seconds: u64,

    /// How often an operation on the object store is tried within that time
    #[arg(long, env = "PAYOUT_OBJECT_STORE_TRIES", default_value_t = 3,
          value_parser = value_parser!(u32).range(1..=10), value_name = "TRIES")]
    pub object_store_tries: u32,
}

impl AssetOptions {
    pub(super) fn operation_limit(&self) -> Duration {
        Duration::from_secs(self.object_store_operation_seconds)
    }

    pub(super) fn is_plain_http(&self) -> bool {
        self.s3_endpoint.as_ref().is_some_and(|endpoint| endpoint.scheme() == "http")
    }
}

impl Default for AssetOptions {
    /// Returns the defaults that `--help` shows.
    fn default() -> Self {
        #[derive(clap::Parser)]
        struct Defaults {
            #[command(flatten)]
            options: AssetOptions,
        }
        <Defaults as clap::Parser>::parse_from(["payout-server"]).options
    }
}

fn region(text: &str) -> Result<String, String> {
    let fits = (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    fits.then(|| text.to_owned())
        .ok_or_else(|| "a region has 1 to 64 of A-Z a-z 0-9 - _, such as eu-central-1".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn region_that_would_change_an_address_is_rejected() {
        assert!(region("eu-central-1").is_ok());
        for wrong in ["", "eu/central", "eu central", "a.b", &"a".repeat(65)] {
            assert!(region(wrong).is_err(), "{wrong:?}");
        }
    }
}
