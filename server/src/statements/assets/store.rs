//! The rows of stored PDFs in Postgres: the intent before an object is written, the asset once it
//! is whole, and which asset is a payout's current statement. No asset is made without its intent:
//! once a sweep removed the intent, the object may be gone.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::model::{Asset, AssetRecord, Attempt, StoreOutcome};
use crate::{
    id::{AssetId, OrganizationId},
    postgres::{SingleStatement, TenantTransaction},
    statements::{fingerprint::Fingerprint, model::Revisions},
};

/// Inserts the intent to write the object of this asset.
pub async fn insert_intent(
    transaction: &mut TenantTransaction,
    asset_id: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO asset_intents (organization_id, id) VALUES ($1, $2)",
        transaction.organization() as _,
        asset_id
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}

/// Deletes an intent; returns whether there was one.
pub(crate) async fn delete_intent(
    transaction: &mut TenantTransaction,
    asset_id: &str,
) -> Result<bool, sqlx::Error> {
    let deleted = sqlx::query!(
        "DELETE FROM asset_intents WHERE organization_id = $1 AND id = $2",
        transaction.organization() as _,
        asset_id
    )
    .execute(&mut **transaction)
    .await?;
    Ok(deleted.rows_affected() > 0)
}

/// A payout, and what its next rendered PDF is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rendering<'a> {
    pub(crate) organization: &'a OrganizationId,
    pub(crate) payout_id: &'a str,
    pub(crate) fingerprint: &'a Fingerprint,
    pub(crate) revisions: Revisions,
}

/// The first step of a rendered PDF. Where the payout has one of this fingerprint already, that is
/// returned with the database's time, and becomes the current one unless it is damaged. Where it
/// has none, or a damaged one, the intent is inserted to write the object of this asset.
pub(crate) struct BeginRendering<'a> {
    pub(crate) of: Rendering<'a>,
    pub(crate) asset_id: &'a AssetId,
}

impl SingleStatement for BeginRendering<'_> {
    type Output = Option<(Asset, DateTime<Utc>)>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Self::Output, sqlx::Error> {
        let Rendering { organization, payout_id, fingerprint, revisions } = self.of;
        let found = sqlx::query_file!(
            "src/statements/assets/begin_rendering.sql",
            organization.as_str(),
            self.asset_id.as_str(),
            payout_id,
            fingerprint.as_bytes(),
            revisions.payout,
            revisions.organization
        )
        .fetch_optional(connection)
        .await?;
        Ok(found.map(|row| {
            let asset = Asset {
                id: row.id,
                filename: row.filename,
                length: row.length,
                sha256: row.sha256,
                is_uploaded: false,
                is_damaged: row.damaged_at.is_some(),
            };
            (asset, row.now)
        }))
    }
}

/// Makes the written object of a rendered PDF an asset, with its history row, and the current
/// statement at its revisions, unless one of later revisions or an uploaded one is current. Of two
/// with one fingerprint one succeeds; the other's intent remains until its object is removed.
pub(crate) struct FinishRendering<'a> {
    pub(crate) of: Rendering<'a>,
    pub(crate) attempt: Attempt<'a>,
    /// The asset of this fingerprint that is withdrawn, if it is still damaged.
    pub(crate) replaced: Option<&'a str>,
}

impl SingleStatement for FinishRendering<'_> {
    type Output = StoreOutcome;

    async fn run(&self, connection: &mut PgConnection) -> Result<StoreOutcome, sqlx::Error> {
        let Rendering { organization, payout_id, fingerprint, revisions } = self.of;
        let attempt = &self.attempt;
        let outcome = sqlx::query_file!(
            "src/statements/assets/finish_rendering.sql",
            organization.as_str(),
            attempt.asset_id.as_str(),
            payout_id,
            fingerprint.as_bytes(),
            attempt.filename,
            attempt.length,
            attempt.sha256,
            attempt.actor,
            attempt.request_id,
            revisions.payout,
            revisions.organization,
            self.replaced
        )
        .fetch_one(connection)
        .await?;
        Ok(match (outcome.intended, outcome.made) {
            (_, true) => StoreOutcome::Made(outcome.now),
            (true, false) => StoreOutcome::Exists,
            (false, false) => StoreOutcome::Swept,
        })
    }
}

/// Locks the payout's row until the transaction ends.
pub(crate) async fn lock_payout(
    transaction: &mut TenantTransaction,
    payout_id: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query_scalar!(
        "SELECT id FROM payouts WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE",
        transaction.organization() as _,
        payout_id
    )
    .fetch_optional(&mut **transaction)
    .await
    .map(drop)
}

