//! Statements (§2.4, §3.2, §4.7): one document for one state, another where one of the four
//! triggers changed, and an uploaded PDF unchanged. Every document is downloaded and compared byte
//! by byte.

pub(super) mod faults;
mod printed;
mod rejected;
mod result;
mod triggers;
mod uploads;

use crate::cases::prelude::*;

// The cases about the stage are the first: where a stage moves with the first document, it has
// moved by the time of others.

/// Generating a statement does not change the payout's stage, nor anything else of it.
#[case("§3.2", on = generateStatement, fixtures(Payout), changes = Restored)]
async fn stage(context: &mut CaseContext<'_>) -> CaseResult {
    leaves_payout(context, &context.fixture(Fixture::Payout)?).await
}

/// Rendering a document for the first time changes neither the payout's stage nor anything else of
/// it.
#[case("§3.2", on = generateStatement, fixtures(PayoutNoted), hooks(SetPoNumber, ClearPoNumber),
       changes = Restored, requests = 38)]
async fn stage_of_new(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutNoted)?;
    context.renumber(&id).await?;
    leaves_payout(context, &id).await
}

/// Requires that generating a statement leaves the payout as it was.
async fn leaves_payout(context: &mut CaseContext<'_>, id: &str) -> CaseResult {
    let before = context.given(payout(context, id)?).await?;
    context.ok(statement(context, id)?).await?;
    let after = context.send(payout(context, id)?).await?;
    after.has("/data/stage", before.at("/data/stage").clone())?;
    // The specification says it of the stage alone (§3.2).
    if context.with_decisions() {
        let what = "Generating a statement changed the payout.";
        after.same(what, before.at("/data"), after.at("/data"))?;
    }
    if context.deployment().features.contains(&Feature::Seeded) {
        let seeded = dataset::payouts().find(|payout| payout["id"] == *after.at("/data/id"));
        if let Some(seeded) = seeded {
            after.has("/data/stage", seeded["stage"].clone())?;
        }
    }
    Ok(())
}

async fn has_lines(context: &mut CaseContext<'_>, key: &Secret, id: &str) -> CaseResult<bool> {
    let list = LINES.filtered(key, &[("payoutId", id), ("limit", "1")]);
    Ok(!context.given(list).await?.items().is_empty())
}
