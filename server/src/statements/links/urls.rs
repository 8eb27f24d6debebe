//! The URL of a PDF: signed by the store where it signs any, else by us (S9). `expires_at` is what
//! was signed.

use chrono::{DateTime, TimeDelta, Utc};

use super::{LinkSigner, LinkedAsset, content_disposition};
use crate::{
    id::{AssetId, OrganizationId},
    statements::{
        assets::Asset,
        storage::{AssetKey, SignedUrl, Storage, StorageError},
    },
};

/// Signs the URLs of PDFs.
#[derive(Debug)]
pub(crate) struct DownloadUrls {
    storage: Storage,
    signer: LinkSigner,
    lifetime_seconds: u32,
}

impl DownloadUrls {
    pub(crate) fn new(storage: Storage, signer: LinkSigner, lifetime_seconds: u32) -> Self {
        Self { storage, signer, lifetime_seconds }
    }

    /// A new link to `asset`. The lifetime of ours begins at `now`, the database's time; that of
    /// the store's at the time of the store's client.
    pub(crate) async fn sign(
        &self,
        organization: &OrganizationId,
        asset: &Asset,
        now: DateTime<Utc>,
    ) -> Result<SignedUrl, StorageError> {
        let asset_id = AssetId::parse(&asset.id).expect("an id of ours");
        let key = AssetKey::new(organization, &asset_id);
        let disposition = content_disposition(&asset.filename);
        let signed = self.storage.link(&key, &disposition, self.lifetime_seconds).await?;
        if let Some(signed) = signed {
            return Ok(signed);
        }
        let expires_at = now + TimeDelta::seconds(self.lifetime_seconds.into());
        let linked = LinkedAsset {
            organization: organization.as_str().to_owned(),
            asset: asset.id.clone(),
            sha256: asset.sha256,
            filename: asset.filename.clone(),
        };
        Ok(SignedUrl { url: self.signer.sign(&linked, expires_at), expires_at })
    }
}
