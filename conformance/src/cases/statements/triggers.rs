//! What rebuilds a document: lines, PO number, note, template (§4.7 rule 2); and that nothing else
//! does. What a hook changed is restored before the outcome is judged.

use std::sync::Arc;

use crate::cases::prelude::*;
use crate::cases::{
    lines::detach_one,
    money::{
        document::{Document, statement},
        lock::{self, HOOKS, Lock, can_lock, lock, marker, require_unmarked, unlocked_payout},
        payout,
        pdf::Text,
    },
    walk::{LARGEST, LINES, first_pages, pages_of},
};

const NOTE_HOOKS: &[Hook] =
    &[Hook::SetPoNumber, Hook::ClearPoNumber, Hook::SetNote, Hook::ClearNote];
const TEMPLATE_HOOKS: &[Hook] =
    &[Hook::SetPoNumber, Hook::ClearPoNumber, Hook::SetTemplate, Hook::ClearTemplate];
const ALL_HOOKS: &[Hook] = &[
    Hook::SetPoNumber,
    Hook::ClearPoNumber,
    Hook::SetNote,
    Hook::ClearNote,
    Hook::SetTemplate,
    Hook::ClearTemplate,
];

pub(super) const CASES: &[Case] = cases! {
    Case::ANY.on("generateStatement").fixtures(&[Fixture::PayoutNoted]).changes(Changes::Restored)
        .requests(30);
    { "statements.note" "§4.7.2" lock(note)
      "Another note, and no note, rebuild the document." .hooks(NOTE_HOOKS) }
    { "statements.po-number" "§4.7.2" run(po_number)
      "Another PO number rebuilds the document." .hooks(&HOOKS) }
    { "statements.template" "§4.7.2" lock(template)
      "Another statement template rebuilds the document." .hooks(TEMPLATE_HOOKS) }
    { "statements.earlier-state" "S5" lock(earlier_state)
      "With an earlier note, PO number and template the earlier document is returned."
      .hooks(ALL_HOOKS).requests(40) }
    { "statements.renamed-partner" "§4.7.2" lock(renamed_partner)
      "Renaming the partner rebuilds nothing: its name is none of the four triggers."
      .hooks(&HOOKS).requests(40) }
    { "statements.detached-line" "§4.7.2" run(detached_line)
      "Detaching a line rebuilds the document."
      .fixtures(&[Fixture::LinesToDetach, Fixture::PayoutToDetach]).changes(Changes::Irreversible)
      .requests(60) }
};

async fn note(context: &mut CaseContext<'_>, lock: &mut Lock) -> CaseResult {
    let id = lock.payout().to_owned();
    let before = lock::note_before(context, &id).await?;
    let outcome = note_rebuilds(context, &id).await;
    lock::restore_note(context, &before).await?;
    outcome
}

async fn note_rebuilds(context: &mut CaseContext<'_>, id: &str) -> CaseResult {
    let first = Document::of(context, id).await?;
    lock::set_note(context, id, &marker()).await?;
    let noted = Document::of(context, id).await?;
    noted.differs_from(&first, context, "the note changed")?;
    context.operate(Hook::ClearNote, &[("payout", id)]).await?;
    let bare = Document::of(context, id).await?;
    bare.differs_from(&noted, context, "the note was removed")
}

async fn po_number(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutNoted)?;
    // With its own PO number, or none: the marker is another one in any case.
    unlocked_payout(context, &id).await?;
    let own = Arc::new(Document::of(context, &id).await?);
    lock(context, |context, lock| {
        let own = Arc::clone(&own);
        Box::pin(async move { po_number_rebuilds(context, lock, &own).await })
    })
    .await
}

async fn po_number_rebuilds(
    context: &mut CaseContext<'_>,
    lock: &mut Lock,
    own: &Document,
) -> CaseResult {
    let id = lock.payout().to_owned();
    let first = Document::of(context, &id).await?;
    first.differs_from(own, context, "the payout was given another PO number")?;
    lock.mark(context).await?;
    let second = Document::of(context, &id).await?;
    second.differs_from(&first, context, "the PO number changed")
}

async fn set_template(context: &mut CaseContext<'_>) -> CaseResult {
    let values = [("title", marker())];
    let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
    context.operate(Hook::SetTemplate, &values).await?;
    Ok(())
}

async fn restore_template(context: &mut CaseContext<'_>) -> CaseResult {
    let what = "the statement template has a title that the suite wrote";
    context.restore(Hook::ClearTemplate, &[], what).await
}

async fn template(context: &mut CaseContext<'_>, lock: &mut Lock) -> CaseResult {
    let outcome = template_rebuilds(context, lock.payout()).await;
    restore_template(context).await?;
    outcome
}

async fn template_rebuilds(context: &mut CaseContext<'_>, id: &str) -> CaseResult {
    let first = Document::of(context, id).await?;
    set_template(context).await?;
    let second = Document::of(context, id).await?;
    second.differs_from(&first, context, "the template changed")
}

async fn earlier_state(context: &mut CaseContext<'_>, lock: &mut Lock) -> CaseResult {
    let id = lock.payout().to_owned();
    let before = lock::note_before(context, &id).await?;
    let first_marker = lock.po_number().to_owned();
    let first = changed_state(context, lock).await;
    // All three are restored, also where one of them fails.
    let note = lock::restore_note(context, &before).await;
    let template = restore_template(context).await;
    let number = lock.set(context, &first_marker).await;
    note.and(template).and(number)?;
    let first = first?;
    let again = Document::of(context, &id).await?;
    again.is_same_as(&first, context, "note, PO number and template are those of before")
}

