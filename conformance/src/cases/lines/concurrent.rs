//! Detaches beside other requests: two lines of one payout at once, and a line between two pages of the list it stood in.
//!
//! They refuse to blame a deployment for another run: a line that somebody else was faster with is replaced by another.

use std::iter;

use serde_json::{Value, json};

use super::{
    detached::{RIVALS, attached, compare, is_attached, spend},
    detaching, text,
};
use crate::{
    case::{CaseContext, CaseOutcome},
    cases::{
        lists::walk::{LINES, ids, next_cursor},
        money::{account::Account, at_once, document::statement, each_at_once, payout, walk},
    },
    exchange::{Request, Response},
    target::Fixture,
};

/// The list that a line leaves with its detach, and that goes on behind it.
const ATTACHED: [(&str, &str); 1] = [("status", "IN_PAYOUT")];
/// Items of the longest page.
const LARGEST: usize = 100;

pub(super) async fn two_at_once(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    context.forgo_snapshots();
    let payout = context.fixture(Fixture::PayoutToDetach)?;
    for _ in 0..=RIVALS {
        let lines = [attached(context).await?, attached(context).await?];
        let requests = lines
            .iter()
            .map(|line| detaching(context, text(line, "id")));
        let requests: Vec<Request> = requests.collect::<Result<_, _>>()?;
        let before = Account::of(context, &payout).await?;
        let responses = at_once(context, requests).await?;
        let after = Account::of(context, &payout).await?;
        let won = responses
            .iter()
            .filter(|response| response.is_success())
            .count();
        for line in &lines {
            if !is_attached(context, line).await? {
                spend(context, line);
            }
        }
        if won == lines.len() {
            return compare(&before, &after, &lines);
        }
        was_spent(context, &lines, &responses).await?;
    }
    Err(CaseOutcome::missing("two lines that no other run wants"))
}

pub(super) async fn beside_others(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    context.forgo_snapshots();
    let id = context.fixture(Fixture::PayoutToDetach)?;
    for _ in 0..=RIVALS {
        let line = attached(context).await?;
        let partner = format!("/api/v1/partners/{}", text(&line, "partnerId"));
        let before = Account::of(context, &id).await?;
        let requests = [
            statement(context, &id)?,
            // It changes nothing, and locks what a change would.
            Request::patch(partner, &json!({})).with(&context.all()?),
            detaching(context, text(&line, "id"))?,
            payout(context, &id)?,
        ];
        let [statement, patched, detached, read] = each_at_once(context, requests).await?;
        let after = Account::of(context, &id).await?;
        if !is_attached(context, &line).await? {
            spend(context, &line);
        }
        patched.is(200)?;
        read.is(200)?;
        // Where it was the last line there is nothing to print.
        if statement.status != 422 || !after.lines.is_empty() {
            statement.is(200)?;
        }
        if detached.is_success() {
            return compare(&before, &after, &[line]);
        }
        was_spent(context, &[line], &[detached]).await?;
    }
    Err(CaseOutcome::missing("a line that no other run wants"))
}

/// That refused detaches were refused because another run was faster: their lines are in no payout any more.
async fn was_spent(
    context: &mut CaseContext<'_>,
    lines: &[Value],
    responses: &[Response],
) -> Result<(), CaseOutcome> {
    for (line, response) in lines.iter().zip(responses) {
        if !response.is_success() && is_attached(context, line).await? {
            response.is(200)?;
        }
    }
    Ok(())
}

pub(super) async fn between_pages(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    for _ in 0..=RIVALS {
        let line = attached(context).await?;
        let id = text(&line, "id");
        let before = walk::lines(context, &ATTACHED).await?;
        let place_of = |id: &str| before.iter().position(|line| line["id"] == id);
        let Some(place) = place_of(id).filter(|place| *place < LARGEST) else {
            context.give_back_lines(iter::once(id.to_owned()));
            return Err(CaseOutcome::missing(
                "a line to detach among the first hundred attached ones",
            ));
        };
        // A page that ends with this line, or behind it where others left meanwhile.
        let list = filtered(context)?;
        let page = list.clone().query("limit", &(place + 1).to_string());
        let page = context.given(page).await?;
        let detached = context.send(detaching(context, id)?).await?;
        if !detached.is_success() && !is_attached(context, &line).await? {
            continue;
        }
        detached.is(200)?;
        spend(context, &line);
        let Some(cursor) = next_cursor(&page)? else {
            return Err(CaseOutcome::missing(
                "a page of attached lines behind the first",
            ));
        };
        let next = list.query("limit", "100").query("cursor", &cursor);
        let next = context.send(next).await?;
        // What others detached meanwhile is not there any more.
        let after = walk::lines(context, &ATTACHED).await?;
        let stays = |line: &&Value| after.iter().any(|stays| stays["id"] == line["id"]);
        let last = ids(page.items()).last().copied().and_then(place_of);
        let expected = last.and_then(|last| before[last + 1..].iter().find(stays));
        let expected = expected.map_or("no line", |line| text(line, "id"));
        next.is(200)?.that(
            ids(next.items()).contains(&expected) || expected == "no line",
            "A line was detached between two pages, and the second leaves out the line that followed it.",
            expected,
            &ids(next.items()).join(" "),
        )?;
        return Ok(());
    }
    Err(CaseOutcome::missing("a line that no other run wants"))
}

fn filtered(context: &CaseContext<'_>) -> Result<Request, CaseOutcome> {
    let list = LINES.request(&context.all()?);
    let filtered = ATTACHED.iter();
    Ok(filtered.fold(list, |list, (name, value)| list.query(name, value)))
}
