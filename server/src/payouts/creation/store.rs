//! Statements that create payouts. Their number does not grow with the lines, and each payout's
//! amount is the sum of the lines that its own statement attached.

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde_json::Value;

use crate::{contract::types::CreatePayoutReferences, id::IdKind, postgres::TenantTransaction};

#[derive(Clone, Copy, Debug)]
pub struct Actor<'a> {
    /// A key's id, or [`crate::history::OPERATOR`].
    pub id: &'a str,
    /// The request's id; an operator's command has none.
    pub request_id: Option<&'a str>,
}

#[derive(Clone, Debug)]
pub struct NewPayout<'a> {
    pub id: &'a str,
    pub partner_id: &'a str,
    /// The batch it is created in; `None` makes one of its own.
    pub batch_id: Option<&'a str>,
    pub period_start: DateTime<Utc>,
    /// End of its period, not before the start.
    pub period_end: DateTime<Utc>,
    pub currency: &'a str,
    pub stage: &'a str,
    /// The purchase-order number that its statement prints.
    pub po_number: Option<&'a str>,
    pub metadata: Option<Value>,
    /// If true, attaches the partner's pending lines in its currency, up to the end of its period.
    pub attach_pending: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreatedPayout {
    pub lines: i64,
    pub amount: Decimal,
}

/// Waits until no other transaction attaches lines of the organisation's pending pool: two of them
/// would lock lines in different orders.
async fn lock_pending_pool(transaction: &mut TenantTransaction) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended('pending pool of ' || $1, 0))",
        transaction.organization() as _
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}

/// Looks up the partner and the batch, and locks the batch: it gets one payout for each partner and
/// currency, however many ask at once.
pub(crate) async fn lock_references(
    transaction: &mut TenantTransaction,
    partner_id: &str,
    batch_id: Option<&str>,
) -> Result<CreatePayoutReferences, sqlx::Error> {
    let row = sqlx::query_file!(
        "src/payouts/creation/lock_references.sql",
        transaction.organization() as _,
        partner_id,
        batch_id
    )
    .fetch_one(&mut **transaction)
    .await?;
    Ok(CreatePayoutReferences { partner_id: row.partner, batch_id: row.batch })
}

/// Returns the batch's payout of a partner in a currency; the oldest, should there be several.
pub(crate) async fn payout_in_batch(
    transaction: &mut TenantTransaction,
    batch_id: &str,
    partner_id: &str,
    currency: &str,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!(
        "SELECT id FROM payouts
          WHERE organization_id = $1 AND batch_id = $2 AND partner_id = $3 AND currency = $4
          ORDER BY created_at, id
          LIMIT 1",
        transaction.organization() as _,
        batch_id,
        partner_id,
        currency
    )
    .fetch_optional(&mut **transaction)
    .await
}

/// Creates a payout, attaches pending lines, sums them, and writes the history rows of all, in one
/// statement. `None` where the organisation has no such partner.
pub async fn create_payout(
    transaction: &mut TenantTransaction,
    actor: Actor<'_>,
    new: NewPayout<'_>,
) -> Result<Option<CreatedPayout>, sqlx::Error> {
    if new.attach_pending {
        lock_pending_pool(transaction).await?;
    }
    let own_batch = new.batch_id.is_none().then(|| IdKind::PayoutBatch.generate());
    sqlx::query_file_as!(
        CreatedPayout,
        "src/payouts/creation/create_payout.sql",
        transaction.organization() as _,
        new.id,
        new.partner_id,
        own_batch,
        new.batch_id,
        new.period_start,
        new.period_end,
        new.currency,
        new.stage,
        new.po_number,
        new.metadata,
        new.attach_pending,
        actor.id,
        actor.request_id
    )
    .fetch_optional(&mut **transaction)
    .await
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct NewBatch<'a> {
    pub(crate) id: &'a str,
    pub(crate) period_start: DateTime<Utc>,
    /// Lines whose period ends later are left.
    pub(crate) period_end: DateTime<Utc>,
    /// If true, creates payouts for the pending lines.
    pub(crate) attach_pending: bool,
}

/// Creates a batch with a payout for every partner and currency that has pending lines, and writes
/// the history rows of all, in one statement. What two batches at once both find, the first takes.
pub(crate) async fn create_payout_batch(
    transaction: &mut TenantTransaction,
    actor: Actor<'_>,
    new: NewBatch<'_>,
) -> Result<(), sqlx::Error> {
    if new.attach_pending {
        lock_pending_pool(transaction).await?;
    }
    // A payout's id ends with a hash of its batch, partner and currency. It follows from the line
    // alone, so that a line whose currency changes meanwhile goes to the payout of its new one.
    let some_id = IdKind::Payout.generate();
    let id_prefix = &some_id[..some_id.len() - 16];
    sqlx::query_file!(
        "src/payouts/creation/create_payout_batch.sql",
        transaction.organization() as _,
        new.id,
        new.period_start,
        new.period_end,
        id_prefix,
        new.attach_pending,
        actor.id,
        actor.request_id
    )
    .execute(&mut **transaction)
    .await
    .map(drop)
}
