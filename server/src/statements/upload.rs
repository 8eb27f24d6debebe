//! An operator's own PDF as the statement of a payout (§4.7 rule 4, S8). Only its first bytes and
//! its size are checked.

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::{
    assets::{
        self, Asset, Attempt, StoreOutcome,
        model::{PDF_SIGNATURE, UPLOAD_LIMIT_BYTES},
    },
    links::statement_filename,
    storage::{AssetKey, Storage, StorageError},
};
use crate::{
    history::{self, OPERATOR},
    id::{AssetId, OrganizationId},
    payouts,
    postgres::{TenantTransaction, Tenants},
};

#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    #[error("it does not begin with %PDF-, so it is not a PDF")]
    NoPdf,
    #[error("it has {0} bytes; a statement may have at most {UPLOAD_LIMIT_BYTES}")]
    TooLarge(u64),
    #[error("the organisation has no payout with this id")]
    NoPayout,
    #[error(
        "a sweep removed it during the upload: upload it again, and run `assets sweep` with a \
         longer age"
    )]
    Swept,
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error("the database failed: {0}")]
    Database(#[from] sqlx::Error),
}

#[derive(Clone, Debug)]
pub struct Pdf(Bytes);

impl Pdf {
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

/// Makes a PDF the statement of a payout: intent, object, asset. The one before it is withdrawn,
/// and kept.
pub async fn upload(
    tenants: &Tenants,
    storage: &Storage,
    organization: &OrganizationId,
    payout_id: &str,
    Pdf(bytes): Pdf,
) -> Result<Asset, UploadError> {
    let mut transaction = tenants.write(organization).await?;
    let payout = payouts::store::get_payout(&mut transaction, payout_id).await?;
    if payout.is_none() {
        return Err(UploadError::NoPayout);
    }
    let asset_id = AssetId::generate();
    assets::store::insert_intent(&mut transaction, &asset_id).await?;
    transaction.commit().await?;
    let length = i64::try_from(bytes.len()).expect("bounded");
    let sha256 = Sha256::digest(&bytes).into();
    storage.put(&AssetKey::new(organization, &asset_id), bytes).await?;
    let mut transaction = tenants.write(organization).await?;
    // Concurrent uploads supersede one another in turn.
    assets::store::lock_payout(&mut transaction, payout_id).await?;
    let payout = payouts::store::get_payout(&mut transaction, payout_id).await?;
    let payout = payout.ok_or(UploadError::NoPayout)?;
    let attempt = Attempt {
        asset_id: &asset_id,
        payout_id,
        filename: &statement_filename(&payout.partner_name, payout.period_end),
        length,
        sha256: &sha256,
        actor: OPERATOR,
        request_id: None,
    };
    match assets::store::finalize_uploaded(&mut transaction, &attempt).await? {
        StoreOutcome::Made(_) => transaction.commit().await?,
        StoreOutcome::Exists | StoreOutcome::Swept => return Err(UploadError::Swept),
    }
    Ok(attempt.asset(true))
}

/// Withdraws the payout's uploaded PDF, with its history row; returns its id, or `None` if there is
/// none. The PDF is kept, and links that were given out still lead to it.
pub async fn remove(
    transaction: &mut TenantTransaction,
    payout_id: &str,
) -> Result<Option<String>, sqlx::Error> {
    assets::store::lock_payout(transaction, payout_id).await?;
    let removed = assets::store::withdraw(transaction, payout_id).await?;
    if let Some(asset_id) = &removed {
        assets::store::set_current_upload(transaction, payout_id, None).await?;
        let before = Some(serde_json::json!({ "assetId": asset_id }));
        let action = "remove_uploaded_statement";
        history::record(transaction, action, payout_id, before, None).await?;
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_begin_as_a_pdf_is_rejected() {
        for bytes in ["", "%PDF", " %PDF-1.7", "%pdf-1.7", "PK\u{3}\u{4}"] {
            assert!(matches!(Pdf::new(bytes.into()), Err(UploadError::NoPdf)), "{bytes:?}");
        }
        assert!(Pdf::new("%PDF-".into()).is_ok());
    }

    #[test]
    fn a_pdf_of_the_limit_is_taken_and_one_byte_more_is_rejected() {
        let limit = usize::try_from(UPLOAD_LIMIT_BYTES).unwrap();
        let mut bytes = PDF_SIGNATURE.to_vec();
        bytes.resize(limit, b' ');
        assert!(Pdf::new(bytes.clone().into()).is_ok());
        bytes.push(b' ');
        assert!(matches!(Pdf::new(bytes.into()), Err(UploadError::TooLarge(25_000_001))));
    }
}
