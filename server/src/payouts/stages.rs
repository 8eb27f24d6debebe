//! The stages of a payout: which follows which, and which take lines (X4, X6). The one table.

use crate::contract::value_sets::PayoutStage::{
    self, Approved, Blocked, Declined, Draft, Failed, Paid, PendingInvoice, PendingPayment,
    PendingReview, Postponed, Scheduled,
};

/// The stages in which a payout takes a new line.
pub const TAKES_LINES: [PayoutStage; 4] = [Draft, PendingReview, Approved, PendingInvoice];

/// The stages in which the lines of a payout cannot be changed or declined (X7, X8): it is being
/// paid, or is paid.
pub(crate) const LOCKS_LINES: [PayoutStage; 3] = [Scheduled, PendingPayment, Paid];

/// The stages that a payout can move to, in the order of the document's table.
pub(crate) const fn successors(stage: PayoutStage) -> &'static [PayoutStage] {
    match stage {
        Draft => {
            &[PendingReview, Approved, PendingInvoice, PendingPayment, Declined, Postponed, Blocked]
        }
        PendingReview => &[Draft, Approved, PendingInvoice, Declined, Postponed, Blocked],
        Approved => &[
            PendingReview,
            PendingInvoice,
            Scheduled,
            PendingPayment,
            Paid,
            Declined,
            Postponed,
            Blocked,
        ],
        PendingInvoice => &[Approved, Scheduled, PendingPayment, Declined, Postponed, Blocked],
        Scheduled => &[Approved, PendingPayment, Paid, Failed, Postponed, Declined, Blocked],
        PendingPayment => &[Approved, Paid, Failed, Blocked],
        Failed => &[Approved, Scheduled, PendingPayment, Blocked, Declined],
        Blocked => &[PendingReview, Approved, Scheduled, PendingPayment, Declined],
        Postponed | Declined => &[Draft, PendingReview],
        Paid => &[PendingPayment, Failed],
    }
}

/// The stages that a payout can move from to `stage`.
pub(crate) fn sources_of(stage: PayoutStage) -> Vec<&'static str> {
    let sources = PayoutStage::ALL.iter().filter(|source| successors(**source).contains(&stage));
    sources.map(|source| source.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table that stands in the description of `updatePayout`.
    #[test]
    fn stages_follow_each_other_as_the_document_says() {
        let document = include_str!("../../../openapi/api.yaml");
        let (_, operation) = document.split_once("operationId: updatePayout\n").unwrap();
        let (description, _) = operation.split_once("x-profile:").unwrap();
        let rows = description.lines().filter_map(|line| {
            let cells: Vec<&str> =
                line.trim().trim_matches('|').split('|').map(str::trim).collect();
            let [from, to] = cells[..] else { return None };
            let from = PayoutStage::parse(from).ok()?;
            let to = to.split(", ").map(|stage| PayoutStage::parse(stage).unwrap()).collect();
            Some((from, to))
        });
        let documented: Vec<(PayoutStage, Vec<PayoutStage>)> = rows.collect();
        assert_eq!(documented.len(), PayoutStage::ALL.len());
        for (from, to) in documented {
            assert_eq!(successors(from), to, "{from}");
        }
    }
}
