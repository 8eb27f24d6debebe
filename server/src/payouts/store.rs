//! Payouts in Postgres. Every statement names its organisations, in addition to row-level
//! security.

use rust_decimal::Decimal;
use serde_json::Value;
use sqlx::PgConnection;

use super::{
    change::PayoutFields,
    creation::store::Actor,
    model::{Payout, PayoutBatch, PayoutFilters},
};
use crate::{
    history::OPERATOR,
    id::OrganizationId,
    page::List,
    postgres::{Lookup, PointRead, SingleStatement, TenantTransaction, select_lookups},
};

/// The key of `metadata` that statements print (V11).
const NOTE: &str = "statementNote";

/// Selects payouts with their partners' names. `$head` may wrap the SELECT; `$tail` has its
/// conditions.
macro_rules! select_payouts {
    ($head:tt, $tail:tt $(+ $more:tt)*, $($argument:expr),+) => {
        sqlx::query_as!(
            Payout,
            $head + r#"SELECT
                payouts.organization_id, payouts.id, payouts.partner_id,
                partners.name AS partner_name, payouts.batch_id, payouts.period_start,
                payouts.period_end, payouts.amount AS "amount: crate::postgres::Amount",
                payouts.currency, payouts.stage, payouts.po_number, payouts.metadata,
                payouts.created_at, payouts.updated_at
            FROM payouts
            CROSS JOIN LATERAL (SELECT name FROM partners
                                 WHERE partners.organization_id = payouts.organization_id
                                   AND partners.id = payouts.partner_id
                                OFFSET 0) AS partners "#
                + $tail $(+ $more)*,
            $($argument),+
        )
    };
}

impl SingleStatement for List<'_, PayoutFilters<'_>> {
    type Output = Vec<Payout>;

    /// Runs one static statement per set of filters, as for commission lines.
    async fn run(&self, connection: &mut PgConnection) -> Result<Vec<Payout>, sqlx::Error> {
        let Self { organization, filters, position, limit } = self;
        macro_rules! payouts {
            ($filters:tt $(, $argument:expr)*) => {
                select_payouts!(
                    "WITH scope AS MATERIALIZED (
                        SELECT set_config('app.organization_id', $1, true) AS organization_id
                    )
                    SELECT found.* FROM scope CROSS JOIN LATERAL (",
                    "WHERE payouts.organization_id = scope.organization_id
                       AND (payouts.created_at, payouts.id) < ($2, $3) "
                        + $filters
                        + " ORDER BY payouts.created_at DESC, payouts.id DESC LIMIT $4) AS found",
                    organization.as_str(),
                    position.created_at,
                    position.id,
                    limit
                    $(, $argument)*
                )
                .fetch_all(connection)
                .await
            };
        }
        match (filters.partner_id, filters.batch_id, filters.stage) {
            (None, None, None) => payouts!(""),
            (Some(partner), None, None) => payouts!("AND partner_id = $5", partner),
            (None, Some(batch), None) => payouts!("AND batch_id = $5", batch),
            (None, None, Some(stage)) => payouts!("AND stage = $5", stage),
            (Some(partner), Some(batch), None) => {
                payouts!("AND partner_id = $5 AND batch_id = $6", partner, batch)
            }
            (Some(partner), None, Some(stage)) => {
                payouts!("AND partner_id = $5 AND stage = $6", partner, stage)
            }
            (None, Some(batch), Some(stage)) => {
                payouts!("AND batch_id = $5 AND stage = $6", batch, stage)
            }
            (Some(partner), Some(batch), Some(stage)) => payouts!(
                "AND partner_id = $5 AND batch_id = $6 AND stage = $7",
                partner,
                batch,
                stage
            ),
        }
    }
}

/// Selects batches with what their payouts hold today.
macro_rules! select_batches {
    ($conditions:tt, $organization:expr $(, $argument:expr)*) => {
        sqlx::query_as!(
            PayoutBatch,
            r#"WITH scope AS MATERIALIZED (
                SELECT set_config('app.organization_id', $1, true) AS organization_id
            )
            SELECT batch.id, batch.period_start, batch.period_end, batch.created_at,
                   held.payouts AS "payout_count!", held.lines AS "line_count!",
                   held.currencies AS "currencies!: Vec<String>", held.sums AS "sums!: Vec<Decimal>"
              FROM scope CROSS JOIN LATERAL (
                   SELECT * FROM payout_batches AS batch
                    WHERE batch.organization_id = scope.organization_id "#
                + $conditions
                + r#") AS batch
             CROSS JOIN LATERAL (
                   SELECT coalesce(sum(payouts), 0)::bigint AS payouts,
                          coalesce(sum(lines), 0)::bigint AS lines,
                          coalesce(array_agg(currency ORDER BY currency COLLATE "C"), '{}')
                              AS currencies,
                          coalesce(array_agg(amount ORDER BY currency COLLATE "C"), '{}') AS sums
                     FROM (SELECT currency, count(*) AS payouts, sum(line_count) AS lines,
                                  sum(amount) AS amount
                             FROM payouts
                            WHERE payouts.organization_id = batch.organization_id
                              AND payouts.batch_id = batch.id
                            GROUP BY currency) AS by_currency) AS held"#,
            $organization
            $(, $argument)*
        )
    };
}

