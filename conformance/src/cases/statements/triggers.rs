//! What rebuilds a document: lines, PO number, note, template (§4.7 rule 2). And what does not: whatever else.
//!
//! It refuses to leave a trigger pulled: what a hook changed is changed back before anything is said of it.

use std::sync::Arc;

use hyper::Method;
use serde_json::{Value, json};

use crate::{
    case::{Case, CaseContext, CaseOutcome, Changes, definition::runs},
    cases::{
        lines::detach_one,
        money::{
            document::{Document, statement},
            lease::{self, HOOKS, Lease, hold, leased, marked, quiet_payout, unmarked},
            payout, walk,
        },
    },
    exchange::{Request, Response},
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
async fn note_of(context: &mut CaseContext<'_>, id: &str) -> Result<Response, CaseOutcome> {
    let before = context.given(payout(context, id)?).await?;
    unmarked("statementNote", before.text(NOTE))?;
    Ok(before)
}

async fn note(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    hold(context, leased!(note_changes)).await
}

async fn note_changes(context: &mut CaseContext<'_>, lease: &mut Lease) -> Result<(), CaseOutcome> {
    let id = lease.payout().to_owned();
    let before = note_of(context, &id).await?;
    let seen = note_rebuilds(context, &id).await;
    lease::restore_note(context, &id, before.at(NOTE).as_str()).await?;
    seen
}

async fn note_rebuilds(context: &mut CaseContext<'_>, id: &str) -> Result<(), CaseOutcome> {
    let first = Document::of(context, id).await?;
    lease::set_note(context, id, &marked()).await?;
    let noted = Document::of(context, id).await?;
    noted.differs_from(&first, context, "the note changed")?;
    context.operate(Hook::ClearNote, &[("payout", id)]).await?;
    let bare = Document::of(context, id).await?;
    bare.differs_from(&noted, context, "the note was taken away")
}

async fn po_number(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::PayoutNoted)?;
    // With its own PO number, or none: marks are others in any case, whatever another run does meanwhile.
    quiet_payout(context, &id).await?;
    let own = Arc::new(Document::of(context, &id).await?);
    hold(context, |context, lease| {
        let own = Arc::clone(&own);
        Box::pin(async move { po_number_rebuilds(context, lease, &own).await })
    })
    .await
}

async fn po_number_rebuilds(
    context: &mut CaseContext<'_>,
    lease: &mut Lease,
    own: &Document,
) -> Result<(), CaseOutcome> {
    let id = lease.payout().to_owned();
    let first = Document::of(context, &id).await?;
    first.differs_from(own, context, "the payout was given another PO number")?;
    lease.mark(context).await?;
    let second = Document::of(context, &id).await?;
    second.differs_from(&first, context, "the PO number changed")
}

async fn template(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    hold(context, leased!(template_changes)).await
}

async fn set_template(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let title = marked();
    context
        .operate(Hook::SetTemplate, &[("title", &title)])
        .await?;
    Ok(())
}

async fn template_changes(
    context: &mut CaseContext<'_>,
    lease: &mut Lease,
) -> Result<(), CaseOutcome> {
    let seen = template_rebuilds(context, lease.payout()).await;
    context.operate(Hook::ClearTemplate, &[]).await?;
    seen
}

async fn template_rebuilds(context: &mut CaseContext<'_>, id: &str) -> Result<(), CaseOutcome> {
    let first = Document::of(context, id).await?;
    set_template(context).await?;
    let second = Document::of(context, id).await?;
    second.differs_from(&first, context, "the template changed")
}

async fn earlier_state(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    hold(context, leased!(earlier_state_returns)).await
}

async fn earlier_state_returns(
    context: &mut CaseContext<'_>,
    lease: &mut Lease,
) -> Result<(), CaseOutcome> {
    let id = lease.payout().to_owned();
    let before = note_of(context, &id).await?;
    let first_mark = lease.po_number().to_owned();
    let seen = changed_state(context, lease).await;
    lease::restore_note(context, &id, before.at(NOTE).as_str()).await?;
    context.operate(Hook::ClearTemplate, &[]).await?;
    lease.set(context, &first_mark).await?;
    let first = seen?;
    let again = Document::of(context, &id).await?;
    again.is_same_as(&first, "note, PO number and template are what they were")
}

/// The document of the state at first, after all three triggers were pulled.
async fn changed_state(
    context: &mut CaseContext<'_>,
    lease: &mut Lease,
) -> Result<Document, CaseOutcome> {
    let id = lease.payout().to_owned();
    let first = Document::of(context, &id).await?;
    lease::set_note(context, &id, &marked()).await?;
    set_template(context).await?;
    lease.mark(context).await?;
    let changed = Document::of(context, &id).await?;
    changed.differs_from(&first, context, "note, PO number and template changed")?;
    first.is_still_there(context).await?;
    Ok(first)
}

