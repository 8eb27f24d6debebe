//! The stages in which a payout takes lines, and those in which it locks them (X6). Which stage
//! follows which is in the document.

use crate::contract::value_sets::PayoutStage::{
    self, Approved, Draft, Paid, PendingInvoice, PendingPayment, PendingReview, Scheduled,
};

/// The stages in which a payout takes a new line.
pub const TAKES_LINES: [PayoutStage; 4] = [Draft, PendingReview, Approved, PendingInvoice];

/// The stages in which the lines of a payout cannot be changed or declined (X7, X8): it is being
/// paid, or is paid.
pub(crate) const LOCKS_LINES: [PayoutStage; 3] = [Scheduled, PendingPayment, Paid];

/// Returns the stages that a payout can move from to `stage`.
pub(crate) fn sources_of(stage: PayoutStage) -> Vec<&'static str> {
    let sources = PayoutStage::ALL.iter().filter(|source| source.successors().contains(&stage));
    sources.map(|source| source.as_str()).collect()
}
