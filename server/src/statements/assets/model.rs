//! An asset, which is a stored PDF, and an attempt to make one.

use chrono::{DateTime, Utc};

use crate::{
    id::{AssetId, OrganizationId},
    statements::storage::AssetKey,
};

/// Most bytes of an uploaded PDF (S8).
pub(crate) const UPLOAD_LIMIT_BYTES: u64 = 25_000_000;
/// The first bytes of every PDF (S8).
pub(crate) const PDF_SIGNATURE: &[u8] = b"%PDF-";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    pub id: AssetId,
    /// The name it is downloaded under, fixed when it was made (S10).
    pub filename: String,
    /// Bytes.
    pub length: i64,
    pub sha256: [u8; 32],
    /// True if an operator uploaded it (S8).
    pub is_uploaded: bool,
    /// True if its object is known to be missing or wrong.
    pub is_damaged: bool,
}

impl Asset {
    /// Reads the columns of an outer join; `None` if it found no row.
    pub(crate) fn from_columns(
        id: Option<AssetId>,
        filename: Option<String>,
        length: Option<i64>,
        sha256: Option<[u8; 32]>,
        is_uploaded: bool,
        damaged_at: Option<DateTime<Utc>>,
    ) -> Option<Self> {
        Some(Self {
            id: id?,
            filename: filename?,
            length: length?,
            sha256: sha256?,
            is_uploaded,
            is_damaged: damaged_at.is_some(),
        })
    }

    pub(crate) fn key(&self, organization: &OrganizationId) -> AssetKey {
        AssetKey::new(organization, &self.id)
    }

    pub(crate) fn length_bytes(&self) -> u64 {
        u64::try_from(self.length).unwrap_or_default()
    }
}

/// An asset as an operator sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AssetRecord {
    pub(crate) id: String,
    pub(crate) filename: String,
    pub(crate) length: i64,
    pub(crate) sha256: [u8; 32],
    pub(crate) is_uploaded: bool,
    pub(crate) created_at: DateTime<Utc>,
    /// When an uploaded one was superseded or removed, or a damaged rendered one was replaced.
    pub(crate) withdrawn_at: Option<DateTime<Utc>>,
    /// Since when its object is known to be missing or wrong.
    pub(crate) damaged_at: Option<DateTime<Utc>>,
}

/// A written object that is to become an asset.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// The id of the asset and of its intent.
    pub asset_id: &'a AssetId,
    pub payout_id: &'a str,
    pub filename: &'a str,
    pub length: i64,
    pub sha256: &'a [u8; 32],
    pub actor: &'a str,
    /// `None` of an operator's command.
    pub request_id: Option<&'a str>,
}

impl Attempt<'_> {
    pub(crate) fn asset(&self, is_uploaded: bool) -> Asset {
        Asset {
            id: self.asset_id.clone(),
            filename: self.filename.to_owned(),
            length: self.length,
            sha256: *self.sha256,
            is_uploaded,
            is_damaged: false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreOutcome {
    /// It is an asset, from this time on.
    Made(DateTime<Utc>),
    /// Another attempt made the document of this fingerprint; this one's object is removed.
    Exists,
    /// A sweep removed its intent: its object may be gone.
    Swept,
}
