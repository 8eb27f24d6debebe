//! Detaches concurrent with other requests: two lines of one payout, and a line between two pages
//! of its list. A line lost to a concurrent run is replaced by another.

use std::iter;

use super::{
    detached::{RIVALS, attached, compare, is_attached, note_detached},
    detaching, text,
};
use crate::cases::prelude::*;

/// The list that a line leaves with its detach.
const ATTACHED: [(&str, &str); 1] = [("status", "IN_PAYOUT")];
const PAGES: usize = 20;

/// Concurrent detaches of two lines of one payout lower its amount by both.
#[case("V4", on = detachCommissionLine, fixtures(LinesToDetach, PayoutToDetach),
       changes = Irreversible, requests = 120)]
async fn two_at_once(context: &mut CaseContext<'_>) -> CaseResult {
    context.forgo_snapshots();
    let payout = context.fixture(Fixture::PayoutToDetach)?;
    for _ in 0..=RIVALS {
        let lines = [attached(context).await?, attached(context).await?];
        let [one, other] = [text(&lines[0], "id"), text(&lines[1], "id")];
        let requests = [detaching(context, one)?, detaching(context, other)?];
        let before = Account::of(context, &payout).await?;
        let responses = each_concurrently(context, requests).await;
        note_detached(context, &lines).await;
        let responses = responses?;
        let after = Account::of(context, &payout).await?;
        let won = responses.iter().filter(|response| response.is_success()).count();
        if won == lines.len() {
            return compare(&before, &after, &lines);
        }
        was_lost(context, &lines, &responses).await?;
    }
    Err(CaseOutcome::missing("two lines that no other run detaches"))
}

/// A detach concurrent with a statement, a PATCH and a read lowers the amount correctly.
#[case("V4", on = detachCommissionLine, fixtures(LinesToDetach, PayoutToDetach),
       changes = Irreversible, requests = 60)]
async fn beside_others(context: &mut CaseContext<'_>) -> CaseResult {
    context.forgo_snapshots();
    let id = context.fixture(Fixture::PayoutToDetach)?;
    for _ in 0..=RIVALS {
        let line = attached(context).await?;
        let partner = partner_path(text(&line, "partnerId"));
        let before = Account::of(context, &id).await?;
        let requests = [
            statement(context, &id)?,
            // It changes nothing, and locks the same rows as a change.
            Request::patch(partner, &json!({})).with(&context.all()?),
            detaching(context, text(&line, "id"))?,
            payout(context, &id)?,
        ];
        let lines = [line];
        let responses = each_concurrently(context, requests).await;
        note_detached(context, &lines).await;
        let [statement, patched, detached, read] = responses?;
        let after = Account::of(context, &id).await?;
        patched.is(200)?;
        read.is(200)?;
        // After the last line there is nothing to print.
        if statement.status != 422 || !after.lines.is_empty() {
            statement.is(200)?;
        }
        if detached.is_success() {
            return compare(&before, &after, &lines);
        }
        was_lost(context, &lines, &[detached]).await?;
    }
    Err(CaseOutcome::missing("a line that no other run detaches"))
}

/// That rejected detaches were lost to another run: their lines are no longer in their payout.
async fn was_lost(
    context: &mut CaseContext<'_>,
    lines: &[Value],
    responses: &[Response],
) -> CaseResult {
    for (line, response) in lines.iter().zip(responses) {
        if !response.is_success() && is_attached(context, line).await? {
            response.is(200)?;
        }
    }
    Ok(())
}

/// After a detach between two pages the second page leaves out no line.
#[case("R8", on = listCommissionLines, fixtures(LinesToDetach, PayoutToDetach),
       changes = Irreversible, requests = 160)]
async fn between_pages(context: &mut CaseContext<'_>) -> CaseResult {
    for _ in 0..=RIVALS {
        let line = attached(context).await?;
        let id = text(&line, "id");
        let before = listed(context).await?.items;
        let place_of = |id: &str| before.iter().position(|line| line["id"] == id);
        let Some(place) = place_of(id).filter(|place| *place < LARGEST) else {
            context.give_back_lines(iter::once(id.to_owned()));
            return Err(CaseOutcome::missing(
                "a line to detach among the first hundred attached ones",
            ));
        };
        // A page that ends with this line, or later where other lines left meanwhile.
        let list = filtered(context)?;
        let page = list.clone().query("limit", &(place + 1).to_string());
        let page = context.given(page).await?;
        let detached = context.send(detaching(context, id)?).await?;
        if !detached.is_success() && !is_attached(context, &line).await? {
            continue;
        }
        detached.is(200)?;
        let Some(cursor) = next_cursor(&page)? else {
            return Err(CaseOutcome::missing("a second page of attached lines"));
        };
        let next = list.query("limit", "100").query("cursor", &cursor);
        let next = context.send(next).await?;
        // Other runs may detach lines meanwhile.
        let after = listed(context).await?;
        let stays = |line: &&Value| after.find(text(line, "id")).is_some();
        let last = ids(page.items()).last().copied().and_then(place_of);
        let expected = last.and_then(|last| before[last + 1..].iter().find(stays));
        let expected = expected.map_or("no line", |line| text(line, "id"));
        next.is(200)?.that(
            ids(next.items()).contains(&expected) || expected == "no line",
            "After a detach between two pages the second leaves out the line that followed.",
            expected,
            &ids(next.items()).join(" "),
        )?;
        return Ok(());
    }
    Err(CaseOutcome::missing("a line that no other run detaches"))
}

fn filtered(context: &CaseContext<'_>) -> CaseResult<Request> {
    Ok(LINES.filtered(&context.all()?, &ATTACHED))
}

async fn listed(context: &mut CaseContext<'_>) -> CaseResult<Walk> {
    let list = filtered(context)?;
    first_pages(context, &list, &[LARGEST; PAGES]).await
}
