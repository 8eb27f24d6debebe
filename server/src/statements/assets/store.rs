//! The rows of PDFs in Postgres: the intent before an object is written, the asset once it is whole.
//!
//! It refuses an asset without its intent: a sweeper may have removed the object by then.

use chrono::{DateTime, Utc};

use super::model::{Asset, Attempt, Kept, Outcome};
use crate::{statements::fingerprint::Fingerprint, tenant::TenantTransaction};

/// Notes that the object of this asset is about to be written.
///
/// # Errors
/// The database refused or is away.
pub async fn note_intent(
    transaction: &mut TenantTransaction,
    asset_id: &str,
) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query!(
        "INSERT INTO asset_intents (organization_id, id) VALUES ($1, $2)",
        organization.as_str(),
        asset_id
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}

/// Forgets an intent whose object is gone.
///
/// # Errors
/// The database refused or is away.
pub async fn forget_intent(
    transaction: &mut TenantTransaction,
    asset_id: &str,
) -> Result<bool, sqlx::Error> {
    let organization = transaction.organization();
    let forgotten = sqlx::query!(
        "DELETE FROM asset_intents WHERE organization_id = $1 AND id = $2",
        organization.as_str(),
        asset_id
    )
    .execute(&mut **transaction)
    .await?;
    Ok(forgotten.rows_affected() > 0)
}

/// Makes the written object of a rendered PDF an asset, with its history row. Of two with one fingerprint one succeeds;
/// the other's intent stays until its object is gone.
///
/// # Errors
/// The database refused or is away.
pub async fn keep_rendered(
    transaction: &mut TenantTransaction,
    attempt: &Attempt<'_>,
    fingerprint: &Fingerprint,
) -> Result<Outcome, sqlx::Error> {
    let organization = transaction.organization();
    let outcome = sqlx::query!(
        r#"WITH intent AS (
            SELECT id FROM asset_intents WHERE organization_id = $1 AND id = $2 FOR UPDATE
        ), made AS (
            INSERT INTO assets (organization_id, id, payout_id, fingerprint, filename, length, sha256)
            SELECT $1, intent.id, $3, $4, $5, $6, $7 FROM intent
            ON CONFLICT ON CONSTRAINT assets_fingerprint_key DO NOTHING
            RETURNING id
        ), remembered AS (
            INSERT INTO history (organization_id, actor, request_id, action, resource_id, after)
            SELECT $1, $8, $9, 'generate_statement', $3, jsonb_build_object('assetId', made.id) FROM made
        ), done AS (
            DELETE FROM asset_intents USING made WHERE asset_intents.organization_id = $1 AND asset_intents.id = made.id
        )
        SELECT EXISTS (SELECT FROM intent) AS "intended!", EXISTS (SELECT FROM made) AS "made!", service_now() AS "now!""#,
        organization.as_str(),
        attempt.asset_id,
        attempt.payout_id,
        fingerprint.as_bytes(),
        attempt.filename,
        attempt.length,
        attempt.sha256,
        attempt.actor,
        attempt.request_id
    )
    .fetch_one(&mut **transaction)
    .await?;
    Ok(match (outcome.intended, outcome.made) {
        (_, true) => Outcome::Made(outcome.now),
        (true, false) => Outcome::Exists,
        (false, false) => Outcome::Swept,
    })
}

/// Holds the payout's row until the transaction ends.
///
/// # Errors
/// The database refused or is away, or the row was locked for longer than the lock timeout.
pub async fn lock_payout(
    transaction: &mut TenantTransaction,
    payout_id: &str,
) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query_scalar!(
        "SELECT id FROM payouts WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE",
        organization.as_str(),
        payout_id
    )
    .fetch_optional(&mut **transaction)
    .await
    .map(drop)
}

