//! What a statement is made of, as the rules see it.
//!
//! It refuses floating point: an amount is exact from the table to the page (V3).

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;

use super::{assets::Asset, document, template::Template};

/// Most lines that one statement prints (S2).
pub const LINES_LIMIT: i64 = document::LINES_LIMIT as i64;

/// How often what decides a statement has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revisions {
    /// Of the payout: its lines, PO number and note.
    pub payout: i64,
    /// Of the organisation: its template, and its billing information.
    pub organization: i64,
}

/// What is known of a payout's statement before a line is read.
#[derive(Clone, Debug)]
pub struct State {
    /// The database's time.
    pub now: DateTime<Utc>,
    /// What the answer holds for.
    pub revisions: Revisions,
    /// The PDF a person uploaded, where there is one.
    pub uploaded: Option<Asset>,
    /// The rendered PDF of these revisions, where there is one. There were lines then, and the billing information was
    /// complete.
    pub current: Option<Asset>,
}

/// Everything that a statement prints of one instant (S6), but for the issuer.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// The partner's name.
    pub partner_name: String,
    /// Start of the payout's period.
    pub period_start: DateTime<Utc>,
    /// End of the payout's period.
    pub period_end: DateTime<Utc>,
    /// The payout's currency, ISO 4217.
    pub currency: String,
    /// The payout's amount: the exact sum of its lines.
    pub amount: Decimal,
    /// The purchase-order number.
    pub po_number: Option<String>,
    /// The statement note (V11).
    pub note: Option<String>,
    /// The organisation's template, as it was set.
    pub template: Template,
    /// The attached lines by periodEnd, createdAt, id (S2).
    pub lines: Vec<PrintedLine>,
}

/// A line that is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedLine {
    /// Its id.
    pub id: String,
    /// Its free text.
    pub description: String,
    /// The commission.
    pub amount: Decimal,
    /// What the commission derives from.
    pub source_amount: Decimal,
    /// Currency of both, ISO 4217.
    pub currency: String,
    /// Name of the commission plan.
    pub plan_name: String,
    /// End of the period it belongs to.
    pub period_end: DateTime<Utc>,
}
