//! From flags to a store that was tried once: what is wrong with it is told at the start, not to the first partner.
//!
//! It refuses to begin with a place that takes no PDFs.

use std::{path::Path as FilePath, sync::Arc};

use futures_util::TryStreamExt;
use object_store::{ObjectStore, client::HttpConnector, path::Path};

use super::{
    backend::{Backend, Medium},
    directory,
    endpoint::Endpoint,
    failure::{Kind, SetupError, reason},
    operations::Storage,
    options::AssetOptions,
    place::AssetPlace,
    s3::{self, Bucket, Connector, Credentials},
};

impl AssetOptions {
    /// Opens the store: the directory is made and written to, the bucket is listed. Credentials come from the
    /// environment. Without `--assets`, PDFs are kept in `assets` within `data_folder`.
    ///
    /// # Errors
    /// See [`SetupError`].
    pub async fn open(&self, data_folder: &FilePath) -> Result<Storage, SetupError> {
        self.open_with(data_folder, |name| std::env::var(name).ok())
            .await
    }

    /// The same with other variables than the process has.
    ///
    /// # Errors
    /// See [`SetupError`].
    pub async fn open_with(
        &self,
        data_folder: &FilePath,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Storage, SetupError> {
        let default = || AssetPlace::Directory(data_folder.join("assets"));
        match self.assets.clone().unwrap_or_else(default) {
            AssetPlace::Directory(_) if self.s3_endpoint.is_some() => {
                Err(SetupError::EndpointWithoutBucket)
            }
            AssetPlace::Directory(path) => {
                let store = Arc::new(directory::open(&path)?);
                let root = path.canonicalize().map_err(SetupError::directory(&path))?;
                Ok(self.storage(Medium::Directory { store, root }))
            }
            AssetPlace::Bucket { bucket, prefix } => {
                let credentials = Credentials::read(variable)?;
                let connector = Connector::new(self.s3_endpoint.as_ref(), self.bounds())?;
                let storage = self.bucket(&bucket, &prefix, credentials, connector)?;
                self.try_bucket(&storage).await?;
                Ok(storage)
            }
        }
    }

    /// A bucket that nobody has tried yet.
    pub(super) fn bucket(
        &self,
        name: &str,
        prefix: &str,
        credentials: Credentials,
        connector: impl HttpConnector,
    ) -> Result<Storage, SetupError> {
        let endpoint = self.s3_endpoint.as_ref();
        let bucket = Bucket {
            name,
            endpoint,
            region: &self.s3_region,
        };
        let place = place(name, prefix, endpoint);
        let store =
            s3::client(&bucket, credentials, self.bounds(), connector).map_err(|error| {
                SetupError::Settings {
                    place: place.clone(),
                    reason: reason(&error),
                }
            })?;
        Ok(self.storage(Medium::Bucket {
            store: Arc::new(store),
            prefix: Path::from(prefix),
            place,
        }))
    }

    fn storage(&self, medium: Medium) -> Storage {
        let operation = self.bounds().operation;
        Storage::new(Backend { medium, operation })
    }

    /// One listing: it needs the bucket, the credentials and the network, and changes nothing.
    async fn try_bucket(&self, storage: &Storage) -> Result<(), SetupError> {
        let Medium::Bucket {
            store,
            prefix,
            place,
        } = &storage.backend().medium
        else {
            return Ok(());
        };
        let mut listing = store.list(Some(prefix));
        let told = |reason: String, mend| {
            Err(SetupError::Bucket {
                place: place.clone(),
                reason,
                mend,
            })
        };
        match tokio::time::timeout(self.bounds().operation, listing.try_next()).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => told(reason(&error), mend(Kind::of(&error))),
            Err(_) => told(
                format!("no answer within {} s", self.object_store_operation_seconds),
                mend(Kind::Unavailable),
            ),
        }
    }
}

/// Of the bucket, for messages.
fn place(bucket: &str, prefix: &str, endpoint: Option<&Endpoint>) -> String {
    let folder = if prefix.is_empty() {
        String::new()
    } else {
        format!("/{prefix}")
    };
    let at = endpoint.map_or("Amazon S3".to_owned(), Endpoint::to_string);
    format!("s3://{bucket}{folder} at {at}")
}

fn mend(kind: Kind) -> &'static str {
    match kind {
        Kind::NoBucket | Kind::NotFound => "Create the bucket, or name another one with --assets",
        Kind::Forbidden => {
            "Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and that this user may list the bucket and put, get and delete its objects"
        }
        Kind::Unavailable | Kind::Internal => {
            "Check --s3-endpoint and --s3-region, and that the store is up and reachable from here"
        }
    }
}