/// Makes the written object of an uploaded PDF the payout's statement, with its history row; the one before it is kept,
/// withdrawn (S8). Whoever calls this holds the payout's row.
///
/// # Errors
/// The database refused or is away.
pub async fn keep_uploaded(
    transaction: &mut TenantTransaction,
    attempt: &Attempt<'_>,
) -> Result<Outcome, sqlx::Error> {
    let organization = transaction.organization();
    let superseded = withdraw(transaction, attempt.payout_id).await?;
    let outcome = sqlx::query!(
        r#"WITH intent AS (
            DELETE FROM asset_intents WHERE organization_id = $1 AND id = $2 RETURNING id
        ), made AS (
            INSERT INTO assets (organization_id, id, payout_id, filename, length, sha256)
            SELECT $1, intent.id, $3, $4, $5, $6 FROM intent
            RETURNING id
        ), remembered AS (
            INSERT INTO history (organization_id, actor, request_id, action, resource_id, before, after)
            SELECT $1, $7, $8, 'upload_statement', $3,
                   CASE WHEN $9::text IS NOT NULL THEN jsonb_build_object('assetId', $9::text) END,
                   jsonb_build_object('assetId', made.id)
              FROM made
        )
        SELECT EXISTS (SELECT FROM made) AS "made!", service_now() AS "now!""#,
        organization.as_str(),
        attempt.asset_id,
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
    Ok(if outcome.made {
        Outcome::Made(outcome.now)
    } else {
        Outcome::Swept
    })
}

/// Withdraws the payout's uploaded PDF, which is kept; its id. `None` where there is none.
///
/// # Errors
/// The database refused or is away.
pub async fn withdraw(
    transaction: &mut TenantTransaction,
    payout_id: &str,
) -> Result<Option<String>, sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query_scalar!(
        "UPDATE assets SET withdrawn_at = service_now()
          WHERE organization_id = $1 AND payout_id = $2 AND fingerprint IS NULL AND withdrawn_at IS NULL
        RETURNING id",
        organization.as_str(),
        payout_id
    )
    .fetch_optional(&mut **transaction)
    .await
}

/// The database's time, and the asset with this id where the organisation has it: whoever asks holds a link, which is
/// judged by that time.
///
/// # Errors
/// The database refused or is away.
pub async fn get_asset(
    transaction: &mut TenantTransaction,
    asset_id: &str,
) -> Result<(DateTime<Utc>, Option<Asset>), sqlx::Error> {
    let organization = transaction.organization();
    let row = sqlx::query!(
        r#"SELECT service_now() AS "now!", asset.id AS "id?", filename AS "filename?", length AS "length?",
                  sha256 AS "sha256?: [u8; 32]", fingerprint IS NULL AS "is_uploaded!"
             FROM (VALUES (1)) AS always
             LEFT JOIN assets AS asset ON asset.organization_id = $1 AND asset.id = $2"#,
        organization.as_str(),
        asset_id
    )
    .fetch_one(&mut **transaction)
    .await?;
    let asset = Asset::found(
        row.id,
        row.filename,
        row.length,
        row.sha256,
        row.is_uploaded,
    );
    Ok((row.now, asset))
}

/// Every PDF of a payout, newest first.
///
/// # Errors
/// The database refused or is away.
pub async fn list_assets(
    transaction: &mut TenantTransaction,
    payout_id: &str,
) -> Result<Vec<Kept>, sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query_as!(
        Kept,
        r#"SELECT id, filename, length, sha256 AS "sha256: [u8; 32]", fingerprint IS NULL AS "is_uploaded!", created_at, withdrawn_at
             FROM assets
            WHERE organization_id = $1 AND payout_id = $2
            ORDER BY created_at DESC, id DESC"#,
        organization.as_str(),
        payout_id
    )
    .fetch_all(&mut **transaction)
    .await
}

/// Intents older than this: a crash left them behind.
///
/// # Errors
/// The database refused or is away.
pub async fn stale_intents(
    transaction: &mut TenantTransaction,
    older_than_seconds: i64,
) -> Result<Vec<String>, sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query_scalar!(
        "SELECT id FROM asset_intents
          WHERE organization_id = $1 AND created_at < service_now() - $2::bigint * interval '1 second'
          ORDER BY id",
        organization.as_str(),
        older_than_seconds
    )
    .fetch_all(&mut **transaction)
    .await
}

/// Which of these ids are of no asset and of no intent.
///
/// # Errors
/// The database refused or is away.
pub async fn unknown_of(
    transaction: &mut TenantTransaction,
    ids: &[String],
) -> Result<Vec<String>, sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query_scalar!(
        r#"SELECT id AS "id!" FROM unnest($2::text[]) AS id
            WHERE NOT EXISTS (SELECT FROM assets WHERE organization_id = $1 AND assets.id = id.id)
              AND NOT EXISTS (SELECT FROM asset_intents WHERE organization_id = $1 AND asset_intents.id = id.id)
            ORDER BY id"#,
        organization.as_str(),
        ids
    )
    .fetch_all(&mut **transaction)
    .await
}
