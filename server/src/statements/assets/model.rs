//! A PDF that is kept, and one that is about to be.
//!
//! It refuses bytes: those are the storage's.

use chrono::{DateTime, Utc};

/// Most bytes of an uploaded PDF (S8).
pub const UPLOAD_LIMIT_BYTES: u64 = 25_000_000;
/// What every PDF begins with (S8).
pub const PDF_SIGNATURE: &[u8] = b"%PDF-";

/// A PDF that is whole and kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Its id.
    pub id: String,
    /// The name it is downloaded under, fixed when it was made (S10).
    pub filename: String,
    /// Its size in bytes.
    pub length: i64,
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// Whether a person uploaded it (S8).
    pub is_uploaded: bool,
}

impl Asset {
    /// An asset that a statement may have found, from its columns.
    #[must_use]
    pub fn found(
        id: Option<String>,
        filename: Option<String>,
        length: Option<i64>,
        sha256: Option<[u8; 32]>,
        is_uploaded: bool,
    ) -> Option<Self> {
        Some(Self {
            id: id?,
            filename: filename?,
            length: length?,
            sha256: sha256?,
            is_uploaded,
        })
    }
}

/// A kept PDF as an operator sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its id.
    pub id: String,
    /// The name it is downloaded under.
    pub filename: String,
    /// Its size in bytes.
    pub length: i64,
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// Whether a person uploaded it.
    pub is_uploaded: bool,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was superseded or removed; `None` of every rendered one.
    pub withdrawn_at: Option<DateTime<Utc>>,
}

/// A written object that is to become an asset.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// The asset's id, and that of its intent.
    pub asset_id: &'a str,
    /// The payout it is a statement of.
    pub payout_id: &'a str,
    /// The name it is downloaded under.
    pub filename: &'a str,
    /// Its size in bytes.
    pub length: i64,
    /// SHA-256 of its bytes.
    pub sha256: &'a [u8; 32],
    /// A key's id, or the operator.
    pub actor: &'a str,
    /// The request's id; an operator's command has none.
    pub request_id: Option<&'a str>,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is an asset, from this time on.
    Made(DateTime<Utc>),
    /// Another attempt has made the document of this fingerprint: this one's object must go.
    Exists,
    /// A sweeper took it for left behind: its object may be gone.
    Swept,
}
