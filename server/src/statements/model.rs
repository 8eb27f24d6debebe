//! What a statement is made of. Amounts are exact from the table to the page (V3).

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;

pub use super::document::Line as StatementLine;
use super::{assets::Asset, document, template::Template};
use crate::{failure::Failure, organizations::Billing};

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

/// Whether a payout has a statement.
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) organization_id: String,
    pub(crate) payout_id: String,
    /// The database's time.
    pub(crate) now: DateTime<Utc>,
    /// The uploaded PDF, or the rendered one of the present revisions: the payout had lines then,
    /// and the billing information was complete.
    pub(crate) current: Option<Asset>,
}

/// What a statement is made of, of one instant (S6).
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) state: State,
    pub(crate) revisions: Revisions,
    pub(crate) line_count: i64,
    pub(crate) billing: Billing,
    /// Without the lines.
    pub(crate) inputs: Inputs,
}

impl Facts {
    /// What forbids to make a statement; the first in the decided order (S1).
    pub(crate) fn obstacle(&self) -> Option<Failure> {
        match self.line_count {
            0 => return Some(Failure::NoCommissionLines),
            lines if lines > LINES_LIMIT => {
                return Some(Failure::StatementTooLarge { lines, limit: LINES_LIMIT });
            }
            _ => {}
        }
        let missing = self.billing.missing();
        (!missing.is_empty()).then_some(Failure::NoBillingInfo(missing))
    }
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
