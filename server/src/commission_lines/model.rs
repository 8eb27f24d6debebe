//! A commission line. Its amounts are exact decimals from the table to the response (V3).

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;

/// A commission line (§2.2).
#[derive(Clone, Debug, PartialEq)]
pub struct CommissionLine {
    pub organization_id: String,
    pub id: String,
    pub partner_id: String,
    /// The payout it is attached to; `None` in the pending pool.
    pub payout_id: Option<String>,
    pub description: String,
    /// The commission; negative for a claw-back.
    pub amount: Decimal,
    /// The amount it derives from.
    pub source_amount: Decimal,
    pub currency: String,
    /// Its status (§3.1): `IN_PAYOUT` exactly when it is attached.
    pub status: String,
    pub plan_name: String,
    pub period_end: DateTime<Utc>,
    pub idempotency_key: Option<String>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// The filters of a list; a line must match all that are given (§4.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineFilters<'a> {
    pub partner_id: Option<&'a str>,
    pub payout_id: Option<&'a str>,
    pub status: Option<&'a str>,
}