async fn renamed_partner(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    hold(context, leased!(partner_is_renamed)).await
}

async fn partner_is_renamed(
    context: &mut CaseContext<'_>,
    lease: &mut Lease,
) -> Result<(), CaseOutcome> {
    let id = lease.payout().to_owned();
    let first = Document::of(context, &id).await?;
    // The payout itself names the partner as it is now (§2.3).
    let (document, shown, name) = while_renamed(context, &id).await?;
    shown.has("/data/partner/name", name)?;
    document.is_same_as(&first, "only the partner's name and domain changed")?;
    let again = Document::of(context, &id).await?;
    again.is_same_as(&first, "the partner has its name again")?;
    if !context.with_decisions() {
        return Ok(());
    }
    // And a document that is made while it has another name tells that one.
    lease.mark(context).await?;
    let (document, _, name) = while_renamed(context, &id).await?;
    let filename = document.response.text("/data/filename");
    document.response.that(
        filename.contains(&name),
        "A document that was made after the partner was renamed has another name in its filename.",
        &name,
        filename,
    )?;
    Ok(())
}

/// The payout's document and the payout, both while its partner has another name and domain; and that name.
async fn while_renamed(
    context: &mut CaseContext<'_>,
    id: &str,
) -> Result<(Document, Response, String), CaseOutcome> {
    let of_payout = context.given(payout(context, id)?).await?;
    let path = format!("/api/v1/partners/{}", of_payout.text("/data/partner/id"));
    let partner = Request::get(path).with(&context.all()?);
    let before = context.given(partner.clone()).await?;
    let name = before.text("/data/name");
    unmarked("partner's name", name)?;
    let change = |body: Value| Request {
        method: Method::PATCH,
        ..partner.clone().json(&body)
    };
    let other = marked();
    let body = json!({ "name": other, "domain": "renamed-partner.example" });
    let changed = context.send(change(body)).await?;
    let document = Document::of(context, id).await;
    let shown = context.send(payout(context, id)?).await;
    let body = json!({ "name": name, "domain": before.at("/data/domain") });
    context.given(change(body)).await?;
    changed.is(200)?;
    Ok((document?, shown?, other))
}

async fn detached_line(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    if lease::may_hold(context) {
        return hold(context, leased!(detached_line_alone)).await;
    }
    line_is_detached(context, None).await
}

/// While nobody changes the template, which is that of all the organisation's documents.
async fn detached_line_alone(
    context: &mut CaseContext<'_>,
    _: &mut Lease,
) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::PayoutToDetach)?;
    let other = other_payout(context, &id).await?;
    line_is_detached(context, other).await
}

/// The document is rebuilt, and that of another payout is not.
async fn line_is_detached(
    context: &mut CaseContext<'_>,
    other: Option<String>,
) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::PayoutToDetach)?;
    if !has_lines(context, &id).await? {
        return Err(CaseOutcome::missing(
            "a line of payout_to_detach (none is left)",
        ));
    }
    let first = Document::of(context, &id).await?;
    let beside = match &other {
        Some(other) => Some(Document::of(context, other).await?),
        None => None,
    };
    detach_one(context).await?;
    if let (Some(other), Some(beside)) = (&other, &beside) {
        let again = Document::of(context, other).await?;
        again.is_same_as(beside, "a line of another payout was detached")?;
    }
    let response = context.send(statement(context, &id)?).await?;
    // It was the last line: then there is nothing to print, and an earlier document would be wrong.
    if response.status == 422 && !has_lines(context, &id).await? {
        return Ok(());
    }
    response.is(200)?;
    let second = Document::behind(context, response).await?;
    second.differs_from(&first, context, "a line was detached")
}

/// Another payout of the partner's that has lines, and that no case takes lines from.
async fn other_payout(
    context: &mut CaseContext<'_>,
    id: &str,
) -> Result<Option<String>, CaseOutcome> {
    let partner = context.given(payout(context, id)?).await?;
    let partner = partner.text("/data/partner/id").to_owned();
    let filters = [("partnerId", partner.as_str()), ("status", "IN_PAYOUT")];
    let lines = walk::lines(context, &filters).await?;
    let emptied = context.fixture(Fixture::PayoutToEmpty).unwrap_or_default();
    let mut payouts = lines.iter().filter_map(|line| line["payoutId"].as_str());
    let other = payouts.find(|other| *other != id && *other != emptied);
    Ok(other.map(str::to_owned))
}

async fn has_lines(context: &mut CaseContext<'_>, id: &str) -> Result<bool, CaseOutcome> {
    let list = Request::get("/api/v1/commission-lines?limit=1")
        .query("payoutId", id)
        .with(&context.all()?);
    let page = context.send(list).await?;
    Ok(!page.is(200)?.items().is_empty())
}
