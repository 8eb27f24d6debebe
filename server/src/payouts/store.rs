//! Payouts in Postgres. Every statement names its organisations, in addition to row-level
//! security.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;

use super::model::Payout;
use crate::{
    batch_loader::{Lookup, PointRead},
    tenant::{BatchConnection, TenantTransaction},
};

/// Selects payouts with their partners' names. `$head` may wrap the SELECT; `$tail` has its
/// conditions.
macro_rules! select_payouts {
    ($head:tt, $tail:tt, $($argument:expr),+) => {
        sqlx::query_as!(
            Payout,
            $head + "SELECT
                payouts.organization_id, payouts.id, payouts.partner_id,
                partners.name AS partner_name, payouts.batch_id, payouts.period_start,
                payouts.period_end, payouts.amount, payouts.currency, payouts.stage,
                payouts.po_number, payouts.metadata, payouts.created_at, payouts.updated_at
            FROM payouts
            CROSS JOIN LATERAL (SELECT name FROM partners
                                 WHERE partners.organization_id = payouts.organization_id
                                   AND partners.id = payouts.partner_id
                                OFFSET 0) AS partners "
                + $tail,
            $($argument),+
        )
    };
}

pub async fn get_payout(
    transaction: &mut TenantTransaction,
    id: &str,
) -> Result<Option<Payout>, sqlx::Error> {
    let organization = transaction.organization();
    select_payouts!(
        "",
        "WHERE payouts.organization_id = $1 AND payouts.id = $2",
        organization.as_str(),
        id
    )
    .fetch_optional(&mut **transaction)
    .await
}

/// Payouts by their ids, in batches over all tenants.
#[derive(Debug)]
pub struct PayoutsById;

impl PointRead for PayoutsById {
    type Row = Payout;

    async fn read(
        connection: &mut BatchConnection,
        asked: &[&Lookup],
    ) -> Result<Vec<Payout>, sqlx::Error> {
        let (organizations, ids) = Lookup::columns(asked);
        select_payouts!(
            r#"WITH asked AS MATERIALIZED (
                SELECT asked.organization_id, asked.id, asked.position
                  FROM (SELECT set_config('app.organization_ids',
                                          array_to_string($1::text[], ','), true) AS ids) AS scope,
                       LATERAL unnest(string_to_array(scope.ids, ','), $2::text[]) WITH ORDINALITY
                       AS asked (organization_id, id, position)
            )
            SELECT found.* FROM asked CROSS JOIN LATERAL ("#,
            "WHERE payouts.organization_id = asked.organization_id AND payouts.id = asked.id
             OFFSET 0) AS found
             ORDER BY asked.position",
            &organizations as _,
            &ids as _
        )
        .fetch_all(&mut **connection)
        .await
    }

    fn matches(row: &Payout, asked: &Lookup) -> bool {
        row.organization_id == asked.organization.as_str() && row.id == asked.id
    }
}

/// A payout to create.
#[derive(Clone, Copy, Debug)]
pub struct NewPayout<'a> {
    pub id: &'a str,
    /// The partner it goes to.
    pub partner_id: &'a str,
    /// The batch it is created in.
    pub batch_id: &'a str,
    pub period_start: DateTime<Utc>,
    /// End of its period, not before the start.
    pub period_end: DateTime<Utc>,
    /// Its currency, ISO 4217.
    pub currency: &'a str,
    /// Its stage (V10).
    pub stage: &'a str,
    /// The purchase-order number that its statement prints.
    pub po_number: Option<&'a str>,
    /// Whether the partner's pending lines in its currency are attached.
    pub attach_pending: bool,
}

/// What a new payout contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreatedPayout {
    /// How many pending lines were attached.
    pub lines: i64,
    /// Their exact sum.
    pub amount: Decimal,
}

