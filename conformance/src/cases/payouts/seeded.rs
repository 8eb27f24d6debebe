//! The data set's exact values.
//!
//! It refuses the payouts' names of partners: other cases rename one of those. And it takes no snapshot of a payout that
//! other cases change.

use serde_json::json;

use super::has_metadata;
use crate::{
    case::{CaseContext, CaseOutcome},
    cases::money::{dataset::Dataset, lease::quiet_payout, payout},
};

/// Payouts of the partner that is renamed, those whose note or PO number is set, and the one whose lines are spent.
const CHANGING: [&str; 6] = [
    "one-line",
    "forty-one",
    "noted",
    "uploaded",
    "to-detach",
    "to-empty",
];

pub(super) async fn seeded(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let dataset = Dataset::read();
    for expected in dataset.payouts() {
        let id = expected["id"].as_str().unwrap_or_default();
        let response = quiet_payout(context, id).await?;
        response.is(200)?;
        let partner = dataset.partner(&expected["partner"]);
        let partner = partner.cloned().unwrap_or_default();
        response.has("/data/partner/id", partner["id"].clone())?;
        for name in [
            "id",
            "batchId",
            "periodStart",
            "periodEnd",
            "stage",
            "poNumber",
            "createdAt",
        ] {
            response.has(&format!("/data/{name}"), expected[name].clone())?;
        }
        response.has("/data/amount/currency", expected["currency"].clone())?;
        has_metadata(&response, &expected["metadata"])?;
        if !CHANGING.contains(&expected["ref"].as_str().unwrap_or_default()) {
            context.snapshot(&response);
        }
    }
    Ok(())
}

pub(super) async fn seeded_amounts(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let dataset = Dataset::read();
    for name in ["huge", "negative", "forty-one", "empty", "one-line", "paid"] {
        let Some(expected) = dataset.payout(name) else {
            continue;
        };
        let id = expected["id"].as_str().unwrap_or_default();
        let response = context.send(payout(context, id)?).await?;
        let amount = format!("{:.2}", dataset.amount(expected));
        response.is(200)?.has(
            "/data/amount",
            json!({ "value": amount, "currency": expected["currency"] }),
        )?;
    }
    Ok(())
}
