//! A payout. Its amounts are exact decimals from the table to the response (V3).

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;

/// The longest note that a statement prints (V11).
pub const NOTE_LIMIT_CHARACTERS: usize = 2000;

/// A commission payout (§2.3).
#[derive(Clone, Debug, PartialEq)]
pub struct Payout {
    pub organization_id: String,
    /// The payout's id.
    pub id: String,
    /// The id of the partner it goes to.
    pub partner_id: String,
    /// That partner's current name.
    pub partner_name: String,
    /// The id of the batch it was created in.
    pub batch_id: String,
    pub period_start: DateTime<Utc>,
    pub period_end: DateTime<Utc>,
    /// The exact sum of its attached lines (V4).
    pub amount: Decimal,
    /// Its currency, ISO 4217.
    pub currency: String,
    /// Its stage (V10).
    pub stage: String,
    /// The purchase-order number that its statement prints.
    pub po_number: Option<String>,
    /// Its texts; `statementNote` is printed on its statement (V11).
    pub metadata: Option<serde_json::Value>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
}

/// The filters of a list; a payout must match all that are given (X2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PayoutFilters<'a> {
    pub(super) partner_id: Option<&'a str>,
    pub(super) batch_id: Option<&'a str>,
    /// Any text; of an unknown stage there are none.
    pub(super) stage: Option<&'a str>,
}

/// A batch of payouts (X5, X24).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PayoutBatch {
    pub(super) id: String,
    pub(super) period_start: DateTime<Utc>,
    pub(super) period_end: DateTime<Utc>,
    /// How many payouts it has.
    pub(super) payout_count: i64,
    /// How many lines are attached to them.
    pub(super) line_count: i64,
    /// The currencies of its payouts, sorted.
    pub(super) currencies: Vec<String>,
    /// The sum of its payouts in each of these currencies.
    pub(super) sums: Vec<Decimal>,
    pub(super) created_at: DateTime<Utc>,
}
