//! A commission line. Its amounts are exact decimals from the table to the response (V3).

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;

/// A commission line (§2.2).
#[derive(Clone, Debug, PartialEq)]
pub struct CommissionLine {
    pub organization_id: String,
    /// The line's id.
    pub id: String,
    /// The partner it belongs to.
    pub partner_id: String,
    /// The payout it is attached to; `None` in the pending pool.
    pub payout_id: Option<String>,
    /// Free text.
    pub description: String,
    /// The commission; negative for a claw-back.
    pub amount: Decimal,
    /// The amount it derives from.
    pub source_amount: Decimal,
    /// Its currency, ISO 4217.
    pub currency: String,
    /// Its status (§3.1): `IN_PAYOUT` exactly when it is attached.
    pub status: String,
    /// The commission plan's name.
    pub plan_name: String,
    /// End of the period it belongs to.
    pub period_end: DateTime<Utc>,
    /// The idempotency key it was created with.
    pub idempotency_key: Option<String>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
}

/// The filters of a list; a line must match all that are given (§4.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineFilters<'a> {
    /// Only this partner's lines.
    pub partner_id: Option<&'a str>,
    /// Only lines attached to this payout.
    pub payout_id: Option<&'a str>,
    /// Only lines in this status.
    pub status: Option<&'a str>,
}