pub(super) struct AllBatches;

impl SingleStatement for List<'_, AllBatches> {
    type Output = Vec<PayoutBatch>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Vec<PayoutBatch>, sqlx::Error> {
        let Self { organization, position, limit, .. } = self;
        select_batches!(
            "AND (batch.created_at, batch.id) < ($2, $3)
             ORDER BY batch.created_at DESC, batch.id DESC LIMIT $4",
            organization.as_str(),
            position.created_at,
            position.id,
            limit
        )
        .fetch_all(connection)
        .await
    }
}

pub(super) struct GetPayoutBatch<'a> {
    pub(super) organization: &'a OrganizationId,
    pub(super) id: &'a str,
}

impl SingleStatement for GetPayoutBatch<'_> {
    type Output = Option<PayoutBatch>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Option<PayoutBatch>, sqlx::Error> {
        select_batches!("AND batch.id = $2", self.organization.as_str(), self.id)
            .fetch_optional(connection)
            .await
    }
}

pub async fn get_payout(
    transaction: &mut TenantTransaction,
    id: &str,
) -> Result<Option<Payout>, sqlx::Error> {
    select_payouts!(
        "",
        "WHERE payouts.organization_id = $1 AND payouts.id = $2",
        transaction.organization() as _,
        id
    )
    .fetch_optional(&mut **transaction)
    .await
}

/// Payouts by their ids, in batches over all tenants.
pub struct PayoutsById;

impl PointRead for PayoutsById {
    type Row = Payout;

    async fn read(
        connection: &mut PgConnection,
        lookups: &[&Lookup],
    ) -> Result<Vec<Payout>, sqlx::Error> {
        let (organizations, ids) = Lookup::columns(lookups);
        select_lookups!(
            select_payouts,
            "WHERE payouts.organization_id = lookups.organization_id AND payouts.id = lookups.id
             OFFSET 0) AS found
             ORDER BY lookups.position",
            &organizations as _,
            &ids as _
        )
        .fetch_all(connection)
        .await
    }

    fn matches(row: &Payout, lookup: &Lookup) -> bool {
        row.organization_id == lookup.organization.as_str() && row.id == lookup.id
    }
}

pub(super) async fn lock_payout(
    transaction: &mut TenantTransaction,
    id: &str,
) -> Result<Option<PayoutFields>, sqlx::Error> {
    sqlx::query_as!(
        PayoutFields,
        "SELECT stage, po_number, metadata
           FROM payouts WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE",
        transaction.organization() as _,
        id
    )
    .fetch_optional(&mut **transaction)
    .await
}

pub(super) async fn update_payout(
    transaction: &mut TenantTransaction,
    (actor, action): (Actor<'_>, &str),
    id: &str,
    before: &PayoutFields,
    after: &PayoutFields,
) -> Result<Payout, sqlx::Error> {
    sqlx::query_file_as!(
        Payout,
        "src/payouts/update_payout.sql",
        transaction.organization() as _,
        id,
        after.stage,
        after.po_number,
        after.metadata,
        actor.id,
        actor.request_id,
        action,
        before.differing_from(after),
        after.differing_from(before)
    )
    .fetch_one(&mut **transaction)
    .await
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    Yes,
    /// It was the same already; `updatedAt` stays.
    Same,
    NotFound,
}

/// A value that statements print, for an operator to set or clear.
#[derive(Clone, Copy, Debug)]
pub enum Printed<'a> {
    PoNumber(Option<&'a str>),
    /// The statement note (V11); other keys of `metadata` stay.
    Note(Option<&'a str>),
}

pub async fn set(
    transaction: &mut TenantTransaction,
    id: &str,
    printed: Printed<'_>,
) -> Result<Changed, sqlx::Error> {
    let Some(before) = lock_payout(transaction, id).await? else {
        return Ok(Changed::NotFound);
    };
    let mut after = before.clone();
    let action = match printed {
        Printed::PoNumber(number) => {
            after.po_number = number.map(str::to_owned);
            "set_po_number"
        }
        Printed::Note(note) => {
            match (note, &mut after.metadata) {
                (Some(note), metadata) => metadata.get_or_insert_default()[NOTE] = note.into(),
                (None, Some(Value::Object(texts))) => drop(texts.remove(NOTE)),
                (None, _) => {}
            }
            "set_note"
        }
    };
    if after == before {
        return Ok(Changed::Same);
    }
    let by = (Actor { id: OPERATOR, request_id: None }, action);
    update_payout(transaction, by, id, &before, &after).await?;
    Ok(Changed::Yes)
}
