//! Statements in Postgres: what is known of one, what it prints, and the rows of its PDF.
//!
//! It refuses a statement without `organization_id = $1`, and an asset whose object is not written yet.

use chrono::{DateTime, Utc};

use super::{
    assets::Asset,
    fingerprint::Fingerprint,
    model::{Inputs, LINES_LIMIT, PrintedLine, Revisions, State},
    template::store::get_template,
};
use crate::{organizations::Billing, tenant::TenantTransaction};

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
        r#"SELECT service_now() AS "now!", payout.statement_revision, coalesce(template.revision, 0) AS "template_revision!",
                  asset.id AS "asset_id?", asset.filename AS "filename?", asset.length AS "length?", asset.sha256 AS "sha256?: [u8; 32]",
                  uploaded.id IS NOT NULL AS "is_uploaded!",
                  billing.legal_name AS "legal_name?", billing.address_line_1 AS "address_line_1?",
                  billing.address_line_2 AS "address_line_2?", billing.postal_code AS "postal_code?", billing.city AS "city?",
                  billing.country AS "country?", billing.finance_email AS "finance_email?",
                  billing.company_number AS "company_number?", billing.vat_number AS "vat_number?"
             FROM payouts AS payout
             LEFT JOIN statement_templates AS template ON template.organization_id = payout.organization_id
             LEFT JOIN billing_information AS billing ON billing.organization_id = payout.organization_id
             LEFT JOIN assets AS uploaded
               ON uploaded.organization_id = payout.organization_id AND uploaded.payout_id = payout.id
              AND uploaded.fingerprint IS NULL AND uploaded.withdrawn_at IS NULL
             LEFT JOIN current_statements AS current
               ON current.organization_id = payout.organization_id AND current.payout_id = payout.id
              AND current.payout_revision = payout.statement_revision
              AND current.template_revision = coalesce(template.revision, 0)
             LEFT JOIN assets AS asset
               ON asset.organization_id = payout.organization_id AND asset.id = coalesce(uploaded.id, current.asset_id)
            WHERE payout.organization_id = $1 AND payout.id = $2"#,
        organization.as_str(),
        payout_id
    )
    .fetch_optional(&mut **transaction)
    .await?;
    Ok(row.map(|row| {
        let (id, filename, length) = (row.asset_id, row.filename, row.length);
        let asset = Asset::found(id, filename, length, row.sha256, row.is_uploaded);
        let (uploaded, current) = if row.is_uploaded {
            (asset, None)
        } else {
            (None, asset)
        };
        State {
            now: row.now,
            revisions: Revisions {
                payout: row.statement_revision,
                template: row.template_revision,
            },
            uploaded,
            current,
            billing: Billing {
                legal_name: row.legal_name,
                address_line_1: row.address_line_1,
                address_line_2: row.address_line_2,
                postal_code: row.postal_code,
                city: row.city,
                country: row.country,
                finance_email: row.finance_email,
                company_number: row.company_number,
                vat_number: row.vat_number,
            },
        }
    }))
}

/// How many lines are attached to the payout; one more than [`LINES_LIMIT`] stands for all above it.
///
/// # Errors
/// The database refused or is away.
pub async fn count_lines(
    transaction: &mut TenantTransaction,
    payout_id: &str,
) -> Result<i64, sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!"
             FROM (SELECT FROM commission_lines WHERE organization_id = $1 AND payout_id = $2 LIMIT $3) AS line"#,
        organization.as_str(),
        payout_id,
        LINES_LIMIT + 1
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

/// Remembers which PDF holds for a payout at these revisions, unless later ones are remembered.
///
/// # Errors
/// The database refused or is away.
pub async fn remember_current(
    transaction: &mut TenantTransaction,
    payout_id: &str,
    asset_id: &str,
    revisions: Revisions,
) -> Result<(), sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query!(
        "INSERT INTO current_statements AS current (organization_id, payout_id, asset_id, payout_revision, template_revision)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (organization_id, payout_id) DO UPDATE
            SET asset_id = excluded.asset_id, payout_revision = excluded.payout_revision,
                template_revision = excluded.template_revision
          WHERE (current.payout_revision, current.template_revision) < (excluded.payout_revision, excluded.template_revision)",
        organization.as_str(),
        payout_id,
        asset_id,
        revisions.payout,
        revisions.template
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}
