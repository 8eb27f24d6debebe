//! The triggers that rebuild a document: lines, PO number, note, template (§4.7 rule 2). Nothing
//! else does.

use super::has_lines;
use crate::cases::prelude::*;
use crate::{cases::lines::detach_one, pdf::Text};

/// Another note, and no note, rebuild the document.
#[case("§4.7.2", on = generateStatement, fixtures(PayoutNoted),
       hooks(SetPoNumber, ClearPoNumber, SetNote, ClearNote), changes = Restored, requests = 38)]
async fn note(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutNoted)?;
    context.renumber(&id).await?;
    let first = Document::of(context, &id).await?;
    context.set_note(&id, Some(&marker())).await?;
    let noted = Document::of(context, &id).await?;
    noted.differs_from(&first, context, "the note changed")?;
    context.set_note(&id, None).await?;
    let bare = Document::of(context, &id).await?;
    bare.differs_from(&noted, context, "the note was removed")
}

/// Another PO number rebuilds the document.
#[case("§4.7.2", on = generateStatement, fixtures(PayoutNoted), hooks(SetPoNumber, ClearPoNumber),
       changes = Restored, requests = 38)]
async fn po_number(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutNoted)?;
    context.renumber(&id).await?;
    let first = Document::of(context, &id).await?;
    context.renumber(&id).await?;
    let second = Document::of(context, &id).await?;
    second.differs_from(&first, context, "the PO number changed")?;
    // The payout has its own PO number again, or none.
    context.undo().await?;
    let own = Document::of(context, &id).await?;
    own.differs_from(&second, context, "the payout was given its own PO number")
}

/// Another statement template rebuilds the document.
#[case("§4.7.2", on = generateStatement, fixtures(PayoutNoted),
       hooks(SetPoNumber, ClearPoNumber, SetTemplate, ClearTemplate), changes = Restored,
       requests = 38)]
async fn template(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutNoted)?;
    context.renumber(&id).await?;
    let first = Document::of(context, &id).await?;
    context.set_template().await?;
    let second = Document::of(context, &id).await?;
    second.differs_from(&first, context, "the template changed")
}

/// With an earlier note, PO number and template the earlier document is returned.
#[case("S5", on = generateStatement, fixtures(PayoutNoted),
       hooks(SetPoNumber, ClearPoNumber, SetNote, ClearNote, SetTemplate, ClearTemplate),
       changes = Restored, requests = 48)]
async fn earlier_state(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutNoted)?;
    let number = context.renumber(&id).await?;
    let first = Document::of(context, &id).await?;
    context.set_note(&id, Some(&marker())).await?;
    context.set_template().await?;
    context.renumber(&id).await?;
    let changed = Document::of(context, &id).await?;
    changed.differs_from(&first, context, "note, PO number and template changed")?;
    first.is_still_there(context).await?;
    context.undo().await?;
    context.set_po_number(&id, Some(&number)).await?;
    let again = Document::of(context, &id).await?;
    again.is_same_as(&first, context, "note, PO number and template are those of before")
}

/// Renaming the partner rebuilds nothing: its name is none of the four triggers.
#[case("§4.7.2", on = generateStatement, fixtures(PayoutNoted), hooks(SetPoNumber, ClearPoNumber),
       changes = Restored, requests = 48)]
async fn renamed_partner(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutNoted)?;
    let number = context.renumber(&id).await?;
    let first = Document::of(context, &id).await?;
    let name = rename(context, &id).await?;
    let document = Document::of(context, &id).await?;
    let shown = context.send(payout(context, &id)?).await?;
    context.undo().await?;
    context.set_po_number(&id, Some(&number)).await?;
    // That the payout shows the current name is a decision.
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
    context.renumber(&id).await?;
    let name = rename(context, &id).await?;
    let document = Document::of(context, &id).await?;
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

/// Gives the payout's partner another name and domain; returns the name.
async fn rename(context: &mut CaseContext<'_>, id: &str) -> CaseResult<String> {
    let of_payout = context.given(payout(context, id)?).await?;
    let name = marker();
    let body = json!({ "name": name, "domain": "renamed-partner.example" });
    let partner = of_payout.text("/data/partner/id");
    context.change_partner(partner, &body).await?.is(200)?;
    Ok(name)
}

/// Detaching a line rebuilds the document, and not that of another payout.
#[case("§4.7.2", on = generateStatement, fixtures(LinesToDetach, PayoutToDetach),
       changes = Irreversible, requests = 60)]
async fn detached_line(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutToDetach)?;
    CaseOutcome::missing_if(
        !has_lines(context, &context.all()?, &id).await?,
        "a line of payout_to_detach (none is left)",
    )?;
    let first = Document::of(context, &id).await?;
    let unaffected = match other_payout(context, &id).await? {
        Some(other) => Some((Document::of(context, &other).await?, other)),
        None => None,
    };
    detach_one(context).await?;
    if let Some((unaffected, other)) = unaffected {
        let again = Document::of(context, &other).await?;
        again.is_same_as(&unaffected, context, "a line of another payout was detached")?;
    }
    let response = context.send(statement(context, &id)?).await?;
    // After the last line there is nothing to print.
    if response.status == 422 && !has_lines(context, &context.all()?, &id).await? {
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
    let lines = first_pages(context, &list, &[LARGEST; 4]).await?;
    let emptied = context.fixture(Fixture::PayoutToEmpty).unwrap_or_default();
    let mut payouts = lines.items.iter().filter_map(|line| line["payoutId"].as_str());
    let other = payouts.find(|other| *other != id && *other != emptied);
    Ok(other.map(str::to_owned))
}
