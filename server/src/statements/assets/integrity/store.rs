//! The notes of damage in the rows of assets, and the rows in order, to verify them.

use super::super::Asset;
use crate::{id::AssetId, postgres::TenantTransaction};

/// Notes that the object of this asset is missing or wrong, unless that is noted already, or clears
/// the note.
pub(crate) async fn set_damaged(
    transaction: &mut TenantTransaction,
    asset_id: &str,
    is_damaged: bool,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE assets SET damaged_at = CASE WHEN $3 THEN service_now() END
          WHERE organization_id = $1 AND id = $2 AND (damaged_at IS NOT NULL) <> $3",
        transaction.organization() as _,
        asset_id,
        is_damaged
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}

/// An asset, and what is needed to make it again.
#[derive(Clone, Debug)]
pub(crate) struct StoredAsset {
    pub(crate) asset: Asset,
    pub(crate) payout_id: String,
    /// `None` of an uploaded PDF.
    pub(crate) fingerprint: Option<Vec<u8>>,
    pub(crate) is_withdrawn: bool,
}

/// Lists the organisation's assets after this id, in order, at most `limit`.
pub(crate) async fn list_assets_after(
    transaction: &mut TenantTransaction,
    asset_id: &str,
    limit: i64,
) -> Result<Vec<StoredAsset>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT id AS "id: AssetId", payout_id, fingerprint, filename, length,
                  sha256 AS "sha256: [u8; 32]", damaged_at IS NOT NULL AS "is_damaged!",
                  withdrawn_at IS NOT NULL AS "is_withdrawn!"
             FROM assets
            WHERE organization_id = $1 AND id > $2
            ORDER BY id
            LIMIT $3"#,
        transaction.organization() as _,
        asset_id,
        limit
    )
    .fetch_all(&mut **transaction)
    .await?;
    let assets = rows.into_iter().map(|row| StoredAsset {
        asset: Asset {
            id: row.id,
            filename: row.filename,
            length: row.length,
            sha256: row.sha256,
            is_uploaded: row.fingerprint.is_none(),
            is_damaged: row.is_damaged,
        },
        payout_id: row.payout_id,
        fingerprint: row.fingerprint,
        is_withdrawn: row.is_withdrawn,
    });
    Ok(assets.collect())
}
