//! Voiding and clawing back a locked line, each with its history row.

use serde_json::Value;

use super::{ACTION, LockedLine};
use crate::{gate::Caller, id::IdKind, postgres::TenantTransaction};

/// Voids a line that is in no payout.
pub(super) async fn void_line(
    transaction: &mut TenantTransaction,
    caller: &Caller,
    line: &LockedLine,
    reason: &Value,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "WITH voided AS (
            UPDATE commission_lines
               SET status = 'VOIDED',
                   updated_at = greatest(service_now(), updated_at + interval '1 millisecond')
             WHERE organization_id = $1 AND id = $2
            RETURNING id
        )
        INSERT INTO history (organization_id, actor, request_id, action, resource_id, before, after)
        SELECT $1, $3, $4, $5, id, jsonb_build_object('status', $6::text),
               jsonb_build_object('status', 'VOIDED') || $7::jsonb
          FROM voided",
        transaction.organization() as _,
        line.id,
        &*caller.key_id,
        &*caller.request_id,
        ACTION,
        line.status,
        reason
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}

/// Creates a pending line of the negative amount, which the partner's next payout takes.
pub(super) async fn claw_back(
    transaction: &mut TenantTransaction,
    caller: &Caller,
    line: &LockedLine,
    description: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "WITH created AS (
            INSERT INTO commission_lines
                   (organization_id, id, partner_id, description, amount, source_amount, currency,
                    status, plan_name, period_end)
            SELECT $1, $3, partner_id, $4, -amount, -source_amount, currency, 'PENDING', plan_name,
                   service_now()
              FROM commission_lines WHERE organization_id = $1 AND id = $2
            RETURNING *
        )
        INSERT INTO history (organization_id, actor, request_id, action, resource_id, after)
        SELECT $1, $5, $6, 'create_commission_line', id,
               jsonb_build_object(
                   'partnerId', partner_id, 'payoutId', payout_id, 'status', status,
                   'amount', amount::text, 'currency', currency, 'description', description,
                   'sourceAmount', source_amount::text, 'planName', plan_name,
                   'periodEnd', printed(period_end), 'idempotencyKey', idempotency_key,
                   'clawsBack', $2::text)
          FROM created",
        transaction.organization() as _,
        line.id,
        IdKind::CommissionLine.generate(),
        description,
        &*caller.key_id,
        &*caller.request_id
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}
