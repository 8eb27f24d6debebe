//! What rebuilds a document: lines, PO number, note, template (§4.7 rule 2). And what does not: whatever else.
//!
//! It refuses to leave a trigger pulled: what a hook changed is changed back before anything is said of it.

use std::sync::Arc;

use hyper::Method;
use serde_json::{Value, json};

use crate::{
    case::{Case, Changes, Scene, Stop, definition::runs},
    cases::{
        lines::detach_one,
        money::{
            document::{Document, statement},
            lease::{self, HOOKS, Lease, hold, leased, marked, quiet_payout, unmarked},
            payout, walk,
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
    .requests(60),
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
    first.is_still_there(scene).await?;
    Ok(first)
}

async fn renamed_partner(scene: &mut Scene<'_>) -> Result<(), Stop> {
    hold(scene, leased!(partner_is_renamed)).await
}

async fn partner_is_renamed(scene: &mut Scene<'_>, lease: &mut Lease) -> Result<(), Stop> {
    let id = lease.payout().to_owned();
    let first = Document::of(scene, &id).await?;
    // The payout itself names the partner as it is now (§2.3).
    let (document, shown, name) = while_renamed(scene, &id).await?;
    shown.has("/data/partner/name", name)?;
    document.is_same_as(&first, "only the partner's name and domain changed")?;
    let again = Document::of(scene, &id).await?;
    again.is_same_as(&first, "the partner has its name again")?;
    if !scene.with_decisions() {
        return Ok(());
    }
    // And a document that is made while it has another name tells that one.
    lease.mark(scene).await?;
    let (document, _, name) = while_renamed(scene, &id).await?;
    let filename = document.answer.text("/data/filename");
    document.answer.that(
        filename.contains(&name),
        "A document that was made after the partner was renamed has another name in its filename.",
        &name,
        filename,
    )?;
    Ok(())
}

/// The payout's document and the payout, both while its partner has another name and domain; and that name.
async fn while_renamed(
    scene: &mut Scene<'_>,
    id: &str,
) -> Result<(Document, Answer, String), Stop> {
    let of_payout = scene.given(payout(scene, id)?).await?;
    let path = format!("/api/v1/partners/{}", of_payout.text("/data/partner/id"));
    let partner = Call::get(path).with(&scene.all()?);
    let before = scene.given(partner.clone()).await?;
    let name = before.text("/data/name");
    unmarked("partner's name", name)?;
    let change = |body: Value| Call {
        method: Method::PATCH,
        ..partner.clone().json(&body)
    };
    let other = marked();
    let body = json!({ "name": other, "domain": "renamed-partner.example" });
    let changed = scene.send(change(body)).await?;
    let document = Document::of(scene, id).await;
    let shown = scene.send(payout(scene, id)?).await;
    let body = json!({ "name": name, "domain": before.at("/data/domain") });
    scene.given(change(body)).await?;
    changed.is(200)?;
    Ok((document?, shown?, other))
}

async fn detached_line(scene: &mut Scene<'_>) -> Result<(), Stop> {
    if lease::may_hold(scene) {
        return hold(scene, leased!(detached_line_alone)).await;
    }
    line_is_detached(scene, None).await
}

/// While nobody changes the template, which is that of all the organisation's documents.
async fn detached_line_alone(scene: &mut Scene<'_>, _: &mut Lease) -> Result<(), Stop> {
    let id = scene.fixture(Fixture::PayoutToDetach)?;
    let other = other_payout(scene, &id).await?;
    line_is_detached(scene, other).await
}

/// The document is rebuilt, and that of another payout is not.
async fn line_is_detached(scene: &mut Scene<'_>, other: Option<String>) -> Result<(), Stop> {
    let id = scene.fixture(Fixture::PayoutToDetach)?;
    if !has_lines(scene, &id).await? {
        return Err(Stop::missing("a line of payout_to_detach (none is left)"));
    }
    let first = Document::of(scene, &id).await?;
    let beside = match &other {
        Some(other) => Some(Document::of(scene, other).await?),
        None => None,
    };
    detach_one(scene).await?;
    if let (Some(other), Some(beside)) = (&other, &beside) {
        let again = Document::of(scene, other).await?;
        again.is_same_as(beside, "a line of another payout was detached")?;
    }
    let answer = scene.send(statement(scene, &id)?).await?;
    // It was the last line: then there is nothing to print, and an earlier document would be wrong.
    if answer.status == 422 && !has_lines(scene, &id).await? {
        return Ok(());
    }
    answer.is(200)?;
    let second = Document::behind(scene, answer).await?;
    second.differs_from(&first, scene, "a line was detached")
}

/// Another payout of the partner's that has lines, and that no case takes lines from.
async fn other_payout(scene: &mut Scene<'_>, id: &str) -> Result<Option<String>, Stop> {
    let partner = scene.given(payout(scene, id)?).await?;
    let partner = partner.text("/data/partner/id").to_owned();
    let filters = [("partnerId", partner.as_str()), ("status", "IN_PAYOUT")];
    let lines = walk::lines(scene, &filters).await?;
    let emptied = scene.fixture(Fixture::PayoutToEmpty).unwrap_or_default();
    let mut payouts = lines.iter().filter_map(|line| line["payoutId"].as_str());
    let other = payouts.find(|other| *other != id && *other != emptied);
    Ok(other.map(str::to_owned))
}

async fn has_lines(scene: &mut Scene<'_>, id: &str) -> Result<bool, Stop> {
    let list = Call::get("/api/v1/commission-lines?limit=1")
        .query("payoutId", id)
        .with(&scene.all()?);
    let page = scene.send(list).await?;
    Ok(!page.is(200)?.items().is_empty())
}
