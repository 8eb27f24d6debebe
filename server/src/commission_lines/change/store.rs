//! Changing a locked line. The lock is a statement of its own, so that the next one sees all that
//! others did before they released it.

use serde_json::json;

use super::{super::model::CommissionLine, LineFields, LockedLine, LockedPayout, Release};
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
    sqlx::query_file_as!(
        CommissionLine,
        "src/commission_lines/change/update_line.sql",
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
    sqlx::query_file_as!(
        CommissionLine,
        "src/commission_lines/change/attach_line.sql",
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
    sqlx::query_file_as!(
        CommissionLine,
        "src/commission_lines/change/release_line.sql",
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
