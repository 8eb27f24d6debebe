//! Creating a line in one statement, and finding out why it was not created.

use sqlx::PgConnection;

use super::{
    super::{model::CommissionLine, store::select_lines},
    Named, NamedPayout, NewLine,
};
use crate::{
    contract::value_sets::PayoutStage,
    gate::Caller,
    payouts::TAKES_LINES,
    postgres::{SingleStatement, TenantTransaction},
};

/// Inserts a line, raises the amount of its payout and writes the history row. `None` where the
/// line cannot be created, or another one has its idempotency key.
pub(in super::super) struct CreateLine<'a> {
    pub(in super::super) caller: &'a Caller,
    pub(in super::super) new: &'a NewLine,
}

impl SingleStatement for CreateLine<'_> {
    type Output = Option<CommissionLine>;

    async fn run(&self, connection: &mut PgConnection) -> Result<Self::Output, sqlx::Error> {
        let Self { caller, new } = self;
        let stages = TAKES_LINES.map(PayoutStage::as_str);
        // The lock waits for a change of the payout's stage, and then compares the new one.
        select_lines!(
            r#"WITH scope AS MATERIALIZED (
                SELECT set_config('app.organization_id', $1, true) AS organization_id
            ), partner AS (
                SELECT found.* FROM scope CROSS JOIN LATERAL (
                    SELECT id FROM partners
                     WHERE partners.organization_id = scope.organization_id AND partners.id = $3
                     LIMIT 1) AS found
            ), payout AS (
                SELECT found.* FROM scope CROSS JOIN LATERAL (
                    SELECT id FROM payouts
                     WHERE payouts.organization_id = scope.organization_id AND payouts.id = $4
                       AND partner_id = $3 AND currency = $8 AND stage = ANY($12)
                       FOR NO KEY UPDATE) AS found
            ), created AS (
                INSERT INTO commission_lines
                       (organization_id, id, partner_id, payout_id, description, amount,
                        source_amount, currency, status, plan_name, period_end, idempotency_key)
                SELECT $1, $2, partner.id, payout.id, $5, $6, $7,
                       $8, CASE WHEN payout.id IS NULL THEN 'PENDING' ELSE 'IN_PAYOUT' END, $9,
                       coalesce($10, service_now()), $11
                  FROM partner LEFT JOIN payout ON true
                 WHERE $4::text IS NULL OR payout.id IS NOT NULL
                    ON CONFLICT (organization_id, idempotency_key)
                       WHERE idempotency_key IS NOT NULL DO NOTHING
                RETURNING *
            ), raised AS (
                UPDATE payouts AS payout
                   SET amount = payout.amount + created.amount,
                       updated_at = greatest(service_now(),
                                             payout.updated_at + interval '1 millisecond')
                  FROM created
                 WHERE payout.organization_id = $1 AND payout.id = created.payout_id
            ), entry AS (
                INSERT INTO history (organization_id, actor, request_id, action, resource_id, after)
                SELECT $1, $13, $14, 'create_commission_line', created.id,
                       jsonb_build_object(
                           'partnerId', partner_id, 'payoutId', payout_id, 'status', status,
                           'amount', amount::text, 'currency', currency, 'description', description,
                           'sourceAmount', source_amount::text, 'planName', plan_name,
                           'periodEnd', printed(period_end),
                           'idempotencyKey', idempotency_key)
                  FROM created
            ) "#,
            ["FROM created"],
            caller.organization.as_str(),
            new.id,
            new.partner_id,
            new.payout_id,
            new.description,
            new.amount,
            new.source_amount,
            new.currency,
            new.plan_name,
            new.period_end,
            new.idempotency_key,
            &stages as _,
            &*caller.key_id,
            &*caller.request_id
        )
        .fetch_optional(connection)
        .await
    }
}

pub(in super::super) async fn line_of_idempotency_key(
    transaction: &mut TenantTransaction,
    key: &str,
) -> Result<Option<CommissionLine>, sqlx::Error> {
    select_lines!(
        "",
        ["FROM commission_lines WHERE organization_id = $1 AND idempotency_key = $2"],
        transaction.organization() as _,
        key
    )
    .fetch_optional(&mut **transaction)
    .await
}

pub(in super::super) async fn find_named(
    transaction: &mut TenantTransaction,
    new: &NewLine,
) -> Result<Named, sqlx::Error> {
    let has_partner = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM partners WHERE organization_id = $1 AND id = $2) AS "is!""#,
        transaction.organization() as _,
        new.partner_id
    )
    .fetch_one(&mut **transaction)
    .await?;
    let payout = match &new.payout_id {
        Some(id) => find_payout(transaction, id).await?,
        None => None,
    };
    Ok(Named { has_partner, payout })
}

pub(in super::super) async fn find_payout(
    transaction: &mut TenantTransaction,
    id: &str,
) -> Result<Option<NamedPayout>, sqlx::Error> {
    sqlx::query_as!(
        NamedPayout,
        "SELECT partner_id, currency, stage FROM payouts WHERE organization_id = $1 AND id = $2",
        transaction.organization() as _,
        id
    )
    .fetch_optional(&mut **transaction)
    .await
}
