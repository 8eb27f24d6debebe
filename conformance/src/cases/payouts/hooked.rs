//! PO number and note of a payout, changed by hooks.

use super::has_metadata;
use crate::cases::prelude::*;

/// A payout shows its PO number as it was set, and null where it has none.
#[case("§2.3.poNumber", on = getPayout, fixtures(PayoutNoted), hooks(SetPoNumber, ClearPoNumber),
       changes = Restored, requests = 38)]
async fn po_number(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutNoted)?;
    let before = context.given(payout(context, &id)?).await?;
    // Quotes, markup and other scripts come back unchanged.
    let odd = format!("{} \"<№ 7/ü>\" 注文", marker());
    context.set_po_number(&id, Some(&odd)).await?;
    shows(context, &id, "/data/poNumber", json!(odd), &before).await?;
    context.undo().await?;
    shows(context, &id, "/data/poNumber", before.at("/data/poNumber").clone(), &before).await
}

/// A payout's metadata shows its statement note as it was set, beside its other members.
#[case("V11", on = getPayout, fixtures(PayoutNoted), hooks(SetNote, ClearNote), changes = Restored,
       requests = 40)]
async fn note(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutNoted)?;
    let before = context.given(payout(context, &id)?).await?;
    let mut expected = before.at("/data/metadata").clone();
    // Line breaks are kept.
    let note = format!("{}\nÜber \"zwei\" Zeilen — 二", marker());
    context.set_note(&id, Some(&note)).await?;
    expected["statementNote"] = json!(note);
    shows(context, &id, "/data/metadata", expected, &before).await?;
    context.set_note(&id, None).await?;
    let cleared = context.send(payout(context, &id)?).await?;
    let note = cleared.at(NOTE);
    cleared.that(
        note.is_null(),
        "The note was cleared, but is still shown.",
        "none",
        &note.to_string(),
    )?;
    context.undo().await?;
    let restored = context.send(payout(context, &id)?).await?;
    has_metadata(&restored, before.at("/data/metadata"))
}

/// Requires that the payout shows this change, and everything else as before.
async fn shows(
    context: &mut CaseContext<'_>,
    id: &str,
    changed: &str,
    value: Value,
    before: &Response,
) -> CaseResult {
    let response = context.ok(payout(context, id)?).await?;
    response.has(changed, value)?;
    let kept = ["partner", "batchId", "amount", "stage", "createdAt", "periodEnd"];
    for name in kept.into_iter().filter(|_| context.with_decisions()) {
        let pointer = format!("/data/{name}");
        response.has(&pointer, before.at(&pointer).clone())?;
    }
    response.that(
        instant(&response, "/data/updatedAt")? > instant(before, "/data/updatedAt")?,
        "The payout was changed, but its updatedAt did not move.",
        &format!("later than {}", before.text("/data/updatedAt")),
        response.text("/data/updatedAt"),
    )
}