/// Creates a payout, attaches pending lines, sums them, and writes the history rows of all, in one
/// statement: concurrent calls never attach the same line. `None` where the organisation has no
/// such partner.
pub async fn create_payout(
    transaction: &mut TenantTransaction,
    actor: &str,
    request_id: Option<&str>,
    new: NewPayout<'_>,
) -> Result<Option<CreatedPayout>, sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query_as!(
        CreatedPayout,
        r#"WITH partner AS (
            SELECT id FROM partners WHERE organization_id = $1 AND id = $3
        ), attached AS (
            UPDATE commission_lines AS line
               SET status = 'IN_PAYOUT', payout_id = $2,
                   updated_at = greatest(service_now(), line.updated_at + interval '1 millisecond')
              FROM partner
             WHERE $10 AND line.organization_id = $1 AND line.partner_id = partner.id
               AND line.currency = $7 AND line.status = 'PENDING'
            RETURNING line.id, line.amount
        ), created AS (
            INSERT INTO payouts (organization_id, id, partner_id, batch_id, period_start,
                                 period_end, amount, currency, stage, po_number)
            SELECT $1, $2, partner.id, $4, $5,
                   $6, (SELECT coalesce(sum(amount), 0) FROM attached), $7, $8, $9
              FROM partner
            RETURNING amount, currency, stage
        ), lines_history AS (
            INSERT INTO history (organization_id, actor, request_id, action, resource_id,
                                 before, after)
            SELECT $1, $11, $12, 'attach_commission_line', attached.id,
                   jsonb_build_object('status', 'PENDING', 'payoutId', NULL),
                   jsonb_build_object('status', 'IN_PAYOUT', 'payoutId', $2::text)
              FROM attached
        ), payout_history AS (
            INSERT INTO history (organization_id, actor, request_id, action, resource_id, after)
            SELECT $1, $11, $12, 'create_payout', $2,
                   jsonb_build_object('partnerId', $3::text, 'amount', created.amount::text,
                                      'currency', created.currency, 'stage', created.stage)
              FROM created
        )
        SELECT (SELECT count(*) FROM attached) AS "lines!", created.amount FROM created"#,
        organization.as_str(),
        new.id,
        new.partner_id,
        new.batch_id,
        new.period_start,
        new.period_end,
        new.currency,
        new.stage,
        new.po_number,
        new.attach_pending,
        actor,
        request_id
    )
    .fetch_optional(&mut **transaction)
    .await
}

/// The outcome of changing one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// The value was changed.
    Yes,
    /// It was the same already; `updatedAt` stays.
    Same,
    /// The organisation has no such payout.
    NotFound,
}

/// Sets or clears the purchase-order number, with its history row.
pub async fn set_po_number(
    transaction: &mut TenantTransaction,
    actor: &str,
    id: &str,
    po_number: Option<&str>,
) -> Result<Changed, sqlx::Error> {
    let organization = transaction.organization();
    let outcome = sqlx::query!(
        r#"WITH before AS (
            SELECT id, po_number
              FROM payouts
             WHERE organization_id = $1 AND id = $2
               FOR NO KEY UPDATE
        ), changed AS (
            UPDATE payouts AS payout
               SET po_number = $3,
                   updated_at = greatest(service_now(),
                                         payout.updated_at + interval '1 millisecond')
              FROM before
             WHERE payout.organization_id = $1 AND payout.id = before.id
               AND before.po_number IS DISTINCT FROM $3
            RETURNING payout.id
        ), entry AS (
            INSERT INTO history (organization_id, actor, action, resource_id, before, after)
            SELECT $1, $4, 'set_po_number', changed.id,
                   jsonb_build_object('poNumber', before.po_number),
                   jsonb_build_object('poNumber', $3::text)
              FROM changed JOIN before USING (id)
        )
        SELECT EXISTS (SELECT FROM before) AS "found!",
               EXISTS (SELECT FROM changed) AS "changed!""#,
        organization.as_str(),
        id,
        po_number,
        actor
    )
    .fetch_one(&mut **transaction)
    .await?;
    Ok(Changed::of(outcome.found, outcome.changed))
}

/// Sets or clears the statement note (V11), with its history row; other keys of `metadata` stay.
pub async fn set_note(
    transaction: &mut TenantTransaction,
    actor: &str,
    id: &str,
    note: Option<&str>,
) -> Result<Changed, sqlx::Error> {
    let organization = transaction.organization();
    let outcome = sqlx::query!(
        r#"WITH before AS (
            SELECT id, metadata ->> 'statementNote' AS note
              FROM payouts WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE
        ), changed AS (
            UPDATE payouts AS payout
               SET metadata = CASE
                       WHEN $3::text IS NULL THEN payout.metadata - 'statementNote'
                       ELSE coalesce(payout.metadata, '{}')
                            || jsonb_build_object('statementNote', $3::text)
                   END,
                   updated_at = greatest(service_now(),
                                         payout.updated_at + interval '1 millisecond')
              FROM before
             WHERE payout.organization_id = $1 AND payout.id = before.id
               AND before.note IS DISTINCT FROM $3
            RETURNING payout.id
        ), entry AS (
            INSERT INTO history (organization_id, actor, action, resource_id, before, after)
            SELECT $1, $4, 'set_note', changed.id, jsonb_build_object('statementNote', before.note),
                   jsonb_build_object('statementNote', $3::text)
              FROM changed JOIN before USING (id)
        )
        SELECT EXISTS (SELECT FROM before) AS "found!",
               EXISTS (SELECT FROM changed) AS "changed!""#,
        organization.as_str(),
        id,
        note,
        actor
    )
    .fetch_one(&mut **transaction)
    .await?;
    Ok(Changed::of(outcome.found, outcome.changed))
}

impl Changed {
    fn of(found: bool, changed: bool) -> Self {
        match (found, changed) {
            (_, true) => Self::Yes,
            (true, false) => Self::Same,
            (false, false) => Self::NotFound,
        }
    }
}
