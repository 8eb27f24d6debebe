//! What a payout shows of what hooks changed: its PO number and its note.
//!
//! It refuses to leave either behind.

use serde_json::{Value, json};

use super::has_metadata;
use crate::{
    case::{Scene, Stop},
    cases::money::{
        instant,
        lease::{self, Lease, hold, leased, marked, quiet_payout, unmarked},
        payout,
    },
    exchange::Answer,
    target::{Fixture, Hook},
};

pub(super) async fn po_number(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let noted = scene.fixture(Fixture::PayoutNoted)?;
    let before = quiet_payout(scene, &noted).await?;
    hold(scene, leased!(po_number_shown)).await?;
    let after = quiet_payout(scene, &noted).await?;
    after.has("/data/poNumber", before.at("/data/poNumber").clone())?;
    Ok(())
}

/// The payout of a lease shows this PO number, and all else as before.
async fn shows(
    scene: &mut Scene<'_>,
    id: &str,
    changed: &str,
    value: Value,
    before: &Answer,
) -> Result<(), Stop> {
    let answer = scene.send(payout(scene, id)?).await?;
    answer.is(200)?.has(changed, value)?;
    for name in [
        "partner",
        "batchId",
        "amount",
        "stage",
        "createdAt",
        "periodEnd",
    ] {
        let pointer = format!("/data/{name}");
        answer.has(&pointer, before.at(&pointer).clone())?;
    }
    answer.that(
        instant(&answer, "/data/updatedAt")? > instant(before, "/data/updatedAt")?,
        "The payout was changed, and its updatedAt did not move.",
        &format!("later than {}", before.text("/data/updatedAt")),
        answer.text("/data/updatedAt"),
    )?;
    Ok(())
}

async fn po_number_shown(scene: &mut Scene<'_>, lease: &mut Lease) -> Result<(), Stop> {
    let id = lease.payout().to_owned();
    let before = scene.given(payout(scene, &id)?).await?;
    // Quotes, markup, other scripts: it is a text, and comes back as it was.
    let odd = format!("{} \"<№ 7/ü>\" 注文", marked());
    lease.set(scene, &odd).await?;
    shows(scene, &id, "/data/poNumber", json!(odd), &before).await
}

pub(super) async fn note(scene: &mut Scene<'_>) -> Result<(), Stop> {
    hold(scene, leased!(note_shown)).await
}

async fn note_shown(scene: &mut Scene<'_>, lease: &mut Lease) -> Result<(), Stop> {
    const NOTE: &str = "/data/metadata/statementNote";
    let id = lease.payout().to_owned();
    let before = scene.given(payout(scene, &id)?).await?;
    unmarked("statementNote", before.text(NOTE))?;
    let seen = note_set_and_cleared(scene, &id, &before).await;
    lease::restore_note(scene, &id, before.at(NOTE).as_str()).await?;
    seen?;
    let restored = scene.send(payout(scene, &id)?).await?;
    has_metadata(&restored, before.at("/data/metadata"))
}

async fn note_set_and_cleared(
    scene: &mut Scene<'_>,
    id: &str,
    before: &Answer,
) -> Result<(), Stop> {
    let mut expected = before.at("/data/metadata").clone();
    // Line breaks are kept.
    let note = format!("{}\nÜber \"zwei\" Zeilen — 二", marked());
    lease::set_note(scene, id, &note).await?;
    expected["statementNote"] = json!(note);
    shows(scene, id, "/data/metadata", expected.clone(), before).await?;
    scene.operate(Hook::ClearNote, &[("payout", id)]).await?;
    let cleared = scene.send(payout(scene, id)?).await?;
    let note = cleared.at("/data/metadata/statementNote");
    cleared.that(
        note.is_null(),
        "The note was cleared, and is still shown.",
        "none",
        &note.to_string(),
    )?;
    Ok(())
}
