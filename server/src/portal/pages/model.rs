//! What a visitor sees of a partner's commissions and payouts. Amounts are the database's texts:
//! they are shown, and nothing is computed of them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;

use crate::contract::value_sets::PayoutStage::{
    self, Approved, Failed, Paid, PendingInvoice, PendingPayment, Scheduled,
};

/// The stages in which a payout is shown, with their names on the pages. In an earlier or internal
/// one it does not exist here.
pub const SHOWN_STAGES: [(PayoutStage, &str); 6] = [
    (Approved, "Approved"),
    (PendingInvoice, "Waiting for an invoice"),
    (Scheduled, "Scheduled"),
    (PendingPayment, "In payment"),
    (Paid, "Paid"),
    (Failed, "Payment failed"),
];

/// The stages as statements take them.
pub(super) fn shown_stages() -> Vec<&'static str> {
    SHOWN_STAGES.iter().map(|(stage, _)| stage.as_str()).collect()
}

/// Returns a stage's name on the pages; a stage that is not shown has none.
pub(crate) fn stage_name(stage: &str) -> Option<&'static str> {
    SHOWN_STAGES.iter().find(|(shown, _)| shown.as_str() == stage).map(|(_, name)| *name)
}

/// The exact sums of a partner's lines in one currency; together they are all lines that are not
/// voided.
#[derive(Clone, Debug, Serialize)]
pub struct Sums {
    pub currency: String,
    /// In no payout, or in one that is not shown.
    pub waiting: String,
    /// In a payout that is shown and not paid.
    pub in_payment: String,
    pub paid: String,
}

/// A commission line that is not voided.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    pub id: String,
    pub description: String,
    pub plan_name: String,
    pub period_end: DateTime<Utc>,
    pub amount: String,
    pub currency: String,
    pub status: String,
    /// The payout that it is in, where that is shown.
    pub payout_id: Option<String>,
    pub stage: Option<String>,
    pub created_at: DateTime<Utc>,
}

/// A payout that is shown.
#[derive(Clone, Debug, Serialize)]
pub struct Payout {
    pub id: String,
    pub period_start: DateTime<Utc>,
    pub period_end: DateTime<Utc>,
    pub amount: String,
    pub currency: String,
    pub stage: String,
    pub po_number: Option<String>,
    pub line_count: i64,
    pub created_at: DateTime<Utc>,
}

/// A comment that the partner reads.
#[derive(Clone, Debug, Serialize)]
pub struct Comment {
    pub id: String,
    pub text: String,
    /// A visitor wrote it; else the organisation did.
    pub is_own: bool,
    pub created_at: DateTime<Utc>,
}

/// What was submitted with a form, and the form's fields at that time.
#[derive(Clone, Debug, Serialize)]
pub struct Submission {
    pub form_name: String,
    pub form_fields: Vec<crate::forms::Field>,
    pub fields: Value,
    pub status: String,
    pub submitted_at: DateTime<Utc>,
}

/// The rows of one partner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfPartner<'a, F> {
    pub(crate) partner: &'a str,
    pub(crate) filter: F,
}

/// Every line of the partner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AllLines;

/// The lines of a payout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinesOfPayout<'a>(pub(crate) &'a str);

/// The payouts that are shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShownPayouts;

/// The comments about a payout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommentsOnPayout<'a>(pub(crate) &'a str);
