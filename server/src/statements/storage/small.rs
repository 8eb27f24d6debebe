//! Small objects beside the PDFs, by name: the marker, which binds a store to one database, and
//! lists that must survive a restore of the database. No sweep and no listing of PDFs has them.

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use object_store::{ObjectStoreExt, path::Path};

use super::{failure::StorageError, operations::Storage};

/// The name of the marker, whose text is the id of the store's database.
pub const MARKER: &str = "database-id";
/// Most bytes of a small object.
pub const SMALL_OBJECT_LIMIT_BYTES: u64 = 64 * 1024;

impl Storage {
    /// Stores a small object, in place of an earlier one of this name.
    pub async fn put_small(&self, name: &str, bytes: Bytes) -> Result<(), StorageError> {
        let location = self.small(name);
        let put = self.store.put(&location, bytes.into());
        self.bounded(format!("put {name}"), put).await.map(drop)
    }

    /// Reads a small object; `None` if there is none of this name.
    pub async fn get_small(&self, name: &str) -> Result<Option<Bytes>, StorageError> {
        let location = self.small(name);
        let read = async {
            let found = self.store.get(&location).await?;
            if found.meta.size > SMALL_OBJECT_LIMIT_BYTES {
                let why = format!("it has more than {SMALL_OBJECT_LIMIT_BYTES} bytes");
                return Err(object_store::Error::Generic { store: "small", source: why.into() });
            }
            found.bytes().await
        };
        match self.bounded(format!("get {name}"), read).await {
            Err(StorageError::NotFound { .. }) => Ok(None),
            read => read.map(Some),
        }
    }

    /// Lists the names, in order, of the small objects in this folder.
    pub async fn list_small(&self, folder: &str) -> Result<Vec<String>, StorageError> {
        let within = self.small(folder);
        let listing = self.store.list(Some(&within));
        let listing = self.clone().each_bounded(format!("list {folder}"), listing);
        let names = listing.map_ok(|found| {
            let parts = found.location.prefix_match(&self.prefix).into_iter().flatten();
            parts.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>().join("/")
        });
        let mut names: Vec<String> = names.boxed().try_collect().await?;
        names.sort();
        Ok(names)
    }

    /// Requires this marker from now on.
    #[must_use]
    pub fn with_marker(self, marker: &str) -> Self {
        Self { marker: Some(marker.into()), ..self }
    }

    /// Requires the marker of a bound store: a volume that was unmounted has none, and its PDFs are
    /// not lost.
    pub(super) async fn check_marker(&self) -> Result<(), StorageError> {
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

    fn small(&self, name: &str) -> Path {
        self.prefix.parts().chain(Path::from(name).parts()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statements::storage::AssetOptions;

    async fn storage(folder: &tempfile::TempDir) -> Storage {
        AssetOptions::default().open(folder.path()).await.unwrap()
    }

    #[tokio::test]
    async fn small_object_is_replaced_listed_and_read() {
        let folder = tempfile::tempdir().unwrap();
        let storage = storage(&folder).await;
        assert_eq!(storage.get_small("list/a").await.unwrap(), None);
        for text in ["1", "2"] {
            storage.put_small("list/a", text.into()).await.unwrap();
        }
        storage.put_small("list/b", "3".into()).await.unwrap();
        storage.put_small("other", "4".into()).await.unwrap();
        assert_eq!(storage.get_small("list/a").await.unwrap().unwrap(), "2");
        assert_eq!(storage.list_small("list").await.unwrap(), ["list/a", "list/b"]);
        assert!(storage.list_small("none").await.unwrap().is_empty());
        let pdfs: Vec<_> = storage.list().try_collect().await.unwrap();
        assert!(pdfs.is_empty(), "no PDF: {pdfs:?}");
    }

    #[tokio::test]
    async fn object_beyond_the_limit_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let storage = storage(&folder).await;
        let limit = usize::try_from(SMALL_OBJECT_LIMIT_BYTES).unwrap();
        for (bytes, is_read) in [(limit, true), (limit + 1, false)] {
            storage.put_small("a", vec![b'a'; bytes].into()).await.unwrap();
            assert_eq!(storage.get_small("a").await.is_ok(), is_read, "{bytes}");
        }
    }

    #[tokio::test]
    async fn bound_store_without_its_marker_is_unavailable() {
        let folder = tempfile::tempdir().unwrap();
        let storage = storage(&folder).await.with_marker("ours");
        for (text, fits) in [("ours\n", true), ("ours", true), ("theirs", false), ("", false)] {
            storage.put_small(MARKER, text.into()).await.unwrap();
            assert_eq!(storage.check_marker().await.is_ok(), fits, "{text:?}");
        }
    }
}
