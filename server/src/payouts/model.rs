//! A payout. Its amounts are exact decimals from the table to the response (V3).

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;

/// The longest note that a statement prints (V11).
pub const NOTE_LIMIT_CHARACTERS: usize = 2000;

/// A commission payout (§2.3).
#[derive(Clone, Debug, PartialEq)]
pub struct Payout {
    pub organization_id: String,
    pub id: String,
    pub partner_id: String,
    pub partner_name: String,
    pub batch_id: String,
    pub period_start: DateTime<Utc>,
    pub period_end: DateTime<Utc>,
    /// The exact sum of its attached lines (V4).
    pub amount: Decimal,
    pub currency: String,
    pub stage: String,
    /// The purchase-order number that its statement prints.
    pub po_number: Option<String>,
    /// Its texts; `statementNote` is printed on its statement (V11).
    pub metadata: Option<serde_json::Value>,
    pub created_at: DateTime<Utc>,
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
    pub(super) payout_count: i64,
    pub(super) line_count: i64,
    /// The currencies of its payouts, sorted.
    pub(super) currencies: Vec<String>,
    /// The sum of its payouts in each of these currencies.
    pub(super) sums: Vec<Decimal>,
    pub(super) created_at: DateTime<Utc>,
}
