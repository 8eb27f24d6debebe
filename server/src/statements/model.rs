//! What a statement is made of. Amounts are exact from the table to the page (V3).

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;

pub use super::document::Line as StatementLine;
use super::{assets::Asset, document, template::Template};

/// Most lines that one statement prints (S2).
pub(crate) const LINES_LIMIT: i64 = document::LINES_LIMIT as i64;

/// Counters that every change to what decides a statement raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revisions {
    /// Of the payout: its lines, PO number and note.
    pub(crate) payout: i64,
    /// Of the organisation: its template and billing information.
    pub(crate) organization: i64,
}

/// What is known of a payout's statement without reading a line.
#[derive(Clone, Debug)]
pub struct State {
    /// The database's time.
    pub(crate) now: DateTime<Utc>,
    pub(crate) revisions: Revisions,
    pub(crate) uploaded: Option<Asset>,
    /// The rendered PDF of these revisions. The payout had lines then, and the billing information
    /// was complete.
    pub(crate) current: Option<Asset>,
}

/// Everything that a statement prints, of one instant (S6), except the issuer.
#[derive(Clone, Debug)]
pub struct Inputs {
    pub partner_name: String,
    pub period_start: DateTime<Utc>,
    pub period_end: DateTime<Utc>,
    /// ISO 4217.
    pub currency: String,
    /// The exact sum of the lines.
    pub amount: Decimal,
    pub po_number: Option<String>,
    /// The statement note (V11).
    pub note: Option<String>,
    pub template: Template,
    /// The attached lines by periodEnd, createdAt, id (S2).
    pub lines: Vec<StatementLine>,
}
