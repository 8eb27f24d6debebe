//! Commission lines in Postgres. A line changes state in one conditional statement, never by
//! reading first and writing later.

use sqlx::PgConnection;

use super::model::{CommissionLine, LineFilters};
use crate::{
    contract::scalars::Position,
    gate::Caller,
    id::OrganizationId,
    tenant::{SingleStatement, TenantTransaction},
};

/// The lines behind `position`, newest first (R7); at most `limit` of them.
#[derive(Debug)]
pub struct ListCommissionLines<'a> {
    pub organization: &'a OrganizationId,
    pub filters: LineFilters<'a>,
    pub position: &'a Position,
    pub limit: i64,
}

impl SingleStatement for ListCommissionLines<'_> {
    type Output = Vec<CommissionLine>;

    /// One static statement per set of filters, so that each uses its own index: `$5 IS NULL OR …`
    /// would be planned once for all of them, as a scan.
    ///
    /// Constraints of the table make every line of a payout have the payout's partner and the
    /// status `IN_PAYOUT`. So with a payout's filter the other filters are applied to the payout:
    /// Postgres assumes that filters are independent, would expect almost no line, and sort.
    async fn run(&self, connection: &mut PgConnection) -> Result<Vec<CommissionLine>, sqlx::Error> {
        let Self { organization, filters, position, limit } = self;
        macro_rules! lines {
            ($filters:tt $(, $argument:expr)*) => {
                sqlx::query_as!(
                    CommissionLine,
                    "WITH scope AS MATERIALIZED (
                        SELECT set_config('app.organization_id', $1, true) AS organization_id
                    )
                    SELECT found.* FROM scope CROSS JOIN LATERAL (
                        SELECT id, partner_id, payout_id, description, amount, source_amount,
                               currency, status, plan_name, period_end, idempotency_key,
                               created_at, updated_at
                          FROM commission_lines AS line
                         WHERE line.organization_id = scope.organization_id
                           AND (created_at, id) < ($2, $3) "
                        + $filters
                        + " ORDER BY created_at DESC, id DESC LIMIT $4) AS found",
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
        match (filters.partner_id, filters.payout_id, filters.status) {
            (None, None, None) => lines!(""),
            (Some(partner), None, None) => lines!("AND partner_id = $5", partner),
            (None, Some(payout), None) => lines!("AND payout_id = $5", payout),
            (None, None, Some(status)) => lines!("AND status = $5", status),
            (Some(partner), None, Some(status)) => {
                lines!("AND partner_id = $5 AND status = $6", partner, status)
            }
            (Some(partner), Some(payout), None) => lines!(
                "AND payout_id = (SELECT id FROM payouts
                                   WHERE organization_id = scope.organization_id
                                     AND partner_id = $5 AND id = $6)",
                partner,
                payout
            ),
            (None, Some(payout), Some(status)) => {
                lines!("AND payout_id = $5 AND $6::text = 'IN_PAYOUT'", payout, status)
            }
            (Some(partner), Some(payout), Some(status)) => lines!(
                "AND payout_id = (SELECT id FROM payouts
                                   WHERE organization_id = scope.organization_id
                                     AND partner_id = $5 AND id = $6)
                 AND $7::text = 'IN_PAYOUT'",
                partner,
                payout,
                status
            ),
        }
    }
}

pub(super) async fn get_commission_line(
    transaction: &mut TenantTransaction,
    id: &str,
) -> Result<Option<CommissionLine>, sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query_as!(
        CommissionLine,
        "SELECT id, partner_id, payout_id, description, amount, source_amount, currency, status,
                plan_name, period_end, idempotency_key, created_at, updated_at
           FROM commission_lines
          WHERE organization_id = $1 AND id = $2",
        organization.as_str(),
        id
    )
    .fetch_optional(&mut **transaction)
    .await
}

/// The outcome of detaching a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Detachment {
    /// The line is back in the pending pool.
    Detached,
    /// The line is in this status, and in no payout (422).
    NotAttached { status: String },
    /// The organisation has no such line (404).
    NotFound,
}

/// Takes a line out of its payout (§3.1): in one statement it locks the line, changes it where it
/// is attached, lowers the payout's amount and writes the history row. Of two concurrent calls one
/// succeeds.
pub(super) async fn detach_commission_line(
    transaction: &mut TenantTransaction,
    caller: &Caller,
    id: &str,
) -> Result<Detachment, sqlx::Error> {
    let organization = transaction.organization();
    let outcome = sqlx::query!(
        r#"WITH found AS (
            SELECT id, payout_id, status
              FROM commission_lines
             WHERE organization_id = $1 AND id = $2
               FOR UPDATE
        ), detached AS (
            UPDATE commission_lines AS line
               SET status = 'PENDING', payout_id = NULL,
                   updated_at = greatest(service_now(), line.updated_at + interval '1 millisecond')
              FROM found
             WHERE line.organization_id = $1 AND line.id = found.id AND found.payout_id IS NOT NULL
            RETURNING line.id, line.amount, found.payout_id AS former_payout_id
        ), lowered AS (
            UPDATE payouts AS payout
               SET amount = payout.amount - detached.amount,
                   updated_at = greatest(service_now(),
                                         payout.updated_at + interval '1 millisecond')
              FROM detached
             WHERE payout.organization_id = $1 AND payout.id = detached.former_payout_id
        ), entry AS (
            INSERT INTO history (organization_id, actor, request_id, action, resource_id,
                                 before, after)
            SELECT $1, $3, $4, 'detach_commission_line', detached.id,
                   jsonb_build_object('status', 'IN_PAYOUT', 'payoutId', detached.former_payout_id),
                   jsonb_build_object('status', 'PENDING', 'payoutId', NULL)
              FROM detached
        )
        SELECT (SELECT status FROM found) AS status,
               EXISTS (SELECT FROM detached) AS "detached!""#,
        organization.as_str(),
        id,
        &*caller.key_id,
        &*caller.request_id
    )
    .fetch_one(&mut **transaction)
    .await?;
    Ok(match (outcome.status, outcome.detached) {
        (_, true) => Detachment::Detached,
        (Some(status), false) => Detachment::NotAttached { status },
        (None, false) => Detachment::NotFound,
    })
}
