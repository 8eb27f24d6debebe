//! PDFs in a store: put, get, delete, list. Each operation, and each piece of a download, is
//! bounded in time. Objects with foreign names are neither listed nor touched.
//!
//! Small objects beside the PDFs have names of their own: the marker, which binds a store to one
//! database, and lists that must survive a restore of the database.

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
use prometheus_client::metrics::{counter::Counter, family::Family};

use super::{
    directory,
    failure::{FailureKind, StorageError, reason},
    key::AssetKey,
    s3::{self, SignedUrl},
};
use crate::telemetry::{Label, Metrics};

const CONTENT_TYPE: &str = "application/pdf";
/// The name of the marker, whose text is the id of the store's database.
pub const MARKER: &str = "database-id";
const SMALL_OBJECT_LIMIT_BYTES: u64 = 64 * 1024;
/// The operations by which failures are counted.
const OPERATIONS: [&str; 6] = ["put", "get", "delete", "list", "sign", "sweep"];

/// The store of PDFs. Clones share the connections.
#[derive(Clone)]
pub struct Storage {
    pub(super) store: Arc<dyn ObjectStore>,
    /// `None`: the store signs no links, so links are ours.
    pub(super) signer: Option<Arc<dyn Signer>>,
    pub(super) local_root: Option<PathBuf>,
    /// The text of its marker, if it has been bound to a database.
    pub(super) marker: Option<Arc<str>>,
    /// Its name in messages.
    pub(super) name: String,
    /// Time limit of an operation with all its tries.
    pub(super) operation: Duration,
    /// Counts what the store could not do. A missing object is no failure of the store.
    pub(super) errors: Family<Label, Counter>,
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
        let location = Path::from(key.to_string());
        let put = self.store.put_opts(&location, bytes.into(), options);
        self.bounded("put", &location, put).await.map(drop)
    }

    /// Reads a PDF.
    ///
    /// # Errors
    /// `NotFound`: the store is there, with its marker, and the PDF is not.
    pub async fn get(&self, key: &AssetKey) -> Result<Content, StorageError> {
        let location = Path::from(key.to_string());
        let found = self.bounded("get", &location, self.store.get(&location)).await;
        if let Err(StorageError::NotFound { .. }) = &found {
            self.check_marker().await?;
        }
        let found = found?;
        Ok(Content {
            length_bytes: found.meta.size,
            body: self.clone().each_bounded("get", location, found.into_stream()),
        })
    }

    /// Removes a PDF; a missing one is no error.
    pub async fn delete(&self, key: &AssetKey) -> Result<(), StorageError> {
        let location = Path::from(key.to_string());
        match self.bounded("delete", &location, self.store.delete(&location)).await {
            Err(StorageError::NotFound { .. }) => Ok(()),
            deleted => deleted,
        }
    }

    /// Lists all objects of ours, in no order.
    pub fn list(&self) -> BoxStream<'static, Result<StoredObject, StorageError>> {
        let listing = self.clone().each_bounded("list", "assets", self.store.list(None));
        let ours = listing.try_filter_map(|found| {
            let object = AssetKey::parse(found.location.as_ref()).map(|key| StoredObject {
                key,
                size_bytes: found.size,
                last_modified: found.last_modified,
            });
            std::future::ready(Ok(object))
        });
        ours.boxed()
    }

    /// Stores a small object, in place of an earlier one of this name.
    pub async fn put_small(&self, name: &str, bytes: Bytes) -> Result<(), StorageError> {
        let location = Path::from(name);
        self.bounded("put", name, self.store.put(&location, bytes.into())).await.map(drop)
    }

    /// Reads a small object; `None` if there is none of this name.
    pub async fn get_small(&self, name: &str) -> Result<Option<Bytes>, StorageError> {
        let location = Path::from(name);
        let read = async {
            let found = self.store.get(&location).await?;
            if found.meta.size > SMALL_OBJECT_LIMIT_BYTES {
                let why = format!("it has more than {SMALL_OBJECT_LIMIT_BYTES} bytes");
                return Err(object_store::Error::Generic { store: "small", source: why.into() });
            }
            found.bytes().await
        };
        match self.bounded("get", name, read).await {
            Err(StorageError::NotFound { .. }) => Ok(None),
            read => read.map(Some),
        }
    }

    /// Lists the names, in order, of the small objects in this folder.
    pub async fn list_small(&self, folder: &str) -> Result<Vec<String>, StorageError> {
        let listing = self.store.list(Some(&Path::from(folder)));
        let listing = self.clone().each_bounded("list", folder.to_owned(), listing);
        let names = listing.map_ok(|found| found.location.to_string());
        let mut names: Vec<String> = names.try_collect().await?;
        names.sort();
        Ok(names)
    }

    pub fn with_marker(self, marker: &str) -> Self {
        Self { marker: Some(marker.into()), ..self }
    }

    /// Requires the marker of a bound store: a volume that was unmounted has none, and its PDFs are
    /// not lost.
    async fn check_marker(&self) -> Result<(), StorageError> {
        let Some(expected) = &self.marker else {
            return Ok(());
        };
        let found = self.get_small(MARKER).await?;
        if found.is_some_and(|found| found.trim_ascii() == expected.as_bytes()) {
            return Ok(());
        }
        Err(StorageError::Unavailable {
            action: format!("find the marker {MARKER}"),
            location: self.name.clone(),
            reason: "is its volume still mounted?".to_owned(),
        })
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
        self.bounded("sweep", "unfinished files", swept).await
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
        let location = Path::from(key.to_string());
        let signing = s3::sign_link(signer.as_ref(), &location, disposition, lifetime_seconds);
        self.bounded("sign", format!("a link to {key}"), signing).await.map(Some)
    }

    pub(crate) fn signs_links(&self) -> bool {
        self.signer.is_some()
    }

    /// Its name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn register(&self, metrics: &Metrics) {
        for operation in OPERATIONS {
            drop(self.errors.get_or_create(&[("operation", operation)]));
        }
        let help = "What the store of PDFs could not do, by operation";
        metrics.register("storage_errors", help, self.errors.clone());
    }

    /// The store's client bounds the tries and the waits between them; this bounds their sum.
    async fn bounded<T>(
        &self,
        operation: &'static str,
        object: impl fmt::Display,
        work: impl Future<Output = object_store::Result<T>>,
    ) -> Result<T, StorageError> {
        let done = tokio::time::timeout(self.operation, work).await;
        let (kind, reason) = match done {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(error)) => (FailureKind::of(&error), reason(&error)),
            Err(_) => (FailureKind::Unavailable, no_answer(self.operation)),
        };
        let (action, location) = (format!("{operation} {object}"), self.name.clone());
        if kind != FailureKind::NotFound {
            self.errors.get_or_create(&[("operation", operation)]).inc();
        }
        Err(match kind {
            FailureKind::Unavailable => StorageError::Unavailable { action, location, reason },
            FailureKind::NotFound => StorageError::NotFound { action, location },
            FailureKind::NoBucket | FailureKind::Forbidden | FailureKind::Internal => {
                StorageError::Internal { action, location, reason }
            }
        })
    }

    /// Bounds each item by the time of one operation; the first error ends the stream.
    fn each_bounded<T: Send + 'static>(
        self,
        operation: &'static str,
        object: impl fmt::Display + Clone + Send + Sync + 'static,
        items: BoxStream<'static, object_store::Result<T>>,
    ) -> BoxStream<'static, Result<T, StorageError>> {
        let next = move |items: Option<BoxStream<'static, object_store::Result<T>>>| {
            let (storage, object) = (self.clone(), object.clone());
            async move {
                let mut items = items?;
                let next = storage.bounded(operation, object, items.try_next()).await;
                match next.transpose()? {
                    Ok(item) => Some((Ok(item), Some(items))),
                    Err(error) => Some((Err(error), None)),
                }
            }
        };
        stream::unfold(Some(items), next).boxed()
    }
}

pub(super) fn no_answer(within: Duration) -> String {
    format!("no answer within {} s", within.as_secs())
}

#[cfg(test)]
mod failure_tests;
#[cfg(test)]
mod tests;
