//! Opens the store that the flags name, and tries it once, so that a wrong setting stops the start
//! and not the first request.

use std::{
    path::{Path as FilePath, PathBuf},
    sync::Arc,
};

use futures_util::TryStreamExt;
use object_store::{ObjectStore, client::HttpConnector, prefix::PrefixStore, signer::Signer};
use prometheus_client::metrics::family::Family;

use super::{
    directory,
    failure::{FailureKind, SetupError, reason},
    location::AssetLocation,
    operations::{Storage, no_answer},
    options::AssetOptions,
    s3::{self, Connector, Credentials},
};

impl AssetOptions {
    /// Opens the store: the directory is created and written to, the bucket is listed. Credentials
    /// come from the environment. Without `--assets`, PDFs are stored in `assets` within
    /// `data_folder`.
    pub async fn open(&self, data_folder: &FilePath) -> Result<Storage, SetupError> {
        self.open_with(data_folder, |name| std::env::var(name).ok()).await
    }

    /// Like `open`, with variables that the caller chooses.
    pub async fn open_with(
        &self,
        data_folder: &FilePath,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Storage, SetupError> {
        let (bucket, prefix) = match self.location(data_folder) {
            AssetLocation::Bucket { bucket, prefix } => (bucket, prefix),
            AssetLocation::Directory(_) if self.s3_endpoint.is_some() => {
                return Err(SetupError(
                    "--s3-endpoint names a store, but --assets names no bucket in it. Write \
                     --assets s3://BUCKET, or leave --s3-endpoint out"
                        .to_owned(),
                ));
            }
            AssetLocation::Directory(path) => {
                let store = Arc::new(directory::open(&path)?);
                let root = path.canonicalize().map_err(SetupError::directory(&path))?;
                let storage = self.storage(root.display().to_string(), store, None);
                return Ok(Storage { local_root: Some(root), ..storage });
            }
        };
        let credentials = Credentials::read(variable)?;
        let connector = Connector::new(self)?;
        let storage = self.bucket(&bucket, &prefix, credentials, connector)?;
        try_bucket(&storage).await?;
        Ok(storage)
    }

    /// Returns the directory of the store; `None` if it is a bucket.
    pub fn directory(&self, data_folder: &FilePath) -> Option<PathBuf> {
        match self.location(data_folder) {
            AssetLocation::Directory(path) => Some(path),
            AssetLocation::Bucket { .. } => None,
        }
    }

    fn location(&self, data_folder: &FilePath) -> AssetLocation {
        let default = || AssetLocation::Directory(data_folder.join("assets"));
        self.assets.clone().unwrap_or_else(default)
    }

    pub(super) fn bucket(
        &self,
        name: &str,
        prefix: &str,
        credentials: Credentials,
        connector: impl HttpConnector,
    ) -> Result<Storage, SetupError> {
        let folder = if prefix.is_empty() { String::new() } else { format!("/{prefix}") };
        let endpoint = self.s3_endpoint.as_ref().map(|url| url.as_str().trim_end_matches('/'));
        let bucket = format!("s3://{name}{folder} at {}", endpoint.unwrap_or("Amazon S3"));
        let client = s3::client(name, self, credentials, connector).map_err(|error| {
            let reason = reason(&error);
            SetupError(format!(
                "the settings of {bucket} cannot be used: {reason}. Check --assets, --s3-endpoint \
                 and --s3-region"
            ))
        })?;
        let store = Arc::new(PrefixStore::new(client, prefix));
        Ok(self.storage(bucket, store.clone(), Some(store)))
    }

    fn storage(
        &self,
        name: String,
        store: Arc<dyn ObjectStore>,
        signer: Option<Arc<dyn Signer>>,
    ) -> Storage {
        Storage {
            store,
            signer,
            local_root: None,
            marker: None,
            name,
            operation: self.operation_limit(),
            errors: Family::default(),
        }
    }
}

/// Tries the bucket by one listing: it requires the bucket, the credentials and the network, and
/// changes nothing.
async fn try_bucket(storage: &Storage) -> Result<(), SetupError> {
    let mut listing = storage.store.list(None);
    let (reason, hint) = match tokio::time::timeout(storage.operation, listing.try_next()).await {
        Ok(Ok(_)) => return Ok(()),
        Ok(Err(error)) => (reason(&error), hint(FailureKind::of(&error))),
        Err(_) => (no_answer(storage.operation), hint(FailureKind::Unavailable)),
    };
    Err(SetupError(format!("assets cannot be stored in {}: {reason}. {hint}", storage.name)))
}

fn hint(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::NoBucket | FailureKind::NotFound => {
            "Create the bucket, or name another one with --assets"
        }
        FailureKind::Forbidden => {
            "Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and that this user may list the \
             bucket and put, get and delete its objects"
        }
        FailureKind::Unavailable | FailureKind::Internal => {
            "Check --s3-endpoint and --s3-region, and that the store is up and reachable from here"
        }
    }
}
