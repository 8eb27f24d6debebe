//! Reads from Postgres what is known of a payout's statement, and what it prints.

use super::{
    assets::Asset,
    model::{Inputs, Revisions, State, StatementLine},
    template::store::get_template,
};
use crate::tenant::TenantTransaction;

/// What is known of a payout's statement, without reading a line. `None`: no such payout.
pub async fn get_state(
    transaction: &mut TenantTransaction,
    payout_id: &str,
) -> Result<Option<State>, sqlx::Error> {
    let organization = transaction.organization();
    let row = sqlx::query!(
        r#"SELECT service_now() AS "now!", payout.statement_revision AS payout_revision,
                  organization.statement_revision AS organization_revision,
                  coalesce(current.is_uploaded, false) AS "is_uploaded!", asset.id AS "id?",
                  asset.filename AS "filename?", asset.length AS "length?",
                  asset.sha256 AS "sha256?: [u8; 32]"
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
        let asset =
            Asset::from_columns(row.id, row.filename, row.length, row.sha256, row.is_uploaded);
        let (uploaded, current) = if row.is_uploaded { (asset, None) } else { (None, asset) };
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
pub(crate) async fn count_lines(
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

/// Everything that the payout's statement prints, of the transaction's instant (S6). `None`: no
/// such payout.
pub(super) async fn get_inputs(
    transaction: &mut TenantTransaction,
    payout_id: &str,
) -> Result<Option<Inputs>, sqlx::Error> {
    let organization = transaction.organization();
    let payout = sqlx::query!(
        "SELECT partners.name AS partner_name, period_start, period_end, currency, amount,
                po_number, metadata ->> 'statementNote' AS note
           FROM payouts
           JOIN partners ON partners.organization_id = payouts.organization_id
                        AND partners.id = payouts.partner_id
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
        StatementLine,
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
