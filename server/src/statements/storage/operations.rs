//! PDFs in a store: put, get, head, verify, delete, list. Each operation is bounded in time and tries.
//!
//! It refuses to overwrite with other bytes, because keys are attempts, and to touch an object whose key is none of ours.

use std::{
    fmt,
    ops::Range,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures_util::{StreamExt, TryStreamExt, stream::BoxStream};
use object_store::{
    Attribute, Attributes, GetOptions, GetRange, ObjectStoreExt, PutOptions, path::Path,
};
use sha2::{Digest, Sha256};

use super::{
    backend::{Backend, Medium},
    directory,
    failure::StorageError,
    key::AssetKey,
    s3::{self, StoreLink},
};

const CONTENT_TYPE: &str = "application/pdf";

/// Where PDFs are kept. Clones share the connections.
#[derive(Clone)]
pub struct Storage(Backend);

/// Bytes of one PDF.
pub struct Content {
    /// How many bytes come.
    pub length_bytes: u64,
    /// How many the whole PDF has.
    pub total_bytes: u64,
    /// The bytes. A piece that takes longer than an operation may ends the stream with an error.
    pub body: BoxStream<'static, Result<Bytes, StorageError>>,
}

/// An object of ours in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredObject {
    /// Its key.
    pub key: AssetKey,
    /// Its length.
    pub size_bytes: u64,
    /// When it was put, by the store's clock.
    pub last_modified: DateTime<Utc>,
}

impl Storage {
    pub(super) fn new(backend: Backend) -> Self {
        Self(backend)
    }

    pub(super) fn backend(&self) -> &Backend {
        &self.0
    }

    /// Keeps a PDF. When this returns, it survives a power failure: a local file and its folder are synced to disk.
    ///
    /// # Errors
    /// See [`StorageError`]. The object may be there nevertheless: the sweeper removes what no row names.
    pub async fn put(&self, key: &AssetKey, bytes: Bytes) -> Result<(), StorageError> {
        let action = format!("put {key}");
        let mut options = PutOptions::default();
        if let Medium::Bucket { .. } = self.0.medium {
            // A directory has no place for it; there, who serves the file says it.
            options.attributes = Attributes::from_iter([(Attribute::ContentType, CONTENT_TYPE)]);
        }
        let location = self.location(key);
        let put = self.0.store().put_opts(&location, bytes.into(), options);
        self.0.bounded(action, put).await.map(|_| ())
    }

    /// Reads a PDF, or the part `range` of it, which must be within its length and not empty.
    ///
    /// # Errors
    /// See [`StorageError`]; while the bytes come, too.
    pub async fn get(
        &self,
        key: &AssetKey,
        range: Option<Range<u64>>,
    ) -> Result<Content, StorageError> {
        let action = format!("get {key}");
        let options = GetOptions {
            range: range.map(GetRange::Bounded),
            ..GetOptions::default()
        };
        let location = self.location(key);
        let found = self
            .0
            .bounded(action.clone(), self.0.store().get_opts(&location, options))
            .await?;
        Ok(Content {
            length_bytes: found.range.end.saturating_sub(found.range.start),
            total_bytes: found.meta.size,
            body: self.0.clone().each_bounded(action, found.into_stream()),
        })
    }

    /// What the store knows of a PDF.
    ///
    /// # Errors
    /// See [`StorageError`].
    pub async fn head(&self, key: &AssetKey) -> Result<StoredObject, StorageError> {
        let location = self.location(key);
        let found = self
            .0
            .bounded(format!("look up {key}"), self.0.store().head(&location))
            .await?;
        Ok(StoredObject {
            key: key.clone(),
            size_bytes: found.size,
            last_modified: found.last_modified,
        })
    }

