//! The inputs of a statement, and the rules that forbid to make one. Amounts are exact from the
//! table to the page (V3).

use chrono::{DateTime, Utc};
pub use payout_statement::Line as StatementLine;
use rust_decimal::Decimal;
use serde_json::json;

use super::{assets::Asset, template::Template};
use crate::{
    contract::types::{ErrorCode, MissingBillingDetails, StatementSizeDetails},
    organizations::{Billing, MissingBilling},
    problem::Failure,
};

/// Most lines that one statement prints (S2).
pub(crate) const LINES_LIMIT: i64 = payout_statement::LINES_LIMIT as i64;

/// Counters that every change to what decides a statement raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revisions {
    /// Counts changes of its lines, PO number and note.
    pub(crate) payout: i64,
    /// Counts changes of its template and billing information.
    pub(crate) organization: i64,
}

/// The statement of a payout, if there is a current one.
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

/// All that decides a statement, read in one snapshot (S6).
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) state: State,
    pub(crate) revisions: Revisions,
    pub(crate) line_count: i64,
    pub(crate) billing: Billing,
    /// Its lines are read later.
    pub(crate) inputs: Inputs,
}

impl Facts {
    /// Returns the first rule, in the decided order (S1), that forbids to make a statement.
    pub(crate) fn obstacle(&self) -> Option<Obstacle> {
        match self.line_count {
            0 => return Some(Obstacle::NoLines),
            lines if lines > LINES_LIMIT => return Some(Obstacle::TooLarge { lines }),
            _ => {}
        }
        let missing = self.billing.missing();
        (!missing.is_empty()).then_some(Obstacle::NoBilling(missing))
    }
}

/// Rules that forbid to make a statement.
pub(crate) enum Obstacle {
    /// The payout has no lines to print (§4.7 rule 6).
    NoLines,
    /// The organisation's billing information is incomplete (§4.7 rule 7, S3).
    NoBilling(Vec<MissingBilling>),
    /// The payout has more lines than a statement prints (S2).
    TooLarge { lines: i64 },
}

impl From<Obstacle> for Failure {
    fn from(obstacle: Obstacle) -> Self {
        match obstacle {
            Obstacle::NoLines => {
                let message = "The payout has no commission lines, so there is nothing to print.";
                Self::rejected(ErrorCode::NoCommissionLines, message, json!({}))
            }
            Obstacle::NoBilling(missing) => no_billing_info(&missing),
            Obstacle::TooLarge { lines } => {
                let message = format!(
                    "The payout has {lines} commission lines; a statement prints at most \
                     {LINES_LIMIT}."
                );
                let details = StatementSizeDetails { lines, limit: LINES_LIMIT };
                Self::rejected(ErrorCode::StatementTooLarge, message, details)
            }
        }
    }
}

fn no_billing_info(missing: &[MissingBilling]) -> Failure {
    let parts: Vec<&str> = missing.iter().map(|missing| missing.part).collect();
    let message = format!(
        "The organisation's commission billing information is incomplete: {}. \
         Complete it in the app.",
        parts.join(", ")
    );
    let missing = missing.iter().flat_map(|missing| missing.fields);
    let missing = missing.map(|field| (*field).to_owned()).collect();
    Failure::rejected(ErrorCode::NoBillingInfo, message, MissingBillingDetails { missing })
}

/// Everything that a statement prints except the issuer, read in one snapshot (S6).
#[derive(Clone, Debug)]
pub struct Inputs {
    pub partner_name: String,
    pub period_start: DateTime<Utc>,
    pub period_end: DateTime<Utc>,
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
