//! What rebuilds a document: lines, PO number, note, template (§4.7 rule 2). And what does not: whatever else.
//!
//! It refuses to leave a trigger pulled: what a hook changed is changed back before anything is said of it.

use std::sync::Arc;

use hyper::Method;
use serde_json::json;

use crate::{
    case::{Case, Changes, Scene, Stop, definition::runs},
    cases::{
        lines::detach_one,
        money::{
            document::{Document, has_ended, statement},
            lease::{self, HOOKS, Lease, hold, leased, marked, quiet_payout, unmarked},
            payout,
        },
    },
    exchange::{Answer, Call},
    target::{Fixture, Hook},
};

const NOTE_HOOKS: &[Hook] = &[
    Hook::SetPoNumber,
    Hook::ClearPoNumber,
    Hook::SetNote,
    Hook::ClearNote,
];
const TEMPLATE_HOOKS: &[Hook] = &[
    Hook::SetPoNumber,
    Hook::ClearPoNumber,
    Hook::SetTemplate,
    Hook::ClearTemplate,
];
const ALL_HOOKS: &[Hook] = &[
    Hook::SetPoNumber,
    Hook::ClearPoNumber,
    Hook::SetNote,
    Hook::ClearNote,
    Hook::SetTemplate,
    Hook::ClearTemplate,
];
const NOTE: &str = "/data/metadata/statementNote";

pub(super) const CASES: &[Case] = &[
    Case::new(
        "statements.note",
        "Another note, and none, rebuild the document.",
        "§4.7.2",
        runs!(note),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutNoted])
    .hooks(NOTE_HOOKS)
    .changes(Changes::Restored)
    .requests(30),
    Case::new(
        "statements.po-number",
        "Another PO number rebuilds the document.",
        "§4.7.2",
        runs!(po_number),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutNoted])
    .hooks(&HOOKS)
    .changes(Changes::Restored)
    .requests(30),
    Case::new(
        "statements.template",
        "Another statement template rebuilds the document.",
        "§4.7.2",
        runs!(template),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutNoted])
    .hooks(TEMPLATE_HOOKS)
    .changes(Changes::Restored)
    .requests(30),
    Case::new(
        "statements.earlier-state",
        "Back to an earlier note, PO number and template, the earlier document is returned.",
        "S5",
        runs!(earlier_state),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutNoted])
    .hooks(ALL_HOOKS)
    .changes(Changes::Restored)
    .requests(40),
    Case::new(
        "statements.renamed-partner",
        "A renamed partner rebuilds nothing: its name is none of the four triggers.",
        "§4.7.2",
        runs!(renamed_partner),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutNoted])
    .hooks(&HOOKS)
    .changes(Changes::Restored)
    .requests(40),
    Case::new(
        "statements.detached-line",
        "A detached line rebuilds the document.",
        "§4.7.2",
        runs!(detached_line),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::LinesToDetach, Fixture::PayoutToDetach])
    .changes(Changes::Irreversible)
    .requests(20),
];

/// The note of a lease's payout, which no other run has left there.
async fn note_of(scene: &mut Scene<'_>, id: &str) -> Result<Answer, Stop> {
    let before = scene.given(payout(scene, id)?).await?;
    unmarked("statementNote", before.text(NOTE))?;
    Ok(before)
}

async fn note(scene: &mut Scene<'_>) -> Result<(), Stop> {
    hold(scene, leased!(note_changes)).await
}

async fn note_changes(scene: &mut Scene<'_>, lease: &mut Lease) -> Result<(), Stop> {
    let id = lease.payout().to_owned();
    let before = note_of(scene, &id).await?;
    let seen = note_rebuilds(scene, &id).await;
    lease::restore_note(scene, &id, before.at(NOTE).as_str()).await?;
    seen
}

async fn note_rebuilds(scene: &mut Scene<'_>, id: &str) -> Result<(), Stop> {
    let first = Document::of(scene, id).await?;
    lease::set_note(scene, id, &marked()).await?;
    let noted = Document::of(scene, id).await?;
    noted.differs_from(&first, scene, "the note changed")?;
    scene.operate(Hook::ClearNote, &[("payout", id)]).await?;
    let bare = Document::of(scene, id).await?;
    bare.differs_from(&noted, scene, "the note was taken away")
}

async fn po_number(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let id = scene.fixture(Fixture::PayoutNoted)?;
    // With its own PO number, or none: marks are others in any case, whatever another run does meanwhile.
    quiet_payout(scene, &id).await?;
    let own = Arc::new(Document::of(scene, &id).await?);
    hold(scene, |scene, lease| {
        let own = Arc::clone(&own);
        Box::pin(async move { po_number_rebuilds(scene, lease, &own).await })
    })
    .await
}

async fn po_number_rebuilds(
    scene: &mut Scene<'_>,
    lease: &mut Lease,
    own: &Document,
) -> Result<(), Stop> {
    let id = lease.payout().to_owned();
    let first = Document::of(scene, &id).await?;
    first.differs_from(own, scene, "the payout was given another PO number")?;
    lease.mark(scene).await?;
    let second = Document::of(scene, &id).await?;
    second.differs_from(&first, scene, "the PO number changed")
}