/// Makes the written object of an uploaded PDF the payout's statement, with its history row; the
/// one before it is withdrawn, and kept (S8). The caller has locked the payout's row.
pub async fn finalize_uploaded(
    transaction: &mut TenantTransaction,
    attempt: &Attempt<'_>,
) -> Result<StoreOutcome, sqlx::Error> {
    let superseded = withdraw(transaction, attempt.payout_id).await?;
    let outcome = sqlx::query_file!(
        "src/statements/assets/finalize_uploaded.sql",
        transaction.organization() as _,
        attempt.asset_id.as_str(),
        attempt.payout_id,
        attempt.filename,
        attempt.length,
        attempt.sha256,
        attempt.actor,
        attempt.request_id,
        superseded
    )
    .fetch_one(&mut **transaction)
    .await?;
    if !outcome.made {
        return Ok(StoreOutcome::Swept);
    }
    set_current_upload(transaction, attempt.payout_id, Some(attempt.asset_id)).await?;
    Ok(StoreOutcome::Made(outcome.now))
}

/// Withdraws the payout's uploaded PDF, which is kept; returns its id, or `None` if there is none.
pub(crate) async fn withdraw(
    transaction: &mut TenantTransaction,
    payout_id: &str,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!(
        "UPDATE assets SET withdrawn_at = service_now()
          WHERE organization_id = $1 AND payout_id = $2 AND fingerprint IS NULL
            AND withdrawn_at IS NULL
        RETURNING id",
        transaction.organization() as _,
        payout_id
    )
    .fetch_optional(&mut **transaction)
    .await
}

/// Sets the uploaded PDF that is current; without one, none is current.
pub(crate) async fn set_current_upload(
    transaction: &mut TenantTransaction,
    payout_id: &str,
    asset_id: Option<&str>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO current_statements (organization_id, payout_id, asset_id, is_uploaded)
         VALUES ($1, $2, $3, $3::text IS NOT NULL)
         ON CONFLICT (organization_id, payout_id) DO UPDATE
            SET asset_id = excluded.asset_id, is_uploaded = excluded.is_uploaded,
                payout_revision = 0, organization_revision = 0",
        transaction.organization() as _,
        payout_id,
        asset_id
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}

/// Reads the database's time, which decides whether a link has expired, and the asset with this id,
/// if the organisation has it.
pub(crate) async fn get_asset(
    transaction: &mut TenantTransaction,
    asset_id: &str,
) -> Result<(DateTime<Utc>, Option<Asset>), sqlx::Error> {
    let row = sqlx::query!(
        r#"SELECT service_now() AS "now!", asset.id AS "id?: AssetId",
                  filename AS "filename?", length AS "length?", sha256 AS "sha256?: [u8; 32]",
                  fingerprint IS NULL AS "is_uploaded!", damaged_at AS "damaged_at?"
             FROM (VALUES (1)) AS always
             LEFT JOIN assets AS asset ON asset.organization_id = $1 AND asset.id = $2"#,
        transaction.organization() as _,
        asset_id
    )
    .fetch_one(&mut **transaction)
    .await?;
    let asset = Asset::from_columns(
        row.id,
        row.filename,
        row.length,
        row.sha256,
        row.is_uploaded,
        row.damaged_at,
    );
    Ok((row.now, asset))
}

/// Lists every PDF of a payout, newest first.
pub(crate) async fn list_assets(
    transaction: &mut TenantTransaction,
    payout_id: &str,
) -> Result<Vec<AssetRecord>, sqlx::Error> {
    sqlx::query_as!(
        AssetRecord,
        r#"SELECT id, filename, length, sha256 AS "sha256: [u8; 32]",
                  fingerprint IS NULL AS "is_uploaded!", created_at, withdrawn_at, damaged_at
             FROM assets
            WHERE organization_id = $1 AND payout_id = $2
            ORDER BY created_at DESC, id DESC"#,
        transaction.organization() as _,
        payout_id
    )
    .fetch_all(&mut **transaction)
    .await
}

/// Intents older than this, which a crash left behind.
pub(super) async fn list_stale_intents(
    transaction: &mut TenantTransaction,
    older_than_seconds: i64,
) -> Result<Vec<AssetId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id: AssetId" FROM asset_intents
            WHERE organization_id = $1
              AND created_at < service_now() - $2::bigint * interval '1 second'
            ORDER BY id"#,
        transaction.organization() as _,
        older_than_seconds
    )
    .fetch_all(&mut **transaction)
    .await
}

/// Those of these ids that have neither an asset nor an intent.
pub(super) async fn list_unknown(
    transaction: &mut TenantTransaction,
    ids: &[String],
) -> Result<Vec<AssetId>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT id AS "id!: AssetId" FROM unnest($2::text[]) AS id
            WHERE NOT EXISTS (SELECT FROM assets
                               WHERE organization_id = $1 AND assets.id = id.id)
              AND NOT EXISTS (SELECT FROM asset_intents
                               WHERE organization_id = $1 AND asset_intents.id = id.id)
            ORDER BY id"#,
        transaction.organization() as _,
        ids
    )
    .fetch_all(&mut **transaction)
    .await
}