/// The document of the first state, after note, template and PO number were changed.
async fn changed_state(context: &mut CaseContext<'_>, lock: &mut Lock) -> CaseResult<Document> {
    let id = lock.payout().to_owned();
    let first = Document::of(context, &id).await?;
    lock::set_note(context, &id, &marker()).await?;
    set_template(context).await?;
    lock.mark(context).await?;
    let changed = Document::of(context, &id).await?;
    changed.differs_from(&first, context, "note, PO number and template changed")?;
    first.is_still_there(context).await?;
    Ok(first)
}

async fn renamed_partner(context: &mut CaseContext<'_>, lock: &mut Lock) -> CaseResult {
    let id = lock.payout().to_owned();
    let first = Document::of(context, &id).await?;
    // That the payout shows the current name is a decision.
    let (document, shown, name) = while_renamed(context, &id).await?;
    if context.with_decisions() {
        shown.has("/data/partner/name", name)?;
    }
    document.is_same_as(&first, context, "only the partner's name and domain changed")?;
    let again = Document::of(context, &id).await?;
    again.is_same_as(&first, context, "the partner's name was restored")?;
    if !context.judges("S10") {
        return Ok(());
    }
    // A document that is rendered under another name contains that one.
    lock.mark(context).await?;
    let (document, _, name) = while_renamed(context, &id).await?;
    let filename = document.response.text("/data/filename");
    document.response.that(
        filename.contains(&name),
        "A document rendered after the partner was renamed has another name in its filename.",
        &name,
        filename,
    )?;
    // Another renderer may wrap it after the hyphen, or print letters as shapes.
    let random = name.rsplit('-').next().unwrap_or_default();
    let printed = Text::of(document.bytes());
    document.download.that(
        printed.as_ref().is_none_or(|printed| printed.letters.contains(random)),
        "A document rendered after the partner was renamed contains another name.",
        &name,
        printed.as_ref().map_or("", |printed| &printed.letters),
    )
}

/// The payout's document and the payout, both while its partner has another name and domain; and
/// that name. The partner is restored in any case.
async fn while_renamed(
    context: &mut CaseContext<'_>,
    id: &str,
) -> CaseResult<(Document, Response, String)> {
    let of_payout = context.given(payout(context, id)?).await?;
    let partner = of_payout.text("/data/partner/id");
    let (key, path) = (context.all()?, partner_path(partner));
    let before = context.given(Request::get(&path).with(&key)).await?;
    let name = before.text("/data/name");
    require_unmarked("partner's name", name)?;
    let original = before.at("/data").clone();
    context.deployment().note_original(partner, original);
    let other = marker();
    let body = json!({ "name": other, "domain": "renamed-partner.example" });
    let renamed = context.send(Request::patch(&path, &body).with(&key)).await;
    let document = Document::of(context, id).await;
    let shown = context.send(payout(context, id)?).await;
    let body = json!({ "name": name, "domain": before.at("/data/domain") });
    let restored = Request::patch(&path, &body).with(&key);
    let restored = context.send_to_restore(restored).await;
    if !restored.as_ref().is_ok_and(Response::is_success) {
        context.remains(format!("partner {partner} is changed; it had {body}"));
    }
    restored?.is(200)?;
    renamed?.is(200)?;
    Ok((document?, shown?, other))
}

async fn detached_line(context: &mut CaseContext<'_>) -> CaseResult {
    if can_lock(context) {
        return lock(context, |context, _| Box::pin(detached_line_locked(context))).await;
    }
    line_is_detached(context, None).await
}

/// While no other run changes the template, which all documents of the organisation share.
async fn detached_line_locked(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutToDetach)?;
    let other = other_payout(context, &id).await?;
    line_is_detached(context, other).await
}

/// That the document is rebuilt, and that of another payout is not.
async fn line_is_detached(context: &mut CaseContext<'_>, other: Option<String>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutToDetach)?;
    CaseOutcome::missing_if(
        !has_lines(context, &id).await?,
        "a line of payout_to_detach (none is left)",
    )?;
    let first = Document::of(context, &id).await?;
    let unaffected = match &other {
        Some(other) => Some(Document::of(context, other).await?),
        None => None,
    };
    detach_one(context).await?;
    if let (Some(other), Some(unaffected)) = (&other, &unaffected) {
        let again = Document::of(context, other).await?;
        again.is_same_as(unaffected, context, "a line of another payout was detached")?;
    }
    let response = context.send(statement(context, &id)?).await?;
    // After the last line there is nothing to print.
    if response.status == 422 && !has_lines(context, &id).await? {
        return Ok(());
    }
    response.is(200)?;
    let second = Document::behind(context, response).await?;
    second.differs_from(&first, context, "a line was detached")
}

/// Another payout of the same partner with lines that no case detaches.
async fn other_payout(context: &mut CaseContext<'_>, id: &str) -> CaseResult<Option<String>> {
    let partner = context.given(payout(context, id)?).await?;
    let partner = partner.text("/data/partner/id").to_owned();
    let filters = [("partnerId", partner.as_str()), ("status", "IN_PAYOUT")];
    let list = LINES.filtered(&context.all()?, &filters);
    let lines = first_pages(context, &list, &pages_of(LARGEST, 4)).await?;
    let emptied = context.fixture(Fixture::PayoutToEmpty).unwrap_or_default();
    let mut payouts = lines.items.iter().filter_map(|line| line["payoutId"].as_str());
    let other = payouts.find(|other| *other != id && *other != emptied);
    Ok(other.map(str::to_owned))
}

async fn has_lines(context: &mut CaseContext<'_>, id: &str) -> CaseResult<bool> {
    let list = LINES.filtered(&context.all()?, &[("payoutId", id), ("limit", "1")]);
    let page = context.send(list).await?;
    Ok(!page.is(200)?.items().is_empty())
}
