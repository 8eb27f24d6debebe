//! Reading commission lines from Postgres. Every statement names its organisations, in addition to
//! row-level security.

use sqlx::PgConnection;

use super::model::{CommissionLine, LineFilters};
use crate::{
    page::List,
    postgres::{Lookup, PointRead, SingleStatement, select_lookups},
};

/// Selects lines. `$head` may wrap the SELECT; `$tail` has its table and conditions.
macro_rules! select_lines {
    ($head:tt, [$($tail:tt)+], $($argument:expr),+) => {
        sqlx::query_as!(
            CommissionLine,
            $head
                + r#"SELECT organization_id, id, partner_id, payout_id, description,
                            amount AS "amount: crate::postgres::Amount",
                            source_amount AS "source_amount: crate::postgres::Amount", currency,
                            status, plan_name, period_end, idempotency_key, created_at,
                            updated_at "#
                + $($tail)+,
            $($argument),+
        )
    };
}

pub(super) use select_lines;

impl SingleStatement for List<'_, LineFilters<'_>> {
    type Output = Vec<CommissionLine>;

    /// Runs one static statement per set of filters, so that each uses its own index: `$5 IS NULL
    /// OR …` would be planned once for all of them, as a scan.
    ///
    /// Constraints of the table make every line of a payout have the payout's partner and the
    /// status `IN_PAYOUT`. So with a payout's filter the other filters are applied to the payout:
    /// Postgres assumes that filters are independent, would expect almost no line, and sort.
    async fn run(&self, connection: &mut PgConnection) -> Result<Vec<CommissionLine>, sqlx::Error> {
        let Self { organization, filters, position, limit } = self;
        macro_rules! lines {
            ($filters:tt $(, $argument:expr)*) => {
                select_lines!(
                    "WITH scope AS MATERIALIZED (
                        SELECT set_config('app.organization_id', $1, true) AS organization_id
                    )
                    SELECT found.* FROM scope CROSS JOIN LATERAL (",
                    ["FROM commission_lines AS line
                       WHERE line.organization_id = scope.organization_id
                         AND (created_at, id) < ($2, $3) "
                        + $filters
                        + " ORDER BY created_at DESC, id DESC LIMIT $4) AS found"],
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

/// Lines by their ids, in batches over all tenants.
pub struct LinesById;

impl PointRead for LinesById {
    type Row = CommissionLine;

    async fn read(
        connection: &mut PgConnection,
        lookups: &[&Lookup],
    ) -> Result<Vec<CommissionLine>, sqlx::Error> {
        let (organizations, ids) = Lookup::columns(lookups);
        select_lookups!(
            select_lines,
            ["FROM commission_lines AS line
               WHERE line.organization_id = lookups.organization_id AND line.id = lookups.id
              OFFSET 0) AS found
              ORDER BY lookups.position"],
            &organizations as _,
            &ids as _
        )
        .fetch_all(connection)
        .await
    }

    fn matches(row: &CommissionLine, lookup: &Lookup) -> bool {
        row.organization_id == lookup.organization.as_str() && row.id == lookup.id
    }
}
