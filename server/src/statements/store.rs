//! Reads from Postgres what is known of a payout's statement, and what it prints.

use sqlx::PgConnection;

use super::{
    assets::Asset,
    model::{Facts, Inputs, Revisions, State, StatementLine},
    template::Template,
};
use crate::{
    id::AssetId,
    organizations::Billing,
    postgres::{Lookup, PointRead, TenantTransaction},
};

/// Looks up the statements of payouts, in batches over all tenants. It reads no line.
pub struct StatementsByPayout;

impl PointRead for StatementsByPayout {
    type Row = State;

    async fn read(
        connection: &mut PgConnection,
        lookups: &[&Lookup],
    ) -> Result<Vec<State>, sqlx::Error> {
        let (organizations, ids) = Lookup::columns(lookups);
        let rows = sqlx::query_file!(
            "src/statements/statements_by_payout.sql",
            &organizations as _,
            &ids as _
        )
        .fetch_all(connection)
        .await?;
        let state = rows.into_iter().map(|row| State {
            organization_id: row.organization_id,
            payout_id: row.payout_id,
            now: row.now,
            current: Asset::from_columns(
                row.id,
                row.filename,
                row.length,
                row.sha256,
                row.is_uploaded.unwrap_or_default(),
                row.damaged_at,
            ),
        });
        Ok(state.collect())
    }

    fn matches(row: &State, lookup: &Lookup) -> bool {
        row.organization_id == lookup.organization.as_str() && row.payout_id == lookup.id
    }
}

/// Everything about the payout's statement but its lines, of the transaction's instant (S6).
/// `None`: no such payout.
pub(crate) async fn get_facts(
    transaction: &mut TenantTransaction,
    payout_id: &str,
) -> Result<Option<Facts>, sqlx::Error> {
    let organization = transaction.organization();
    let row = sqlx::query_file!("src/statements/get_facts.sql", organization.as_str(), payout_id)
        .fetch_optional(&mut **transaction)
        .await?;
    Ok(row.map(|row| Facts {
        state: State {
            organization_id: organization.to_string(),
            payout_id: payout_id.to_owned(),
            now: row.now,
            current: Asset::from_columns(
                row.asset_id,
                row.filename,
                row.length,
                row.sha256,
                row.is_uploaded.unwrap_or_default(),
                row.damaged_at,
            ),
        },
        revisions: Revisions {
            payout: row.payout_revision,
            organization: row.organization_revision,
        },
        line_count: row.line_count,
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
        inputs: Inputs {
            partner_name: row.partner_name,
            period_start: row.period_start,
            period_end: row.period_end,
            currency: row.currency,
            amount: row.amount,
            po_number: row.po_number,
            note: row.note,
            template: Template {
                title: row.title,
                accent_colour: row.accent_colour,
                footer: row.footer,
                logo: row.logo,
            },
            lines: Vec::new(),
        },
    }))
}

/// Lists the lines that the payout's statement prints, in their order (S2).
pub(super) async fn list_lines(
    transaction: &mut TenantTransaction,
    payout_id: &str,
) -> Result<Vec<StatementLine>, sqlx::Error> {
    sqlx::query_as!(
        StatementLine,
        "SELECT id, description, amount, source_amount, currency, plan_name, period_end
           FROM commission_lines
          WHERE organization_id = $1 AND payout_id = $2
          ORDER BY period_end, created_at, id",
        transaction.organization() as _,
        payout_id
    )
    .fetch_all(&mut **transaction)
    .await
}
