//! A link to a PDF: signed by the store where it can, else by us (S9).
//!
//! It refuses to promise more than the link does: `expires_at` is what was signed.

use chrono::{DateTime, TimeDelta, Utc};

use super::{LinkedAsset, Links, content_disposition};
use crate::{
    id::{AssetId, OrganizationId},
    statements::{
        assets::Asset,
        storage::{AssetKey, Storage, StorageError},
    },
};

/// A link to a PDF. Whoever has it can read the PDF, so `Debug` does not show it.
pub struct DownloadLink {
    /// Where the PDF is.
    pub url: String,
    /// When the link stops working.
    pub expires_at: DateTime<Utc>,
}

/// Makes links.
#[derive(Debug)]
pub struct Linker {
    storage: Storage,
    links: Links,
    lifetime_seconds: u32,
}

impl Linker {
    /// Links that live for `lifetime_seconds`: to `storage` where it signs them, else ours.
    #[must_use]
    pub fn new(storage: Storage, links: Links, lifetime_seconds: u32) -> Self {
        Self {
            storage,
            links,
            lifetime_seconds,
        }
    }

    /// A new link to `asset`. Ours begins to live at `now`, the database's time; the store's at the store client's.
    ///
    /// # Errors
    /// The store cannot sign now.
    pub async fn link(
        &self,
        organization: &OrganizationId,
        asset: &Asset,
        now: DateTime<Utc>,
    ) -> Result<DownloadLink, StorageError> {
        let asset_id = AssetId::parse(&asset.id).expect("an id of ours");
        let key = AssetKey::new(organization, &asset_id);
        let disposition = content_disposition(&asset.filename);
        let signed = self
            .storage
            .link(&key, &disposition, self.lifetime_seconds)
            .await?;
        if let Some(signed) = signed {
            return Ok(DownloadLink {
                url: signed.url,
                expires_at: signed.expires_at,
            });
        }
        let expires_at = now + TimeDelta::seconds(self.lifetime_seconds.into());
        let linked = LinkedAsset {
            organization: organization.as_str().to_owned(),
            asset: asset.id.clone(),
            sha256: asset.sha256,
            filename: asset.filename.clone(),
        };
        Ok(DownloadLink {
            url: self.links.sign(&linked, expires_at),
            expires_at,
        })
    }
}

impl std::fmt::Debug for DownloadLink {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "DownloadLink until {}", self.expires_at)
    }
}
