//! The data set's exact values.
//!
//! It refuses the payouts' names of partners: other cases rename one of those. And it takes no snapshot of a payout that
//! other cases change.

use serde_json::json;

use super::has_metadata;
use crate::{
    case::{Scene, Stop},
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

pub(super) async fn seeded(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let dataset = Dataset::read();
    for expected in dataset.payouts() {
        let id = expected["id"].as_str().unwrap_or_default();
        let answer = quiet_payout(scene, id).await?;
        answer.is(200)?;
        let partner = dataset.partner(&expected["partner"]);
        let partner = partner.cloned().unwrap_or_default();
        answer.has("/data/partner/id", partner["id"].clone())?;
        for name in [
            "id",
            "batchId",
            "periodStart",
            "periodEnd",
            "stage",
            "poNumber",
            "createdAt",
        ] {
            answer.has(&format!("/data/{name}"), expected[name].clone())?;
        }
        answer.has("/data/amount/currency", expected["currency"].clone())?;
        has_metadata(&answer, &expected["metadata"])?;
        if !CHANGING.contains(&expected["ref"].as_str().unwrap_or_default()) {
            scene.snapshot(&answer);
        }
    }
    Ok(())
}

pub(super) async fn seeded_amounts(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let dataset = Dataset::read();
    for name in ["huge", "negative", "forty-one", "empty", "one-line", "paid"] {
        let Some(expected) = dataset.payout(name) else {
            continue;
        };
        let id = expected["id"].as_str().unwrap_or_default();
        let answer = scene.send(payout(scene, id)?).await?;
        let amount = format!("{:.2}", dataset.amount(expected));
        answer.is(200)?.has(
            "/data/amount",
            json!({ "value": amount, "currency": expected["currency"] }),
        )?;
    }
    Ok(())
}
