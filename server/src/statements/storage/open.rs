//! Opens the store that the flags name, and tries it once, so that a wrong setting stops the start
//! and not the first request.

use std::{
    path::{Path as FilePath, PathBuf},
    sync::Arc,
};

use futures_util::TryStreamExt;
use object_store::{client::HttpConnector, path::Path};

use super::{
    directory,
    endpoint::Endpoint,
    failure::{FailureKind, SetupError, reason},
    location::AssetLocation,
    metrics::StorageErrors,
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
        match self.location(data_folder) {
            AssetLocation::Directory(_) if self.s3_endpoint.is_some() => {
                Err(SetupError::EndpointWithoutBucket)
            }
            AssetLocation::Directory(path) => {
                let store = Arc::new(directory::open(&path)?);
                let root = path.canonicalize().map_err(SetupError::directory(&path))?;
                Ok(Storage {
                    store,
                    signer: None,
                    prefix: Path::default(),
                    name: root.display().to_string(),
                    local_root: Some(root),
                    marker: None,
                    operation: self.operation_limit(),
                    errors: StorageErrors::default(),
                })
            }
            AssetLocation::Bucket { bucket, prefix } => {
                let credentials = Credentials::read(variable)?;
                let connector = Connector::new(self)?;
                let storage = self.bucket(&bucket, &prefix, credentials, connector)?;
                try_bucket(&storage).await?;
                Ok(storage)
            }
        }
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

    /// Opens a bucket without trying it.
    pub(super) fn bucket(
        &self,
        name: &str,
        prefix: &str,
        credentials: Credentials,
        connector: impl HttpConnector,
    ) -> Result<Storage, SetupError> {
        let bucket = bucket_name(name, prefix, self.s3_endpoint.as_ref());
        let store = s3::client(name, self, credentials, connector);
        let store = Arc::new(store.map_err(|error| SetupError::Settings {
            location: bucket.clone(),
            reason: reason(&error),
        })?);
        Ok(Storage {
            store: store.clone(),
            signer: Some(store),
            prefix: Path::from(prefix),
            local_root: None,
            marker: None,
            name: bucket,
            operation: self.operation_limit(),
            errors: StorageErrors::default(),
        })
    }
}

/// Tries the bucket by one listing: it requires the bucket, the credentials and the network, and
/// changes nothing.
async fn try_bucket(storage: &Storage) -> Result<(), SetupError> {
    let mut listing = storage.store.list(Some(&storage.prefix));
    let (reason, hint) = match tokio::time::timeout(storage.operation, listing.try_next()).await {
        Ok(Ok(_)) => return Ok(()),
        Ok(Err(error)) => (reason(&error), hint(FailureKind::of(&error))),
        Err(_) => (no_answer(storage.operation), hint(FailureKind::Unavailable)),
    };
    Err(SetupError::Bucket { location: storage.name.clone(), reason, hint })
}

/// Names the bucket, for messages.
fn bucket_name(bucket: &str, prefix: &str, endpoint: Option<&Endpoint>) -> String {
    let folder = if prefix.is_empty() { String::new() } else { format!("/{prefix}") };
    let at = endpoint.map_or("Amazon S3".to_owned(), Endpoint::to_string);
    format!("s3://{bucket}{folder} at {at}")
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
