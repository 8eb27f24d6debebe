//! PDFs in a store: put, get, delete, list. Each operation, and each piece of a
//! download, is bounded in time. Objects with foreign names are neither listed nor touched.

use std::{
    fmt,
    future::Future,
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures_util::{
    StreamExt, TryStreamExt,
    stream::{self, BoxStream},
};
use object_store::{
    Attribute, Attributes, ObjectStore, ObjectStoreExt, PutOptions, path::Path, signer::Signer,
};

use super::{
    directory,
    failure::{FailureKind, StorageError, reason},
    key::AssetKey,
    metrics::StorageErrors,
    s3::{self, SignedUrl},
};

const CONTENT_TYPE: &str = "application/pdf";

/// The store of PDFs. Clones share the connections.
#[derive(Clone)]
pub struct Storage {
    pub(super) store: Arc<dyn ObjectStore>,
    /// `None`: the store signs no links, so links are ours.
    pub(super) signer: Option<Arc<dyn Signer>>,
    /// Begins the location of each of our objects.
    pub(super) prefix: Path,
    /// The directory, if it is one.
    pub(super) local_root: Option<PathBuf>,
    /// The text of its marker, if it has been bound to a database.
    pub(super) marker: Option<Arc<str>>,
    /// Its name in messages.
    pub(super) name: String,
    /// Time limit of an operation with all its tries.
    pub(super) operation: Duration,
    pub(crate) errors: StorageErrors,
}

pub struct Content {
    pub length_bytes: u64,
    /// Ends with an error if one piece takes longer than an operation may.
    pub body: BoxStream<'static, Result<Bytes, StorageError>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredObject {
    pub key: AssetKey,
    pub size_bytes: u64,
    /// The time of the store's clock.
    pub last_modified: DateTime<Utc>,
}

impl Storage {
    /// Stores a PDF. When this returns, it survives a power failure: a local file and its folder
    /// are synced to disk. After an error it may be stored nevertheless: a sweep removes it.
    pub async fn put(&self, key: &AssetKey, bytes: Bytes) -> Result<(), StorageError> {
        let mut options = PutOptions::default();
        if self.local_root.is_some() {
            // Under the mount point of an unmounted volume, it would be lost later.
            self.check_marker().await?;
        } else {
            // A directory cannot store it.
            options.attributes = Attributes::from_iter([(Attribute::ContentType, CONTENT_TYPE)]);
        }
        let location = self.location(key);
        let put = self.store.put_opts(&location, bytes.into(), options);
        self.bounded(format!("put {key}"), put).await.map(|_| ())
    }

    /// Reads a PDF.
    ///
    /// # Errors
    /// `NotFound`: the store is there, with its marker, and the PDF is not.
    pub async fn get(&self, key: &AssetKey) -> Result<Content, StorageError> {
        let action = format!("get {key}");
        let location = self.location(key);
        let found = self.bounded(action.clone(), self.store.get(&location)).await;
        if let Err(StorageError::NotFound { .. }) = &found {
            self.check_marker().await?;
        }
        let found = found?;
        Ok(Content {
            length_bytes: found.meta.size,
            body: self.clone().each_bounded(action, found.into_stream()),
        })
    }

    /// Removes a PDF; a missing one is no error.
    pub async fn delete(&self, key: &AssetKey) -> Result<(), StorageError> {
        let location = self.location(key);
        let deleted = self.store.delete(&location);
        match self.bounded(format!("delete {key}"), deleted).await {
            Err(StorageError::NotFound { .. }) => Ok(()),
            deleted => deleted,
        }
    }

    /// Lists all objects of ours, in no order.
    pub fn list(&self) -> BoxStream<'static, Result<StoredObject, StorageError>> {
        let prefix = self.prefix.clone();
        let listing = self.store.list(Some(&prefix));
        let listing = self.clone().each_bounded("list assets".into(), listing);
        let ours = listing.try_filter_map(move |found| {
            let object = AssetKey::within(&prefix, &found.location).map(|key| StoredObject {
                key,
                size_bytes: found.size,
                last_modified: found.last_modified,
            });
            std::future::ready(Ok(object))
        });
        ours.boxed()
    }

    /// Removes what puts left that a crash interrupted at least `age` ago, by this machine's clock,
    /// which wrote the files' times; returns how many. A bucket has no such files.
    pub async fn sweep_unfinished(&self, age: Duration) -> Result<usize, StorageError> {
        let Some(root) = self.local_root.clone() else {
            return Ok(0);
        };
        let before = SystemTime::now().checked_sub(age).unwrap_or(SystemTime::UNIX_EPOCH);
        let sweeping =
            tokio::task::spawn_blocking(move || directory::sweep_unfinished(&root, before));
        let swept = async {
            let swept = sweeping.await.map_err(std::io::Error::other).flatten();
            swept.map_err(|error| object_store::Error::Generic {
                store: "directory",
                source: error.into(),
            })
        };
        self.bounded("sweep unfinished files".into(), swept).await
    }

    /// Returns a link signed by the store, with `disposition` as its header; `None` if it signs
    /// none.
    pub async fn link(
        &self,
        key: &AssetKey,
        disposition: &str,
        lifetime_seconds: u32,
    ) -> Result<Option<SignedUrl>, StorageError> {
        let Some(signer) = &self.signer else {
            return Ok(None);
        };
        let location = self.location(key);
        let signing = s3::sign_link(signer.as_ref(), &location, disposition, lifetime_seconds);
        self.bounded(format!("sign a link to {key}"), signing).await.map(Some)
    }

    /// Returns true if the store signs links to its objects itself.
    pub(crate) fn signs_links(&self) -> bool {
        self.signer.is_some()
    }

    /// Its name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn location(&self, key: &AssetKey) -> Path {
        key.under(&self.prefix)
    }

    /// The store's client bounds the tries and the waits between them; this bounds their sum.
    pub(super) async fn bounded<T>(
        &self,
        action: String,
        work: impl Future<Output = object_store::Result<T>>,
    ) -> Result<T, StorageError> {
        let done = match tokio::time::timeout(self.operation, work).await {
            Ok(done) => done.map_err(|error| self.failure(action, &error)),
            Err(_) => Err(StorageError::Unavailable {
                action,
                location: self.name.clone(),
                reason: no_answer(self.operation),
            }),
        };
        done.inspect_err(|error| self.errors.count(error))
    }

    /// Bounds each item by the time of one operation; the first error ends the stream.
    pub(super) fn each_bounded<T: Send + 'static>(
        self,
        action: String,
        items: BoxStream<'static, object_store::Result<T>>,
    ) -> BoxStream<'static, Result<T, StorageError>> {
        let next = move |items: Option<BoxStream<'static, object_store::Result<T>>>| {
            let (storage, action) = (self.clone(), action.clone());
            async move {
                let mut items = items?;
                let next = storage.bounded(action, items.try_next()).await;
                match next.transpose()? {
                    Ok(item) => Some((Ok(item), Some(items))),
                    Err(error) => Some((Err(error), None)),
                }
            }
        };
        stream::unfold(Some(items), next).boxed()
    }

    fn failure(&self, action: String, error: &object_store::Error) -> StorageError {
        let location = self.name.clone();
        let reason = reason(error);
        match FailureKind::of(error) {
            FailureKind::Unavailable => StorageError::Unavailable { action, location, reason },
            FailureKind::NotFound => StorageError::NotFound { action, location },
            FailureKind::NoBucket | FailureKind::Forbidden | FailureKind::Internal => {
                StorageError::Internal { action, location, reason }
            }
        }
    }
}

pub(super) fn no_answer(within: Duration) -> String {
    format!("no answer within {} s", within.as_secs())
}

impl fmt::Debug for Storage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Storage in {}", self.name)
    }
}

#[cfg(test)]
mod failure_tests;
#[cfg(test)]
mod tests;
