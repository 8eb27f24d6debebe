//! One place behind the store's client, and the time that everything asked of it may take.
//!
//! It refuses to wait without an end, for an answer and for a piece of one.

use std::{future::Future, path::PathBuf, sync::Arc, time::Duration};

use futures_util::{
    StreamExt, TryStreamExt,
    stream::{self, BoxStream},
};
use object_store::{ObjectStore, aws::AmazonS3, local::LocalFileSystem, path::Path};

use super::failure::{Kind, StorageError, reason};

/// A directory or a bucket, and how long one operation on it may take with all its tries.
#[derive(Clone)]
pub(super) struct Backend {
    pub(super) medium: Medium,
    pub(super) operation: Duration,
}

/// What PDFs lie on.
#[derive(Clone)]
pub(super) enum Medium {
    Directory {
        store: Arc<LocalFileSystem>,
        root: PathBuf,
    },
    Bucket {
        store: Arc<AmazonS3>,
        prefix: Path,
        place: String,
    },
}

impl Backend {
    pub(super) fn store(&self) -> &dyn ObjectStore {
        match &self.medium {
            Medium::Directory { store, .. } => store.as_ref(),
            Medium::Bucket { store, .. } => store.as_ref(),
        }
    }

    /// What all our objects' locations begin with.
    pub(super) fn prefix(&self) -> Path {
        match &self.medium {
            Medium::Directory { .. } => Path::default(),
            Medium::Bucket { prefix, .. } => prefix.clone(),
        }
    }

    /// Where it is, for messages.
    pub(super) fn place(&self) -> String {
        match &self.medium {
            Medium::Directory { root, .. } => root.display().to_string(),
            Medium::Bucket { place, .. } => place.clone(),
        }
    }

    /// The store's client counts tries and waits between them; the time of all together is counted here.
    pub(super) async fn bounded<T>(
        &self,
        action: String,
        work: impl Future<Output = object_store::Result<T>>,
    ) -> Result<T, StorageError> {
        match tokio::time::timeout(self.operation, work).await {
            Ok(done) => done.map_err(|error| self.failure(action, &error)),
            Err(_) => Err(StorageError::Unavailable {
                action,
                place: self.place(),
                reason: format!("no answer within {} s", self.operation.as_secs()),
            }),
        }
    }

    /// Each item within the time of one operation; after an error nothing comes.
    pub(super) fn each_bounded<T: Send + 'static>(
        self,
        action: String,
        items: BoxStream<'static, object_store::Result<T>>,
    ) -> BoxStream<'static, Result<T, StorageError>> {
        let next = move |items: Option<BoxStream<'static, object_store::Result<T>>>| {
            let (backend, action) = (self.clone(), action.clone());
            async move {
                let mut items = items?;
                let next = backend.bounded(action, items.try_next()).await;
                match next.transpose()? {
                    Ok(item) => Some((Ok(item), Some(items))),
                    Err(error) => Some((Err(error), None)),
                }
            }
        };
        stream::unfold(Some(items), next).boxed()
    }

    fn failure(&self, action: String, error: &object_store::Error) -> StorageError {
        let place = self.place();
        let reason = reason(error);
        match Kind::of(error) {
            Kind::Unavailable => StorageError::Unavailable {
                action,
                place,
                reason,
            },
            Kind::NotFound => StorageError::NotFound { action, place },
            Kind::NoBucket | Kind::Forbidden | Kind::Internal => StorageError::Internal {
                action,
                place,
                reason,
            },
        }
    }
}

#[cfg(test)]
mod tests;
