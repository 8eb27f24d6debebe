//! Statements (§2.4, §3.2, §4.7): one document for one state, another where one of the four
//! triggers changed, and an uploaded PDF unchanged. Every document is downloaded and compared byte
//! by byte.

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
    let id = context.fixture(Fixture::Payout)?;
    let before = context.given(payout(context, &id)?).await?;
    context.ok(statement(context, &id)?).await?;
    let after = context.send(payout(context, &id)?).await?;
    is_untouched(context, &before, &after)
}

/// Rendering a document for the first time changes neither the payout's stage nor anything else of
/// it.
#[case("§3.2", on = generateStatement, lock(payout), requests = 30)]
async fn stage_of_new(context: &mut CaseContext<'_>, locked: &mut LockedPayout) -> CaseResult {
    let id = locked.id().to_owned();
    let before = context.given(payout(context, &id)?).await?;
    before.has("/data/poNumber", locked.po_number())?;
    context.ok(statement(context, &id)?).await?;
    let after = context.send(payout(context, &id)?).await?;
    is_untouched(context, &before, &after)
}

/// That a payout is the same before and after its statement was generated.
fn is_untouched(context: &CaseContext<'_>, before: &Response, after: &Response) -> CaseResult {
    after.has("/data/stage", before.at("/data/stage").clone())?;
    let (was, is) = (own(before), own(after));
    // The specification says it of the stage alone (§3.2).
    after.that(
        is == was || !context.with_decisions(),
        "Generating a statement changed the payout.",
        &was.to_string(),
        &is.to_string(),
    )?;
    if context.deployment().features.contains(&Feature::Seeded) {
        // Also where another client generated the first statement.
        let seeded = dataset::payouts().find(|payout| payout["id"] == *after.at("/data/id"));
        if let Some(seeded) = seeded {
            after.has("/data/stage", seeded["stage"].clone())?;
        }
    }
    Ok(())
}