    /// Reads a PDF to the end and compares its length and its SHA-256 with what they should be.
    ///
    /// # Errors
    /// See [`StorageError`]; `Internal` where it differs.
    pub async fn verify(
        &self,
        key: &AssetKey,
        size_bytes: u64,
        sha256: &[u8; 32],
    ) -> Result<(), StorageError> {
        let mut body = self.get(key, None).await?.body;
        let mut hash = Sha256::new();
        let mut read_bytes = 0;
        while let Some(piece) = body.try_next().await? {
            hash.update(&piece);
            read_bytes += piece.len() as u64;
        }
        let reason = if read_bytes != size_bytes {
            format!("it has {read_bytes} bytes and should have {size_bytes}")
        } else if <[u8; 32]>::from(hash.finalize()) != *sha256 {
            "its bytes are not those that were put: restore it from a backup".into()
        } else {
            return Ok(());
        };
        Err(StorageError::Internal {
            action: format!("verify {key}"),
            place: self.place(),
            reason,
        })
    }

    /// Removes a PDF; a missing one is no error.
    ///
    /// # Errors
    /// See [`StorageError`].
    pub async fn delete(&self, key: &AssetKey) -> Result<(), StorageError> {
        let location = self.location(key);
        match self
            .0
            .bounded(format!("delete {key}"), self.0.store().delete(&location))
            .await
        {
            Err(StorageError::NotFound { .. }) => Ok(()),
            deleted => deleted,
        }
    }

    /// All objects of ours, in no order. What else lies there is not listed, and so never swept away.
    #[must_use]
    pub fn list(&self) -> BoxStream<'static, Result<StoredObject, StorageError>> {
        let prefix = self.0.prefix();
        let listing = self.0.store().list(Some(&prefix));
        let listing = self.0.clone().each_bounded("list assets".into(), listing);
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

    /// Removes what puts left that a crash cut short at least `age` ago, and says how many. A bucket has no such thing.
    /// The age is judged by this machine's clock, which has written the files' times.
    ///
    /// # Errors
    /// See [`StorageError`].
    pub async fn sweep_unfinished(&self, age: Duration) -> Result<usize, StorageError> {
        let Medium::Directory { root, .. } = &self.0.medium else {
            return Ok(0);
        };
        let root = root.clone();
        let before = SystemTime::now()
            .checked_sub(age)
            .unwrap_or(SystemTime::UNIX_EPOCH);
        let sweeping =
            tokio::task::spawn_blocking(move || directory::sweep_unfinished(&root, before));
        let swept = async {
            let swept = sweeping.await.map_err(std::io::Error::other).flatten();
            swept.map_err(|error| object_store::Error::Generic {
                store: "directory",
                source: error.into(),
            })
        };
        self.0.bounded("sweep unfinished files".into(), swept).await
    }

    /// A link signed by the store, saved under the name in `disposition`. `None` where the store signs none: then the
    /// link is ours.
    ///
    /// # Errors
    /// See [`StorageError`].
    pub async fn link(
        &self,
        key: &AssetKey,
        disposition: &str,
        lifetime_seconds: u32,
    ) -> Result<Option<StoreLink>, StorageError> {
        let Medium::Bucket { store, .. } = &self.0.medium else {
            return Ok(None);
        };
        let location = self.location(key);
        let signing = s3::sign_link(store, &location, disposition, lifetime_seconds);
        self.0
            .bounded(format!("sign a link to {key}"), signing)
            .await
            .map(Some)
    }

    /// Whether the store signs links to its objects itself.
    #[must_use]
    pub fn signs_links(&self) -> bool {
        matches!(self.0.medium, Medium::Bucket { .. })
    }

    /// Where assets are kept, for people.
    #[must_use]
    pub fn place(&self) -> String {
        self.0.place()
    }

    fn location(&self, key: &AssetKey) -> Path {
        key.under(&self.0.prefix())
    }
}

impl fmt::Debug for Storage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Storage in {}", self.place())
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Content of {} bytes", self.length_bytes)
    }
}

#[cfg(test)]
mod tests;