async fn template(scene: &mut Scene<'_>) -> Result<(), Stop> {
    hold(scene, leased!(template_changes)).await
}

async fn set_template(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let title = marked();
    scene
        .operate(Hook::SetTemplate, &[("title", &title)])
        .await?;
    Ok(())
}

async fn template_changes(scene: &mut Scene<'_>, lease: &mut Lease) -> Result<(), Stop> {
    let seen = template_rebuilds(scene, lease.payout()).await;
    scene.operate(Hook::ClearTemplate, &[]).await?;
    seen
}

async fn template_rebuilds(scene: &mut Scene<'_>, id: &str) -> Result<(), Stop> {
    let first = Document::of(scene, id).await?;
    set_template(scene).await?;
    let second = Document::of(scene, id).await?;
    second.differs_from(&first, scene, "the template changed")
}

async fn earlier_state(scene: &mut Scene<'_>) -> Result<(), Stop> {
    hold(scene, leased!(earlier_state_returns)).await
}

async fn earlier_state_returns(scene: &mut Scene<'_>, lease: &mut Lease) -> Result<(), Stop> {
    let id = lease.payout().to_owned();
    let before = note_of(scene, &id).await?;
    let first_mark = lease.po_number().to_owned();
    let seen = changed_state(scene, lease).await;
    lease::restore_note(scene, &id, before.at(NOTE).as_str()).await?;
    scene.operate(Hook::ClearTemplate, &[]).await?;
    lease.set(scene, &first_mark).await?;
    let first = seen?;
    let again = Document::of(scene, &id).await?;
    again.is_same_as(&first, "note, PO number and template are what they were")
}

/// The document of the state at first, after all three triggers were pulled.
async fn changed_state(scene: &mut Scene<'_>, lease: &mut Lease) -> Result<Document, Stop> {
    let id = lease.payout().to_owned();
    let first = Document::of(scene, &id).await?;
    lease::set_note(scene, &id, &marked()).await?;
    set_template(scene).await?;
    lease.mark(scene).await?;
    let changed = Document::of(scene, &id).await?;
    changed.differs_from(&first, scene, "note, PO number and template changed")?;
    let earlier = scene
        .follow(first.answer.text("/data/downloadUrl"), Call::get(""))
        .await?;
    // Where links are short, hooks may have outlasted it.
    if has_ended(&first.answer, &earlier)? {
        return Ok(first);
    }
    earlier.is(200)?.that(
        earlier.body == *first.bytes(),
        "The link to the earlier document leads to other bytes by now.",
        "the bytes it led to",
        "others",
    )?;
    Ok(first)
}

async fn renamed_partner(scene: &mut Scene<'_>) -> Result<(), Stop> {
    hold(scene, leased!(partner_is_renamed)).await
}

async fn partner_is_renamed(scene: &mut Scene<'_>, lease: &mut Lease) -> Result<(), Stop> {
    let id = lease.payout().to_owned();
    let first = Document::of(scene, &id).await?;
    let of_payout = scene.given(payout(scene, &id)?).await?;
    let path = format!("/api/v1/partners/{}", of_payout.text("/data/partner/id"));
    let key = scene.all()?;
    let partner = scene.given(Call::get(path.clone()).with(&key)).await?;
    let name = partner.text("/data/name").to_owned();
    unmarked("partner's name", &name)?;
    let rename = |name: &str| {
        Call::new(Method::PATCH, path.clone())
            .json(&json!({ "name": name }))
            .with(&key)
    };
    let renamed = scene.send(rename(&marked())).await?;
    let document = Document::of(scene, &id).await;
    let shown = scene.send(payout(scene, &id)?).await;
    scene.given(rename(&name)).await?;
    // The payout itself names the partner as it is now (§2.3).
    shown?.has("/data/partner/name", renamed.is(200)?.text("/data/name"))?;
    document?.is_same_as(&first, "only the partner's name changed")?;
    let again = Document::of(scene, &id).await?;
    again.is_same_as(&first, "the partner has its name again")
}

async fn detached_line(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let id = scene.fixture(Fixture::PayoutToDetach)?;
    if !has_lines(scene, &id).await? {
        return Err(Stop::missing("a line of payout_to_detach (none is left)"));
    }
    let first = Document::of(scene, &id).await?;
    detach_one(scene).await?;
    let answer = scene.send(statement(scene, &id)?).await?;
    // It was the last line: then there is nothing to print, and an earlier document would be wrong.
    if answer.status == 422 && !has_lines(scene, &id).await? {
        return Ok(());
    }
    answer.is(200)?;
    let second = Document::behind(scene, answer).await?;
    second.differs_from(&first, scene, "a line was detached")
}

async fn has_lines(scene: &mut Scene<'_>, id: &str) -> Result<bool, Stop> {
    let list = Call::get("/api/v1/commission-lines?limit=1")
        .query("payoutId", id)
        .with(&scene.all()?);
    let page = scene.send(list).await?;
    Ok(!page.is(200)?.items().is_empty())
}
