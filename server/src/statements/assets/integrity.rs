//! Reads objects and verifies them against the length and the SHA-256 of their assets. The last
//! piece is returned only after the whole object was verified, so that nothing false looks
//! complete.

pub(crate) mod store;

use std::ops::Range;

use bytes::Bytes;
use futures_util::{
    StreamExt, TryStreamExt,
    stream::{self, BoxStream},
};
use sha2::{Digest, Sha256};

use super::Asset;
use crate::statements::storage::{AssetKey, Storage, StorageError};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Damage {
    #[error("its object is missing")]
    Missing,
    #[error("its object has {found} bytes instead of {expected}")]
    Length { found: u64, expected: u64 },
    #[error("its object has other bytes: their SHA-256 differs")]
    Bytes,
}

/// An object was not read to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error(transparent)]
    Damaged(#[from] Damage),
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Pieces of an object. Without an error at the end, the whole object is right.
pub(crate) type VerifiedPieces = BoxStream<'static, Result<Bytes, ReadError>>;

/// Reads the bytes `selected` of an asset's object. Reads and verifies all of it, whatever is
/// selected.
pub(crate) async fn read(
    storage: &Storage,
    key: &AssetKey,
    asset: &Asset,
    selected: Range<u64>,
) -> Result<VerifiedPieces, ReadError> {
    let content = match storage.get(key).await {
        Err(StorageError::NotFound { .. }) => return Err(Damage::Missing.into()),
        content => content?,
    };
    let expected = asset.length_bytes();
    if content.length_bytes != expected {
        return Err(Damage::Length { found: content.length_bytes, expected }.into());
    }
    let reader = Reader {
        body: content.body,
        expected,
        sha256: asset.sha256,
        hash: Some(Sha256::new()),
        read_bytes: 0,
        selected,
        held_back: None,
    };
    Ok(stream::try_unfold(reader, Reader::next).boxed())
}

/// Reads an asset's object, and returns how it differs from the asset, if it does.
pub(crate) async fn examine(
    storage: &Storage,
    key: &AssetKey,
    asset: &Asset,
) -> Result<Option<Damage>, StorageError> {
    let read = async {
        let pieces = read(storage, key, asset, 0..0).await?;
        pieces.try_for_each(|_| std::future::ready(Ok(()))).await
    };
    match read.await {
        Ok(()) => Ok(None),
        Err(ReadError::Damaged(damage)) => Ok(Some(damage)),
        Err(ReadError::Storage(error)) => Err(error),
    }
}

struct Reader {
    body: BoxStream<'static, Result<Bytes, StorageError>>,
    expected: u64,
    sha256: [u8; 32],
    /// `None` once the object has been verified.
    hash: Option<Sha256>,
    read_bytes: u64,
    selected: Range<u64>,
    /// The last selected piece so far.
    held_back: Option<Bytes>,
}

impl Reader {
    async fn next(mut self) -> Result<Option<(Bytes, Self)>, ReadError> {
        while let Some(hash) = &mut self.hash {
            let piece = match self.read_bytes < self.expected {
                true => self.body.try_next().await?.unwrap_or_default(),
                false => Bytes::new(),
            };
            // A file that becomes shorter while it is read has empty pieces without end.
            if piece.is_empty() {
                self.verify()?;
                break;
            }
            hash.update(&piece);
            let begin = self.read_bytes;
            self.read_bytes += piece.len() as u64;
            let within = |offset: u64| {
                let offset = offset.clamp(begin, self.read_bytes) - begin;
                usize::try_from(offset).expect("within a piece")
            };
            let selected = piece.slice(within(self.selected.start)..within(self.selected.end));
            if !selected.is_empty()
                && let Some(before) = self.held_back.replace(selected)
            {
                return Ok(Some((before, self)));
            }
        }
        Ok(self.held_back.take().map(|last| (last, self)))
    }

    fn verify(&mut self) -> Result<(), Damage> {
        if self.read_bytes != self.expected {
            return Err(Damage::Length { found: self.read_bytes, expected: self.expected });
        }
        let hash = self.hash.take().map(Sha256::finalize);
        let is_right = hash.is_some_and(|hash| hash[..] == self.sha256);
        if is_right { Ok(()) } else { Err(Damage::Bytes) }
    }
}

#[cfg(test)]
mod tests;
