//! Detaches concurrent with other requests: two lines of one payout, and a line between two pages
//! of its list.

use std::iter;

use super::{
    detached::{attached, compare, note_detached},
    detaching, text,
};
use crate::cases::prelude::*;

/// The list that a line leaves with its detach.
const ATTACHED: [(&str, &str); 1] = [("status", "IN_PAYOUT")];
const PAGES: usize = 20;

/// Concurrent detaches of two lines of one payout lower its amount by both.
#[case("V4", on = detachCommissionLine, fixtures(LinesToDetach, PayoutToDetach),
       changes = Irreversible, requests = 60)]
async fn two_at_once(context: &mut CaseContext<'_>) -> CaseResult {
    context.forgo_snapshots();
    let payout = context.fixture(Fixture::PayoutToDetach)?;
    let lines = [attached(context).await?, attached(context).await?];
    let requests =
        [detaching(context, text(&lines[0], "id"))?, detaching(context, text(&lines[1], "id"))?];
    let before = Account::of(context, &payout).await?;
    let responses = each_concurrently(context, requests).await;
    note_detached(context, &lines).await;
    for response in responses? {
        response.is(200)?;
    }
    let after = Account::of(context, &payout).await?;
    compare(&before, &after, &lines)
}

/// A detach concurrent with a statement, a PATCH and a read lowers the amount correctly.
#[case("V4", on = detachCommissionLine, fixtures(LinesToDetach, PayoutToDetach),
       changes = Irreversible, requests = 40)]
async fn beside_others(context: &mut CaseContext<'_>) -> CaseResult {
    context.forgo_snapshots();
    let id = context.fixture(Fixture::PayoutToDetach)?;
    let lines = [attached(context).await?];
    let partner = partner_path(text(&lines[0], "partnerId"));
    let before = Account::of(context, &id).await?;
    let requests = [
        statement(context, &id)?,
        // It changes nothing, and locks the same rows as a change.
        Request::patch(partner, &json!({})).with(&context.all()?),
        detaching(context, text(&lines[0], "id"))?,
        payout(context, &id)?,
    ];
    let responses = each_concurrently(context, requests).await;
    note_detached(context, &lines).await;
    let [statement, patched, detached, read] = responses?;
    let after = Account::of(context, &id).await?;
    patched.is(200)?;
    read.is(200)?;
    detached.is(200)?;
    // After the last line there is nothing to print.
    if statement.status != 422 || !after.lines.is_empty() {
        statement.is(200)?;
    }
    compare(&before, &after, &lines)
}

/// After a detach between two pages the second page leaves out no line.
#[case("R8", on = listCommissionLines, fixtures(LinesToDetach, PayoutToDetach),
       changes = Irreversible, requests = 80)]
async fn between_pages(context: &mut CaseContext<'_>) -> CaseResult {
    let line = attached(context).await?;
    let id = text(&line, "id");
    let list = LINES.filtered(&context.all()?, &ATTACHED);
    let before = first_pages(context, &list, &[LARGEST; PAGES]).await?.items;
    let index = before.iter().position(|line| line["id"] == id);
    let Some(index) = index.filter(|index| *index < LARGEST) else {
        context.give_back_lines(iter::once(id.to_owned()));
        let what = "a line to detach among the first hundred attached ones";
        return Err(CaseOutcome::missing(what));
    };
    // A page that ends with this line.
    let page = list.clone().query("limit", &(index + 1).to_string());
    let page = context.given(page).await?;
    context.ok(detaching(context, id)?).await?;
    let Some(cursor) = next_cursor(&page)? else {
        return Err(CaseOutcome::missing("a second page of attached lines"));
    };
    let next = context.ok(list.query("limit", "100").query("cursor", &cursor)).await?;
    let following = before.get(index + 1).map_or("no line", |line| text(line, "id"));
    next.that(
        ids(next.items()).contains(&following) || following == "no line",
        "After a detach between two pages the second leaves out the line that followed.",
        following,
        &ids(next.items()).join(" "),
    )
}
