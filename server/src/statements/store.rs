//! Reads from Postgres what is known of a payout's statement, and what it prints.

use super::{
    assets::Asset,
    model::{Facts, Inputs, Revisions, State, StatementLine},
    template::Template,
};
use crate::{
    id::AssetId,
    organizations::Billing,
    postgres::{BatchConnection, Lookup, PointRead, TenantTransaction},
};

/// Looks up the statements of payouts, in batches over all tenants. It reads no line.
#[derive(Debug)]
pub struct StatementsByPayout;

impl PointRead for StatementsByPayout {
    type Row = State;

    async fn read(
        connection: &mut BatchConnection,
        lookups: &[&Lookup],
    ) -> Result<Vec<State>, sqlx::Error> {
        let (organizations, ids) = Lookup::columns(lookups);
        let rows = sqlx::query!(
            r#"WITH lookups AS MATERIALIZED (
                SELECT lookups.organization_id, lookups.id, lookups.position
                  FROM (SELECT set_config('app.organization_ids',
                                          array_to_string($1::text[], ','), true) AS ids) AS scope,
                       LATERAL unnest(string_to_array(scope.ids, ','), $2::text[]) WITH ORDINALITY
                       AS lookups (organization_id, id, position)
            )
            SELECT found.organization_id AS "organization_id!", found.payout_id AS "payout_id!",
                   service_now() AS "now!", found.is_uploaded AS "is_uploaded?",
                   found.id AS "id?: AssetId", found.filename AS "filename?",
                   found.length AS "length?",
                   found.sha256 AS "sha256?: [u8; 32]", found.damaged_at AS "damaged_at?"
              FROM lookups CROSS JOIN LATERAL (
                SELECT payout.organization_id, payout.id AS payout_id, current.is_uploaded,
                       asset.id, asset.filename, asset.length, asset.sha256, asset.damaged_at
                  FROM payouts AS payout
                  JOIN organizations AS organization ON organization.id = payout.organization_id
                  LEFT JOIN current_statements AS current
                    ON current.organization_id = payout.organization_id
                   AND current.payout_id = payout.id
                   AND (current.is_uploaded
                        OR (current.payout_revision = payout.statement_revision
                            AND current.organization_revision = organization.statement_revision))
                  LEFT JOIN assets AS asset
                    ON asset.organization_id = payout.organization_id
                   AND asset.id = current.asset_id
                 WHERE payout.organization_id = lookups.organization_id AND payout.id = lookups.id
                OFFSET 0) AS found
             ORDER BY lookups.position"#,
            &organizations as _,
            &ids as _
        )
        .fetch_all(&mut **connection)
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
#[expect(clippy::too_many_lines, reason = "a statement, and its columns one by one")]
pub(crate) async fn get_facts(
    transaction: &mut TenantTransaction,
    payout_id: &str,
) -> Result<Option<Facts>, sqlx::Error> {
    let organization = transaction.organization();
    let row = sqlx::query!(
        r#"SELECT service_now() AS "now!", payout.statement_revision AS payout_revision,
                  organization.statement_revision AS organization_revision,
                  current.is_uploaded AS "is_uploaded?", asset.id AS "asset_id?: AssetId",
                  asset.filename AS "filename?", asset.length AS "length?",
                  asset.sha256 AS "sha256?: [u8; 32]", asset.damaged_at AS "damaged_at?",
                  (SELECT count(*) FROM commission_lines AS line
                    WHERE line.organization_id = $1 AND line.payout_id = $2) AS "line_count!",
                  billing.legal_name AS "legal_name?", billing.address_line_1 AS "address_line_1?",
                  billing.address_line_2, billing.postal_code AS "postal_code?",
                  billing.city AS "city?", billing.country AS "country?",
                  billing.finance_email AS "finance_email?", billing.company_number,
                  billing.vat_number, template.title, template.accent_colour, template.footer,
                  template.logo, partner.name AS partner_name, payout.period_start,
                  payout.period_end, payout.currency, payout.amount, payout.po_number,
                  payout.metadata ->> 'statementNote' AS note
             FROM payouts AS payout
             JOIN organizations AS organization ON organization.id = payout.organization_id
             JOIN partners AS partner
               ON partner.organization_id = payout.organization_id
              AND partner.id = payout.partner_id
             LEFT JOIN billing_information AS billing
               ON billing.organization_id = payout.organization_id
             LEFT JOIN statement_templates AS template
               ON template.organization_id = payout.organization_id
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
    let organization = transaction.organization();
    sqlx::query_as!(
        StatementLine,
        "SELECT id, description, amount, source_amount, currency, plan_name, period_end
           FROM commission_lines
          WHERE organization_id = $1 AND payout_id = $2
          ORDER BY period_end, created_at, id",
        organization.as_str(),
        payout_id
    )
    .fetch_all(&mut **transaction)
    .await
}
