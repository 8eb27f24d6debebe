//! The flags of syncs with CRMs, with their names, defaults and bounds.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use clap::{Args, value_parser};

use super::{
    address::{Allowed, SystemResolver},
    hubspot::HubSpot,
};
use crate::keyring::{KeyFile, KeyFileError, Keyring};

const KEY_FILE: KeyFile = KeyFile {
    flag: "--crm-keys",
    name: "crm-keys",
    head: "\
# Keys that seal the tokens of CRMs, one a line: id and secret. The first one seals, all open.
# To rotate: add a key as the last line and restart every server; then move it to the first line,
# restart them again and run `payout-server crm reseal`; then remove the old one.
",
    danger: "open the tokens of CRMs in a copy of the database",
};

/// How CRMs are reached: flags of `serve` and of the commands that handle tokens.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "CRM")]
pub struct ConnectionOptions {
    /// File with the keys that seal the tokens of CRMs, the same on every replica
    /// [default: crm-keys in the data folder, made on first use]
    #[arg(long, env = "PAYOUT_CRM_KEYS", value_name = "FILE")]
    pub crm_keys: Option<PathBuf>,

    /// Allow CRMs with private addresses and without TLS; otherwise they must be on the public
    /// internet
    #[arg(long, env = "PAYOUT_CRM_ALLOW_PRIVATE_ADDRESSES")]
    pub crm_allow_private_addresses: bool,
}

impl ConnectionOptions {
    /// Reads the keys: without a flag, those in `crm-keys` within `data_folder`.
    pub fn keys(&self, data_folder: &Path) -> Result<Keyring, KeyFileError> {
        KEY_FILE.open(self.crm_keys.as_ref(), data_folder)
    }

    /// Reads the keys of a server. One that can make no file in its data folder, and was given
    /// none, serves everything but syncs.
    pub fn keys_of_server(&self, data_folder: &Path) -> Result<Option<Keyring>, KeyFileError> {
        let has_file = || self.crm_keys.is_some() || data_folder.join(KEY_FILE.name).exists();
        match self.keys(data_folder) {
            Err(error) if !has_file() => {
                tracing::warn!(%error, "no token of a CRM can be opened");
                Ok(None)
            }
            keys => keys.map(Some),
        }
    }

    pub(crate) fn allowed(&self) -> Allowed {
        if self.crm_allow_private_addresses { Allowed::Any } else { Allowed::Public }
    }

    pub(crate) fn client(&self) -> Result<HubSpot, reqwest::Error> {
        HubSpot::new(self.allowed(), Arc::new(SystemResolver))
    }
}

/// How syncs are run. Only `serve` has these flags.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "CRM")]
pub struct CrmOptions {
    #[command(flatten)]
    pub connection: ConnectionOptions,

    /// Syncs that this server runs at once; 0: it leaves them to other servers
    #[arg(long, env = "PAYOUT_CRM_SYNCS", default_value_t = 16,
          value_parser = value_parser!(u32).range(0..=1_000), value_name = "SYNCS")]
    pub crm_syncs: u32,

    /// Syncs of one organisation that run at once, on all servers together
    #[arg(long, env = "PAYOUT_CRM_SYNCS_PER_ORGANIZATION", default_value_t = 4,
          value_parser = value_parser!(u32).range(1..=100), value_name = "SYNCS")]
    pub crm_syncs_per_organization: u32,

    /// How long syncs that another server queued, and further tries, may wait to be noticed
    #[arg(long, env = "PAYOUT_CRM_POLL_MILLISECONDS", default_value_t = 2_000,
          value_parser = value_parser!(u64).range(10..=60_000), value_name = "MILLISECONDS")]
    pub crm_poll_milliseconds: u64,

    /// Connections to the database for syncs, separate from the handlers'
    #[arg(long, env = "PAYOUT_CRM_DATABASE_CONNECTIONS", default_value_t = 2,
          value_parser = value_parser!(u32).range(1..=500), value_name = "CONNECTIONS")]
    pub crm_database_connections: u32,
}

/// How many syncs run, and when more are looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SyncLimits {
    pub(crate) all: usize,
    pub(crate) per_organization: u32,
    pub(crate) poll: Duration,
}

impl CrmOptions {
    pub(crate) fn limits(&self) -> SyncLimits {
        SyncLimits {
            all: usize::try_from(self.crm_syncs).expect("at most 1,000"),
            per_organization: self.crm_syncs_per_organization,
            poll: Duration::from_millis(self.crm_poll_milliseconds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_without_a_folder_for_keys_serves_and_one_without_its_file_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let options = ConnectionOptions::default();
        assert!(options.keys_of_server(&file).unwrap().is_none());
        assert!(options.keys_of_server(folder.path()).unwrap().is_some());
        let crm_keys = Some(folder.path().join("nothing"));
        let options = ConnectionOptions { crm_keys, ..options };
        assert!(options.keys_of_server(folder.path()).is_err());
    }
}
