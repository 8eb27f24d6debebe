//! Payouts in Postgres.
//!
//! It refuses a statement without `organization_id = $1`, although row-level security stands behind it.

use super::model::Payout;
use crate::tenant::TenantTransaction;

/// The payout with this id.
///
/// # Errors
/// The database refused or is away.
pub async fn get_payout(transaction: &mut TenantTransaction, id: &str) -> Result<Option<Payout>, sqlx::Error> {
    let organization = transaction.organization();
    sqlx::query_as!(
        Payout,
        "SELECT payouts.id, payouts.partner_id, partners.name AS partner_name, payouts.batch_id, payouts.period_start,
                payouts.period_end, payouts.amount, payouts.currency, payouts.stage, payouts.po_number, payouts.metadata,
                payouts.created_at, payouts.updated_at
           FROM payouts
           JOIN partners ON partners.organization_id = payouts.organization_id AND partners.id = payouts.partner_id
          WHERE payouts.organization_id = $1 AND payouts.id = $2",
        organization.as_str(),
        id
    )
    .fetch_optional(&mut **transaction)
    .await
}
