//! The data set's exact values. Payouts that other cases change have no snapshot.

use super::has_metadata;
use crate::cases::prelude::*;

/// Payouts of the partner that is renamed, those whose note or PO number is set, and those whose
/// lines are detached.
const CHANGING: [&str; 6] = ["one-line", "forty-one", "noted", "uploaded", "to-detach", "to-empty"];

/// Each payout of the data set has its exact values, in every stage.
#[case("§2.3", on = getPayout, features(Seeded), requests = 40)]
async fn values(context: &mut CaseContext<'_>) -> CaseResult {
    for expected in dataset::payouts() {
        let text = |name: &str| expected[name].as_str().unwrap_or_default();
        let (id, reference) = (text("id"), text("ref"));
        let response = context.send(payout(context, id)?).await?;
        response.is(200)?;
        response.has("/data/partner/id", dataset::partner_id(&expected["partner"]))?;
        for name in ["id", "batchId", "periodStart", "periodEnd", "stage", "poNumber", "createdAt"]
        {
            response.has(&format!("/data/{name}"), expected[name].clone())?;
        }
        // Lines of other payouts may be detached.
        if !["to-detach", "to-empty"].contains(&reference) {
            // Exact: negative, beyond floating point, and with every cent of 41 lines.
            let amount = format!("{:.2}", dataset::amount(expected));
            response.has("/data/amount/value", amount)?;
        }
        response.has("/data/amount/currency", expected["currency"].clone())?;
        has_metadata(&response, &expected["metadata"])?;
        if !CHANGING.contains(&reference) {
            context.snapshot(&response);
        }
    }
    Ok(())
}
