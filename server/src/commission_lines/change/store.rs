//! Changing a locked line. The lock is a statement of its own, so that the next one sees all that
//! others did before they released it.

use serde_json::json;

use super::{
    super::{model::CommissionLine, store::select_lines},
    LineFields, LockedLine, LockedPayout, Release,
};
use crate::{
    contract::value_sets::PayoutStage, gate::Caller, payouts::TAKES_LINES,
    postgres::TenantTransaction,
};

/// Locks a line, and then its payout.
pub(in super::super) async fn lock_line(
    transaction: &mut TenantTransaction,
    id: &str,
) -> Result<Option<LockedLine>, sqlx::Error> {
    let organization = transaction.organization();
    loop {
        let row = sqlx::query_file!(
            "src/commission_lines/change/lock_line.sql",
            organization.as_str(),
            id
        )
        .fetch_optional(&mut **transaction)
        .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        let payout = match (row.payout_id, row.stage, row.payout_currency) {
            (Some(id), Some(stage), Some(currency)) => Some(LockedPayout { id, stage, currency }),
            (None, ..) => None,
            // The statement waited until the line was attached to a payout that was created after
            // the statement began. The next one sees that payout.
            (Some(_), ..) => continue,
        };
        let fields = LineFields {
            amount: row.amount,
            currency: row.currency,
            description: row.description,
            source_amount: row.source_amount,
            plan_name: row.plan_name,
            period_end: row.period_end,
        };
        let (id, partner_id, status) = (row.id, row.partner_id, row.status);
        return Ok(Some(LockedLine { id, partner_id, status, payout, fields }));
    }
}

/// Writes the changed fields of a locked line, with its history row, and changes the amount of its
/// payout. Their `updatedAt` move forward by at least a millisecond: clients compare versions by
/// it.
pub(in super::super) async fn update_line(
    transaction: &mut TenantTransaction,
    caller: &Caller,
    before: &LockedLine,
    after: &LineFields,
) -> Result<CommissionLine, sqlx::Error> {
    select_lines!(
        r#"WITH updated AS (
            UPDATE commission_lines
               SET amount = $3, currency = $4, description = $5, source_amount = $6,
                   plan_name = $7, period_end = $8,
                   updated_at = greatest(service_now(), updated_at + interval '1 millisecond')
             WHERE organization_id = $1 AND id = $2
            RETURNING *
        ), changed AS (
            UPDATE payouts AS payout
               SET amount = payout.amount + $9,
                   updated_at = greatest(service_now(),
                                         payout.updated_at + interval '1 millisecond')
              FROM updated
             WHERE payout.organization_id = $1 AND payout.id = updated.payout_id
               AND $9::numeric <> 0
        ), entry AS (
            INSERT INTO history (organization_id, actor, request_id, action, resource_id,
                                 before, after)
            SELECT $1, $10, $11, 'update_commission_line', updated.id, $12, $13 FROM updated
        ) "#,
        ["FROM updated"],
        transaction.organization() as _,
        before.id,
        after.amount,
        after.currency,
        after.description,
        after.source_amount,
        after.plan_name,
        after.period_end,
        after.amount - before.fields.amount,
        &*caller.key_id,
        &*caller.request_id,
        json!(before.fields),
        json!(after)
    )
    .fetch_one(&mut **transaction)
    .await
}

/// Attaches a locked line of the pending pool to a payout that takes it (X23), raises the payout's
/// amount and writes the history row, in one statement. `None` where the payout does not take it.
pub(in super::super) async fn attach_line(
    transaction: &mut TenantTransaction,
    caller: &Caller,
    line: &LockedLine,
    payout_id: &str,
) -> Result<Option<CommissionLine>, sqlx::Error> {
    let stages = TAKES_LINES.map(PayoutStage::as_str);
    // The lock waits for a change of the payout's stage, and then compares the new one.
    select_lines!(
        r#"WITH payout AS (
            SELECT id FROM payouts
             WHERE organization_id = $1 AND id = $3 AND partner_id = $4 AND currency = $5
               AND stage = ANY($6)
               FOR NO KEY UPDATE
        ), attached AS (
            UPDATE commission_lines AS line
               SET status = 'IN_PAYOUT', payout_id = payout.id,
                   updated_at = greatest(service_now(), line.updated_at + interval '1 millisecond')
              FROM payout
             WHERE line.organization_id = $1 AND line.id = $2 AND line.status = 'PENDING'
            RETURNING line.*
        ), raised AS (
            UPDATE payouts AS payout
               SET amount = payout.amount + attached.amount,
                   updated_at = greatest(service_now(),
                                         payout.updated_at + interval '1 millisecond')
              FROM attached
             WHERE payout.organization_id = $1 AND payout.id = $3
        ), entry AS (
            INSERT INTO history (organization_id, actor, request_id, action, resource_id,
                                 before, after)
            SELECT $1, $7, $8, 'attach_commission_line', attached.id,
                   jsonb_build_object('status', 'PENDING', 'payoutId', NULL),
                   jsonb_build_object('status', status, 'payoutId', payout_id)
              FROM attached
        ) "#,
        ["FROM attached"],
        transaction.organization() as _,
        line.id,
        payout_id,
        line.partner_id,
        line.fields.currency,
        &stages as _,
        &*caller.key_id,
        &*caller.request_id
    )
    .fetch_optional(&mut **transaction)
    .await
}

/// Takes a locked line out of its payout (§3.1), lowers the payout's amount and writes the history
/// rows, in one statement.
pub(in super::super) async fn release_line(
    transaction: &mut TenantTransaction,
    caller: &Caller,
    line: &LockedLine,
    payout: &LockedPayout,
    release: Release,
) -> Result<CommissionLine, sqlx::Error> {
    select_lines!(
        r#"WITH released AS (
            UPDATE commission_lines
               SET status = $4, payout_id = NULL,
                   updated_at = greatest(service_now(), updated_at + interval '1 millisecond')
             WHERE organization_id = $1 AND id = $2
            RETURNING *
        ), lowered AS (
            UPDATE payouts AS payout
               SET amount = payout.amount - released.amount,
                   stage = CASE WHEN $5 AND payout.line_count = 1
                                THEN 'DECLINED' ELSE payout.stage END,
                   updated_at = greatest(service_now(),
                                         payout.updated_at + interval '1 millisecond')
              FROM released
             WHERE payout.organization_id = $1 AND payout.id = $3
            RETURNING payout.id, payout.stage
        ), line_entry AS (
            INSERT INTO history (organization_id, actor, request_id, action, resource_id,
                                 before, after)
            SELECT $1, $6, $7, $8, $2,
                   jsonb_build_object('status', 'IN_PAYOUT', 'payoutId', $3::text),
                   jsonb_build_object('status', status, 'payoutId', payout_id) || $9
              FROM released
        ), payout_entry AS (
            INSERT INTO history (organization_id, actor, request_id, action, resource_id,
                                 before, after)
            SELECT $1, $6, $7, 'update_payout', lowered.id,
                   jsonb_build_object('stage', $10::text),
                   jsonb_build_object('stage', lowered.stage)
              FROM lowered WHERE lowered.stage <> $10
        ) "#,
        ["FROM released"],
        transaction.organization() as _,
        line.id,
        payout.id,
        release.status.as_str(),
        release.declines_empty_payout,
        &*caller.key_id,
        &*caller.request_id,
        release.action,
        release.reason,
        payout.stage
    )
    .fetch_one(&mut **transaction)
    .await
}
