//! The flags of links, with their names, defaults and bounds. The keys are in a file: a process
//! list shows flags to everyone.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::{Path, PathBuf},
};

use clap::{Args, value_parser};

use super::signer::{LinkSigner, PublicUrl};
use crate::keyring::{KeyFile, KeyFileError};

const KEY_FILE: KeyFile = KeyFile {
    flag: "--link-keys",
    name: "link-keys",
    head: "\
# Keys of download links, one a line: id and secret. The first one signs, all verify.
# To rotate: add a key as the last line and restart every server; then move it to the first line
# and restart them again; remove the old one when its links have expired.
",
    danger: "make links to every statement",
};

const DEFAULT_LINK_LIFETIME_SECONDS: u32 = 3_600;
/// Longest lifetime: 7 days, which is also the most that S3 signs (S9).
const MAXIMUM_LINK_LIFETIME_SECONDS: u32 = 7 * 86_400;

/// How links are made. Only `serve` has these flags.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Links")]
pub struct LinkOptions {
    /// Address under which people reach this server; links begin with it
    /// [default: http:// and the address listened on]
    #[arg(long, env = "PAYOUT_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<PublicUrl>,

    /// File with the keys that sign links, the same on every replica
    /// [default: link-keys in the data folder, made on first use]
    #[arg(long, env = "PAYOUT_LINK_KEYS", value_name = "FILE")]
    pub link_keys: Option<PathBuf>,

    /// How long a link works
    #[arg(long, env = "PAYOUT_LINK_LIFETIME_SECONDS",
          default_value_t = DEFAULT_LINK_LIFETIME_SECONDS,
          value_parser = value_parser!(u32).range(1..=i64::from(MAXIMUM_LINK_LIFETIME_SECONDS)),
          value_name = "SECONDS")]
    pub link_lifetime_seconds: u32,
}

impl LinkOptions {
    /// Returns the signer of a server that listens on `listening`. Without a flag, its keys are in
    /// `link-keys` within `data_folder`.
    pub fn open(
        &self,
        data_folder: &Path,
        listening: SocketAddr,
    ) -> Result<LinkSigner, KeyFileError> {
        let keys = KEY_FILE.open(self.link_keys.as_ref(), data_folder)?;
        let public_url = self.public_url.clone();
        let public_url = public_url.unwrap_or_else(|| {
            let url = format!("http://{}", reachable(listening)).parse();
            url.expect("an address and a port make a URL")
        });
        Ok(LinkSigner::new(public_url, keys))
    }
}

/// A client cannot connect to the unspecified address, which means all addresses of this machine.
fn reachable(listening: SocketAddr) -> SocketAddr {
    let ip = match listening.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listening.port())
}
