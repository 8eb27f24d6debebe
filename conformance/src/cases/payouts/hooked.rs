//! What a payout shows of what hooks changed: its PO number and its note.
//!
//! It refuses to leave either behind.

use serde_json::{Value, json};

use super::has_metadata;
use crate::{
    case::{CaseContext, CaseOutcome},
    cases::money::{
        instant,
        lease::{self, Lease, hold, leased, marked, quiet_payout, unmarked},
        payout,
    },
    exchange::Response,
    target::{Fixture, Hook},
};

pub(super) async fn po_number(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let noted = context.fixture(Fixture::PayoutNoted)?;
    let before = quiet_payout(context, &noted).await?;
    hold(context, leased!(po_number_shown)).await?;
    let after = quiet_payout(context, &noted).await?;
    after.has("/data/poNumber", before.at("/data/poNumber").clone())?;
    Ok(())
}

/// The payout of a lease shows this PO number, and all else as before.
async fn shows(
    context: &mut CaseContext<'_>,
    id: &str,
    changed: &str,
    value: Value,
    before: &Response,
) -> Result<(), CaseOutcome> {
    let response = context.send(payout(context, id)?).await?;
    response.is(200)?.has(changed, value)?;
    for name in [
        "partner",
        "batchId",
        "amount",
        "stage",
        "createdAt",
        "periodEnd",
    ] {
        let pointer = format!("/data/{name}");
        response.has(&pointer, before.at(&pointer).clone())?;
    }
    response.that(
        instant(&response, "/data/updatedAt")? > instant(before, "/data/updatedAt")?,
        "The payout was changed, and its updatedAt did not move.",
        &format!("later than {}", before.text("/data/updatedAt")),
        response.text("/data/updatedAt"),
    )?;
    Ok(())
}

async fn po_number_shown(
    context: &mut CaseContext<'_>,
    lease: &mut Lease,
) -> Result<(), CaseOutcome> {
    let id = lease.payout().to_owned();
    let before = context.given(payout(context, &id)?).await?;
    // Quotes, markup, other scripts: it is a text, and comes back as it was.
    let odd = format!("{} \"<№ 7/ü>\" 注文", marked());
    lease.set(context, &odd).await?;
    shows(context, &id, "/data/poNumber", json!(odd), &before).await
}

pub(super) async fn note(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    hold(context, leased!(note_shown)).await
}

async fn note_shown(context: &mut CaseContext<'_>, lease: &mut Lease) -> Result<(), CaseOutcome> {
    const NOTE: &str = "/data/metadata/statementNote";
    let id = lease.payout().to_owned();
    let before = context.given(payout(context, &id)?).await?;
    unmarked("statementNote", before.text(NOTE))?;
    let seen = note_set_and_cleared(context, &id, &before).await;
    lease::restore_note(context, &id, before.at(NOTE).as_str()).await?;
    seen?;
    let restored = context.send(payout(context, &id)?).await?;
    has_metadata(&restored, before.at("/data/metadata"))
}

async fn note_set_and_cleared(
    context: &mut CaseContext<'_>,
    id: &str,
    before: &Response,
) -> Result<(), CaseOutcome> {
    let mut expected = before.at("/data/metadata").clone();
    // Line breaks are kept.
    let note = format!("{}\nÜber \"zwei\" Zeilen — 二", marked());
    lease::set_note(context, id, &note).await?;
    expected["statementNote"] = json!(note);
    shows(context, id, "/data/metadata", expected.clone(), before).await?;
    context.operate(Hook::ClearNote, &[("payout", id)]).await?;
    let cleared = context.send(payout(context, id)?).await?;
    let note = cleared.at("/data/metadata/statementNote");
    cleared.that(
        note.is_null(),
        "The note was cleared, and is still shown.",
        "none",
        &note.to_string(),
    )?;
    Ok(())
}
