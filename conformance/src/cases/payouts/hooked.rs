//! PO number and note of a payout, changed by hooks and restored.

use super::has_metadata;
use crate::cases::money::{
    instant,
    lock::{self, Lock, NOTE, lock, marker, unlocked_payout},
    payout,
};
use crate::cases::prelude::*;

pub(super) async fn po_number(context: &mut CaseContext<'_>) -> CaseResult {
    let noted = context.fixture(Fixture::PayoutNoted)?;
    let before = unlocked_payout(context, &noted).await?;
    lock(context, |context, lock| Box::pin(po_number_shown(context, lock))).await?;
    let after = unlocked_payout(context, &noted).await?;
    after.has("/data/poNumber", before.at("/data/poNumber").clone()).map(drop)
}

/// That the locked payout shows this change, and everything else as before.
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

async fn po_number_shown(context: &mut CaseContext<'_>, lock: &mut Lock) -> CaseResult {
    let id = lock.payout().to_owned();
    let before = context.given(payout(context, &id)?).await?;
    // Quotes, markup and other scripts come back unchanged.
    let odd = format!("{} \"<№ 7/ü>\" 注文", marker());
    lock.set(context, &odd).await?;
    shows(context, &id, "/data/poNumber", json!(odd), &before).await
}

pub(super) async fn note(context: &mut CaseContext<'_>, lock: &mut Lock) -> CaseResult {
    let id = lock.payout().to_owned();
    let before = lock::note_before(context, &id).await?;
    let outcome = note_set_and_cleared(context, &id, &before).await;
    lock::restore_note(context, &before).await?;
    outcome?;
    let restored = context.send(payout(context, &id)?).await?;
    has_metadata(&restored, before.at("/data/metadata"))
}

async fn note_set_and_cleared(
    context: &mut CaseContext<'_>,
    id: &str,
    before: &Response,
) -> CaseResult {
    let mut expected = before.at("/data/metadata").clone();
    // Line breaks are kept.
    let note = format!("{}\nÜber \"zwei\" Zeilen — 二", marker());
    lock::set_note(context, id, &note).await?;
    expected["statementNote"] = json!(note);
    shows(context, id, "/data/metadata", expected.clone(), before).await?;
    context.operate(Hook::ClearNote, &[("payout", id)]).await?;
    let cleared = context.send(payout(context, id)?).await?;
    let note = cleared.at(NOTE);
    cleared.that(
        note.is_null(),
        "The note was cleared, but is still shown.",
        "none",
        &note.to_string(),
    )
}
