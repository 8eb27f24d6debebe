//! A person's own PDF as the statement of a payout (§4.7 rule 4, S8).
//!
//! It refuses to look into it: a PDF that a person made is opaque, but for how it begins and how large it is.

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::{
    assets::{
        self, Asset, Attempt, Outcome,
        model::{PDF_SIGNATURE, UPLOAD_LIMIT_BYTES},
    },
    links::statement_filename,
    storage::{AssetKey, Storage, StorageError},
    store,
};
use crate::{
    history::{self, Entry, OPERATOR},
    id::{AssetId, OrganizationId},
    payouts,
    tenant::{TenantTransaction, Tenants},
};

/// Why a PDF was not taken.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    /// It does not begin as a PDF does.
    #[error("it does not begin with %PDF-, so it is no PDF")]
    NoPdf,
    /// It is too large.
    #[error("it has {0} bytes; a statement may have at most {UPLOAD_LIMIT_BYTES}")]
    TooLarge(u64),
    /// No such payout.
    #[error("the organisation has no payout with this id")]
    NoPayout,
    /// A sweeper took it for left behind.
    #[error(
        "it was swept away before it was kept: upload it again, and give `assets sweep` a longer age"
    )]
    Swept,
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The database failed.
    #[error("the database refused: {0}")]
    Database(#[from] sqlx::Error),
}

/// A PDF that may be uploaded.
#[derive(Clone, Debug)]
pub struct Pdf(Bytes);

impl Pdf {
    /// Takes the bytes of a PDF.
    ///
    /// # Errors
    /// They do not begin as a PDF does, or are more than [`UPLOAD_LIMIT_BYTES`].
    pub fn new(bytes: Bytes) -> Result<Self, UploadError> {
        let length = bytes.len() as u64;
        if length > UPLOAD_LIMIT_BYTES {
            return Err(UploadError::TooLarge(length));
        }
        if !bytes.starts_with(PDF_SIGNATURE) {
            return Err(UploadError::NoPdf);
        }
        Ok(Self(bytes))
    }
}

/// An uploaded PDF whose object is written, and which is no asset yet.
#[derive(Debug)]
pub struct Written {
    asset_id: AssetId,
    length: i64,
    sha256: [u8; 32],
}

/// Makes a PDF the statement of a payout: intent, object, asset. The one before it is kept, withdrawn.
///
/// # Errors
/// No such payout; the storage or the database failed.
pub async fn upload(
    tenants: &Tenants,
    storage: &Storage,
    organization: &OrganizationId,
    payout_id: &str,
    pdf: Pdf,
) -> Result<Asset, UploadError> {
    let mut transaction = tenants.write(organization).await?;
    let payout = payouts::store::get_payout(&mut transaction, payout_id).await?;
    if payout.is_none() {
        return Err(UploadError::NoPayout);
    }
    let asset_id = AssetId::generate();
    assets::store::note_intent(&mut transaction, &asset_id).await?;
    transaction.commit().await?;
    let written = write(storage, organization, asset_id, pdf).await?;
    let mut transaction = tenants.write(organization).await?;
    let asset = keep(&mut transaction, payout_id, &written).await?;
    transaction.commit().await?;
    Ok(asset)
}

/// Writes the object of a new asset, without a row of any kind.
///
/// # Errors
/// The storage failed.
pub async fn write(
    storage: &Storage,
    organization: &OrganizationId,
    asset_id: AssetId,
    Pdf(bytes): Pdf,
) -> Result<Written, StorageError> {
    let key = AssetKey::new(organization, &asset_id);
    let written = Written {
        asset_id,
        length: i64::try_from(bytes.len()).expect("bounded"),
        sha256: Sha256::digest(&bytes).into(),
    };
    storage.put(&key, bytes).await?;
    Ok(written)
}

/// Makes a written PDF whose intent is noted the statement of a payout.
///
/// # Errors
/// No such payout; the database failed; the intent is gone.
pub async fn keep(
    transaction: &mut TenantTransaction,
    payout_id: &str,
    written: &Written,
) -> Result<Asset, UploadError> {
    // Two uploads at once supersede one another in turn.
    assets::store::lock_payout(transaction, payout_id).await?;
    let payout = payouts::store::get_payout(transaction, payout_id).await?;
    let payout = payout.ok_or(UploadError::NoPayout)?;
    let filename = statement_filename(&payout.partner_name, payout.period_end);
    let attempt = Attempt {
        asset_id: &written.asset_id,
        payout_id,
        filename: &filename,
        length: written.length,
        sha256: &written.sha256,
        actor: OPERATOR,
        request_id: None,
    };
    match assets::store::keep_uploaded(transaction, &attempt).await? {
        Outcome::Made(_) => {
            store::remember_uploaded(transaction, payout_id, Some(&written.asset_id)).await?;
            Ok(Asset {
                id: written.asset_id.to_string(),
                filename,
                length: written.length,
                sha256: written.sha256,
                is_uploaded: true,
            })
        }
        Outcome::Exists | Outcome::Swept => Err(UploadError::Swept),
    }
}

/// Withdraws the payout's uploaded PDF, with its history row; its id. `None` where there is none.
///
/// # Errors
/// The database refused or is away.
pub async fn remove(
    transaction: &mut TenantTransaction,
    payout_id: &str,
) -> Result<Option<String>, sqlx::Error> {
    assets::store::lock_payout(transaction, payout_id).await?;
    let removed = assets::store::withdraw(transaction, payout_id).await?;
    if let Some(asset_id) = &removed {
        store::remember_uploaded(transaction, payout_id, None).await?;
        let entry = Entry {
            actor: OPERATOR,
            request_id: None,
            action: "remove_uploaded_statement",
            resource_id: payout_id,
            before: Some(serde_json::json!({ "assetId": asset_id })),
            after: None,
        };
        history::record(transaction, entry).await?;
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_begin_as_a_pdf_is_refused() {
        for bytes in ["", "%PDF", " %PDF-1.7", "%pdf-1.7", "PK\u{3}\u{4}"] {
            assert!(
                matches!(Pdf::new(bytes.into()), Err(UploadError::NoPdf)),
                "{bytes:?}"
            );
        }
        assert!(Pdf::new("%PDF-".into()).is_ok());
    }

    #[test]
    fn a_pdf_of_the_limit_is_taken_and_one_byte_more_is_refused() {
        let limit = usize::try_from(UPLOAD_LIMIT_BYTES).unwrap();
        let mut bytes = PDF_SIGNATURE.to_vec();
        bytes.resize(limit, b' ');
        assert!(Pdf::new(bytes.clone().into()).is_ok());
        bytes.push(b' ');
        assert!(matches!(
            Pdf::new(bytes.into()),
            Err(UploadError::TooLarge(25_000_001))
        ));
    }
}
