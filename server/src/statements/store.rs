//! Statements in Postgres: what is known of one, what it prints, and the rows of its PDF.
//!
//! It refuses a statement without `organization_id = $1`, and an asset whose object is not written yet.

use chrono::{DateTime, Utc};

use super::{
    assets::Asset,
    fingerprint::Fingerprint,
    model::{Inputs, PrintedLine, Revisions, State},
    template::store::get_template,
};
use crate::tenant::TenantTransaction;

/// What is known of a payout's statement, without reading a line. `None` where the organisation has no such payout.
///
/// # Errors
/// The database refused or is away.
pub async fn get_state(
    transaction: &mut TenantTransaction,
    payout_id: &str,
) -> Result<Option<State>, sqlx::Error> {
    let organization = transaction.organization();
    let row = sqlx::query!(
        r#"SELECT service_now() AS "now!", payout.statement_revision AS payout_revision,
                  organization.statement_revision AS organization_revision,
                  coalesce(current.is_uploaded, false) AS "is_uploaded!", asset.id AS "id?", asset.filename AS "filename?",
                  asset.length AS "length?", asset.sha256 AS "sha256?: [u8; 32]"
             FROM payouts AS payout
             JOIN organizations AS organization ON organization.id = payout.organization_id
             LEFT JOIN current_statements AS current
               ON current.organization_id = payout.organization_id AND current.payout_id = payout.id
              AND (current.is_uploaded
                   OR (current.payout_revision = payout.statement_revision
                       AND current.organization_revision = organization.statement_revision))
             LEFT JOIN assets AS asset
               ON asset.organization_id = payout.organization_id AND asset.id = current.asset_id
            WHERE payout.organization_id = $1 AND payout.id = $2"#,
        organization.as_str(),
        payout_id
    )
    .fetch_optional(&mut **transaction)
    .await?;
    Ok(row.map(|row| {
        let asset = Asset::found(
            row.id,
            row.filename,
            row.length,
            row.sha256,
            row.is_uploaded,
        );
        let (uploaded, current) = if row.is_uploaded {
            (asset, None)
        } else {
            (None, asset)
        };
        State {
            now: row.now,
            revisions: Revisions {
                payout: row.payout_revision,
                organization: row.organization_revision,
            },
            uploaded,
            current,
        }
    }))
}

/// How many lines the payout has.
///
/// # Errors
/// The database refused or is away.
pub async fn count_lines(
    transaction: &mut TenantTransaction,
    payout_id: &str,
) -> Result<i64, sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM commission_lines
            WHERE organization_id = $1 AND payout_id = $2"#,
        organization.as_str(),
        payout_id
    )
    .fetch_one(&mut **transaction)
    .await
}

/// Everything that the payout's statement prints, of the transaction's instant (S6). `None` where the organisation has no
/// such payout.
///
/// # Errors
/// The database refused or is away.
pub async fn get_inputs(
    transaction: &mut TenantTransaction,
    payout_id: &str,
) -> Result<Option<Inputs>, sqlx::Error> {
    let organization = transaction.organization();
    let payout = sqlx::query!(
        "SELECT partners.name AS partner_name, period_start, period_end, currency, amount, po_number,
                metadata ->> 'statementNote' AS note
           FROM payouts
           JOIN partners ON partners.organization_id = payouts.organization_id AND partners.id = payouts.partner_id
          WHERE payouts.organization_id = $1 AND payouts.id = $2",
        organization.as_str(),
        payout_id
    )
    .fetch_optional(&mut **transaction)
    .await?;
    let Some(payout) = payout else {
        return Ok(None);
    };
    let lines = sqlx::query_as!(
        PrintedLine,
        "SELECT id, description, amount, source_amount, currency, plan_name, period_end
           FROM commission_lines
          WHERE organization_id = $1 AND payout_id = $2
          ORDER BY period_end, created_at, id",
        organization.as_str(),
        payout_id
    )
    .fetch_all(&mut **transaction)
    .await?;
    Ok(Some(Inputs {
        partner_name: payout.partner_name,
        period_start: payout.period_start,
        period_end: payout.period_end,
        currency: payout.currency,
        amount: payout.amount,
        po_number: payout.po_number,
        note: payout.note,
        template: get_template(transaction).await?,
        lines,
    }))
}

/// The rendered PDF of this fingerprint, and the database's time.
///
/// # Errors
/// The database refused or is away.
pub async fn find_rendered(
    transaction: &mut TenantTransaction,
    payout_id: &str,
    fingerprint: &Fingerprint,
) -> Result<Option<(Asset, DateTime<Utc>)>, sqlx::Error> {
    let organization = transaction.organization();
    let found = sqlx::query!(
        r#"SELECT id, filename, length, sha256 AS "sha256: [u8; 32]", service_now() AS "now!"
             FROM assets
            WHERE organization_id = $1 AND payout_id = $2 AND fingerprint = $3"#,
        organization.as_str(),
        payout_id,
        fingerprint.as_bytes()
    )
    .fetch_optional(&mut **transaction)
    .await?;
    Ok(found.map(|row| {
        let asset = Asset {
            id: row.id,
            filename: row.filename,
            length: row.length,
            sha256: row.sha256,
            is_uploaded: false,
        };
        (asset, row.now)
    }))
}

/// Remembers which rendered PDF holds for a payout at these revisions, unless later ones or an uploaded PDF are remembered.
///
/// # Errors
/// The database refused or is away.
pub async fn remember_rendered(
    transaction: &mut TenantTransaction,
    payout_id: &str,
    asset_id: &str,
    revisions: Revisions,
) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query!(
        "INSERT INTO current_statements AS current (organization_id, payout_id, asset_id, is_uploaded, payout_revision,
                                                    organization_revision)
         VALUES ($1, $2, $3, false, $4, $5)
         ON CONFLICT (organization_id, payout_id) DO UPDATE
            SET asset_id = excluded.asset_id, payout_revision = excluded.payout_revision,
                organization_revision = excluded.organization_revision
          WHERE NOT current.is_uploaded
            AND (current.payout_revision, current.organization_revision)
                < (excluded.payout_revision, excluded.organization_revision)",
        organization.as_str(),
        payout_id,
        asset_id,
        revisions.payout,
        revisions.organization
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}

/// Remembers that an uploaded PDF holds for a payout, or, without one, that nothing does.
///
/// # Errors
/// The database refused or is away.
pub async fn remember_uploaded(
    transaction: &mut TenantTransaction,
    payout_id: &str,
    asset_id: Option<&str>,
) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query!(
        "INSERT INTO current_statements (organization_id, payout_id, asset_id, is_uploaded)
         VALUES ($1, $2, $3, $3::text IS NOT NULL)
         ON CONFLICT (organization_id, payout_id) DO UPDATE
            SET asset_id = excluded.asset_id, is_uploaded = excluded.is_uploaded, payout_revision = 0,
                organization_revision = 0",
        organization.as_str(),
        payout_id,
        asset_id
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}

/// Moves the payout to another stage.
///
/// # Errors
/// The database refused or is away.
#[cfg(feature = "mutants")]
pub(crate) async fn move_stage(
    transaction: &mut TenantTransaction,
    payout_id: &str,
) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query(
        "UPDATE payouts SET stage = CASE stage WHEN 'PENDING_INVOICE' THEN 'APPROVED' ELSE 'PENDING_INVOICE' END
          WHERE organization_id = $1 AND id = $2",
    )
    .bind(organization.as_str())
    .bind(payout_id)
    .execute(&mut **transaction)
    .await
    .map(drop)
}
