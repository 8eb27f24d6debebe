//! Payouts in Postgres. Every statement names its organisations, in addition to row-level
//! security.

use sqlx::PgConnection;

use openapi_runtime::Position;

use super::{
    change::ChangedFields,
    model::{Payout, PayoutFilters},
};
use crate::{
    batch_loader::{Lookup, PointRead, select_asked},
    gate::Caller,
    id::OrganizationId,
    tenant::{BatchConnection, SingleStatement, TenantTransaction},
};

/// Selects payouts with their partners' names. `$head` may wrap the SELECT; `$tail` has its
/// conditions. With `from`, the payouts are rows of another name.
macro_rules! select_payouts {
    ($head:tt, $tail:tt $(+ $more:tt)*, $($argument:expr),+) => {
        select_payouts!($head, from "payouts", $tail $(+ $more)*, $($argument),+)
    };
    ($head:tt, from $from:tt, $tail:tt $(+ $more:tt)*, $($argument:expr),+) => {
        sqlx::query_as!(
            Payout,
            $head + "SELECT
                payouts.organization_id, payouts.id, payouts.partner_id,
                partners.name AS partner_name, payouts.batch_id, payouts.period_start,
                payouts.period_end, payouts.amount, payouts.currency, payouts.stage,
                payouts.po_number, payouts.metadata, payouts.created_at, payouts.updated_at
            FROM "
                + $from
                + "
            CROSS JOIN LATERAL (SELECT name FROM partners
                                 WHERE partners.organization_id = payouts.organization_id
                                   AND partners.id = payouts.partner_id
                                OFFSET 0) AS partners "
                + $tail $(+ $more)*,
            $($argument),+
        )
    };
}

/// The payouts behind `position`, newest first (R7); at most `limit` of them.
#[derive(Debug)]
pub(super) struct ListPayouts<'a> {
    pub(super) organization: &'a OrganizationId,
    pub(super) filters: PayoutFilters<'a>,
    pub(super) position: &'a Position,
    pub(super) limit: i64,
}

impl SingleStatement for ListPayouts<'_> {
    type Output = Vec<Payout>;

    /// One static statement per set of filters, as for commission lines.
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
        select_asked!(
            select_payouts,
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

/// Locks the payout until the transaction ends.
pub(super) async fn lock_payout(
    transaction: &mut TenantTransaction,
    id: &str,
) -> Result<Option<ChangedFields>, sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query_as!(
        ChangedFields,
        "SELECT stage, po_number, metadata
           FROM payouts WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE",
        organization.as_str(),
        id
    )
    .fetch_optional(&mut **transaction)
    .await
}

/// Writes the changed fields of a locked payout, with its history row.
pub(super) async fn update_payout(
    transaction: &mut TenantTransaction,
    caller: &Caller,
    id: &str,
    before: &ChangedFields,
    after: &ChangedFields,
) -> Result<Payout, sqlx::Error> {
    let organization = transaction.organization();
    select_payouts!(
        "WITH updated AS (
            UPDATE payouts
               SET stage = $3, po_number = $4, metadata = $5,
                   updated_at = greatest(service_now(), updated_at + interval '1 millisecond')
             WHERE organization_id = $1 AND id = $2
            RETURNING *
        ), entry AS (
            INSERT INTO history (organization_id, actor, request_id, action, resource_id,
                                 before, after)
            SELECT $1, $6, $7, 'update_payout', updated.id, $8, $9 FROM updated
        ) ",
        from "updated AS payouts",
        "",
        organization.as_str(),
        id,
        after.stage,
        after.po_number,
        after.metadata,
        &*caller.key_id,
        &*caller.request_id,
        before.differing_from(after),
        after.differing_from(before)
    )
    .fetch_one(&mut **transaction)
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
